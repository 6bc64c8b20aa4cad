"""Bodies that have left at the bottom come back at the top, so that a flow can last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from amontons.errors import InputError

Floats = NDArray[np.float64]


def lowest_free(places: Floats, bodies: Floats, clear: float, count: int, seed: int = 0) -> Floats:
    """Of `places`, the lowest ones that are `clear` [m] of all bodies' centres; shape (count, 3).

    Within a layer they are taken in no order, so that what is put there spreads out. Places start
    at one height, wherever bodies that came back before may still be: above all of those, they
    would be put higher from time to time, and rain down in the end.
    """
    away, _ = cKDTree(bodies).query(places, distance_upper_bound=clear)
    free = np.random.default_rng(seed).permutation(places[np.isinf(away)])
    if len(free) < count:
        raise InputError(f"{count} bodies are to come back and only {len(free)} places are free")
    return np.asarray(free[np.argsort(free[:, 2], kind="stable")][:count])
