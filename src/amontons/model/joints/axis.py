"""What joints with an axis share, its place and what acts along or about it; and with a plane."""

from __future__ import annotations

from dataclasses import dataclass

from amontons.checks import finite_vector, not_negative, unit_vector
from amontons.checks.arrays import Vector
from amontons.model.joints.base import Joint
from amontons.model.joints.checks import Limits, checked_limits
from amontons.model.joints.drives import Drive
from amontons.model.joints.motors import Motor, checked_motor


@dataclass(frozen=True, kw_only=True)
class AxisJoint(Joint):
    """A joint with one axis, and limits, friction and a motor on the coordinate that it leaves."""

    point: Vector
    axis: Vector
    limits: Limits = None
    friction: float = 0.0
    motor: Motor | None = None

    def check(self) -> None:
        self._check("point", finite_vector)
        self._check("axis", unit_vector)
        self._check("limits", checked_limits)
        self._check("friction", not_negative)
        self._check("motor", checked_motor)

    @property
    def drive(self) -> Drive:
        """What acts on the coordinate."""
        return Drive(self.limits, self.friction, self.motor)


@dataclass(frozen=True, kw_only=True)
class PlaneJoint(Joint):
    """A joint that keeps to a plane of A."""

    point: Vector
    normal: Vector

    def check(self) -> None:
        self._check("point", finite_vector)
        self._check("normal", unit_vector)
