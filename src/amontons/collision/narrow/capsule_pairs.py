"""Capsules against capsules: the closest points of their axes, or a stretch side by side."""

from __future__ import annotations

import math

from amontons._jit import kernel, prange, routine
from amontons.algebra.rotations import rotation_of
from amontons.algebra.vectors import along, cross, dot, minus, norm, over, plus, row, times
from amontons.collision.pair_contacts import put_contact

STRAY = 0.1
"""Side by side: where the axes stray from each other sideways by at most so many radii."""

STRETCH = 1.0
"""Radii that a stretch side by side must have to be two contacts."""

MEETING = 1e-10
"""Relative distance of two axes below which the normal comes from their directions."""

PARALLEL = 1e-8
"""Sine of the angle below which two axes have no common perpendicular worth the name."""


@routine
def closest_on_segments(half_a, half_b, cosine, on_a, on_b, line):
    """Where two segments are closest, as lengths along their directions u, v from their middles.

    `on_a` and `on_b` are u·d and v·d, d from the middle of A to that of B; `line` is where the
    lines are closest on A. It is put back onto the segments, one after the other.
    """
    s = min(max(line, -half_a), half_a)
    t = min(max(s * cosine - on_b, -half_b), half_b)
    s = min(max(t * cosine + on_a, -half_a), half_a)
    t = min(max(s * cosine - on_b, -half_b), half_b)
    return s, t


@routine
def across_axis(u):
    """A unit vector across the unit vector u."""
    u0, u1, u2 = u
    if abs(u2) < 0.9:
        length = math.sqrt(u0 * u0 + u1 * u1)
        return -u2 * u0 / length, -u2 * u1 / length, length
    length = math.sqrt(u1 * u1 + u2 * u2)
    return length, -u0 * u1 / length, -u0 * u2 / length


@routine
def side_by_side(half_a, half_b, cosine, sine, on_a, s, least):
    """Ends on A of the stretch that two axes share and in which they hardly stray; holds s."""
    low = max(-half_a, on_a - half_b * abs(cosine))
    high = min(half_a, on_a + half_b * abs(cosine))
    if sine > 0.0:
        low, high = max(low, s - STRAY * least / sine), min(high, s + STRAY * least / sine)
    return min(low, s), max(high, s)


@kernel
def collide_capsules(shapes, poses, pair, margin, found):
    """Contacts of two capsules: key 0 for a single one; 1 and 2 at the ends of a stretch."""
    size, place, turn, shape = shapes.size, poses.place, poses.turn, poses.shape
    number, normal, point, gap, key = found.number, found.normal, found.point, found.gap, found.key
    for i in prange(pair.shape[0]):
        a, b = pair[i, 0], pair[i, 1]
        radius_a, half_a = size[shape[a], 0], size[shape[a], 1]
        radius_b, half_b = size[shape[b], 0], size[shape[b], 1]
        reach, least = radius_a + radius_b, min(radius_a, radius_b)
        d = minus(row(place, b), row(place, a))
        number[i] = 0
        sphere = reach + half_a + half_b
        if dot(d, d) > (sphere + margin) * (sphere + margin):
            continue
        r, q = rotation_of(turn, a), rotation_of(turn, b)
        u, v = (r[2], r[5], r[8]), (q[2], q[5], q[8])

        # The cross product keeps its digits where the axes are nearly parallel; 1 − (u·v)² does not
        c = cross(u, v)
        square = dot(c, c)
        sine, cosine = math.sqrt(square), dot(u, v)
        on_a, on_b = dot(u, d), dot(v, d)
        line = on_a
        if square > 0.0:
            line = dot(c, cross(d, v)) / square
        s, t = closest_on_segments(half_a, half_b, cosine, on_a, on_b, line)
        n = minus(along(d, t, v), times(s, u))
        distance = norm(n)
        if distance - reach > margin:
            continue
        if distance > MEETING * sphere:
            n = over(n, distance)
        elif sine > PARALLEL:
            # The axes meet: straight away from both of them is the shortest way out.
            n = times(math.copysign(1.0 / sine, dot(c, d)), c)
        else:
            n = across_axis(u)
        low, high = side_by_side(half_a, half_b, cosine, sine, on_a, s, least)
        contacts = 2 if high - low >= STRETCH * least else 1
        upper_first = s + s > low + high
        for k in range(contacts):
            upper = (k == 1) != upper_first
            if contacts == 2:
                s = high if upper else low
                t = min(max(s * cosine - on_b, -half_b), half_b)
            # No less than the distance: N supports both segments where they are closest.
            apart = dot(n, minus(along(d, t, v), times(s, u))) - reach
            if k == 1 and apart > margin:
                break
            p = plus(times(s, u), times(radius_a, n))
            code = (2 if upper else 1) if contacts == 2 else 0
            put_contact(normal, point, gap, key, i, k, n, p, apart, code)
            number[i] = k + 1
