"""Arrays that grow together: one row a thing, one column a property."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Columns:
    """A table of numpy arrays with room to grow; a column is a view of the rows in use.

    Views stay valid until rows are added or removed.
    """

    def __init__(self, kinds: Mapping[str, tuple[DTypeLike, tuple[int, ...]]]) -> None:
        """`kinds` gives each column's type and the shape of one row."""
        self._rows = 0
        self._held = {name: np.zeros((0, *shape), dtype) for name, (dtype, shape) in kinds.items()}

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._held[name][: self._rows]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns."""
        return tuple(self._held)

    def append(self, count: int, values: Mapping[str, Any]) -> slice:
        """Add `count` rows, zero where no value is given; values broadcast. Return the new rows."""
        new = slice(self._rows, self._rows + count)
        self._reserve(new.stop)
        for name, array in self._held.items():
            array[new] = values.get(name, 0)
        self._rows = new.stop
        return new

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Drop all other rows; the order stays."""
        for name in self._held:
            self._held[name] = self[name][kept].copy()
        self._rows = int(np.count_nonzero(kept))

    def _reserve(self, rows: int) -> None:
        room = next(iter(self._held.values())).shape[0]
        if rows <= room:
            return
        room = max(rows, 2 * room)
        for name, old in self._held.items():
            new = np.zeros((room, *old.shape[1:]), old.dtype)
            new[: self._rows] = old[: self._rows]
            self._held[name] = new

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return sum(array.nbytes for array in self._held.values())
