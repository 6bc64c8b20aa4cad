"""Energy and momentum of bodies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import CHUNK, kernel, prange
from amontons.algebra.rotations import rotation_of

Floats = NDArray[np.float64]


class Mechanics(NamedTuple):
    """Sums over all bodies that have a finite mass."""

    kinetic: float  # [J]
    potential: float  # in gravity, zero at the origin of the world [J]
    momentum: Floats  # [kg m/s], (3,)
    angular_momentum: Floats  # about the origin of the world [kg m²/s], (3,)


@kernel
def mechanics_kernel(position, orientation, twist, mass, inertia, gravity, partial):
    """Kinetic and potential energy, momentum and angular momentum, chunk by chunk, (chunks, 8)."""
    for c in prange(partial.shape[0]):
        kinetic, potential = 0.0, 0.0
        p0, p1, p2, l0, l1, l2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(c * CHUNK, min((c + 1) * CHUNK, mass.size)):
            m = mass[i]
            if not np.isfinite(m):
                continue
            x0, x1, x2 = position[i, 0], position[i, 1], position[i, 2]
            v0, v1, v2 = twist[i, 0], twist[i, 1], twist[i, 2]
            w0, w1, w2 = twist[i, 3], twist[i, 4], twist[i, 5]
            a, b, d, e, f, g, h, k, n = rotation_of(orientation, i)
            # in body axes
            b0, b1, b2 = (
                a * w0 + e * w1 + h * w2,
                b * w0 + f * w1 + k * w2,
                d * w0 + g * w1 + n * w2,
            )
            s0 = inertia[i, 0, 0] * b0 + inertia[i, 0, 1] * b1 + inertia[i, 0, 2] * b2
            s1 = inertia[i, 1, 0] * b0 + inertia[i, 1, 1] * b1 + inertia[i, 1, 2] * b2
            s2 = inertia[i, 2, 0] * b0 + inertia[i, 2, 1] * b1 + inertia[i, 2, 2] * b2
            kinetic += 0.5 * m * (v0 * v0 + v1 * v1 + v2 * v2)
            kinetic += 0.5 * (s0 * b0 + s1 * b1 + s2 * b2)
            potential -= m * (gravity[0] * x0 + gravity[1] * x1 + gravity[2] * x2)
            p0, p1, p2 = p0 + m * v0, p1 + m * v1, p2 + m * v2
            l0 += a * s0 + b * s1 + d * s2 + m * (x1 * v2 - x2 * v1)
            l1 += e * s0 + f * s1 + g * s2 + m * (x2 * v0 - x0 * v2)
            l2 += h * s0 + k * s1 + n * s2 + m * (x0 * v1 - x1 * v0)
        partial[c, 0], partial[c, 1] = kinetic, potential
        partial[c, 2], partial[c, 3], partial[c, 4] = p0, p1, p2
        partial[c, 5], partial[c, 6], partial[c, 7] = l0, l1, l2


def mechanics(
    position: Floats, orientation: Floats, twist: Floats, mass: Floats, inertia: Floats,
    gravity: Floats,
) -> Mechanics:  # fmt: skip
    """Energy and momentum; a body of infinite mass has none."""
    partial = np.zeros((-(-mass.size // CHUNK), 8))
    mechanics_kernel.sized(mass.size)(position, orientation, twist, mass, inertia, gravity, partial)
    total = partial[0] if len(partial) == 1 else np.zeros(8)
    if len(partial) != 1:
        for chunk in partial:
            total += chunk
    return Mechanics(float(total[0]), float(total[1]), total[2:5], total[5:8])
