"""Where two flat features overlap, seen along the normal.

Both features are projected along the normal n. The overlap's corners are where edges cross or end;
each is named by the two edges that meet there, so its name stays while the shapes move a little.
A corner within a small distance of an edge counts as on it: what coincides (equal boxes in a stack)
would otherwise be cut now here, now there.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.collision.narrow.touching_features import CORNERS

RING = 2 * CORNERS + 2
"""Most corners of an overlap."""

THICK = 1e-5
"""Distance from an edge that is as good as on it, as a part of the size."""

ABREAST = 5e-4
"""Distance, as a part of the size, up to which two lines that cross are still on each other, at
least one of them on a round side. Two sharp edges have to coincide."""

SHORTEST = 0.01
"""Stretch, as a part of the size, below which two lines meet in one point."""

OTHER = CORNERS
"""Labels from here on are edges of the feature that cuts; below, of the one that is cut."""


@routine
def cross_over(ring, label, source, i, s_i, j, s_j, target, count, name):
    """Add the point where the edge from i to j crosses the line; return the number of points."""
    t = s_i / (s_i - s_j)
    ring[target, count, 0] = ring[source, i, 0] + t * (ring[source, j, 0] - ring[source, i, 0])
    ring[target, count, 1] = ring[source, i, 1] + t * (ring[source, j, 1] - ring[source, i, 1])
    label[target, count] = name
    return count + 1


@routine
def clip_line(ring, label, source, count, c0, c1, c2, name, thick):
    """Cut the ring of points to where c0 x + c1 y ≥ c2; the other ring gets the rest.

    label[r, i] names the edge from point i to the next. Returns the number of points.
    """
    target = 1 - source
    made = 0
    s_i = c0 * ring[source, 0, 0] + c1 * ring[source, 0, 1] - c2
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        s_j = c0 * ring[source, j, 0] + c1 * ring[source, j, 1] - c2
        if made + 2 > RING:
            return made
        if s_i >= -thick:
            inward = -s_i if s_i < 0.0 else 0.0
            ring[target, made, 0] = ring[source, i, 0] + inward * c0
            ring[target, made, 1] = ring[source, i, 1] + inward * c1
            label[target, made] = label[source, i]
            made += 1
            if s_j < -thick:
                if s_i > thick:
                    made = cross_over(ring, label, source, i, s_i, j, s_j, target, made, name)
                else:
                    label[target, made - 1] = name
        elif s_j > thick:
            made = cross_over(ring, label, source, i, s_i, j, s_j, target, made, label[source, i])
        s_i = s_j
    return made


@routine
def clip_polygon(flat, side, corners, ring, label, count, thick):
    """Cut the first ring to polygon flat[side]; return (ring, points)."""
    area = 0.0
    for k in range(corners):
        after = k + 1 if k + 1 < corners else 0
        area += flat[side, k, 0] * flat[side, after, 1] - flat[side, after, 0] * flat[side, k, 1]
    source = 0
    for k in range(corners):
        after = k + 1 if k + 1 < corners else 0
        x, y = flat[side, k, 0], flat[side, k, 1]
        c0, c1 = y - flat[side, after, 1], flat[side, after, 0] - x
        length = np.sqrt(c0 * c0 + c1 * c1)
        if length > 0.0:
            scale = 1.0 / length if area > 0.0 else -1.0 / length
            c0, c1 = c0 * scale, c1 * scale
            count = clip_line(ring, label, source, count, c0, c1, c0 * x + c1 * y, OTHER + k, thick)
            source = 1 - source
            if count == 0:
                break
    return source, count


@routine
def overlap_of_segments(flat, ring, label, size, width):
    """First ring ← the ends of the stretch where two segments lie on each other.

    The stretch is on the first segment; they may be `width` apart. Returns how many points: 0 or 2.
    """
    x, y = flat[0, 0, 0], flat[0, 0, 1]
    e0, e1 = flat[0, 1, 0] - x, flat[0, 1, 1] - y
    length = np.sqrt(e0 * e0 + e1 * e1)
    if length == 0.0:
        return 0
    e0, e1 = e0 / length, e1 / length
    x0, y0 = flat[1, 0, 0] - x, flat[1, 0, 1] - y
    x1, y1 = flat[1, 1, 0] - x, flat[1, 1, 1] - y
    start, end = x0 * e0 + y0 * e1, x1 * e0 + y1 * e1
    aside, aside_end = e0 * y0 - e1 * x0, e0 * y1 - e1 * x1
    first, last = 0, 1
    if start > end:
        start, end, aside, aside_end = end, start, aside_end, aside
        first, last = 1, 0
    low, high = 0.0, length
    label[0, 0], label[0, 1] = 0, 1
    if start > THICK * size:
        low, label[0, 0] = start, OTHER + first
    if end < length - THICK * size:
        high, label[0, 1] = end, OTHER + last
    # lines that cross are on each other near the crossing only
    slope = (aside_end - aside) / (end - start)
    if slope != 0.0:
        crossing = start - aside / slope
        low = max(low, crossing - width / abs(slope))
        high = min(high, crossing + width / abs(slope))
    elif abs(aside) > width:
        return 0
    if not high - low > SHORTEST * size:
        return 0
    ring[0, 0, 0], ring[0, 0, 1] = x + low * e0, y + low * e1
    ring[0, 1, 0], ring[0, 1, 1] = x + high * e0, y + high * e1
    return 2


@routine
def overlap_of_features(flat, count_a, count_b, sharp, ring, label, size):
    """(which ring, points) of the overlap of two projected features; (0, 0) if there is none.

    flat[0] and flat[1] have their points; `sharp` says that both are of polyhedra. A polygon cuts a
    segment, and A's polygon cuts B's.
    """
    if count_a < 2 or count_b < 2:
        return 0, 0
    if count_a == 2 and count_b == 2:
        width = (THICK if sharp else ABREAST) * size
        return 0, overlap_of_segments(flat, ring, label, size, width)
    cut, cutter, count, corners = 1, 0, count_b, count_a
    if count_a == 2:
        cut, cutter, count, corners = 0, 1, count_a, count_b
    for k in range(count):
        ring[0, k, 0], ring[0, k, 1] = flat[cut, k, 0], flat[cut, k, 1]
        label[0, k] = k
    return clip_polygon(flat, cutter, corners, ring, label, count, THICK * size)
