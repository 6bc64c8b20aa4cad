"""Every set of a problem as second-order cones: x ↦ s = G x + h, one or more *pieces* a block.

A piece is a vector s = (s₀, s̄) of one and three entries with s₀ ≥ ‖s̄‖. Its head s₀ is a multiple
of the block's normal part, its tail s̄ a projection of the block's force or torque:

    Coulomb        (μ fₙ, f_t)
    rolling        and (ρ fₙ, m_t)
    spinning       and (σ fₙ, m_n n)
    ℝ₊             (x, 0)
    interval       (x − lower, 0) and (upper − x, 0), where they are finite
    ℝ              none

A tail stays in the plane that it is projected onto, so the barrier is that of the smaller cone, and
world-frame contacts need no tangents. Cones of one contact share its normal part. Parts of a block
that can only be zero (the tangential force without friction, the spinning torque with σ = 0, a row
with lower = upper) are *held*: no direction moves them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.algebra.cones import COULOMB, FREE, INTERVAL, ROLLING, ROWS_OF_KIND, SPINNING
from amontons.array_types import Flags, Floats, Longs
from amontons.problem.sets import Product

NO_TAIL, FRICTION, ROLL, SPIN = range(4)

NO_FRICTION = 1e-13
"""Coefficients up to this count as zero: the cone is then its own axis, but for rounding."""


class Lift(NamedTuple):
    """G and h as kernels see them."""

    start: Longs  # first piece of each block, shape (blocks + 1,)
    row: Longs  # first row of each block, shape (blocks,)
    stride: Longs  # from one row of a block to the next, shape (blocks,)
    size: Longs  # rows of a block: 1, 3, 5 or 6, shape (blocks,)
    normal: Floats  # unit normals, (1, 0, 0) for scalar blocks, shape (blocks, 3)
    moves: Flags  # whether fₙ, f_t, m_t, m_n of a block can move, shape (blocks, 4)
    tail: NDArray[np.int8]  # what a piece's tail is, shape (pieces,)
    head: Floats  # factor of the normal part in a piece's head, shape (pieces,)
    offset: Floats  # h of a piece's head, shape (pieces,)

    @property
    def pieces(self) -> int:
        """Number of pieces: the degree of the barrier."""
        return int(self.tail.size)

    @property
    def curved(self) -> bool:
        """Whether any piece is more than a half-line."""
        return bool((self.tail != NO_TAIL).any())

    @property
    def holds(self) -> bool:
        """Whether any part of any block is held."""
        three, six = self.size >= 3, self.size > 3
        held = ~self.moves
        return bool(held[:, 0].any() or held[three, 1].any() or held[six, 2:].any())


def lift_of(sets: Product) -> Lift:
    """The pieces of a product of sets."""
    arrays = sets.arrays
    blocks = sets.blocks
    counts = np.zeros(blocks, dtype=np.int64)
    row, stride = np.empty(blocks, dtype=np.int64), np.empty(blocks, dtype=np.int64)
    size = ROWS_OF_KIND[sets.block_kinds].astype(np.int64)
    normal = np.tile([1.0, 0.0, 0.0], (blocks, 1))
    normal[: arrays.normal.shape[1]] = arrays.normal.T
    moves = np.ones((blocks, 4), dtype=np.bool_)
    columns: list[tuple[Longs, int, Floats, Floats]] = []  # block, tail, head, offset of pieces
    for kind, first, count, first_row in arrays.groups:
        block = first + np.arange(count)
        row[block] = first_row + np.arange(count)
        stride[block] = count
        if kind >= COULOMB:
            columns += _cones(arrays, int(kind), block, moves)
        elif kind == INTERVAL:
            columns += _ends(arrays.lower, arrays.upper, block, moves)
        elif kind != FREE:
            columns.append((block, NO_TAIL, np.ones(count), np.zeros(count)))
    owner = np.concatenate([np.empty(0, dtype=np.int64), *(c[0] for c in columns)])
    order = np.argsort(owner, kind="stable")
    tails = [np.full(c[0].size, c[1], dtype=np.int8) for c in columns]
    np.add.at(counts, owner, 1)
    return Lift(
        start=np.concatenate([[0], np.cumsum(counts)]),
        row=row,
        stride=stride,
        size=size,
        normal=normal,
        moves=moves,
        tail=np.concatenate([np.empty(0, dtype=np.int8), *tails])[order],
        head=np.concatenate([np.empty(0), *(c[2] for c in columns)])[order],
        offset=np.concatenate([np.empty(0), *(c[3] for c in columns)])[order],
    )


def _cones(
    arrays: object, kind: int, block: Longs, moves: Flags
) -> list[tuple[Longs, int, Floats, Floats]]:
    """Pieces of contacts: one a coefficient, or the normal part alone where all are zero."""
    parts = {COULOMB: 1, ROLLING: 2, SPINNING: 3}
    names = ("friction", "rolling", "spinning")[: parts[kind]]
    columns = []
    lone = np.ones(block.size, dtype=np.bool_)
    for part, name in enumerate(names, start=1):
        coefficient = getattr(arrays, name)[block]
        present = coefficient > NO_FRICTION
        moves[block, part] = present
        lone &= ~present
        mine = block[present]
        columns.append((mine, part, coefficient[present], np.zeros(mine.size)))
    rest = block[lone]
    columns.append((rest, NO_TAIL, np.ones(rest.size), np.zeros(rest.size)))
    return columns


def _ends(
    lower: Floats, upper: Floats, block: Longs, moves: Flags
) -> list[tuple[Longs, int, Floats, Floats]]:
    """Pieces of intervals: one a finite end, none where both are the same."""
    moves[block, 0] = lower < upper
    low = np.isfinite(lower) & (lower < upper)
    high = np.isfinite(upper) & (lower < upper)
    return [
        (block[low], NO_TAIL, np.ones(int(low.sum())), -lower[low]),
        (block[high], NO_TAIL, -np.ones(int(high.sum())), upper[high]),
    ]
