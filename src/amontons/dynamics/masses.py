"""What a step needs to know of bodies and what does not change while the same bodies are there."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import kernel, prange, serial_kernel
from amontons.model.shapes import Shape
from amontons.model.world import World

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@kernel
def bound_speeds(twist, reach, speed):
    """Speed ← ‖v‖ + reach ‖ω‖, a bound of the speed of any point of each body [m/s]."""
    for i in prange(speed.size):
        v0, v1, v2 = twist[i, 0], twist[i, 1], twist[i, 2]
        w0, w1, w2 = twist[i, 3], twist[i, 4], twist[i, 5]
        turning = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
        speed[i] = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2) + reach[i] * turning


@serial_kernel
def largest_travel(twist, span):
    """Largest ‖v‖ by a body's half thickness [1/s]."""
    largest = 0.0
    for i in range(span.size):
        v0, v1, v2 = twist[i, 0], twist[i, 1], twist[i, 2]
        largest = max(largest, math.sqrt(v0 * v0 + v1 * v1 + v2 * v2) / span[i])
    return largest


class Masses(NamedTuple):
    """Inverse masses and sizes of bodies."""

    inverse_mass: Floats  # [1/kg], zero for fixed and kinematic bodies, (bodies,)
    own_inverse: Floats  # I⁻¹ in body axes [1/(kg m²)], (bodies, 3, 3)
    even: Flags  # the same inertia about all axes, (bodies,)
    driven: Flags  # fixed or kinematic, (bodies,)
    kinematic: NDArray[np.int64]  # rows of bodies that follow a prescribed motion
    gyration: Floats  # √⟨r²⟩ of a body's mass about its centre [m], ∞ if driven, (bodies,)
    reach: Floats  # of a body's farthest point from its centre [m], 0 for a plane, (bodies,)
    size: Floats  # half of a body's smallest extent [m], (bodies,)
    span: Floats  # the same, infinite for driven bodies: their thickness is no measure, (bodies,)
    typical_size: float  # median size of bodies that move [m]; a metre where none does
    total: float  # mass of all bodies that move [kg]
    dynamic: int  # number of bodies that move

    @classmethod
    def of(cls, world: World) -> Masses:
        """Masses of a world's bodies."""
        bodies = world.bodies
        driven = ~bodies.dynamic
        inertia = bodies.inertia
        own = np.zeros_like(inertia)
        own[~driven] = np.linalg.inv(inertia[~driven])
        own = 0.5 * (own + own.transpose(0, 2, 1))
        trace = np.trace(inertia, axis1=1, axis2=2)[:, None, None]
        uneven = np.abs(inertia - trace / 3.0 * np.eye(3)).max(axis=(1, 2), initial=0.0)
        extents = np.array(
            [_extents(*pair) for pair in zip(world.shapes, world.origins, strict=True)]
        ).reshape(-1, 2)[bodies.shape]
        with np.errstate(divide="ignore"):
            inverse_mass = np.where(driven, 0.0, 1.0 / bodies.mass)
        reach, size = extents[:, 0], extents[:, 1].copy()
        moving = size[~driven]
        return cls(
            inverse_mass,
            own,
            uneven <= 1e-14 * trace[:, 0, 0],
            driven,
            np.flatnonzero(bodies.kinematic),
            np.where(driven, np.inf, np.sqrt(0.5 * trace[:, 0, 0] * inverse_mass)),
            np.where(np.isfinite(reach), reach, 0.0),
            size,
            np.where(driven, np.inf, size),
            float(np.median(moving)) if moving.size else 1.0,
            float((1.0 / inverse_mass[inverse_mass > 0.0]).sum()),
            int(np.count_nonzero(~driven)),
        )

    def most_travel(self, twist: Floats) -> float:
        """Own half thicknesses that the fastest body covers a second [1/s]."""
        return float(largest_travel(twist, self.span))

    def surface_speeds(self, twist: Floats) -> Floats:
        """Bounds of the speed of any point of each body [m/s], shape (bodies,)."""
        speed = np.empty(len(twist))
        bound_speeds.sized(speed.size)(twist, self.reach, speed)
        return speed


def _extents(shape: Shape, origin: tuple[float, float, float]) -> tuple[float, float]:
    """Distance of the farthest corner of the bounding box from the centre, and half the thinnest.

    Both are infinite for a plane.
    """
    low, high = shape.bounds
    centre = np.array(origin)
    far = np.maximum(np.abs(low - centre), np.abs(high - centre))
    return float(np.linalg.norm(far)), float(0.5 * (high - low).min())
