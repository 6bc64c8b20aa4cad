"""Orders in which Gauss–Seidel may relax many blocks at once.

Blocks of one colour share no body, so they can be relaxed in parallel, and the result does not
depend on who goes first. A body with more contacts than there are colours (a slab, a drum) would
need a colour for each of them: what finds no colour goes to an overflow set, relaxed one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import serial_kernel

COLOURS = 48


class Order(NamedTuple):
    """Blocks in the order of a sweep. Colour c is `block[start[c] : start[c + 1]]`."""

    block: NDArray[np.int32]
    start: NDArray[np.int64]
    overflow: int  # first colour from which blocks must go one by one


@serial_kernel
def colour_pairs(body, mobile, bodies, colours, out):
    """First colour that neither body of a constraint has, or `colours`; immovable ones share."""
    used = np.zeros(bodies, dtype=np.uint64)
    for c in range(body.shape[0]):
        taken = np.uint64(0)
        for side in range(2):
            i = body[c, side]
            if i >= 0 and mobile[i]:
                taken |= used[i]
        colour = 0
        while colour < colours and (taken >> np.uint64(colour)) & np.uint64(1):
            colour += 1
        out[c] = colour
        if colour < colours:
            for side in range(2):
                i = body[c, side]
                if i >= 0 and mobile[i]:
                    used[i] |= np.uint64(1) << np.uint64(colour)


@serial_kernel
def colour_rows(indptr, indices, block_of_row, first_row, stride, rows, colours, out):
    """The same for blocks coupled by a sparse matrix."""
    out[:] = -1
    for b in range(out.size):
        taken = np.uint64(0)
        for k in range(rows[b]):
            i = first_row[b] + k * stride[b]
            for p in range(indptr[i], indptr[i + 1]):
                other = out[block_of_row[indices[p]]]
                if 0 <= other < colours:
                    taken |= np.uint64(1) << np.uint64(other)
        colour = 0
        while colour < colours and (taken >> np.uint64(colour)) & np.uint64(1):
            colour += 1
        out[b] = colour


def in_sequence(blocks: int) -> Order:
    """All blocks one by one."""
    return Order(np.arange(blocks, dtype=np.int32), np.array([0, blocks]), 0)


def by_colour(colour: NDArray[np.int32]) -> Order:
    """Blocks sorted by colour, in their old order within each; the overflow comes last."""
    order = np.argsort(colour, kind="stable").astype(np.int32)
    count = np.bincount(colour, minlength=COLOURS + 1)
    used = int(np.count_nonzero(count[:COLOURS]))
    start = np.concatenate([[0], np.cumsum(count[:used]), [colour.size]]).astype(np.int64)
    return Order(order, start, used)
