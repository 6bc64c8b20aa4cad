"""An order of bodies in which neighbours in space are near each other in memory.

Space is cut into cells as wide as a typical body, and bodies are taken cell by cell: along x, row
after row, in bundles of 16 × 16 rows. A body's neighbours are then in nine rows that memory is read
along at the same pace. Curves that turn at every cell keep neighbours as near, but a processor
cannot foresee where they go: products took 1.6 to 1.8 times as long along those of Hilbert and
Morton (10⁵ and 10⁶ spheres), and 4 to 6 times as long in random order.

The order is a function of the positions alone, so a run that goes on from a checkpoint, or on other
threads, has the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import kernel, prange, serial_kernel
from amontons.collision.broad.grid import cell

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

ORDERED_FROM = 2000
"""Number of bodies above which an order pays off: fewer fit into the processor's caches."""

BITS = 10
"""Bits of a cell's number along each axis: positions 1024 cells apart share a number."""

BUNDLE_BITS = 4
"""Rows of a bundle across: 16."""

DIGITS = 1 << BITS


class BodyOrder(NamedTuple):
    """An order of bodies, there and back."""

    body: Ints  # the body in each place, (bodies,)
    place: Ints  # of each body; the last entry is that of the world, −1: −1, (bodies + 1,)


@kernel
def row_keys(position, per_metre, key):
    """Key ← number of the cell of each body: bundle, then row in the bundle, then cell in the row.

    From the highest digit: bundle along z, along y, row along z, along y, cell along x.
    """
    low = (1 << BUNDLE_BITS) - 1
    for i in prange(key.size):
        x, y, z = (
            cell(position[i, 0], per_metre) & (DIGITS - 1),
            cell(position[i, 1], per_metre) & (DIGITS - 1),
            cell(position[i, 2], per_metre) & (DIGITS - 1),
        )
        bundle = ((z >> BUNDLE_BITS) << (BITS - BUNDLE_BITS)) | (y >> BUNDLE_BITS)
        row = ((z & low) << BUNDLE_BITS) | (y & low)
        key[i] = (((bundle << (2 * BUNDLE_BITS)) | row) << BITS) | x


@serial_kernel
def sort_by_key(key, start, room, body):
    """Body ← numbers in order of their keys, then of their own: a counting sort, digit by digit.

    `start` has room for the digits of one place and `room` for all bodies.
    """
    source, goal = room, body
    for i in range(key.size):
        source[i] = i
    for turn in range(3):
        for d in range(start.size):
            start[d] = 0
        shift = turn * BITS
        for i in range(key.size):
            start[((key[i] >> shift) & (DIGITS - 1)) + 1] += 1
        for d in range(DIGITS):
            start[d + 1] += start[d]
        for k in range(key.size):
            i = source[k]
            d = (key[i] >> shift) & (DIGITS - 1)
            goal[start[d]] = i
            start[d] += 1
        source, goal = goal, source


def body_order(position: Floats, width: float) -> BodyOrder | None:
    """The order of bodies at these positions [m], by cells of this width [m]; None: as it is."""
    count = len(position)
    if count < ORDERED_FROM:
        return None
    key, room, body = np.empty((3, count), dtype=np.int32)
    row_keys.sized(count)(position, 1.0 / width, key)
    sort_by_key(key, np.empty(DIGITS + 1, dtype=np.int64), room, body)
    place = np.empty(count + 1, dtype=np.int32)
    place[body] = np.arange(count, dtype=np.int32)
    place[-1] = -1
    return BodyOrder(body, place)
