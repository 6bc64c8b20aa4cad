"""Unit quaternions (w, x, y, z) and rotation matrices, for kernels and for arrays.

A pose takes a point of a body to the world: p ↦ R(q) p + x.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons._jit import helper

Floats = NDArray[np.float64]


def matrix_entries(w: Any, x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    """Row by row, the rotation matrix of the unit quaternion (w, x, y, z): numbers or arrays."""
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


_entries = helper(matrix_entries)


@helper
def rotation_of(q, i):
    """Row by row, the rotation matrix of the unit quaternion q[i]."""
    return _entries(q[i, 0], q[i, 1], q[i, 2], q[i, 3])


def rotation_matrices(quaternions: Floats) -> Floats:
    """Rotation matrices of unit quaternions (n, 4), shape (n, 3, 3)."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    rows = np.array(matrix_entries(w, x, y, z)).reshape(3, 3, *w.shape)
    return np.moveaxis(rows, (0, 1), (-2, -1))


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
