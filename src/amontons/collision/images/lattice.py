"""`Lattice`: the images of a point."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Lattice(NamedTuple):
    """The translations of a periodic cell: H k, with whole numbers k."""

    edges: Floats  # H, one edge per column [m], upper triangular, (3, 3)
    periodic: Flags  # which axes are periodic, (3,)
    origin: Floats  # lowest corner of the cell [m], (3,)

    @property
    def lengths(self) -> Floats:
        """Of the cell along the axes [m], shape (3,)."""
        return np.diag(self.edges).copy()

    def shifts(self, cells: Longs) -> Floats:
        """H k of whole numbers k, shape (n, 3) both [m]."""
        return np.asarray(cells @ self.edges.T)

    def home(self, position: Floats) -> Longs:
        """Whole numbers k such that x + H k is in the cell, for points x (n, 3)."""
        cells = np.zeros(position.shape, dtype=np.int64)
        place = position - self.origin
        for axis in (2, 1, 0):  # the tilt of a higher row moves points along x
            if self.periodic[axis]:
                cells[:, axis] = -np.floor(place[:, axis] / self.edges[axis, axis])
                place = place + np.outer(cells[:, axis], self.edges[:, axis])
        return cells

    def half_of_neighbours(self, reach: float) -> Longs:
        """Whole numbers k of cells that come within the reach [m] of this one, (n, 3).

        Only half of them: of k and −k the one whose last number that is not zero is positive.
        """
        most = np.where(self.periodic, np.ceil(reach / self.lengths).astype(np.int64), 0)
        most[0] += bool(self.edges[0, 1:].any()) and bool(self.periodic[0])  # rows that are tilted
        ranges = [range(-int(each), int(each) + 1) for each in most]
        cells = np.array(list(itertools.product(*ranges)), dtype=np.int64)
        x, y, z = cells.T
        later = (z > 0) | ((z == 0) & (y > 0)) | ((z == 0) & (y == 0) & (x > 0))
        return np.asarray(cells[later])
