"""Wheels that mesh. Other joints hold the wheels on their axes; these only couple their motions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons.checks import finite
from amontons.checks.arrays import Vector
from amontons.errors import InputError
from amontons.model.joints.base import Joint
from amontons.model.joints.constraints import (
    JointConstraints,
    JointMeasure,
    Term,
    along,
    as_vector,
    middle_of,
    turn,
)

FLAT = 1e-6
"""Distance from an axis, relative to the distance of the centres, that counts as none."""


@dataclass(frozen=True, kw_only=True)
class Gear(Joint):
    """Two wheels that mesh: spur, internal, bevel or worm gears, also on a carrier that moves.

    Angles count from the line of the wheels' centres, each about its wheel's own axis. So the
    carrier, which holds the bearings, may turn freely: planetary gears need no third body.

    Parameters
    ----------
    point_a, point_b:
        Centres of the wheels [m]; neither may be on the other's axis.
    axis_a, axis_b:
        Directions of their axes.
    ratio:
        Angle of B by that of A, each about its axis as given and seen from the carrier: −z_A/z_B
        for spur gears with z_A and z_B teeth and parallel axes, z_A/z_B in a ring.
    """

    point_a: Vector
    point_b: Vector
    axis_a: Vector
    axis_b: Vector
    ratio: float
    freedom: ClassVar[int] = 5

    def check(self) -> None:
        self._check("ratio", finite)
        if self.ratio == 0.0:
            raise InputError("ratio is 0: such wheels do not turn each other")
        self._terms()

    def _terms(self) -> tuple[Term, Term]:
        # the line of centres turns by −θ in the frame of a wheel that turns by θ
        own = _azimuth("point_b", self.point_a, self.axis_a, self.point_b, -self.ratio)
        other = _azimuth("point_a", self.point_b, self.axis_b, self.point_a, 1.0)
        return own, other._replace(swapped=True)

    def constraints(self) -> JointConstraints:
        constraints = JointConstraints(middle_of(self.point_a, self.point_b))
        constraints.hold(*self._terms(), softness=self.angular, angular=True)
        return constraints


def _azimuth(name: str, centre: Vector, axis: Vector, point: Vector, weight: float) -> Term:
    """Angle of a point of another wheel about a wheel's axis, in its frame; zero now."""
    apart = np.subtract(point, centre)
    outward = apart - np.dot(axis, apart) * np.array(axis)
    radius = math.hypot(*outward)
    if radius <= FLAT * math.hypot(*apart):
        raise InputError(f"{name} of a Gear is on the other wheel's axis: they cannot mesh")
    return Term(
        JointMeasure.AZIMUTH,
        point_a=centre,
        point_b=point,
        axis_a=axis,
        normal=as_vector(outward / radius),
        weight=weight,
    )


@dataclass(frozen=True, kw_only=True)
class RackAndPinion(Joint):
    """A toothed wheel B that rolls along a rack A.

    Parameters
    ----------
    point, axis:
        Centre of the pinion [m], and the direction of its axis.
    pitch_point:
        Where it meets the rack [m]: its distance from the axis is the pitch radius, and the rack
        runs at right angles to axis and radius.
    """

    point: Vector
    axis: Vector
    pitch_point: Vector
    freedom: ClassVar[int] = 5

    def check(self) -> None:
        if self.radius <= FLAT * math.dist(self.point, self.pitch_point):
            raise InputError("pitch_point of a RackAndPinion is on the pinion's axis")

    @property
    def _lever(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Speed of the teeth at the pitch point for one radian a second [m]."""
        return np.cross(self.axis, np.subtract(self.pitch_point, self.point))

    @property
    def radius(self) -> float:
        """Pitch radius of the pinion [m]."""
        return math.hypot(*self._lever)

    def constraints(self) -> JointConstraints:
        radius = self.radius
        constraints = JointConstraints(self.pitch_point, self.axis)
        travel = along(self.point, as_vector(self._lever / radius))
        # teeth at the pitch point do not move relative to the rack: ẋ + radius θ̇ = 0
        constraints.hold(travel, turn(self.axis, weight=radius), softness=self.linear)
        return constraints
