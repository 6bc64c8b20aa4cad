"""Where the surface of a closed mesh goes from a vertex or an edge, seen along a direction.

A feature of one solid can be the first to touch another along a unit vector n only if the surface
around it falls away from n: if no direction u into the surface there has n·u > 0. These directions
n are the feature's normal cone. The routines here give the largest n·u, unit vectors both: the sine
of the angle by which n is outside the cone, at most zero within.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import cross, dot, minus, norm, over, row, times
from amontons.collision.queries.nearest_on_mesh import AROUND

BENT = 1e-6
"""Sine of the angle between two faces above which their edge is one that sticks out."""


@routine
def vertex_rises(shapes, m, face, vertex, n):
    """Largest n·u along the edges from a vertex of mesh m, which face `face` has as a corner."""
    point, face_start, corner = shapes.point, shapes.face_start, shapes.corner
    first, first_face = np.int64(shapes.data[m, 0]), np.int64(shapes.data[m, 2])
    p = row(point, first + np.int64(vertex))
    most, f = -1.0, np.int64(face)
    for _ in range(AROUND):
        begin = np.int64(face_start[first_face + f])
        k = 0
        for c in range(1, 3):
            if corner[begin + c] == vertex:
                k = c
        u = minus(row(point, first + np.int64(corner[begin + (k + 1) % 3])), p)
        most = max(most, dot(n, u) / norm(u))
        f = np.int64(shapes.neighbour[begin + k])
        if f < 0 or f == face:
            break
    return most


@routine
def into_faces(shapes, m, face, k):
    """The normals of the two faces at an edge, and the unit directions from it into them.

    The edge is that from corner k of face `face` of mesh m; the other face comes second.
    """
    first, first_face = np.int64(shapes.data[m, 0]), np.int64(shapes.data[m, 2])
    begin = np.int64(shapes.face_start[first_face + face])
    a = row(shapes.point, first + np.int64(shapes.corner[begin + k]))
    b = row(shapes.point, first + np.int64(shapes.corner[begin + (k + 1) % 3]))
    e = minus(b, a)
    e = over(e, norm(e))
    one = row(shapes.plane, first_face + face)
    other = row(shapes.plane, first_face + np.int64(shapes.neighbour[begin + k]))
    return one, other, cross(one, e), times(-1.0, cross(other, e))


@routine
def sticks_out(sides):
    """Whether the edge between faces, as :func:`into_faces` gives them, is convex."""
    return dot(sides[0], sides[3]) < -BENT


@routine
def edge_rises(sides, n):
    """Largest n·u of the directions across an edge, as :func:`into_faces` gives them."""
    return max(dot(n, sides[2]), dot(n, sides[3]))
