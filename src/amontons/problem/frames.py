"""Contact frames: from a caller's coordinates to those of the world, in which solvers work."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.problem.sets import Product

Floats = NDArray[np.float64]


def frames_of(sets: Product, tangents: Floats) -> Floats:
    """Frames with columns n, t1 and n × t1, shape (contacts, 3, 3), of t1, shape (contacts, 3)."""
    normals = sets.arrays.normal.T
    return np.stack([normals, tangents, np.cross(normals, tangents)], axis=2)


def turned(subscripts: str, frames: Floats | None, values: Floats) -> Floats:
    """Values of rows with each contact's three multiplied by its frame, or by its transpose.

    `subscripts` are einsum's: "cij,cj->ci" out of the frame, "cji,cj->ci" into it.
    """
    if frames is None:
        return values
    return np.asarray(np.einsum(subscripts, frames, values.reshape(-1, 3)).ravel())
