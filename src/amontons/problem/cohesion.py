"""Cohesion: contacts that can pull, γ_n ≥ −c and ‖γ_t‖ ≤ μ(γ_n + c), as a shift of the unknowns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.algebra.cones import CONES, SetKind
from amontons.checks import as_finite
from amontons.errors import InputError
from amontons.problem.sets import Product

Floats = NDArray[np.float64]


def checked_cohesion(sets: Product, cohesion: ArrayLike | None) -> Floats | None:
    """Largest pull of each block [N s] in the caller's order; None without cohesion."""
    if cohesion is None:
        return None
    pull = as_finite("cohesion", cohesion)
    kinds = sets.block_kinds[sets.block_order]
    scalar = np.isin(kinds, (SetKind.FREE, SetKind.INTERVAL))
    if pull.ndim == 0:
        pull = np.where(scalar, 0.0, pull)
    if pull.shape != (sets.blocks,):
        raise InputError(
            f"cohesion must be a number or one per block ({sets.blocks}), got {pull.shape}"
        )
    if (pull < 0).any():
        worst = int(np.argmax(pull < 0))
        raise InputError(f"cohesion[{worst}] is {pull[worst]}; it must not be negative")
    if (pull[scalar] != 0).any():
        raise InputError("only contacts can be cohesive, not bilateral or interval rows")
    return pull if pull.any() else None


def shift_of(sets: Product, cohesion: Floats) -> Floats:
    """c n of all contacts, shape (rows,): x = γ + c n lies in a plain cone (paper 3, §2.4)."""
    pull = np.empty(sets.blocks)
    pull[sets.block_order] = cohesion
    shift = np.zeros(sets.rows)
    for kind, first, count, row in sets.arrays.groups:
        if kind not in CONES:
            shift[row : row + count] = pull[first : first + count]
        else:
            normal = sets.arrays.normal[:, first : first + count]
            shift[row : row + 3 * count] = (normal * pull[first : first + count]).ravel()
    return shift
