"""A few of the many contacts of two meshes: for each side of the solids, a few far apart."""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import cross, dot, minus, perpendicular, row, times
from amontons.collision.narrow.choose_four import FLAT, ROUND, weighed

ALIKE = 0.996
"""Cosine of the angle (5°) within which normals count as one side."""

LAYER = 0.02
"""Contacts are on one side if their heights along its normal differ by no more than this part of
the size; so two pairs of teeth on one line of action are two sides."""

SIDES = 16
"""Most sides that two meshes may touch at."""

SLANT = (np.cos(0.35), np.sin(0.35))
"""Direction in the plane of contact to be extreme in; slanted, for edges are often square."""

WAYS = 8
"""Directions to be extreme in: four for round surfaces, whose higher points hardly count, and four
for flat faces that lean; mostly they choose the same contacts."""

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
def choose_of_side(table, seed, side, count, size, chosen, kept):
    """Append to `chosen` the extreme contacts of a side, and the seed where it is deeper; how many.

    Contacts that are less deep count for less.
    """
    n, p = row(table, seed), point_of(table, seed)
    u = perpendicular(n)
    v = cross(n, u)
    begin, lowest, spread = kept, np.inf, 0.0
    for way in range(WAYS):
        c = SLANT[0] if way % 2 == 0 else -SLANT[1]
        s = SLANT[1] if way % 2 == 0 else SLANT[0]
        sign = 1.0 if way % 4 < 2 else -1.0
        tilt = ROUND if way < 4 else FLAT
        best, farthest = seed, 0.0
        for k in range(count):
            q = side[k]
            d = minus(point_of(table, q), p)
            d = minus(d, times(dot(n, d), n))
            far = sign * (c * dot(d, u) + s * dot(d, v))
            far = weighed(far, far, table[q, 6] - table[seed, 6], tilt)
            if far > farthest * (1.0 + 1e-3) + AS_FAR * size:
                best, farthest = q, far
        lowest = min(lowest, table[best, 6])
        spread += farthest
        known = False
        for k in range(begin, kept):
            known = known or chosen[k] == best
        if not known:
            chosen[kept] = best
            kept += 1
    known = False
    for k in range(begin, kept):
        known = known or chosen[k] == seed
    if not known and table[seed, 6] < lowest - 1e-7 * spread:
        chosen[kept] = seed
        kept += 1
    return kept


@routine
def choose_of_meshes(table, made, size, chosen):
    """Rows of the table of contacts that are kept: chosen[:n]; returns n."""
    left, side = np.ones(made, dtype=np.bool_), np.empty(made, dtype=np.int64)
    kept = 0
    for _ in range(SIDES):
        seed = deepest_left(table, made, left, size)
        if seed < 0 or kept + WAYS + 1 > chosen.size:
            break
        count = claim_side(table, made, seed, size, left, side)
        kept = choose_of_side(table, seed, side, count, size, chosen, kept)
    return kept
