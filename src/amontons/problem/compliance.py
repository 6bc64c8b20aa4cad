"""Compliance E, a diagonal beside N: (normal, tangential, tangential) about a contact's normal."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.algebra.cones import ROWS_OF_KIND, VECTORS
from amontons.checks import as_finite
from amontons.errors import InputError
from amontons.problem.sets import Product

Floats = NDArray[np.float64]


def checked_compliance(sets: Product, compliance: ArrayLike | None) -> Floats | None:
    """A caller's compliance in internal order, shape (rows,); None if all of it is zero."""
    if compliance is None:
        return None
    E = as_finite("compliance", compliance)
    if E.ndim == 0:
        E = np.full(sets.rows, float(E))
    if E.shape != (sets.rows,):
        raise InputError(f"compliance must have {sets.rows} entries, got shape {E.shape}")
    if (E < 0).any():
        worst = int(np.argmax(E < 0))
        raise InputError(f"compliance[{worst}] is {E[worst]}; it must not be negative")
    inner = sets.inward(E)
    for kind, _, count, row in sets.arrays.groups:
        if kind in VECTORS:
            parts = inner[row : row + int(ROWS_OF_KIND[kind]) * count].reshape(-1, 3, count)
            if (parts[:, 1] != parts[:, 2]).any():
                raise InputError(
                    "compliance of a contact must be (normal, tangential, tangential) with "
                    "both tangential entries alike"
                )
    return inner


def add_to_blocks(
    sets: Product, compliance: Floats, blocks: Floats, offsets: NDArray[np.int64]
) -> None:
    """blocks ← N_bb + E_bb, for blocks row by row in one flat array."""
    for kind, first, count, row in sets.arrays.groups:
        rows = int(ROWS_OF_KIND[kind])
        mine = blocks[offsets[first] : offsets[first + count]].reshape(count, rows, rows)
        E = compliance[row : row + rows * count].reshape(rows, count).T
        if kind in VECTORS:
            n = sets.arrays.normal[:, first : first + count].T
            along = n[:, :, None] * n[:, None, :]
            for part in range(0, rows, 3):
                here = slice(part, part + 3)
                en, et = E[:, part, None, None], E[:, part + 1, None, None]
                mine[:, here, here] += et * np.eye(3) + (en - et) * along
        else:
            mine[:, range(rows), range(rows)] += E


def add_to_curvature(sets: Product, compliance: Floats, curvature: Floats) -> None:
    """Add E to the mean diagonals of normal, tangential and torque rows, shape (blocks, 3)."""
    for kind, first, count, row in sets.arrays.groups:
        block = slice(first, first + count)
        size = int(ROWS_OF_KIND[kind])
        entries = compliance[row : row + size * count].reshape(size, count)
        curvature[block, 0] += entries[0]
        if size >= 3:
            curvature[block, 1] += entries[1:3].mean(axis=0)
        if size > 3:
            curvature[block, 2] += entries[3:].mean(axis=0)
