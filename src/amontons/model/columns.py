"""Arrays that grow together: one row per item, one column per property."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import DTypeLike, NDArray

Key = tuple[Any, ...]


class Columns:
    """A table of numpy arrays with room to grow; it returns views that write through.

    A view is live or dead, never stale: when adding or removing rows moves the table, earlier
    views refuse to be written, and those of numbers read NaN.
    """

    def __init__(self, kinds: Mapping[str, tuple[DTypeLike, tuple[int, ...]]]) -> None:
        """`kinds` gives each column's type and the shape of one row."""
        self._rows = 0
        self._held = {name: np.zeros((0, *shape), dtype) for name, (dtype, shape) in kinds.items()}
        self._given: WeakValueDictionary[Key, NDArray[Any]] = WeakValueDictionary()
        self._now: dict[Key, NDArray[Any]] = {}

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.part(name)

    def part(
        self, name: str, start: int = 0, stop: int | None = None, *, read_only: bool = False
    ) -> NDArray[Any]:
        """A column's rows in use, or their entries from start to stop."""
        key = name, start, stop, read_only
        view = self._now.get(key)
        if view is None:
            whole = self._held[name][: self._rows]
            view = whole if stop is None else whole[:, start:stop]
            view.flags.writeable = not read_only
            self._now[key] = self._given[(self._rows, *key)] = view
        return view

    def row(
        self,
        number: int,
        name: str,
        start: int = 0,
        stop: int | None = None,
        *,
        read_only: bool = False,
    ) -> NDArray[Any]:
        """One row of a column whose rows are arrays, or its entries from start to stop."""
        key = "row", number, name, start, stop, read_only
        view = self._given.get(key)
        if view is None:
            view = self._held[name][number, start:stop]
            view.flags.writeable = not read_only
            self._given[key] = view
        return view

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
        self._now.clear()
        return new

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Drop all other rows; the order stays."""
        rows = int(np.count_nonzero(kept))
        self._move({name: held[: self._rows][kept] for name, held in self._held.items()})
        self._rows = rows

    def put(self, values: Mapping[str, NDArray[Any]]) -> None:
        """Replace all rows; views stay live if their number is unchanged."""
        rows = len(next(iter(values.values())))
        if rows != self._rows:
            self.keep(np.zeros(self._rows, dtype=bool))
            self.append(rows, values)
            return
        for name, array in self._held.items():
            array[:rows] = values[name]

    def _reserve(self, rows: int) -> None:
        room = next(iter(self._held.values())).shape[0]
        if rows <= room:
            return
        room = max(rows, 2 * room)
        moved = {}
        for name, old in self._held.items():
            moved[name] = np.zeros((room, *old.shape[1:]), old.dtype)
            moved[name][: self._rows] = old[: self._rows]
        self._move(moved)

    def _move(self, held: dict[str, NDArray[Any]]) -> None:
        """Switch to other arrays; views of the old ones die."""
        for view in self._given.values():
            view.flags.writeable = False
        self._given.clear()
        self._now.clear()
        for old in self._held.values():
            if old.dtype == np.float64:
                old.fill(np.nan)
        self._held = held

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_given": None, "_now": {}}  # a copy has its own views

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._given = WeakValueDictionary()

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return sum(array.nbytes for array in self._held.values())
