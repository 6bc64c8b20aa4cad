"""Springs and dampers between two bodies, implicit in time."""

from __future__ import annotations

import math
from dataclasses import dataclass

from amontons.checks import finite, not_negative
from amontons.checks.arrays import Vector
from amontons.errors import InputError
from amontons.model.joints.base import Connection
from amontons.model.joints.constraints import (
    AXES,
    ORIGIN,
    ConstraintRow,
    JointConstraints,
    JointMeasure,
    Law,
    Softness,
    Term,
    length,
    middle_of,
    turn,
)


def check_softness(spring: LinearSpring | TorsionSpring) -> None:
    """A spring, a damper or both."""
    stiffness = not_negative("stiffness", spring.stiffness)
    damping = not_negative("damping", spring.damping)
    if stiffness == damping == 0.0:
        raise InputError(f"{spring.title} has neither stiffness nor damping: it does nothing")


@dataclass(frozen=True, kw_only=True)
class LinearSpring(Connection):
    """A spring and damper between a point of A and a point of B.

    Parameters
    ----------
    point_a, point_b:
        Its ends [m].
    stiffness, damping:
        Force by stretch [N/m] and by its speed [N s/m].
    length:
        Length at rest [m], by default the current one. Zero is a spring that pulls two
        points together.
    """

    point_a: Vector
    point_b: Vector
    stiffness: float
    damping: float = 0.0
    length: float | None = None

    def check(self) -> None:
        if self.length is None:
            object.__setattr__(self, "length", math.dist(self.point_a, self.point_b))
        self._check("length", not_negative)
        check_softness(self)

    def constraints(self) -> JointConstraints:
        assert self.length is not None
        constraints = JointConstraints(middle_of(self.point_a, self.point_b))
        softness = Softness(self.stiffness, self.damping)
        number = constraints.coordinate(length(self.point_a, self.point_b), reading="travel")
        if self.length > 0.0:
            constraints.rows.append(
                ConstraintRow(number, Law.POSITION, self.length, softness=softness)
            )
            return constraints
        # ½k|d|² is a sum over three axes: implicit every way, and smooth where the ends meet
        for axis in AXES:
            term = Term(JointMeasure.ALONG, point_a=self.point_a, point_b=self.point_b, axis_a=axis)
            constraints.hold(term, softness=softness)
        return constraints


@dataclass(frozen=True, kw_only=True)
class TorsionSpring(Connection):
    """A spring and damper that turns B back about an axis of A.

    Parameters
    ----------
    axis:
        Its direction.
    stiffness, damping:
        Torque by angle [N m/rad] and by its speed [N m s/rad].
    angle:
        Angle of B at rest [rad], counted from the current pose, over full turns.
    """

    axis: Vector
    stiffness: float
    damping: float = 0.0
    angle: float = 0.0

    def check(self) -> None:
        self._check("angle", finite)
        check_softness(self)

    def constraints(self) -> JointConstraints:
        constraints = JointConstraints(ORIGIN, self.axis)  # a couple has no point of application
        number = constraints.coordinate(turn(self.axis), angular=True, reading="angle")
        softness = Softness(self.stiffness, self.damping)
        constraints.rows.append(ConstraintRow(number, Law.POSITION, self.angle, softness=softness))
        return constraints
