"""What a run changes of a cell that repeats itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.model.cell import Cell

Floats = NDArray[np.float64]


class CellState(NamedTuple):
    """A cell as it is now; without any, nothing has entries."""

    edges: Floats  # H, one edge a column [m], upper triangular, (3, 3)
    gradient: Floats  # of the velocity of space: its edges move at L H [1/s], (3, 3)
    images: NDArray[np.int32]  # cells that a body has gone on since the start, (bodies, 3)

    @classmethod
    def of(cls, cell: Cell | None, bodies: int) -> CellState:
        """That at the start, of so many bodies."""
        if cell is None:
            none = np.empty((0, 3))
            return cls(none, none, np.empty((0, 3), dtype=np.int32))
        edges = np.diag(np.array(cell.lengths))
        return cls(edges, np.zeros((3, 3)), np.zeros((bodies, 3), dtype=np.int32))

    @property
    def lengths(self) -> Floats:
        """Of the cell along the axes [m], shape (3,); none: (0,)."""
        return np.diag(self.edges).copy() if self.edges.size else np.empty(0)

    @property
    def volume(self) -> float:
        """[m³]; NaN where there is no cell."""
        return float(np.prod(self.lengths)) if self.edges.size else float("nan")

    @property
    def tilt(self) -> float:
        """How far the next cell along y is moved along x [m]."""
        return float(self.edges[0, 1]) if self.edges.size else 0.0

    def renumbered(
        self, old_ids: NDArray[np.int64], new_ids: NDArray[np.int64], cell: Cell | None
    ) -> CellState:
        """The same after bodies changed their rows, or after the world was given a cell or none."""
        if cell is None or not self.edges.size:
            return CellState.of(cell, new_ids.size)
        images = np.zeros((new_ids.size, 3), dtype=np.int32)
        _, old_rows, new_rows = np.intersect1d(old_ids, new_ids, return_indices=True)
        images[new_rows] = self.images[old_rows]
        return self._replace(images=images)
