"""The hinge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amontons.model.joints.anatomy import AXES, Anatomy, turn
from amontons.model.joints.base import Joint
from amontons.model.joints.checks import Limits, checked_limits, not_negative
from amontons.model.joints.drives import Drive, add_drive
from amontons.model.joints.motors import Motor, checked_motor
from amontons.model.shapes.checks import Vector, finite_vector, unit_vector


@dataclass(frozen=True, kw_only=True)
class Revolute(Joint):
    """A hinge: B turns in A about an axis. The angle is zero where the joint is added.

    Parameters
    ----------
    point, axis:
        A point of the axis [m], and its direction.
    limits:
        Lowest and highest angle [rad], counted over full turns.
    friction:
        Largest torque of dry friction [N m].
    motor:
        What drives the angle.
    """

    point: Vector
    axis: Vector
    limits: Limits = None
    friction: float = 0.0
    motor: Motor | None = None
    freedom: ClassVar[int] = 1

    def check(self) -> None:
        self._check("point", finite_vector)
        self._check("axis", unit_vector)
        self._check("limits", checked_limits)
        self._check("friction", not_negative)
        self._check("motor", checked_motor)

    def anatomy(self) -> Anatomy:
        parts = Anatomy(self.point)
        parts.hold_point(AXES, self.linear)
        parts.hold_axis(self.axis, self.angular)
        drive = Drive(self.limits, self.friction, self.motor)
        add_drive(parts, turn(self.axis), angular=True, drive=drive)
        return parts
