"""Unit quaternions (w, x, y, z) and rotation matrices, for kernels and for arrays.

A pose takes a point of a body to the world: p ↦ R(q) p + x.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons._jit import helper

Floats = NDArray[np.float64]


@helper
def rotation_of(q, i):
    """Row by row, the rotation matrix of the unit quaternion q[i]."""
    w, x, y, z = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


def rotation_matrices(quaternions: Floats) -> Floats:
    """Rotation matrices of unit quaternions (n, 4), shape (n, 3, 3)."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternion_product(p: Floats, q: Floats) -> Floats:
    """The rotation q followed by p; shapes (..., 4) that broadcast."""
    a, b = np.moveaxis(p, -1, 0), np.moveaxis(q, -1, 0)
    return np.stack(
        [
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        ],
        axis=-1,
    )
