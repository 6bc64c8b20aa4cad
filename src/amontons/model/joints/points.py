"""Joints that hold a point of B at, on a line through, or in a plane through a point of A."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amontons.checks.arrays import Vector
from amontons.errors import InputError
from amontons.model.joints.axis import AxisJoint, PlaneJoint
from amontons.model.joints.base import Joint
from amontons.model.joints.constraints import (
    AXES,
    JointConstraints,
    JointMeasure,
    Term,
    along,
    perpendiculars,
)
from amontons.model.joints.drives import add_drive

SQUARE = 1e-6
"""Cosine up to which two axes are taken for perpendicular."""


@dataclass(frozen=True, kw_only=True)
class Spherical(Joint):
    """A ball and socket: B turns in A about a point, every way.

    Parameters
    ----------
    point:
        Centre of the ball [m].
    """

    point: Vector
    freedom: ClassVar[int] = 3

    def constraints(self) -> JointConstraints:
        constraints = JointConstraints(self.point)
        constraints.hold_point(AXES, self.linear)
        return constraints


@dataclass(frozen=True, kw_only=True)
class Universal(Joint):
    """A Cardan joint: two crossing axes, one fixed in A, one in B, always at right angles.

    Parameters
    ----------
    point:
        Where the axes cross [m].
    axis_a, axis_b:
        Directions of the cross's two arms, the one that turns in A and the one that turns in B.
    """

    point: Vector
    axis_a: Vector
    axis_b: Vector
    freedom: ClassVar[int] = 2

    def check(self) -> None:
        cosine = sum(p * q for p, q in zip(self.axis_a, self.axis_b, strict=True))
        if abs(cosine) > SQUARE:
            raise InputError(
                f"axis_a and axis_b of {self.title} must be perpendicular; "
                f"the cosine of their angle is {cosine:g}"
            )

    def constraints(self) -> JointConstraints:
        constraints = JointConstraints(self.point)
        constraints.hold_point(AXES, self.linear)
        across = Term(JointMeasure.ACROSS, axis_a=self.axis_a, axis_b=self.axis_b)
        constraints.hold(across, softness=self.angular, angular=True)
        return constraints


@dataclass(frozen=True, kw_only=True)
class PointOnLine(AxisJoint):
    """A point of B stays on a line of A; B turns every way.

    Parameters
    ----------
    point:
        The point of B, on the line [m].
    axis:
        Direction of the line.
    limits, friction, motor:
        Of the travel along the line: lowest and highest value [m], largest force [N], a motor.
    load_friction:
        Friction of the travel for each newton across the line: the coefficient μ.
    """

    freedom: ClassVar[int] = 4

    def constraints(self) -> JointConstraints:
        constraints = JointConstraints(self.point, self.axis)
        constraints.hold_point(perpendiculars(self.axis), self.linear)
        add_drive(constraints, along(self.point, self.axis), angular=False, drive=self.drive)
        return constraints


@dataclass(frozen=True, kw_only=True)
class PointOnPlane(PlaneJoint):
    """A point of B stays in a plane of A; B turns every way.

    Parameters
    ----------
    point:
        The point of B, in the plane [m].
    normal:
        Normal of the plane.
    """

    freedom: ClassVar[int] = 5

    def constraints(self) -> JointConstraints:
        constraints = JointConstraints(self.point, self.normal)
        constraints.hold_point((self.normal,), self.linear)
        return constraints
