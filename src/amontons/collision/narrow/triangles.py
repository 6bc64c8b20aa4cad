"""Contacts of one triangle of a mesh and a convex shape.

Triangles are one-sided: what overlaps one is pushed out on the side of its normal. Inside a smooth
surface only faces act, never the edges between them, on which things would bump that slide over.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import routine
from amontons.collision.narrow.manifold import Nearest, manifold
from amontons.collision.narrow.polish import into_b, out_of_b
from amontons.collision.narrow.signed_distance import signed_distance
from amontons.collision.narrow.support import rounding, support_point, triangle_core

UPRIGHT = 1.0 - 1e-9
"""Cosine of the angle from which on a normal is that of the face."""

ON_EDGE = 1e-7
"""A point nearer to an edge than this part of the triangle's size lies on it."""

BEYOND = -1e-7
"""A normal that leans farther over the neighbour's border belongs to the neighbour."""

DROP, KEEP, FACE, PUSH_OUT = 0, 1, 2, 3


class Triangle(NamedTuple):
    """One face of a mesh."""

    corners: NDArray[np.float64]  # in the mesh's frame [m], (3, 3)
    face: int  # its number within the mesh
    begin: int  # its first corner in the table of shapes


class MeshEdges(NamedTuple):
    """What is beyond the edges of a mesh's faces; see :class:`.ShapeArrays`."""

    neighbour: NDArray[np.int32]
    edge_kind: NDArray[np.uint8]
    first_face: int  # of the mesh, in the table of shapes


@routine
def judge_normal(face, begin, neighbour, edge_kind, first_face, plane, tri, size, n, p):
    """Whether the normal n at point p of a triangle is one that the whole mesh could give.

    It is the FACE's; KEEP it; DROP the contact, which another triangle has; or this is inside a
    smooth surface, where only faces act (PUSH_OUT).
    """
    f = first_face + face
    m0, m1, m2 = plane[f, 0], plane[f, 1], plane[f, 2]
    upright = n[0] * m0 + n[1] * m1 + n[2] * m2
    if upright >= UPRIGHT:
        return FACE
    if upright <= 0.0:
        return PUSH_OUT
    sharp, beyond = False, False
    for k in range(3):
        o = (k + 1) % 3
        e0, e1, e2 = tri[o, 0] - tri[k, 0], tri[o, 1] - tri[k, 1], tri[o, 2] - tri[k, 2]
        length = np.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
        # into the triangle, across the edge
        t0, t1, t2 = m1 * e2 - m2 * e1, m2 * e0 - m0 * e2, m0 * e1 - m1 * e0
        depth = (p[0] - tri[k, 0]) * t0 + (p[1] - tri[k, 1]) * t1 + (p[2] - tri[k, 2]) * t2
        if depth > ON_EDGE * size * length:
            continue
        sharp = sharp or edge_kind[begin + k] != 0
        other = neighbour[begin + k]
        if other >= 0:
            g = first_face + other
            b0, b1, b2 = plane[g, 0], plane[g, 1], plane[g, 2]
            # out of the neighbour, across the same edge, which it has the other way round
            u0, u1, u2 = b1 * e2 - b2 * e1, b2 * e0 - b0 * e2, b0 * e1 - b1 * e0
            beyond = beyond or n[0] * u0 + n[1] * u1 + n[2] * u2 < BEYOND * length
    if not sharp:
        return PUSH_OUT
    return DROP if beyond else KEEP


@routine
def inside_triangle(tri, m0, m1, m2, p0, p1, p2):
    """Whether a point lies over the triangle with normal m."""
    for k in range(3):
        o = (k + 1) % 3
        e0, e1, e2 = tri[o, 0] - tri[k, 0], tri[o, 1] - tri[k, 1], tri[o, 2] - tri[k, 2]
        t0, t1, t2 = m1 * e2 - m2 * e1, m2 * e0 - m0 * e2, m0 * e1 - m1 * e0
        across = (p0 - tri[k, 0]) * t0 + (p1 - tri[k, 1]) * t1 + (p2 - tri[k, 2]) * t2
        if across < -1e-9 * (e0 * e0 + e1 * e1 + e2 * e2):
            return False
    return True


