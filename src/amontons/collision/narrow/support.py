"""Support points of convex cores: the farthest point in a direction.

A core is a plain tuple (kind, x, y, z, first, count, first_face, faces): the kind, the three sizes
of its row in the table of shapes, and which rows of the arrays are its vertices and its faces. A
sphere's core is its centre and a capsule's its segment; their radius comes on top
(:func:`rounding`). No tuple holds an array, so that nothing counts references.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import dot, minus, negative, norm, plus, row, turned, turned_back
from amontons.model.shapes.table import (
    BOX,
    CAPSULE,
    CONE,
    ELLIPSOID,
    HULL,
    SPHERE,
    TRIANGLE,
)

TINY = 1e-28
"""Share of a squared direction that counts as zero."""


@routine
def core_of(kind, size, data, s):
    """The core of shape `s`, from the arrays of the table of shapes."""
    return (
        np.int64(kind[s]),
        size[s, 0],
        size[s, 1],
        size[s, 2],
        np.int64(data[s, 0]),
        np.int64(data[s, 1]),
        np.int64(data[s, 2]),
        np.int64(data[s, 3]),
    )


@routine
def triangle_core():
    """The core of a triangle whose corners are rows 0, 1 and 2 of its array of points."""
    none = np.int64(0)
    return np.int64(TRIANGLE), 0.0, 0.0, 0.0, none, np.int64(3), none, none


@routine
def rounding(core):
    """Radius that a shape has around its core [m]."""
    if core[0] == SPHERE or core[0] == CAPSULE:
        return core[1]
    return 0.0


@routine
def farthest_vertex(first, count, points, d):
    """Row of the vertex farthest in direction d; of several the first."""
    best = np.uint64(first)
    value = dot(row(points, best), d)
    for k in range(np.uint64(first + 1), np.uint64(first + count)):
        here = dot(row(points, k), d)
        if here > value:
            value = here
            best = k
    return best


@routine
def support_point(core, points, d):
    """A point of the core farthest in direction d (any length), in the shape's frame."""
    kind, x, y, z, first, count, _, _ = core
    d0, d1, d2 = d
    if kind == BOX:
        return (x if d0 >= 0.0 else -x), (y if d1 >= 0.0 else -y), (z if d2 >= 0.0 else -z)
    if kind in (HULL, TRIANGLE):
        return row(points, farthest_vertex(first, count, points, d))
    if kind == SPHERE:
        return 0.0, 0.0, 0.0
    if kind == CAPSULE:
        return 0.0, 0.0, (y if d2 >= 0.0 else -y)
    if kind == ELLIPSOID:
        e = (x * d0, y * d1, z * d2)
        length = norm(e)
        if length == 0.0:
            return x, 0.0, 0.0
        return x * (e[0] / length), y * (e[1] / length), z * (e[2] / length)
    across = d0 * d0 + d1 * d1
    scale = 0.0  # straight along the axis: the middle of the flat end
    if across > TINY * d2 * d2:
        scale = x / np.sqrt(across)
    if kind == CONE:
        if d2 * y > x * np.sqrt(across):
            return 0.0, 0.0, 0.75 * y
        return scale * d0, scale * d1, -0.25 * y
    return scale * d0, scale * d1, (y if d2 >= 0.0 else -y)


@routine
def into_b(pose, d):
    """A direction of A's axes in B's."""
    return turned_back(pose, d)


@routine
def out_of_b(pose, q):
    """A point of B's frame in A's."""
    return plus(turned(pose, q), (pose[9], pose[10], pose[11]))


@routine
def difference_support(a, points_a, b, points_b, pose, d):
    """Farthest point of B − A in direction d, and the point of A that makes it; axes of A.

    `pose` holds the rotation of B in A's axes, row by row, and B's origin from A's.
    """
    p = support_point(a, points_a, negative(d))
    return minus(out_of_b(pose, support_point(b, points_b, into_b(pose, d))), p), p
