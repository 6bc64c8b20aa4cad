"""Touching features: the face, edge or line of a shape that lies across a direction.

A feature is a polygon (three points or more), a segment (two) or nothing but a point (none given).
Points of a polygon lie on the surface: a round flat end is given as sixteen points of its rim.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import cross, dot, minus, norm, put_vector, row
from amontons.collision.narrow.support import farthest_vertex
from amontons.model.shapes.table import BOX, CAPSULE, CONE, CYLINDER, HULL, TRIANGLE

CORNERS = 32
"""Most corners of a polygon; of a face with more, every second, third, ... is taken."""

FACE_TILT = 0.2
"""Sine of the angle up to which a face may lean and still touch as a face. Points of it that are
not within the margin are left out, so there is no harm in much."""

EDGE_TILT = 0.1
"""The same for edges and lines."""

RIM = 16
RIM_X = np.cos(2.0 * np.pi * np.arange(RIM) / RIM)
RIM_Y = np.sin(2.0 * np.pi * np.arange(RIM) / RIM)


@routine
def is_sharp(core):
    """Whether the edges of a core are edges of its shape."""
    return core[0] in (BOX, HULL, TRIANGLE)


@routine
def box_feature(core, d, polygon, side):
    """Of a box: a face or an edge. (points, name)."""
    d0, d1, d2 = d
    s0, s1, s2 = abs(d0), abs(d1), abs(d2)
    top = 0 if s0 >= s1 and s0 >= s2 else 1 if s1 >= s2 else 2
    x = core[1] if d0 >= 0.0 else -core[1]
    y = core[2] if d1 >= 0.0 else -core[2]
    z = core[3] if d2 >= 0.0 else -core[3]
    upright = s0 if top == 0 else s1 if top == 1 else s2
    if 1.0 - upright * upright < FACE_TILT * FACE_TILT:
        for k in range(4):
            f = 1.0 if k == 0 or k == 3 else -1.0
            g = 1.0 if k < 2 else -1.0
            if top == 0:
                put_vector(polygon, side, k, (x, f * core[2], g * core[3]))
            elif top == 1:
                put_vector(polygon, side, k, (f * core[1], y, g * core[3]))
            else:
                put_vector(polygon, side, k, (f * core[1], g * core[2], z))
        low = (d0 if top == 0 else d1 if top == 1 else d2) < 0.0
        return 4, 2 * top + (1 if low else 0)
    flat = 0 if s0 <= s1 and s0 <= s2 else 1 if s1 <= s2 else 2
    if (s0 if flat == 0 else s1 if flat == 1 else s2) > EDGE_TILT:
        return 0, 0
    if flat == 0:
        put_vector(polygon, side, 0, (-core[1], y, z))
        put_vector(polygon, side, 1, (core[1], y, z))
    elif flat == 1:
        put_vector(polygon, side, 0, (x, -core[2], z))
        put_vector(polygon, side, 1, (x, core[2], z))
    else:
        put_vector(polygon, side, 0, (x, y, -core[3]))
        put_vector(polygon, side, 1, (x, y, core[3]))
    signs = (1 if x < 0.0 else 0) + (2 if y < 0.0 else 0) + (4 if z < 0.0 else 0)
    return 2, 8 + 8 * flat + (signs & ~(1 << flat))


@routine
def rim_points(radius, z, polygon, side):
    """The rim of a round flat end."""
    for k in range(RIM):
        put_vector(polygon, side, k, (radius * RIM_X[k], radius * RIM_Y[k], z))


@routine
def standing_feature(core, d, polygon, side):
    """Of a capsule, cylinder or cone: a flat end or a line along its side. (points, name)."""
    kind, x, y = core[0], core[1], core[2]
    d0, d1, d2 = d
    across = np.sqrt(d0 * d0 + d1 * d1)
    if kind == CAPSULE:
        if abs(d2) > EDGE_TILT:
            return 0, 0
        put_vector(polygon, side, 0, (0.0, 0.0, -y))
        put_vector(polygon, side, 1, (0.0, 0.0, y))
        return 2, 0
    if across < FACE_TILT and (kind == CYLINDER or d2 < 0.0):
        level = -0.25 * y if kind == CONE else y if d2 > 0.0 else -y
        rim_points(x, level, polygon, side)
        return RIM, 2 if d2 > 0.0 else 1
    if across == 0.0:
        return 0, 0
    u0, u1 = d0 / across, d1 / across
    if kind == CYLINDER:
        if abs(d2) > EDGE_TILT:
            return 0, 0
        put_vector(polygon, side, 0, (x * u0, x * u1, -y))
        put_vector(polygon, side, 1, (x * u0, x * u1, y))
        return 2, 0
    if abs(y * d2 - x * across) > EDGE_TILT * np.sqrt(x * x + y * y):
        return 0, 0
    put_vector(polygon, side, 0, (x * u0, x * u1, -0.25 * y))
    put_vector(polygon, side, 1, (0.0, 0.0, 0.75 * y))
    return 2, 0


@routine
def put_edge(points, i, j, polygon, side):
    """polygon[side] ← the edge between vertices i and j, the lower number first; these numbers."""
    low, high = min(i, j), max(i, j)
    put_vector(polygon, side, 0, row(points, low))
    put_vector(polygon, side, 1, row(points, high))
    return low, high


@routine
def edge_lean(points, i, j, d):
    """Sine of the angle by which the edge between two vertices rises along d."""
    e = minus(row(points, j), row(points, i))
    length = norm(e)
    return abs(dot(e, d)) / length if length > 0.0 else 1.0


@routine
def triangle_feature(core, points, d, polygon, side):
    """Of a triangle: itself or an edge. (points, name)."""
    f = core[4]
    a = row(points, f)
    m = cross(minus(row(points, f + 1), a), minus(row(points, f + 2), a))
    upright = dot(m, d)
    if upright * upright > (1.0 - FACE_TILT * FACE_TILT) * dot(m, m):
        for k in range(3):
            put_vector(polygon, side, k, row(points, f + k))
        return 3, 0
    top = np.int64(farthest_vertex(f, 3, points, d))
    best = -1
    least = EDGE_TILT
    for step in range(1, 3):
        k = f + (top - f + step) % 3
        lean = edge_lean(points, top, k, d)
        if lean < least:
            least, best = lean, k
    if best < 0:
        return 0, 0
    low, high = put_edge(points, top, best, polygon, side)
    return 2, low - f + high - f


@routine
def hull_feature(core, points, face_start, corner, plane, d, polygon, side):
    """Of a hull: a face or an edge. (points, name)."""
    first, first_face, faces = core[4], core[6], core[7]
    best = first_face
    upright = -2.0
    for f in range(first_face, first_face + faces):
        here = dot(row(plane, f), d)
        if here > upright + 1e-9:  # faces that do as well as the first are no better
            upright, best = here, f
    if 1.0 - upright * upright < FACE_TILT * FACE_TILT:
        start, count = face_start[best], face_start[best + 1] - face_start[best]
        stride = (count + CORNERS - 1) // CORNERS
        taken = 0
        for k in range(0, count, stride):
            put_vector(polygon, side, taken, row(points, first + corner[start + k]))
            taken += 1
        return taken, 2 * (best - first_face)
    top = np.int64(farthest_vertex(first, core[5], points, d))
    other = -1
    least = EDGE_TILT
    for f in range(first_face, first_face + faces):
        for k in range(face_start[f], face_start[f + 1]):
            if first + corner[k] == top:
                after = k + 1 if k + 1 < face_start[f + 1] else face_start[f]
                end = first + corner[after]
                lean = edge_lean(points, top, end, d)
                if lean < least:
                    least, other = lean, end
    if other < 0:
        return 0, 0
    low, high = put_edge(points, top, other, polygon, side)
    return 2, 1 + 2 * (low - first + 31 * (high - first))


@routine
def feature(core, points, face_start, corner, plane, d, polygon, side):
    """polygon[side] ← what of a core lies across the unit direction d: (points, name).

    All in the shape's frame; the name tells it from the shape's other features. Fewer than two
    points say that it is just a point.
    """
    kind = core[0]
    if kind == BOX:
        return box_feature(core, d, polygon, side)
    if kind == HULL:
        return hull_feature(core, points, face_start, corner, plane, d, polygon, side)
    if kind in (CAPSULE, CYLINDER, CONE):
        return standing_feature(core, d, polygon, side)
    if kind == TRIANGLE:
        return triangle_feature(core, points, d, polygon, side)
    return 0, 0
