"""The elements of joints: measures of relative poses of two bodies, and rows that constrain them.

A joint is given in world coordinates, for the poses when it is added; binding it to the bodies
(:mod:`amontons.dynamics.joints`) fixes each point and axis in the body that it belongs to.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from amontons.checks.arrays import Vector

Signal = float | Callable[[float], float]
"""A number, or a function of time [s] that gives one."""

ORIGIN: Vector = (0.0, 0.0, 0.0)
AXES: tuple[Vector, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

LOOK_AHEAD = 0.05
"""Share of its range within which a limit is in every problem, whatever the speed."""


class JointMeasure(StrEnum):
    """How the pose of body B relative to body A becomes one number."""

    ALONG = "along"  # axis·(p_B − p_A), the axis fixed in A [m]
    LENGTH = "length"  # |p_B − p_A| [m]
    AZIMUTH = "azimuth"  # angle of p_B about an axis through p_A, both fixed in A [rad]
    ACROSS = (
        "across"  # product of an axis of A and one of B: sine of their deviation from a right angle
    )
    TILT = "tilt"  # a component of the turn that takes an axis of A to one of B, shortest way [rad]
    TWIST = "twist"  # a component, fixed in A, of B's rotation vector [rad]
    TURN = "turn"  # B's angle about an axis of A, over any number of turns [rad]


class Term(NamedTuple):
    """One measure with its points and axes in world coordinates.

    A `swapped` one is taken in B's frame, looking at A: `point_a` and `axis_a` are then B's.
    """

    measure: JointMeasure
    point_a: Vector = ORIGIN
    point_b: Vector = ORIGIN
    axis_a: Vector = ORIGIN
    axis_b: Vector = ORIGIN
    normal: Vector = ORIGIN  # the direction, fixed in A, that a component is taken along
    weight: float = 1.0
    swapped: bool = False


class Law(StrEnum):
    """What a row does to its coordinate."""

    POSITION = "position"  # holds it at a target, stiffly or as a spring
    SPEED = "speed"  # holds its speed at a target
    LIMIT = "limit"  # keeps it on one side of a target
    EFFORT = "effort"  # a force or torque of given size
    INERTIA = "inertia"  # resists a change of its speed, as the rotor of a geared motor does


class Softness(NamedTuple):
    """Spring and damper in parallel; an infinite stiffness is rigid."""

    stiffness: float = math.inf  # [N/m or N m/rad]
    damping: float = 0.0  # [N s/m or N m s/rad]


RIGID = Softness()


class ConstraintRow(NamedTuple):
    """How one row of the problem constrains a coordinate."""

    coordinate: int
    law: Law
    target: Signal = 0.0  # [m, rad, m/s, rad/s, N or N m], as the law has it
    sign: float = 1.0  # −1 keeps a coordinate below its limit
    softness: Softness = RIGID
    bound: float = math.inf  # largest force or torque [N or N m]
    margin: float = 0.0  # distance to a limit from which it is in the problem [m or rad]
    motor: bool = False
    inertia: float = 0.0  # of a rotor, as seen by the coordinate [kg or kg m²]
    per_load: float = 0.0  # that the bound grows by, per newton across the joint [1 or m]


class Coordinate(NamedTuple):
    """A number that rows refer to: the weighted sum of one or two measures."""

    terms: tuple[Term, ...]
    angular: bool
    reading: str = ""  # "angle" or "travel" where it is one of the joint's own coordinates


@dataclass
class JointConstraints:
    """Coordinates and rows of one joint, and the point where its reactions are given."""

    point: Vector
    axis: Vector | None = None
    """The joint's own axis, if any, by which strengths distinguish tension, shear and the rest."""
    coordinates: list[Coordinate] = field(default_factory=list)
    rows: list[ConstraintRow] = field(default_factory=list)

    def coordinate(self, *terms: Term, angular: bool = False, reading: str = "") -> int:
        """Add a coordinate; returns its number."""
        self.coordinates.append(Coordinate(terms, angular, reading))
        return len(self.coordinates) - 1

    def hold(
        self, *terms: Term, softness: Softness = RIGID, angular: bool = False, target: Signal = 0.0
    ) -> None:
        """Add a coordinate, and a row that holds it at its target."""
        number = self.coordinate(*terms, angular=angular)
        self.rows.append(ConstraintRow(number, Law.POSITION, target, softness=softness))

    def hold_point(self, axes: tuple[Vector, ...], softness: Softness = RIGID) -> None:
        """Hold B's joint point at A's, along these axes of A."""
        for axis in axes:
            self.hold(along(self.point, axis), softness=softness)

    def hold_axis(self, axis: Vector, softness: Softness = RIGID) -> None:
        """Hold an axis of B along the same axis of A: two rows."""
        for normal in perpendiculars(axis):
            term = Term(JointMeasure.TILT, axis_a=axis, axis_b=axis, normal=normal)
            self.hold(term, softness=softness, angular=True)

    def hold_orientation(self, softness: Softness = RIGID) -> None:
        """Fix the orientation of B in A: three rows."""
        for axis in AXES:
            self.hold(Term(JointMeasure.TWIST, normal=axis), softness=softness, angular=True)


def along(point: Vector, axis: Vector, weight: float = 1.0) -> Term:
    """Travel of B along an axis of A, zero now."""
    return Term(JointMeasure.ALONG, point_a=point, point_b=point, axis_a=axis, weight=weight)


def turn(axis: Vector, weight: float = 1.0) -> Term:
    """Angle of B about an axis of A, zero now."""
    return Term(JointMeasure.TURN, axis_a=axis, weight=weight)


def length(point_a: Vector, point_b: Vector) -> Term:
    """Distance of a point of B from one of A."""
    apart = np.subtract(point_b, point_a)
    distance = math.hypot(*apart)
    # the direction if they meet: the current one, or any
    axis = as_vector(apart / distance) if distance > 0.0 else AXES[2]
    return Term(JointMeasure.LENGTH, point_a=point_a, point_b=point_b, axis_a=axis)


def middle_of(one: Vector, other: Vector) -> Vector:
    """The point halfway between two."""
    return as_vector(0.5 * np.add(one, other))


def perpendiculars(axis: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors that make a right-handed frame with a unit axis."""
    direction = np.array(axis)
    start = np.eye(3)[np.argmin(np.abs(direction))]
    first = np.cross(direction, start)
    first /= np.linalg.norm(first)
    return as_vector(first), as_vector(np.cross(direction, first))


def as_vector(array: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Vector:
    """Three numbers of an array as a tuple of floats."""
    x, y, z = array.tolist()
    return x, y, z
