"""Up to four of many contact points: far apart, with the deepest, and the same from step to step.

All points share one normal m, and a point's gap is m·p + shift. Points that rest on a flat face
have equal gaps and equal distances up to rounding, and which is the largest changes from step to
step. So a later point must be better by a tolerance to be preferred.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import cross, dot, minus, row, times

BETTER = 1e-3
"""Relative lead that a later point needs over an earlier one."""

ROUND, FLAT = 0.005, 1.0
"""Tilts [rad] of vertices that may be of a curved surface, and of the corners of flat faces.

A point that such a tilt of the body brings down counts for a third.
"""

LEVEL = 1e-4
"""Tilt [rad] that counts as none, so that noise in the heights does not decide."""

DEEPER = 1e-10
"""Depth beyond the chosen points, relative to their scale, from which the deepest replaces one."""


@routine
def twice_area(points, p, q, r, m):
    """Of the triangle p, q, r seen along m; positive if it turns about m."""
    x = row(points, p)
    return dot(m, cross(minus(row(points, q), x), minus(row(points, r), x)))


@routine
def square_apart(points, p, q, m):
    """Squared distance of p and q seen along m."""
    e = minus(row(points, q), row(points, p))
    rise = dot(m, e)
    return dot(e, e) - rise * rise


@routine
def weighed(size, away, rise, tilt):
    """A size, less where its point, `rise` [m] above the lowest and `away` [m] from it, is high.

    Near the bottom of a curved body, points farther out are higher; with those the body would rock.
    A flat face that leans is met at its far corners next.
    """
    rise -= LEVEL * away
    if rise <= 0.0:
        return size
    lever = tilt * away  # size / (1 + steep + steep²), where steep = rise / lever
    return size * lever * lever / (lever * lever + lever * rise + rise * rise)


@routine
def choose_four(points, first, count, m, shift, limit, scale, tilt, chosen):
    """Choose among the points with gaps up to `limit` [m]; return how many, at most four.

    `points` are rows first ≤ p < first + count; m is a unit vector; `scale` [m] is the size of
    what touches, `tilt` ROUND or FLAT. chosen[:4] names the contacts (rows that change as seldom as
    possible, for keys); chosen[4:] are the rows where they are. They differ where the deepest point
    stands in for its neighbour. The deepest comes first.
    """
    lowest, deepest, inside = np.inf, first, 0
    for p in range(first, first + count):
        gap = dot(m, row(points, p)) + shift
        if gap <= limit:
            if inside < 4:
                chosen[inside] = p
            inside += 1
        if gap < lowest:
            lowest, deepest = gap, p
    number = inside
    if inside > 4:
        number = spread(points, first, count, m, limit - shift, lowest - shift, scale, tilt, chosen)
    for k in range(number):
        chosen[4 + k] = chosen[k]
    if inside > 4:
        stand_in(points, number, deepest, m, scale, chosen)
    put_deepest_first(points, number, m, chosen)
    return number


@routine
def spread(points, first, count, m, limit, lowest, scale, tilt, chosen):
    """Two points far apart, a third off their line and a fourth off their triangle.

    A point higher than the lowest counts for less.
    """
    for p in range(first, first + count):
        if dot(m, row(points, p)) <= lowest + BETTER * scale:
            chosen[0] = p
            break
    best, base = -1.0, 0.0
    for p in range(first, first + count):
        height = dot(m, row(points, p))
        if height <= limit and p != chosen[0]:
            apart = np.sqrt(max(square_apart(points, chosen[0], p, m), 0.0))
            worth = weighed(apart, apart, height - lowest, tilt)
            if worth > best * (1.0 + BETTER) or best < 0.0:
                best, base, chosen[1] = worth, apart, p
    if base == 0.0:
        return 2
    nothing = 1e-12 * scale * base
    best, turns = nothing, 1.0
    for p in range(first, first + count):
        height = dot(m, row(points, p))
        if height <= limit:
            area = twice_area(points, chosen[0], chosen[1], p, m)
            worth = weighed(abs(area), abs(area) / base, height - lowest, tilt)
            if worth > best * (1.0 + BETTER):
                best, chosen[2], turns = worth, p, 1.0 if area > 0.0 else -1.0
    if best <= nothing:
        return 2
    m = times(-turns, m)
    least = 0.01 * best
    best = least
    for p in range(first, first + count):
        height = -turns * dot(m, row(points, p))
        if height <= limit:
            area = max(
                twice_area(points, chosen[0], chosen[1], p, m),
                twice_area(points, chosen[1], chosen[2], p, m),
                twice_area(points, chosen[2], chosen[0], p, m),
            )
            worth = weighed(area, area / base, height - lowest, tilt)
            if area > 0.0 and worth > best * (1.0 + BETTER):
                best, chosen[3] = worth, p
    return 4 if best > least else 3


@routine
def stand_in(points, number, deepest, m, scale, chosen):
    """Move the chosen point next to the deepest one there, unless one is as deep."""
    lowest, nearest, closest = np.inf, 0, np.inf
    for k in range(number):
        lowest = min(lowest, dot(m, row(points, chosen[k])))
        apart = square_apart(points, chosen[k], deepest, m)
        if apart < closest:
            closest, nearest = apart, k
    if dot(m, row(points, deepest)) < lowest - DEEPER * scale:
        chosen[4 + nearest] = deepest


@routine
def put_deepest_first(points, number, m, chosen):
    """Swap the deepest of the chosen points to the front."""
    lowest, front = np.inf, 0
    for k in range(number):
        height = dot(m, row(points, chosen[4 + k]))
        if height < lowest:
            lowest, front = height, k
    chosen[0], chosen[front] = chosen[front], chosen[0]
    chosen[4], chosen[4 + front] = chosen[4 + front], chosen[4]
