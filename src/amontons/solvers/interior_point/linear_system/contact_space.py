"""N + Θ over the rows of the problem: for matrices, and where contacts are fewer than bodies.

The matrix is written in each block's own basis Q, in which Θ is graded (`blocks`): added to N in
the problem's basis, its large entries would swallow N's.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from amontons._jit import kernel, prange
from amontons.array_types import Floats, Longs
from amontons.problem.problem import ConeProblem
from amontons.solvers.interior_point.blocks import hessian_blocks, turn
from amontons.solvers.interior_point.lift import Lift
from amontons.solvers.interior_point.linear_system.base import Hessian, LinearSystem
from amontons.solvers.interior_point.linear_system.block_pattern import (
    BlockPattern,
    block_pattern,
    write_block,
)
from amontons.solvers.interior_point.linear_system.cost import require_memory_for
from amontons.solvers.interior_point.linear_system.factorisation import Pattern, factorisation_of


class ContactSpace(LinearSystem):
    """(N + Θ + S) x = b, factorised in the blocks' own bases."""

    def __init__(self, problem: ConeProblem, lift: Lift, offsets: Longs, library: str) -> None:
        self.lift, self.offsets = lift, offsets
        block = np.repeat(np.arange(lift.size.size), lift.size)
        first = np.concatenate([[0], np.cumsum(lift.size)])
        # rows of the factorised matrix are those of the problem, block after block
        self._order = lift.row[block] + lift.stride[block] * (np.arange(block.size) - first[block])
        matrix = problem.operator.as_matrix()[self._order][:, self._order]
        self._pattern, indices, self._place, self._entries = _blocks_of(
            sp.coo_array(matrix), lift.size, block, first
        )
        require_memory_for(self._pattern)
        self._Q = np.empty(int(offsets[-1]))
        self._H = np.empty(int(offsets[-1]))
        self._data = np.empty(indices.size)
        pattern = Pattern(self._pattern.column_start, indices)
        self.factorisation = factorisation_of(pattern, library)

    def factorise(self, hessian: Hessian, soft: Floats) -> None:
        blocks = self.lift.row.size
        hessian_blocks.sized(blocks)(
            self.lift, *hessian, soft, self.offsets, False, self._Q, self._H
        )
        assemble_contacts.sized(blocks)(
            self._pattern,
            self._place,
            self._entries,
            self.offsets,
            self._Q,
            self._H,
            self._data,
        )
        self.factorisation.factorise(self._data)

    def solve(self, b: Floats) -> Floats:
        blocks = self.lift.row.size
        turned, x = np.empty(b.size), np.empty(b.size)
        turn.sized(blocks)(self.lift, self.offsets, self._Q, b, False, turned)
        turned[self._order] = self.factorisation.solve(turned[self._order])
        turn.sized(blocks)(self.lift, self.offsets, self._Q, turned, True, x)
        return x


def _blocks_of(
    matrix: sp.coo_array, size: Longs, block: Longs, first: Longs
) -> tuple[BlockPattern, Longs, Longs, Floats]:
    """Pattern of N's lower triangle by blocks, rows of its CSC form, and the blocks' entries."""
    blocks = size.size
    i, j = matrix.coords
    row, column = block[i], block[j]
    below = row >= column
    i, j, row, column = i[below], j[below], row[below], column[below]
    key = column * blocks + row
    pairs = np.unique(np.concatenate([key, np.arange(blocks) * (blocks + 1)]))
    right, left = np.divmod(pairs, blocks)
    pattern, indices = block_pattern(left, right, size)
    place = np.concatenate([[0], np.cumsum(size[left] * size[right])])
    entries = np.zeros(int(place[-1]))
    which = np.searchsorted(pairs, key)
    entries[place[which] + (i - first[row]) * size[column] + j - first[column]] = matrix.data[below]
    return pattern, indices, place[:-1], entries


@kernel
def assemble_contacts(pattern, place, entries, offsets, Q, H, data):
    """data ← lower triangle of Qᵀ N Q + H, block by block."""
    for pair in prange(pattern.row.size):
        left, right = pattern.row[pair], pattern.column[pair]
        height = pattern.first[left + 1] - pattern.first[left]
        width = pattern.first[right + 1] - pattern.first[right]
        A, V = np.zeros((6, 6)), np.empty((6, 6))
        at, to, origin = offsets[left], offsets[right], place[pair]
        for i in range(height):
            for j in range(width):
                total = 0.0
                for k in range(width):
                    total += entries[origin + i * width + k] * Q[to + k * width + j]
                V[i, j] = total
        for i in range(height):
            for j in range(width):
                total = 0.0
                for k in range(height):
                    total += Q[at + k * height + i] * V[k, j]
                A[i, j] = total + (H[at + i * height + j] if left == right else 0.0)
        write_block(pattern, pair, A, data)
