"""Prescribed motions of kinematic bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.algebra.rotations import quaternion_product
from amontons.checks import finite_vector, unit_quaternion
from amontons.errors import InputError

Floats = NDArray[np.float64]
OverTime = ArrayLike | Callable[[float], ArrayLike]


@dataclass(frozen=True, kw_only=True)
class Motion:
    """A prescribed motion of a kinematic body, whatever pushes it.

    Give velocities, or the pose itself; each is a constant or a function of time [s]. Anything not
    given stays constant.

    Parameters
    ----------
    velocity, angular_velocity:
        Of the centre of mass [m/s] and in world axes [rad/s].
    position, orientation:
        Of the centre of mass [m] and as a unit quaternion (w, x, y, z): functions of time.
    """

    velocity: OverTime | None = None
    angular_velocity: OverTime | None = None
    position: Callable[[float], ArrayLike] | None = None
    orientation: Callable[[float], ArrayLike] | None = None

    def __post_init__(self) -> None:
        for pose, speed in (("position", "velocity"), ("orientation", "angular_velocity")):
            given = getattr(self, pose)
            if given is not None and getattr(self, speed) is not None:
                raise InputError(f"a motion has a {pose} or a {speed}, not both")
            if given is not None and not callable(given):
                raise InputError(f"the {pose} of a motion must be a function of time")
        for name in ("velocity", "angular_velocity"):
            constant = getattr(self, name)
            if constant is not None and not callable(constant):
                finite_vector(name, constant)

    def twist(self, position: Floats, orientation: Floats, time: float, step: float) -> Floats:
        """Mean velocities over a step from `time` on, which lead to the exact pose, shape (6,)."""
        twist = np.zeros(6)
        middle, end = time + 0.5 * step, time + step
        if self.position is not None:
            there = np.array(finite_vector(f"position at {end:g} s", self.position(end)))
            twist[:3] = (there - position) / step
        elif self.velocity is not None:
            twist[:3] = finite_vector("velocity", _at(self.velocity, middle))
        if self.orientation is not None:
            there = np.array(unit_quaternion(f"orientation at {end:g} s", self.orientation(end)))
            back = orientation * np.array([1.0, -1.0, -1.0, -1.0])
            twist[3:] = rotation_vector(quaternion_product(there, back)) / step
        elif self.angular_velocity is not None:
            twist[3:] = finite_vector("angular_velocity", _at(self.angular_velocity, middle))
        return twist


def _at(value: OverTime, time: float) -> ArrayLike:
    return value(time) if callable(value) else value


def rotation_vector(quaternion: Floats) -> Floats:
    """Axis times angle [rad], at most half a turn, of a unit quaternion (4,); shape (3,)."""
    if quaternion[0] < 0.0:
        quaternion = -quaternion
    sine = float(np.linalg.norm(quaternion[1:]))
    if sine < 1e-12:
        return np.asarray(2.0 * quaternion[1:])
    return np.asarray(2.0 * np.arctan2(sine, quaternion[0]) / sine * quaternion[1:])
