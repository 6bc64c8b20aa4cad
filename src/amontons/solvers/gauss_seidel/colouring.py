"""Orders in which Gauss–Seidel may relax many blocks at once.

Constraints over bodies are coloured in packets: runs of neighbours in the problem's own order, each
swept one by one by one thread. Packets of one colour share no body, so they may go at once, and the
result does not depend on who goes first. Packets keep neighbours together in the caches, where a
colour for each contact would make every sweep jump all over memory as many times as there are
colours. A body that many packets share (a slab, a drum) would need a colour for each of them: its
constraints go to an overflow set, relaxed one by one. So does a packet that finds no colour.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amontons._jit import serial_kernel
from amontons.array_types import Ints, Longs

COLOURS = 48

PACKET = 128
"""Blocks that a thread relaxes one after the other."""


class Order(NamedTuple):
    """Blocks in the order of a sweep.

    Packet p is `block[packet[p] : packet[p + 1]]`, and colour c the packets start[c] to
    start[c + 1]; packets of one colour may go at once.
    """

    block: Ints
    packet: Longs
    start: Longs


@serial_kernel
def colour_pairs(body, mobile, bodies, packet, colours, out):
    """Colour of each constraint's packet, or `colours` for the overflow; immovable bodies share."""
    blocks = body.shape[0]
    packets_of, last = np.zeros(bodies, dtype=np.int32), np.full(bodies, -1, dtype=np.int64)
    for c in range(blocks):
        for side in range(2):
            i = body[c, side]
            if i >= 0 and mobile[i] and last[i] != c // packet:
                last[i] = c // packet
                packets_of[i] += 1
    used = np.zeros(bodies, dtype=np.uint64)
    for first in range(0, blocks, packet):
        end = min(blocks, first + packet)
        taken = np.uint64(0)
        for c in range(first, end):
            a, b = body[c, 0], body[c, 1]
            on_a, on_b = a >= 0 and mobile[a], b >= 0 and mobile[b]
            hub = (on_a and 2 * packets_of[a] > colours) or (on_b and 2 * packets_of[b] > colours)
            out[c] = colours if hub else 0
            if not hub:
                if on_a:
                    taken |= used[a]
                if on_b:
                    taken |= used[b]
        colour = 0
        while colour < colours and (taken >> np.uint64(colour)) & np.uint64(1):
            colour += 1
        for c in range(first, end):
            if out[c] == colours:
                continue
            out[c] = colour
            for side in range(2):
                i = body[c, side]
                if colour < colours and i >= 0 and mobile[i]:
                    used[i] |= np.uint64(1) << np.uint64(colour)


@serial_kernel
def colour_rows(indptr, indices, block_of_row, first_row, stride, rows, colours, out):
    """First colour that no block coupled with this one by a sparse matrix has, or `colours`."""
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
    return Order(np.arange(blocks, dtype=np.int32), np.array([0, blocks]), np.array([0, 1]))


def by_colour(colour: Ints, packet: int) -> Order:
    """Blocks sorted by colour and, within one, in their old order; the overflow comes last.

    Blocks `packet·p` to `packet·(p + 1)` that have one colour form a packet.
    """
    run = np.arange(colour.size) // packet
    order = np.lexsort((run, colour))
    new = np.flatnonzero((np.diff(colour[order]) != 0) | (np.diff(run[order]) != 0)) + 1
    first = np.concatenate([[0], new])
    shade = colour[order[first]]
    first = first[(shade < COLOURS) | (np.arange(shade.size) == np.searchsorted(shade, COLOURS))]
    shade = colour[order[first]]
    start = np.concatenate([[0], np.flatnonzero(np.diff(shade)) + 1, [shade.size]])
    return Order(
        order.astype(np.int32),
        np.concatenate([first, [colour.size]]).astype(np.int64),
        start.astype(np.int64),
    )
