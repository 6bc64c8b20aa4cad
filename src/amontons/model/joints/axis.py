"""Bases of joints with an axis, with what acts along or about it, and of joints with a plane."""

from __future__ import annotations

from dataclasses import dataclass

from amontons.checks.arrays import Vector
from amontons.model.joints.base import Joint
from amontons.model.joints.checks import Limits
from amontons.model.joints.drives import Drive
from amontons.model.joints.motors import Motor


@dataclass(frozen=True, kw_only=True)
class AxisJoint(Joint):
    """A joint with one axis, and limits, friction and a motor on the coordinate that it leaves."""

    point: Vector
    axis: Vector
    limits: Limits = None
    friction: float = 0.0
    motor: Motor | None = None
    armature: float = 0.0
    load_friction: float = 0.0

    @property
    def drive(self) -> Drive:
        """The limits, friction and motor of the coordinate."""
        return Drive(self.limits, self.friction, self.motor, self.armature, self.load_friction)


@dataclass(frozen=True, kw_only=True)
class PlaneJoint(Joint):
    """A joint in a plane of A."""

    point: Vector
    normal: Vector
