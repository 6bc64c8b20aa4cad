"""Distance between two convex cores that are apart: the method of Gilbert, Johnson and Keerthi.

It looks for the point v of B − A nearest to the origin, with simplices of up to four points of
B − A. A simplex is rows of an array (4, 6): the point w and the point of A that made it. Nearest
points on simplices are found by trying every part that can hold one and taking the best, which
slivers and repeated points cannot mislead.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.collision.narrow.support import difference_support

FAR = 0
APART = 1
TOUCHING = 2

STEPS = 96
"""Most points of B − A that a search looks at; polyhedra need about five."""

NEARNESS = 1e-9
"""Cores nearer than this part of their size are taken as overlapping: v has no direction there."""


@routine
def nearest_on_segment(simplex, i, j):
    """|v|², v and the weights of points i and j for the nearest point v of a segment."""
    a0, a1, a2 = simplex[i, 0], simplex[i, 1], simplex[i, 2]
    e0, e1, e2 = simplex[j, 0] - a0, simplex[j, 1] - a1, simplex[j, 2] - a2
    along = -(a0 * e0 + a1 * e1 + a2 * e2)
    length = e0 * e0 + e1 * e1 + e2 * e2
    s = 0.0
    if along > 0.0:
        s = min(along / length, 1.0) if length > 0.0 else 0.0
    v0, v1, v2 = a0 + s * e0, a1 + s * e1, a2 + s * e2
    return v0 * v0 + v1 * v1 + v2 * v2, v0, v1, v2, 1.0 - s, s


@routine
def nearest_on_triangle(simplex, i, j, k):
    """|v|², v and the weights of points i, j and k for the nearest point v of a triangle."""
    a0, a1, a2 = simplex[i, 0], simplex[i, 1], simplex[i, 2]
    b0, b1, b2 = simplex[j, 0], simplex[j, 1], simplex[j, 2]
    c0, c1, c2 = simplex[k, 0], simplex[k, 1], simplex[k, 2]
    e0, e1, e2 = b0 - a0, b1 - a1, b2 - a2
    f0, f1, f2 = c0 - b0, c1 - b1, c2 - b2
    g0, g1, g2 = a0 - c0, a1 - c1, a2 - c2
    n0, n1, n2 = e1 * f2 - e2 * f1, e2 * f0 - e0 * f2, e0 * f1 - e1 * f0
    area = n0 * n0 + n1 * n1 + n2 * n2
    # areas of the triangles that the origin, brought into the plane, makes with the edges
    on_a = n0 * (b1 * f2 - b2 * f1) + n1 * (b2 * f0 - b0 * f2) + n2 * (b0 * f1 - b1 * f0)
    on_b = n0 * (c1 * g2 - c2 * g1) + n1 * (c2 * g0 - c0 * g2) + n2 * (c0 * g1 - c1 * g0)
    on_c = n0 * (a1 * e2 - a2 * e1) + n1 * (a2 * e0 - a0 * e2) + n2 * (a0 * e1 - a1 * e0)
    if on_a > 0.0 and on_b > 0.0 and on_c > 0.0 and area > 0.0:
        total = on_a + on_b + on_c
        h = (n0 * a0 + n1 * a1 + n2 * a2) / area
        v0, v1, v2 = h * n0, h * n1, h * n2
        return (
            v0 * v0 + v1 * v1 + v2 * v2,
            v0,
            v1,
            v2,
            on_a / total,
            on_b / total,
            on_c / total,
        )
    best = np.inf
    v0, v1, v2, wa, wb, wc = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if on_a <= 0.0 or not area > 0.0:
        best, v0, v1, v2, wb, wc = nearest_on_segment(simplex, j, k)
    if on_b <= 0.0 or not area > 0.0:
        here, u0, u1, u2, s, t = nearest_on_segment(simplex, k, i)
        if here < best:
            best, v0, v1, v2, wa, wb, wc = here, u0, u1, u2, t, 0.0, s
    if on_c <= 0.0 or not area > 0.0:
        here, u0, u1, u2, s, t = nearest_on_segment(simplex, i, j)
        if here < best:
            best, v0, v1, v2, wa, wb, wc = here, u0, u1, u2, s, t, 0.0
    return best, v0, v1, v2, wa, wb, wc


@routine
def beyond(simplex, i, j, k, inner):
    """Whether the origin lies on the outer side of the face i, j, k of a tetrahedron."""
    a0, a1, a2 = simplex[i, 0], simplex[i, 1], simplex[i, 2]
    e0, e1, e2 = simplex[j, 0] - a0, simplex[j, 1] - a1, simplex[j, 2] - a2
    f0, f1, f2 = simplex[k, 0] - a0, simplex[k, 1] - a1, simplex[k, 2] - a2
    n0, n1, n2 = e1 * f2 - e2 * f1, e2 * f0 - e0 * f2, e0 * f1 - e1 * f0
    origin = -(n0 * a0 + n1 * a1 + n2 * a2)
    height = n0 * simplex[inner, 0] + n1 * simplex[inner, 1] + n2 * simplex[inner, 2] + origin
    return origin * height <= 0.0


@routine
def nearest_on_tetrahedron(simplex, weight):
    """|v|² and v for the nearest point of a tetrahedron whose last point is the newest.

    Writes the four weights. |v|² = 0 says that the origin is inside. The face without the newest
    point needs no look: the newest point is on the origin's side of it.
    """
    best = np.inf
    v0, v1, v2 = 0.0, 0.0, 0.0
    for face in range(3):
        i, j = face, (face + 1) % 3
        if beyond(simplex, i, j, 3, (face + 2) % 3):
            here, u0, u1, u2, wi, wj, wk = nearest_on_triangle(simplex, i, j, 3)
            if here < best:
                best, v0, v1, v2 = here, u0, u1, u2
                weight[i], weight[j], weight[(face + 2) % 3], weight[3] = wi, wj, 0.0, wk
    if best == np.inf:
        best = 0.0
    return best, v0, v1, v2


@routine
def nearest_on_simplex(simplex, count, weight):
    """|v|² and v for the nearest point to the origin; writes the weights of the points."""
    if count == 4:
        return nearest_on_tetrahedron(simplex, weight)
    if count == 3:
        vv, v0, v1, v2, weight[0], weight[1], weight[2] = nearest_on_triangle(simplex, 0, 1, 2)
        return vv, v0, v1, v2
    if count == 2:
        vv, v0, v1, v2, weight[0], weight[1] = nearest_on_segment(simplex, 0, 1)
        return vv, v0, v1, v2
    weight[0] = 1.0
    v0, v1, v2 = simplex[0, 0], simplex[0, 1], simplex[0, 2]
    return v0 * v0 + v1 * v1 + v2 * v2, v0, v1, v2


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
def known(simplex, count, w0, w1, w2):
    """Whether the simplex has this point already."""
    for i in range(count):
        if simplex[i, 0] == w0 and simplex[i, 1] == w1 and simplex[i, 2] == w2:
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
    v0, v1, v2 = guess
    w0, w1, w2, p0, p1, p2 = difference_support(a, points_a, b, points_b, pose, -v0, -v1, -v2)
    count = 0
    vv = np.inf
    floor = (NEARNESS * size) ** 2
    for _ in range(STEPS):
        vw = v0 * w0 + v1 * w1 + v2 * w2
        length = np.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
        if vw > limit * length:
            return FAR, count, v0, v1, v2
        if count > 0:
            enough = max(accuracy, min(coarse, 1e-3 * length))
            if length - vw / length <= enough or known(simplex, count, w0, w1, w2):
                return APART, count, v0, v1, v2
        simplex[count, 0], simplex[count, 1], simplex[count, 2] = w0, w1, w2
        simplex[count, 3], simplex[count, 4], simplex[count, 5] = p0, p1, p2
        here, u0, u1, u2 = nearest_on_simplex(simplex, count + 1, weight)
        if here <= floor:
            return TOUCHING, count + 1, v0, v1, v2
        if not here < vv:
            # rounding errors are all that is left to gain
            nearest_on_simplex(simplex, count, weight)
            return APART, count, v0, v1, v2
        count = drop_idle(simplex, count + 1, weight)
        vv, v0, v1, v2 = here, u0, u1, u2
        w0, w1, w2, p0, p1, p2 = difference_support(a, points_a, b, points_b, pose, -v0, -v1, -v2)
    return APART, count, v0, v1, v2


@routine
def point_of_first(simplex, count, weight):
    """The point of A that goes with v."""
    p0, p1, p2 = 0.0, 0.0, 0.0
    for i in range(count):
        p0 += weight[i] * simplex[i, 3]
        p1 += weight[i] * simplex[i, 4]
        p2 += weight[i] * simplex[i, 5]
    return p0, p1, p2
