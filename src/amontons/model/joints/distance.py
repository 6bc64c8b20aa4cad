"""Rods and ropes between a point of A and a point of B."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from amontons.checks import positive
from amontons.checks.arrays import Vector
from amontons.errors import InputError
from amontons.model.joints.base import Joint
from amontons.model.joints.checks import signal
from amontons.model.joints.constraints import (
    LOOK_AHEAD,
    ConstraintRow,
    JointConstraints,
    Law,
    Signal,
    length,
    middle_of,
)

CLOSE = 1e-6
"""Largest relative difference of a given length from the current one."""


@dataclass(frozen=True, kw_only=True)
class Strut(Joint):
    """Base of rods and ropes.

    Parameters
    ----------
    point_a, point_b:
        Its ends, in A and in B [m].
    length:
        Its length [m], or a function of time; by default the distance of its ends.
    """

    point_a: Vector
    point_b: Vector
    length: Signal | None = None

    def check(self) -> None:
        if self.length is None:
            object.__setattr__(self, "length", self.distance)
        self._check("length", signal)
        if not callable(self.length):
            self._check("length", positive)
        fault = self.fault(self.given)
        if fault:
            raise InputError(f"the ends of {self.title} are {self.distance:g} m apart; {fault}")

    @abstractmethod
    def fault(self, length: Signal) -> str:
        """What is wrong with this length [m], if anything is."""

    @property
    def distance(self) -> float:
        """Distance of the ends when the joint is added [m]."""
        return math.dist(self.point_a, self.point_b)

    @property
    def given(self) -> Signal:
        """The length, given or found [m]."""
        assert self.length is not None
        return self.length

    def constraints(self) -> JointConstraints:
        constraints = JointConstraints(middle_of(self.point_a, self.point_b))
        number = constraints.coordinate(length(self.point_a, self.point_b), reading="travel")
        constraints.rows.append(self.row(number))
        return constraints

    @abstractmethod
    def row(self, coordinate: int) -> ConstraintRow:
        """How it constrains the length."""


@dataclass(frozen=True, kw_only=True)
class Distance(Strut):
    """A rod: a point of B keeps its distance from a point of A.

    Parameters
    ----------
    point_a, point_b:
        Its ends, in A and in B [m].
    length:
        Its length [m], which must be the current one, or a function of time.
    """

    freedom: ClassVar[int] = 5

    def fault(self, length: Signal) -> str:
        if self.distance == 0.0:
            return "a rod has a length: use Spherical to keep two points together"
        if not callable(length) and abs(length - self.distance) > CLOSE * length:
            return f"its length is {length:g} m; leave it out, or move the points"
        return ""

    def row(self, coordinate: int) -> ConstraintRow:
        return ConstraintRow(coordinate, Law.POSITION, self.given, softness=self.linear)


@dataclass(frozen=True, kw_only=True)
class Rope(Strut):
    """A rope: a point of B is never farther than its length from a point of A.

    Parameters
    ----------
    point_a, point_b:
        Its ends, in A and in B [m].
    length:
        Its length [m], or a function of time; by default it starts taut.
    """

    freedom: ClassVar[int] = 6

    def fault(self, length: Signal) -> str:
        if not callable(length) and self.distance > (1.0 + CLOSE) * length:
            return f"its length, {length:g} m, is too short"
        return ""

    def row(self, coordinate: int) -> ConstraintRow:
        length = self.given
        margin = LOOK_AHEAD * (self.distance if callable(length) else length)
        return ConstraintRow(
            coordinate, Law.LIMIT, length, sign=-1.0, softness=self.linear, margin=margin
        )
