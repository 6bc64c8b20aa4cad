"""Support points of convex cores: the farthest point in a direction.

A core is a plain tuple (kind, x, y, z, first, count, first_face, faces): the kind, the three sizes
of its row in the table of shapes, and which rows of the arrays are its vertices and its faces. A
sphere's core is its centre and a capsule's its segment; their radius comes on top
(:func:`rounding`). No tuple holds an array, so that nothing counts references.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
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
"""Part of a squared direction that counts as nothing."""


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
def farthest_vertex(first, count, points, d0, d1, d2):
    """Row of the vertex farthest in direction d; of several the first."""
    best = np.uint64(first)
    value = points[best, 0] * d0 + points[best, 1] * d1 + points[best, 2] * d2
    for k in range(np.uint64(first + 1), np.uint64(first + count)):
        here = points[k, 0] * d0 + points[k, 1] * d1 + points[k, 2] * d2
        if here > value:
            value = here
            best = k
    return best


@routine
def support_point(core, points, d0, d1, d2):
    """A point of the core farthest in direction d (any length), in the shape's frame."""
    kind, x, y, z, first, count, _, _ = core
    if kind == BOX:
        return (x if d0 >= 0.0 else -x), (y if d1 >= 0.0 else -y), (z if d2 >= 0.0 else -z)
    if kind in (HULL, TRIANGLE):
        k = farthest_vertex(first, count, points, d0, d1, d2)
        return points[k, 0], points[k, 1], points[k, 2]
    if kind == SPHERE:
        return 0.0, 0.0, 0.0
    if kind == CAPSULE:
        return 0.0, 0.0, (y if d2 >= 0.0 else -y)
    if kind == ELLIPSOID:
        e0, e1, e2 = x * d0, y * d1, z * d2
        length = np.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
        if length == 0.0:
            return x, 0.0, 0.0
        return x * (e0 / length), y * (e1 / length), z * (e2 / length)
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
def difference_support(a, points_a, b, points_b, pose, d0, d1, d2):
    """Farthest point of B − A in direction d, and the point of A that makes it; axes of A.

    `pose` holds the rotation of B in A's axes, row by row, and B's origin from A's.
    """
    r0, r1, r2, r3, r4, r5, r6, r7, r8, t0, t1, t2 = pose
    p0, p1, p2 = support_point(a, points_a, -d0, -d1, -d2)
    q0, q1, q2 = support_point(
        b,
        points_b,
        r0 * d0 + r3 * d1 + r6 * d2,
        r1 * d0 + r4 * d1 + r7 * d2,
        r2 * d0 + r5 * d1 + r8 * d2,
    )
    return (
        r0 * q0 + r1 * q1 + r2 * q2 + t0 - p0,
        r3 * q0 + r4 * q1 + r5 * q2 + t1 - p1,
        r6 * q0 + r7 * q1 + r8 * q2 + t2 - p2,
        p0,
        p1,
        p2,
    )
