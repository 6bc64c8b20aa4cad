"""Up to four contacts of two convex shapes, once their normal and distance are known.

Where faces, edges or lines of the two lie along each other, contacts are corners of their overlap.
Every point's gap is measured along the normal between the two features there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import routine
from amontons.algebra.vectors import (
    along,
    cross,
    dot,
    minus,
    norm,
    over,
    perpendicular,
    plus,
    put_vector,
    times,
    vector_at,
)
from amontons.array_types import Floats, Ints, Longs
from amontons.collision.narrow.clipping import RING, overlap_of_features
from amontons.collision.narrow.support import into_b, out_of_b, rounding
from amontons.collision.narrow.touching_features import CORNERS, feature, is_sharp
from amontons.collision.pair_contacts import MOST

SAME = 1e-8
"""Gaps that differ by less, as a part of the size, are equal."""

NEAR = 1e-4
"""Points nearer to each other than this part of the size are one."""

SLANT = (np.cos(0.35), np.sin(0.35))
"""Direction in the plane of contact to be extreme in; slanted, for edges are often square."""

POINT_KEY = np.uint32(0x7FFFFFFF)
"""Key of a contact that is not a corner of an overlap."""


class HullFaces(NamedTuple):
    """Faces of all hulls in the table of shapes; see :class:`.ShapeArrays`."""

    face_start: Ints
    corner: Ints
    plane: Floats


class ManifoldScratch(NamedTuple):
    """Room for one manifold at a time."""

    polygon: Floats  # features of A and B [m], (2, CORNERS, 3)
    flat: Floats  # the same, projected, (2, CORNERS, 2)
    ring: Floats  # their overlap while it is cut, (2, RING, 2)
    candidate: Floats  # corners of the overlap and gaps there, (RING + 1, 3)
    label: Longs  # edges that leave the corners of the rings, (2, RING)
    key: NDArray[np.uint32]  # of candidates, (RING + 1,)
    chosen: Longs  # candidates that become contacts, (MOST,)


class Nearest(NamedTuple):
    """Where a search found two shapes nearest: all that a manifold begins with."""

    gap: float  # of the shapes, their roundings taken off [m]; ∞ where the point does not count
    normal: tuple[float, float, float]  # unit, from A to B
    point: tuple[float, float, float]  # of A's core [m]


@routine
def new_manifold_scratch():
    """Room for manifolds, one after the other."""
    return ManifoldScratch(
        np.empty((2, CORNERS, 3)),
        np.empty((2, CORNERS, 2)),
        np.empty((2, RING, 2)),
        np.empty((RING + 1, 3)),
        np.empty((2, RING), dtype=np.int64),
        np.empty(RING + 1, dtype=np.uint32),
        np.empty(MOST, dtype=np.int64),
    )


@routine
def plane_of(polygon, side, count, n):
    """Slope of a feature's plane over the plane across n: its normal m, scaled to m·n = 1.

    A segment's plane is the one that holds it and leans least.
    """
    x, m = vector_at(polygon, side, 0), (0.0, 0.0, 0.0)
    if count == 2:
        e = minus(vector_at(polygon, side, 1), x)
        ee = dot(e, e)
        lean = dot(e, n) / ee if ee > 0.0 else 0.0
        m = minus(n, times(lean, e))
    else:
        for k in range(1, count - 1):
            e, f = minus(vector_at(polygon, side, k), x), minus(vector_at(polygon, side, k + 1), x)
            m = plus(m, cross(e, f))
    upright = dot(m, n)
    return n if upright == 0.0 else over(m, upright)


@routine
def pick(candidate, count, size, chosen):
    """Four of the candidates, extreme in four fixed directions; return how many differ.

    A candidate must be ahead by a little to be preferred to an earlier one.
    """
    picked = 0
    ahead = NEAR * size
    for quarter in range(4):
        d0, d1 = SLANT[0], SLANT[1]
        if quarter % 2 == 1:
            d0, d1 = -d1, d0
        if quarter >= 2:
            d0, d1 = -d0, -d1
        best = 0
        top = d0 * candidate[0, 0] + d1 * candidate[0, 1]
        for i in range(1, count):
            here = d0 * candidate[i, 0] + d1 * candidate[i, 1]
            if here > top + ahead:
                top, best = here, i
        fresh = True
        for k in range(picked):
            if chosen[k] == best:
                fresh = False
        if fresh:
            chosen[picked] = best
            picked += 1
    return picked


@routine
def fill_up(candidate, count, size, picked, chosen):
    """Add candidates that are far from the chosen ones, up to four."""
    while picked < MOST:
        best = -1
        farthest = (NEAR * size) ** 2
        for i in range(count):
            apart = np.inf
            for k in range(picked):
                x = candidate[i, 0] - candidate[chosen[k], 0]
                y = candidate[i, 1] - candidate[chosen[k], 1]
                apart = min(apart, x * x + y * y)
            if apart > farthest * 1.001:
                farthest, best = apart, i
        if best < 0:
            break
        chosen[picked] = best
        picked += 1
    return picked


@routine
def gather(ring, label, which, points, name, heights, limit, size, candidate, key):
    """Candidates: corners of the overlap with gaps up to the limit, (x, y, gap) and key.

    `heights` are the planes of A and B over the plane across n: (value at 0, slopes along x and y)
    each. Returns how many.
    """
    a, ax, ay, b, bx, by = heights
    count = 0
    for i in range(points):
        x, y = ring[which, i, 0], ring[which, i, 1]
        gap = (b + bx * x + by * y) - (a + ax * x + ay * y)
        if gap > limit:
            continue
        fresh = True
        for k in range(count):
            if abs(candidate[k, 0] - x) + abs(candidate[k, 1] - y) <= NEAR * size:
                fresh = False
        if not fresh:
            continue
        candidate[count, 0], candidate[count, 1], candidate[count, 2] = x, y, gap
        before = label[which, i - 1 if i > 0 else points - 1]
        key[count] = np.uint32(name | (before << 6) | label[which, i])
        count += 1
    return count


@routine
def place_deepest(candidate, key, count, gap, x, y, size, chosen, picked):
    """See to it that the first chosen candidate is the deepest point, at (x, y) with this gap.

    Where the deepest point is not a corner, it stands in for the nearest corner and takes its key
    or, far from all of them, is one contact more. Returns the number of contacts.
    """
    front = 0
    for k in range(1, picked):
        if candidate[chosen[k], 2] < candidate[chosen[front], 2] - SAME * size:
            front = k
    if picked == 0 or candidate[chosen[front], 2] > gap + SAME * size:
        nearest = -1
        least = np.inf
        for k in range(picked):
            apart = abs(candidate[chosen[k], 0] - x) + abs(candidate[chosen[k], 1] - y)
            if apart < least:
                least, nearest = apart, k
        if picked < MOST and least > 0.05 * size:
            candidate[count, 0], candidate[count, 1] = x, y
            key[count] = POINT_KEY
            chosen[picked] = count
            front = picked
            picked += 1
        else:
            candidate[chosen[nearest], 0], candidate[chosen[nearest], 1] = x, y
            front = nearest
    candidate[chosen[front], 2] = gap
    chosen[0], chosen[front] = chosen[front], chosen[0]
    return picked


@routine
def project(polygon, side, count, n, u, v, flat):
    """flat[side] ← the feature seen along n; return its height and slopes over (u, v).

    Comes with the length along n of a unit across the feature's plane, for roundings.
    """
    for k in range(count):
        p = vector_at(polygon, side, k)
        flat[side, k, 0], flat[side, k, 1] = dot(u, p), dot(v, p)
    m = plane_of(polygon, side, count, n)
    slope_u, slope_v = -dot(m, u), -dot(m, v)
    height = dot(n, vector_at(polygon, side, 0))
    height -= slope_u * flat[side, 0, 0] + slope_v * flat[side, 0, 1]
    return height, slope_u, slope_v, norm(m)


@routine
def contact_plane(polygon, side, n):
    """Unit vectors u, v across n; u goes along the first edge of a feature."""
    e = minus(vector_at(polygon, side, 1), vector_at(polygon, side, 0))
    e = minus(e, times(dot(e, n), n))
    length = norm(e)
    u = over(e, length) if length > 0.0 else perpendicular(n)
    return u, cross(n, u)


@routine
def manifold(a, points_a, b, points_b, faces, pose, size, limit, nearest, scratch, out, at):
    """Contacts of a pair where it is :class:`Nearest`, and around there; how many.

    All in A's frame. `faces` are the :class:`HullFaces`, `pose` is B's in A's frame, `size` that of
    the two [m], and `limit` the largest gap [m]. Where the nearest gap is infinite, its point is
    none of the contacts, and only features that overlap make some. `out` are the arrays for points
    on A's surface, gaps and keys, whose row `at` is written; the deepest comes first.
    """
    gap, n, p = nearest
    face_start, corner, plane = faces
    polygon, flat, ring, candidate, label, key, chosen = scratch
    point, gaps, keys = out
    r_a = rounding(a)
    count_a, name_a = feature(a, points_a, face_start, corner, plane, n, polygon, 0)
    count_b, name_b = 0, 0
    if count_a >= 2:
        d = into_b(pose, (-n[0], -n[1], -n[2]))
        count_b, name_b = feature(b, points_b, face_start, corner, plane, d, polygon, 1)
    known = gap < np.inf
    if count_b < 2 and not known:
        return 0
    if count_b < 2:
        put_vector(point, at, 0, along(p, r_a, n))
        gaps[at, 0] = gap
        keys[at, 0] = POINT_KEY
        return 1
    for k in range(count_b):
        put_vector(polygon, 1, k, out_of_b(pose, vector_at(polygon, 1, k)))
    u, v = contact_plane(polygon, 1 if count_a == 2 else 0, n)
    height_a, a_u, a_v, lean_a = project(polygon, 0, count_a, n, u, v, flat)
    height_b, b_u, b_v, lean_b = project(polygon, 1, count_b, n, u, v, flat)
    # a rounded line is met farther out by a normal that leans, but not at its lower end: there, the
    # deepest point has its gap from the search
    height_a += r_a * lean_a
    height_b -= rounding(b) * lean_b
    sharp = is_sharp(a) and is_sharp(b)
    which, corners = overlap_of_features(flat, count_a, count_b, sharp, ring, label, size)
    name = ((name_a & 511) << 12) | ((name_b & 511) << 21)
    heights = (height_a, a_u, a_v, height_b, b_u, b_v)
    count = gather(ring, label, which, corners, name, heights, limit, size, candidate, key)
    picked = count
    if count > MOST:
        picked = pick(candidate, count, size, chosen)
        picked = fill_up(candidate, count, size, picked, chosen)
    else:
        for k in range(count):
            chosen[k] = k
    deepest = dot(n, p) + r_a
    if known:
        picked = place_deepest(
            candidate, key, count, gap, dot(u, p), dot(v, p), size, chosen, picked
        )
    for k in range(picked):
        i = chosen[k]
        x, y = candidate[i, 0], candidate[i, 1]
        height = deepest if k == 0 and known else height_a + a_u * x + a_v * y
        put_vector(point, at, k, along(along(times(x, u), y, v), height, n))
        # nowhere are the shapes nearer along n than where they are nearest
        gaps[at, k] = candidate[i, 2]
        if known:
            gaps[at, k] = max(candidate[i, 2], gap) if k > 0 else gap
        keys[at, k] = key[i]
    return picked
