"""Contacts of one triangle of a mesh and a convex shape.

Triangles are one-sided: what overlaps one is pushed out on the side of its normal. Inside a smooth
surface only faces act, never the edges between them, on which things would bump that slide over.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import routine
from amontons.algebra.vectors import cross, dot, minus, negative, norm, over, plus, row, times
from amontons.array_types import Floats, Ints
from amontons.collision.narrow.manifold import Nearest, manifold
from amontons.collision.narrow.signed_distance import signed_distance
from amontons.collision.narrow.support import (
    into_b,
    out_of_b,
    rounding,
    support_point,
    triangle_core,
)

UPRIGHT = 1.0 - 1e-9
"""Cosine of the angle from which on a normal is that of the face."""

ON_EDGE = 1e-7
"""A point nearer to an edge than this part of the triangle's size lies on it."""

BEYOND = -1e-7
"""A normal that leans farther over the neighbour's border belongs to the neighbour."""

DROP, KEEP, FACE, PUSH_OUT = 0, 1, 2, 3


class Triangle(NamedTuple):
    """One face of a mesh."""

    corners: Floats  # in the mesh's frame [m], (3, 3)
    face: int  # its number within the mesh
    begin: int  # its first corner in the table of shapes


class MeshEdges(NamedTuple):
    """What is beyond the edges of a mesh's faces; see :class:`.ShapeArrays`."""

    neighbour: Ints
    edge_kind: NDArray[np.uint8]
    first_face: int  # of the mesh, in the table of shapes


@routine
def centroid(tri):
    """Middle of a triangle."""
    return over(plus(plus(row(tri, 0), row(tri, 1)), row(tri, 2)), 3.0)


@routine
def judge_normal(face, begin, neighbour, edge_kind, first_face, plane, tri, size, n, p):
    """Whether the normal n at point p of a triangle is one that the whole mesh could give.

    It is the FACE's; KEEP it; DROP the contact, which another triangle has; or this is inside a
    smooth surface, where only faces act (PUSH_OUT).
    """
    f = first_face + face
    m = row(plane, f)
    upright = dot(n, m)
    if upright >= UPRIGHT:
        return FACE
    if upright <= 0.0:
        return PUSH_OUT
    sharp, beyond = False, False
    for k in range(3):
        e = minus(row(tri, (k + 1) % 3), row(tri, k))
        length = norm(e)
        # m × e is into the triangle, across the edge
        if dot(minus(p, row(tri, k)), cross(m, e)) > ON_EDGE * size * length:
            continue
        sharp = sharp or edge_kind[begin + k] != 0
        other = neighbour[begin + k]
        if other >= 0:
            # out of the neighbour, across the same edge, which it has the other way round
            u = cross(row(plane, first_face + other), e)
            beyond = beyond or dot(n, u) < BEYOND * length
    if not sharp:
        return PUSH_OUT
    return DROP if beyond else KEEP


@routine
def inside_triangle(tri, m, p):
    """Whether point p lies over the triangle with normal m."""
    for k in range(3):
        e = minus(row(tri, (k + 1) % 3), row(tri, k))
        if dot(minus(p, row(tri, k)), cross(m, e)) < -1e-9 * dot(e, e):
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
    guess = minus(middle, centroid(tri))
    f = first_face + face
    m = row(plane, f)
    if not dot(guess, guess) > 1e-18 * size * size:
        guess = m
    within, distance, n, p = signed_distance(
        a, tri, b, points, pose, guess, size, margin + r, scratch.search
    )
    distance -= r
    if not within or distance > margin:
        return 0, m
    verdict = judge_normal(face, begin, neighbour, edge_kind, first_face, plane, tri, size, n, p)
    sign = 1
    if verdict == FACE:
        n = m
    elif verdict != KEEP and distance > 0.0:
        # another triangle is nearer; what is over this one may still come down on it
        n, distance = m, np.inf
    elif verdict != KEEP:
        # overlapping: out along the face's normal, if the deepest point is over this triangle
        s = out_of_b(pose, support_point(b, points, into_b(pose, negative(m))))
        inside = inside_triangle(tri, m, s)
        if not inside:
            sign = -1
        if inside or dot(n, m) <= 0.0:
            n, distance = m, dot(m, s) - plane[f, 3]
            p = minus(s, times(distance, m))
            distance -= r
    nearest = Nearest(distance, n, p)
    number = manifold(a, tri, b, points, faces, pose, size, margin, nearest, scratch.flats, out, at)
    if distance == np.inf:
        number = above_face(number, point, gap, key, at)
    return sign * number, n
