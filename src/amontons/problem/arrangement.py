"""The order of rows: blocks in the caller's order, and grouped by kind for the kernels.

It depends on the kinds and numbers of blocks alone, so the problems of many time steps share one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from amontons._jit import CHUNK
from amontons.algebra.cones import GROUP_ORDER, ROWS_OF_KIND

Floats = NDArray[np.float64]
Scalar = TypeVar("Scalar", np.float64, np.int32)
Group = tuple[int, int, int, int]

SIZES: tuple[int, ...] = tuple(ROWS_OF_KIND.tolist())
"""Rows of a block, by its kind."""


class Place(NamedTuple):
    """The rows of a run of blocks."""

    given: slice  # the caller's rows, a block's together
    group: slice  # internal rows of all blocks of the run's kind, component by component
    blocks: slice  # the run's own slice of them
    size: int  # rows of a block

    def of(self, values: NDArray[Any]) -> NDArray[Any]:
        """The run's part of values in the internal order: a view, shape (size, blocks)."""
        return values[self.group].reshape(self.size, -1)[:, self.blocks]


class Arrangement(NamedTuple):
    """Both orders of rows, and the groups and chunks that kernels iterate over."""

    rows: int
    blocks: int
    groups: NDArray[np.int64]  # kind, first block, count and first row of each, (groups, 4)
    chunks: NDArray[np.int64]  # and its begin and end in the group, (chunks, 6)
    places: tuple[Place, ...]  # of the runs
    same: bool  # whether both orders are the same

    def inward(self, values: Floats) -> Floats:
        """Values of all rows in internal order, from the caller's; a new array."""
        if self.same:
            return values.copy()
        out = np.empty(self.rows)
        for place in self.places:
            place.of(out)[:] = values[place.given].reshape(-1, place.size).T
        return out

    def outward(self, values: NDArray[Scalar]) -> NDArray[Scalar]:
        """Values of all rows in the caller's order, from the internal one; a new array."""
        if self.same:
            return values.copy()
        out = np.empty(self.rows, dtype=values.dtype)
        for place in self.places:
            out[place.given].reshape(-1, place.size)[:] = place.of(values).T
        return out


@lru_cache(maxsize=64)
def arrangement(runs: tuple[tuple[int, int], ...]) -> Arrangement:
    """The arrangement of runs of blocks, given by their kinds and their numbers of blocks.

    Its arrays are shared: nobody writes to them.
    """
    groups = _groups(runs)
    places = _places(runs, groups)
    return Arrangement(
        rows=sum(SIZES[kind] * blocks for kind, blocks in runs),
        blocks=sum(blocks for _, blocks in runs),
        groups=np.array(groups, dtype=np.int64).reshape(-1, 4),
        chunks=_chunks(groups),
        places=places,
        same=all(_in_place(each) for each in places),
    )


def _in_place(place: Place) -> bool:
    """Whether a run's rows are the same in both orders."""
    return place.size == 1 and place.given.start == place.group.start + place.blocks.start


def _groups(runs: tuple[tuple[int, int], ...]) -> list[Group]:
    """Kind, first block, count and first row of each group that has any blocks."""
    table, block, row = [], 0, 0
    for kind in GROUP_ORDER:
        count = sum(blocks for each, blocks in runs if each == kind)
        if count:
            table.append((kind, block, count, row))
        block += count
        row += count * SIZES[kind]
    return table


def _chunks(groups: list[Group]) -> NDArray[np.int64]:
    """Every group cut into chunks of at most CHUNK blocks: the units of parallel work."""
    table = [
        (*group, start, min(start + CHUNK, group[2]))
        for group in groups
        for start in range(0, group[2], CHUNK)
    ]
    return np.array(table, dtype=np.int64).reshape(-1, 6)


def _places(runs: tuple[tuple[int, int], ...], groups: list[Group]) -> tuple[Place, ...]:
    layout = {kind: (count, row) for kind, _, count, row in groups}
    seen, given, places = dict.fromkeys(layout, 0), 0, []
    for kind, blocks in runs:
        size, (count, row), first = SIZES[kind], layout[kind], seen[kind]
        rows, group = slice(given, given + size * blocks), slice(row, row + size * count)
        places.append(Place(rows, group, slice(first, first + blocks), size))
        given, seen[kind] = rows.stop, first + blocks
    return tuple(places)