@routine
def above_face(number, point, gap, key, at):
    """Keep contacts with positive gaps alone: others are of a shape behind the face; how many."""
    kept = 0
    for k in range(number):
        if gap[at, k] > 0.0:
            for i in range(3):
                point[at, kept, i] = point[at, k, i]
            gap[at, kept], key[at, kept] = gap[at, k], key[at, k]
            kept += 1
    return kept


@routine
def collide_triangle(
    triangle, mesh, b, points, faces, pose, middle, size, margin, scratch, out, at
):
    """(number, normal) of the contacts of a triangle and a convex shape, in the mesh's frame.

    triangle, mesh: a :class:`Triangle` and its :class:`MeshEdges`; b, points: core of the convex
    shape and its vertices; pose: of that shape in the mesh's frame; middle: of its box in that
    frame; size: of the two [m]; scratch: a :class:`.PairScratch`. `faces`, `out` and `at` are as
    for :func:`.manifold`.

    A negative number says that the two overlap, but that another triangle should know better: these
    contacts count only where no triangle does.
    """
    tri, face, begin = triangle
    neighbour, edge_kind, first_face = mesh
    plane = faces.plane
    point, gap, key = out
    a = triangle_core()
    r = rounding(b)
    guess = (
        middle[0] - (tri[0, 0] + tri[1, 0] + tri[2, 0]) / 3.0,
        middle[1] - (tri[0, 1] + tri[1, 1] + tri[2, 1]) / 3.0,
        middle[2] - (tri[0, 2] + tri[1, 2] + tri[2, 2]) / 3.0,
    )
    f = first_face + face
    m0, m1, m2 = plane[f, 0], plane[f, 1], plane[f, 2]
    if not guess[0] ** 2 + guess[1] ** 2 + guess[2] ** 2 > 1e-18 * size * size:
        guess = (m0, m1, m2)
    within, distance, n0, n1, n2, p0, p1, p2 = signed_distance(
        a, tri, b, points, pose, guess, size, margin + r, scratch.search
    )
    distance -= r
    if not within or distance > margin:
        return 0, m0, m1, m2
    verdict = judge_normal(
        face, begin, neighbour, edge_kind, first_face, plane, tri, size, (n0, n1, n2), (p0, p1, p2)
    )
    sign = 1
    if verdict == FACE:
        n0, n1, n2 = m0, m1, m2
    elif verdict != KEEP and distance > 0.0:
        # another triangle is nearer; what is over this one may still come down on it
        n0, n1, n2, distance = m0, m1, m2, np.inf
    elif verdict != KEEP:
        # overlapping: out along the face's normal, if the deepest point is over this triangle
        d0, d1, d2 = into_b(pose, -m0, -m1, -m2)
        s0, s1, s2 = support_point(b, points, d0, d1, d2)
        s0, s1, s2 = out_of_b(pose, s0, s1, s2)
        over = inside_triangle(tri, m0, m1, m2, s0, s1, s2)
        if not over:
            sign = -1
        if over or n0 * m0 + n1 * m1 + n2 * m2 <= 0.0:
            n0, n1, n2 = m0, m1, m2
            distance = m0 * s0 + m1 * s1 + m2 * s2 - plane[f, 3]
            p0, p1, p2 = s0 - distance * m0, s1 - distance * m1, s2 - distance * m2
            distance -= r
    nearest = Nearest(distance, (n0, n1, n2), (p0, p1, p2))
    number = manifold(a, tri, b, points, faces, pose, size, margin, nearest, scratch.flats, out, at)
    if distance == np.inf:
        number = above_face(number, point, gap, key, at)
    return sign * number, n0, n1, n2
