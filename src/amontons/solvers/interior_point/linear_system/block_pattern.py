"""Sparse lower triangles made of small dense blocks, in CSC form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amontons._jit import helper
from amontons.array_types import Longs


class BlockPattern(NamedTuple):
    """Blocks of a lower triangle, column by column, the diagonal one first in each."""

    row: Longs  # number of the rows' block, shape (pairs,)
    column: Longs  # number of the columns' block, shape (pairs,)
    shift: Longs  # rows between the diagonal block and this one in its column, shape (pairs,)
    first: Longs  # first row of each block, shape (blocks + 1,)
    column_start: Longs  # of the CSC form, shape (rows + 1,)


def block_pattern(row: Longs, column: Longs, size: Longs) -> tuple[BlockPattern, Longs]:
    """The pattern of these blocks, and the row of each entry of its CSC form.

    Pairs must be sorted by column, then row, without doubles, and hold every diagonal block.
    """
    blocks = size.size
    first = np.concatenate([[0], np.cumsum(size)])
    height = size[row]
    before = np.concatenate([[0], np.cumsum(height)])  # rows of all pairs before this one
    head = np.searchsorted(column, np.arange(blocks))
    length = before[np.append(head[1:], row.size)[:blocks]] - before[head]
    owner = np.repeat(np.arange(blocks), size)
    within = np.arange(owner.size) - first[owner]
    count = length[owner] - within
    column_start = np.concatenate([[0], np.cumsum(count)])
    rows = np.repeat(first[row] - before[:-1], height) + np.arange(int(before[-1]))
    begin = before[head[owner]] + within - column_start[:-1]
    indices = rows[np.repeat(begin, count) + np.arange(int(column_start[-1]))]
    shift = before[:-1] - before[head[column]] - size[column]
    return BlockPattern(row, column, shift, first, column_start), indices


@helper
def write_block(pattern, pair, A, data):
    """Write a block into the CSC form; of a diagonal one, the lower half."""
    I, J = pattern.row[pair], pattern.column[pair]  # noqa: E741
    height = pattern.first[I + 1] - pattern.first[I]
    width = pattern.first[J + 1] - pattern.first[J]
    for q in range(width):
        begin = pattern.column_start[pattern.first[J] + q]
        if I == J:
            for a in range(q, height):
                data[begin + a - q] = A[a, q]
        else:
            begin += width - q + pattern.shift[pair]
            for a in range(height):
                data[begin + a] = A[a, q]
