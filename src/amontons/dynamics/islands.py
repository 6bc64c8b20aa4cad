"""Islands: bodies that hang together through contacts and joints."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csgraph

Ints = NDArray[np.int32]


def islands(pairs: Ints, mobile: NDArray[np.bool_]) -> Ints:
    """Island of each body, numbered by the first body in each; shape (bodies,).

    Parameters
    ----------
    pairs:
        Bodies that touch or share a joint, −1 for the world; shape (pairs, 2).
    mobile:
        Bodies that carry a push on: fixed and kinematic ones do not; shape (bodies,).
    """
    count = mobile.size
    known = pairs[(pairs >= 0).all(axis=1)]
    a, b = known[mobile[known].all(axis=1)].T
    graph = sp.coo_array((np.ones(a.size, dtype=np.int8), (a, b)), shape=(count, count))
    return np.asarray(csgraph.connected_components(graph, directed=False)[1], dtype=np.int32)
