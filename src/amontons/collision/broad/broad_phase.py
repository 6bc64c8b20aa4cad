"""The broad phase: which parts come so close that the narrow phase must look at them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.collision.body_parts import Poses
from amontons.collision.broad.crowds import refuse_crowds
from amontons.collision.broad.grid import (
    FEW_LEVEL,
    PLANE_LEVEL,
    Grid,
    PartTags,
    Sorted,
    bound_parts,
    find_slots,
    gather_parts,
    lay_out,
    planes_in_world,
    sort_by_slot,
)
from amontons.collision.broad.search import KEPT, add_up, find_pairs, list_pairs
from amontons.collision.reused_memory import ReusedMemory
from amontons.model.shapes.table import PLANE, SPHERE, ShapeArrays

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

FEW = 12
"""Most parts of the coarsest levels that are tested one by one, instead of through cells."""


class ClosePairs(NamedTuple):
    """Pairs of parts: each finder in turn, its partners sorted."""

    pairs: Ints  # finder and partner, (pairs, 2)
    first: NDArray[np.int64]  # pairs in slot s are first[s] to first[s + 1], (parts + 1,)
    slots: Ints  # slots of the parts, if these are not listed in order of number; else empty


class SearchOptions(NamedTuple):
    """Options of one search: how to list pairs, and which to leave out."""

    listed: Ints  # parts in the order in which finders are listed; empty: as numbered
    slots: Ints  # of each part in that order; or empty
    free: NDArray[np.bool_]  # parts that count as moving, of which a pair has one; empty: as made


NO_PARTS = np.empty(0, dtype=np.int32)
AS_NUMBERED = SearchOptions(NO_PARTS, NO_PARTS, np.empty(0, dtype=bool))


class Scratch(NamedTuple):
    """Scratch memory of one search."""

    box: Floats  # of each part, as in `BroadPhase.boxes`, (parts, 6)
    corner: Floats  # least and greatest cell of each level, (levels, 6)
    slot: Ints  # of each part, (parts,)
    ordered: Sorted
    world: Floats  # planes, (planes, 5)
    near: Ints  # partners of each part, as `search` leaves them, (KEPT·parts,)
    partners: Ints  # how many those are, (parts,)


class SearchTables(NamedTuple):
    """What kernels of a search read: `find` in plain arrays."""

    grid: Grid
    parts: PartTags
    slots: int  # of all levels
    boxes: bool  # whether any part is no sphere
    filters: bool  # whether any two parts may be kept from meeting


class Fitted(NamedTuple):
    """The grid for a margin, and scratch memory of earlier searches in it."""

    margin: float  # [m]
    grid: Grid
    spare: list[Scratch]  # one per concurrent search


class BroadPhase:
    """Finds all pairs of parts whose bounding boxes come within a margin of one another.

    The balls around those boxes must overlap, too; spheres are their own balls, and planes are
    tested as they are.

    Sizes may differ by any ratio. Time and memory grow linearly with the number of parts, whatever
    their positions. The answer and its order do not depend on the number of threads.
    """

    def __init__(
        self,
        shapes: ShapeArrays,
        shape: Ints,
        *,
        body: Ints,
        free: NDArray[np.bool_],
        group: NDArray[np.uint32],
        mask: NDArray[np.uint32],
        apart: NDArray[np.int64],
    ) -> None:
        """Parts of shapes `shape`; `apart` are pairs of bodies that never meet, shape (n, 2)."""
        self.shapes, self.shape = shapes, shape
        kinds = shapes.kind[shape]
        # the widest box that a part can have, turned in any way: its level never changes
        radius = np.linalg.norm(shapes.half, axis=1)[shape]
        self._wide = 2.0 * np.where(kinds == SPHERE, shapes.size[shape, 0], radius)
        self._plane = np.flatnonzero(kinds == PLANE).astype(np.int32)
        self._boxes = bool((kinds != SPHERE).any())
        self._bodies = int(body.max(initial=-1)) + 1
        alone = body.size == self._bodies  # no body has two parts
        everybody = bool(free.all() and (group == group[:1]).all() and (mask == mask[:1]).all())
        everybody = everybody and bool((group[:1] & mask[:1]).all())
        self._all_meet = alone and everybody
        self._tag = np.column_stack([body, group, mask, free]).astype(np.uint32)
        self._memory = ReusedMemory()
        self.keep_apart(apart)

    def keep_apart(self, pairs: NDArray[np.int64]) -> None:
        """Replace the pairs of bodies that never meet, shape (n, 2)."""
        self._filters = not self._all_meet or pairs.size > 0
        self._parts = PartTags(self._tag, self._plane, *_partners(pairs, self._bodies))
        self._fitted: Fitted | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_fitted": None}  # copies start with none

    def boxes(self, poses: Poses, margin: float) -> Floats:
        """Centre and half extents of each part's box, half the margin included, shape (n, 6)."""
        box = np.empty((self.shape.size, 6))
        self._bound(poses, margin, box)
        return box

    def tables(self, margin: float) -> SearchTables:
        """What kernels read of a search within a margin [m]."""
        grid = self._grid(margin)
        return SearchTables(grid, self._parts, _slots(grid), self._boxes, self._filters)

    def find(self, poses: Poses, margin: float, look: SearchOptions = AS_NUMBERED) -> ClosePairs:
        """Pairs of parts that may touch: that come within the margin [m]."""
        fitted = self._fitted
        if fitted is None or fitted.margin != margin:
            fitted = self._fitted = Fitted(margin, self._grid(margin), [])
        try:
            scratch = fitted.spare.pop()
        except IndexError:
            scratch = self._new_scratch(fitted.grid)
        pairs = self._find(poses, margin, fitted.grid, scratch, look)
        fitted.spare.append(scratch)
        return pairs

    def _find(
        self, poses: Poses, margin: float, grid: Grid, scratch: Scratch, look: SearchOptions
    ) -> ClosePairs:
        n, parts, ordered = self.shape.size, self._parts, scratch.ordered
        if look.free.size:
            parts = parts._replace(tag=np.concatenate([parts.tag[:, :3], look.free[:, None]], 1))
            if not ordered.tag.size:
                ordered = ordered._replace(tag=np.empty((n, 4), dtype=np.uint32))
        self._bound(poses, margin, scratch.box)
        self._sort(grid, scratch, ordered, parts.tag)
        planes_in_world(
            self.shapes.size, poses.place, poses.turn, self.shape, self._plane, 0.5 * margin,
            scratch.world,
        )  # fmt: skip
        first = np.empty(n + 1, dtype=np.int64)
        search, near, count = find_pairs.sized(n), scratch.near, scratch.partners
        search(grid, parts, scratch.world, ordered, look.slots, first[:0], near, count)
        more, most = near[:0], add_up(count, first)
        body = self._tag[:, 0]
        refuse_crowds(count, int(first[-1]), body[look.listed] if look.listed.size else body)
        if most > KEPT:  # those with more partners than fit search again
            more = np.empty(int(first[-1]), dtype=np.int32)
            search(grid, parts, scratch.world, ordered, look.slots, first, more, count)
        pairs = self._memory.lend(int(first[-1])).view(np.int32).reshape(-1, 2)
        list_pairs.sized(n)(near, more, first, look.listed, pairs)
        return ClosePairs(pairs, first, look.slots)

    def _bound(self, poses: Poses, margin: float, box: Floats) -> None:
        s = self.shapes
        bound_parts.sized(self.shape.size)(
            s.kind, s.size, s.middle, s.half, poses.place, poses.turn, self.shape,
            0.5 * margin, box,
        )  # fmt: skip

    def _sort(self, grid: Grid, scratch: Scratch, ordered: Sorted, tag: NDArray[np.uint32]) -> None:
        """Sort the parts, whose boxes are known, by cells."""
        n = self.shape.size
        lay_out(grid.per_metre, grid.mask, grid.level, scratch.box, scratch.corner, ordered.stride)
        find_slots.sized(n)(
            grid.per_metre, grid.base, grid.mask, ordered.stride, grid.level, scratch.box,
            scratch.slot,
        )  # fmt: skip
        sort_by_slot(scratch.slot, ordered.start, ordered.part)
        gather_parts.sized(n)(
            ordered.part, scratch.box, tag, self.shapes.kind, self.shape,
            ordered.ball, ordered.half, ordered.tag,
        )  # fmt: skip

    def _grid(self, margin: float) -> Grid:
        """Cells twice as wide from one level to the next, and the level of each part."""
        wide = self._wide + margin
        level = np.full(wide.size, PLANE_LEVEL, dtype=np.int8)
        bounded = np.delete(np.arange(wide.size), self._plane)
        if not bounded.size:
            none = np.empty(0, dtype=np.int64)
            return Grid(np.empty(0), none, none, level)
        finest = wide[bounded].min()
        exponent = np.ceil(np.log2(wide[bounded] / finest * (1.0 - 1e-12))).astype(np.int64)
        steps, place, members = np.unique(exponent, return_inverse=True, return_counts=True)
        kept = steps.size
        while kept > 1 and members[kept - 1 :].sum() <= FEW:
            kept -= 1
        level[bounded] = np.where(place < kept, place, FEW_LEVEL)
        widths = finest * 2.0 ** steps[:kept]
        for m in range(kept):  # cells just as wide as the widest part of the level
            widths[m] = wide[bounded[place == m]].max()
        size = np.maximum(16, 2 ** np.ceil(np.log2(4 * members[:kept])).astype(np.int64))
        base = np.concatenate([[0], np.cumsum(size)[:-1]]).astype(np.int64)
        return Grid(1.0 / (widths * (1.0 + 1e-9)), base, size - 1, level)

    def _new_scratch(self, grid: Grid) -> Scratch:
        n, levels = self.shape.size, grid.base.size
        ordered = Sorted(
            np.empty((levels, 2), dtype=np.int64),
            np.empty(_slots(grid) + 2, dtype=np.int32),
            np.empty(n, dtype=np.int32),
            np.empty((n, 4)),
            np.empty((n if self._boxes else 0, 3)),
            np.empty((n if self._filters else 0, 4), dtype=np.uint32),
        )
        return Scratch(
            np.empty((n, 6)),
            np.empty((levels, 6)),
            np.empty(n, dtype=np.int32),
            ordered,
            np.empty((self._plane.size, 5)),
            np.empty(n * KEPT, dtype=np.int32),
            np.empty(n, dtype=np.int32),
        )


def _slots(grid: Grid) -> int:
    """Slots of all levels of a grid."""
    return int(grid.base[-1] + grid.mask[-1]) + 1 if grid.base.size else 0


def _partners(apart: NDArray[np.int64], bodies: int) -> tuple[NDArray[np.int64], Ints]:
    """For each body those it must not meet, sorted; empty if there are none."""
    if not apart.size:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    both = np.unique(np.concatenate([apart, apart[:, ::-1]]), axis=0)
    count = np.bincount(both[:, 0], minlength=bodies)
    start = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    return start, both[:, 1].astype(np.int32)
