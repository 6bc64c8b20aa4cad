"""Distance between two convex cores that are apart: the method of Gilbert, Johnson and Keerthi.

It looks for the point v of B − A nearest to the origin, with simplices of up to four points of
B − A. A simplex is rows of an array (4, 6): the point w and the point of A that made it. Nearest
points on simplices are found by trying every part that can hold one and taking the best, which
slivers and repeated points cannot mislead.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import helper, routine
from amontons.algebra.vectors import along, cross, dot, minus, negative, norm, put, row, times
from amontons.collision.narrow.support import difference_support

FAR = 0
APART = 1
TOUCHING = 2

STEPS = 96
"""Most points of B − A that a search looks at; polyhedra need about five."""

NEARNESS = 1e-9
"""Cores nearer than this part of their size are taken as overlapping: v has no direction there."""


@helper
def point_of_a(simplex, i):
    """The point of A that made point i of a simplex."""
    return simplex[i, 3], simplex[i, 4], simplex[i, 5]


@helper
def put_corner(simplex, i, w, p):
    """Point i of a simplex ← w, made by point p of A."""
    put(simplex, i, w)
    simplex[i, 3], simplex[i, 4], simplex[i, 5] = p[0], p[1], p[2]


@routine
def nearest_on_segment(simplex, i, j):
    """|v|², v and the weights of points i and j for the nearest point v of a segment."""
    a = row(simplex, i)
    e = minus(row(simplex, j), a)
    ahead = -dot(a, e)
    length = dot(e, e)
    s = 0.0
    if ahead > 0.0:
        s = min(ahead / length, 1.0) if length > 0.0 else 0.0
    v = along(a, s, e)
    return dot(v, v), v, 1.0 - s, s


@routine
def nearest_on_triangle(simplex, i, j, k):
    """|v|², v and the weights of points i, j and k for the nearest point v of a triangle."""
    a, b, c = row(simplex, i), row(simplex, j), row(simplex, k)
    e, f, g = minus(b, a), minus(c, b), minus(a, c)
    n = cross(e, f)
    area = dot(n, n)
    # areas of the triangles that the origin, brought into the plane, makes with the edges
    on_a, on_b, on_c = dot(n, cross(b, f)), dot(n, cross(c, g)), dot(n, cross(a, e))
    if on_a > 0.0 and on_b > 0.0 and on_c > 0.0 and area > 0.0:
        total = on_a + on_b + on_c
        v = times(dot(n, a) / area, n)
        return dot(v, v), v, on_a / total, on_b / total, on_c / total
    best = np.inf
    v, wa, wb, wc = (0.0, 0.0, 0.0), 0.0, 0.0, 0.0
    if on_a <= 0.0 or not area > 0.0:
        best, v, wb, wc = nearest_on_segment(simplex, j, k)
    if on_b <= 0.0 or not area > 0.0:
        here, u, s, t = nearest_on_segment(simplex, k, i)
        if here < best:
            best, v, wa, wb, wc = here, u, t, 0.0, s
    if on_c <= 0.0 or not area > 0.0:
        here, u, s, t = nearest_on_segment(simplex, i, j)
        if here < best:
            best, v, wa, wb, wc = here, u, s, t, 0.0
    return best, v, wa, wb, wc


@routine
def beyond(simplex, i, j, k, inner):
    """Whether the origin lies on the outer side of the face i, j, k of a tetrahedron."""
    a = row(simplex, i)
    n = cross(minus(row(simplex, j), a), minus(row(simplex, k), a))
    origin = -dot(n, a)
    return origin * (dot(n, row(simplex, inner)) + origin) <= 0.0


@routine
def nearest_on_tetrahedron(simplex, weight):
    """|v|² and v for the nearest point of a tetrahedron whose last point is the newest.

    Writes the four weights. |v|² = 0 says that the origin is inside. The face without the newest
    point needs no look: the newest point is on the origin's side of it.
    """
    best, v = np.inf, (0.0, 0.0, 0.0)
    for face in range(3):
        i, j = face, (face + 1) % 3
        if beyond(simplex, i, j, 3, (face + 2) % 3):
            here, u, wi, wj, wk = nearest_on_triangle(simplex, i, j, 3)
            if here < best:
                best, v = here, u
                weight[i], weight[j], weight[(face + 2) % 3], weight[3] = wi, wj, 0.0, wk
    if best == np.inf:
        best = 0.0
    return best, v


@routine
def nearest_on_simplex(simplex, count, weight):
    """|v|² and v for the nearest point to the origin; writes the weights of the points."""
    if count == 4:
        return nearest_on_tetrahedron(simplex, weight)
    if count == 3:
        vv, v, weight[0], weight[1], weight[2] = nearest_on_triangle(simplex, 0, 1, 2)
        return vv, v
    if count == 2:
        vv, v, weight[0], weight[1] = nearest_on_segment(simplex, 0, 1)
        return vv, v
    weight[0] = 1.0
    v = row(simplex, 0)
    return dot(v, v), v


@routine
def drop_idle(simplex, count, weight):
    """Remove the points that have no weight; return how many are left."""
    kept = 0
    for i in range(count):
        if weight[i] > 0.0:
            if kept < i:
                weight[kept] = weight[i]
                for c in range(6):
                    simplex[kept, c] = simplex[i, c]
            kept += 1
    return kept


@routine
def known(simplex, count, w):
    """Whether the simplex already has this point."""
    for i in range(count):
        if simplex[i, 0] == w[0] and simplex[i, 1] == w[1] and simplex[i, 2] == w[2]:
            return True
    return False


@routine
def distance_of_cores(
    a, points_a, b, points_b, pose, guess, size, accuracy, coarse, limit, simplex, weight
):
    """Distance of two cores: (state, points in the simplex, v).

    `guess` is a direction from A to B, `size` the size of the two [m], `accuracy` a distance that
    is as good as none, `coarse` one that will do where it is small beside |v|, and `limit` one
    beyond which the answer does not matter. State is FAR (beyond the limit, v is of no use), APART
    (v leads from A's nearest point to B's) or TOUCHING (they overlap or nearly do).
    """
    v = guess
    w, p = difference_support(a, points_a, b, points_b, pose, negative(v))
    count = 0
    vv = np.inf
    floor = (NEARNESS * size) ** 2
    for _ in range(STEPS):
        vw, length = dot(v, w), norm(v)
        if vw > limit * length:
            return FAR, count, v
        if count > 0:
            enough = max(accuracy, min(coarse, 1e-3 * length))
            if length - vw / length <= enough or known(simplex, count, w):
                return APART, count, v
        put_corner(simplex, count, w, p)
        here, u = nearest_on_simplex(simplex, count + 1, weight)
        if here <= floor:
            return TOUCHING, count + 1, v
        if not here < vv:
            # only rounding errors are left to gain
            nearest_on_simplex(simplex, count, weight)
            return APART, count, v
        count = drop_idle(simplex, count + 1, weight)
        vv, v = here, u
        w, p = difference_support(a, points_a, b, points_b, pose, negative(v))
    return APART, count, v


@routine
def point_of_first(simplex, count, weight):
    """The point of A that goes with v."""
    p = (0.0, 0.0, 0.0)
    for i in range(count):
        p = along(p, weight[i], point_of_a(simplex, i))
    return p
