"""A few of the many contacts of two meshes: for each side of the solids, a few far apart."""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import along, dot, minus, norm, put, row, times
from amontons.collision.narrow.choose_four import FLAT, ROUND, choose_four

ALIKE = 0.996
"""Cosine of the angle (5°) within which normals count as one side."""

LAYER = 0.02
"""Contacts are on one side if their heights along its normal differ by no more than this part of
the size; so two pairs of teeth on one line of action are two sides."""

SIDES = 16
"""Most sides that two meshes may touch at."""

MOST_OF_SIDE = 8
"""Most contacts of a side."""

AS_DEEP = 1e-9
"""Depths that differ by less, as a part of the size, are equal: the first contact counts."""

AS_FAR = 1e-6
"""Distances that differ by less, as a part of the size, are equal."""


@routine
def deepest_left(table, made, left, size):
    """The first of the deepest contacts that no side has claimed yet, or −1."""
    lowest = np.inf
    for q in range(made):
        if left[q]:
            lowest = min(lowest, table[q, 6])
    for q in range(made):
        if left[q] and table[q, 6] <= lowest + AS_DEEP * size:
            return q
    return -1


@routine
def point_of(table, q):
    """The point of contact q."""
    return table[q, 3], table[q, 4], table[q, 5]


@routine
def claim_side(table, made, seed, size, left, side):
    """Contacts on the side of contact `seed` are left no more: they are in side[:n]; n."""
    n, p, count = row(table, seed), point_of(table, seed), 0
    for q in range(made):
        if not left[q] or dot(n, row(table, q)) < ALIKE:
            continue
        if abs(dot(n, minus(point_of(table, q), p))) > LAYER * size:
            continue
        left[q] = False
        side[count] = q
        count += 1
    return count


@routine
def seen_from_side(table, seed, side, count, points):
    """Points ← those of a side's contacts, as high along its normal as their gaps; their span."""
    n, p, span = row(table, seed), point_of(table, seed), 0.0
    for k in range(count):
        d = minus(point_of(table, side[k]), p)
        d = minus(d, times(dot(n, d), n))
        span = max(span, norm(d))
        put(points, k, along(d, table[side[k], 6], n))
    return span


@routine
def known(table, chosen, begin, kept, q, size):
    """Whether a contact, or another at its place, is among chosen[begin:kept]."""
    for k in range(begin, kept):
        d = minus(point_of(table, q), point_of(table, chosen[k]))
        if chosen[k] == q or dot(d, d) <= (AS_FAR * size) ** 2:
            return True
    return False


@routine
def choose_of_side(table, seed, side, count, size, chosen, kept):
    """Append to `chosen` the contacts of a side that hold it; how many there are then.

    Four as on a round surface, whose higher points hardly count, and four as on a flat face that
    leans; mostly they are the same.
    """
    points, four = np.empty((count, 3)), np.empty(8, dtype=np.int64)
    span, begin, n = seen_from_side(table, seed, side, count, points), kept, row(table, seed)
    chosen[kept] = seed
    if span <= AS_FAR * size:
        return kept + 1
    for tilt in (ROUND, FLAT):
        number = choose_four(points, 0, count, n, 0.0, np.inf, span, tilt, four)
        for k in range(number):
            q = side[four[4 + k]]
            if not known(table, chosen, begin, kept, q, size):
                chosen[kept] = q
                kept += 1
    return kept


@routine
def choose_of_meshes(table, made, size, chosen):
    """Rows of the table of contacts that are kept: chosen[:n]; returns n."""
    left, side = np.ones(made, dtype=np.bool_), np.empty(made, dtype=np.int64)
    kept = 0
    for _ in range(SIDES):
        seed = deepest_left(table, made, left, size)
        if seed < 0 or kept + MOST_OF_SIDE > chosen.size:
            break
        count = claim_side(table, made, seed, size, left, side)
        kept = choose_of_side(table, seed, side, count, size, chosen, kept)
    return kept
