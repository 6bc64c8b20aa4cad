"""Bodies that hold together: bonds between spheres, and the pieces that bonds make."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from amontons.errors import InputError

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]


def bonds(position: Floats, reach: float) -> Pairs:
    """Pairs of points that are at most `reach` [m] apart, first below second, shape (pairs, 2)."""
    place = np.asarray(position, dtype=np.float64)
    if place.ndim != 2 or not np.isfinite(place).all():
        raise InputError("positions must be finite numbers, one row per body")
    found: Pairs = cKDTree(place).query_pairs(reach, output_type="ndarray")
    return found.astype(np.int64).reshape(-1, 2)


def pieces(count: int, pairs: Pairs) -> NDArray[np.int64]:
    """Sizes of the pieces that `count` bodies make by these bonds, the largest first."""
    links = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    _, label = connected_components(links, directed=False)
    return np.sort(np.bincount(label, minlength=1))[::-1]


def kept_share(before: Pairs, after: Pairs) -> float:
    """Share of the bonds before that are there after."""
    if not len(before):
        raise InputError("there were no bonds to begin with")
    old, new = ({tuple(pair) for pair in each.tolist()} for each in (before, after))
    return len(old & new) / len(old)
