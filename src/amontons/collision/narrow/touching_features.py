"""What of a shape touches: its face, edge or line that lies across a direction.

A feature is a polygon (three points or more), a segment (two) or nothing but a point (none given).
Points of a polygon lie on the surface: a round flat end is given as sixteen points of its rim.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
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
def put(polygon, side, at, p0, p1, p2):
    """polygon[side, at] ← p."""
    polygon[side, at, 0], polygon[side, at, 1], polygon[side, at, 2] = p0, p1, p2


@routine
def box_feature(core, d0, d1, d2, polygon, side):
    """Of a box: a face or an edge. (points, name)."""
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
                put(polygon, side, k, x, f * core[2], g * core[3])
            elif top == 1:
                put(polygon, side, k, f * core[1], y, g * core[3])
            else:
                put(polygon, side, k, f * core[1], g * core[2], z)
        low = (d0 if top == 0 else d1 if top == 1 else d2) < 0.0
        return 4, 2 * top + (1 if low else 0)
    flat = 0 if s0 <= s1 and s0 <= s2 else 1 if s1 <= s2 else 2
    if (s0 if flat == 0 else s1 if flat == 1 else s2) > EDGE_TILT:
        return 0, 0
    if flat == 0:
        put(polygon, side, 0, -core[1], y, z)
        put(polygon, side, 1, core[1], y, z)
    elif flat == 1:
        put(polygon, side, 0, x, -core[2], z)
        put(polygon, side, 1, x, core[2], z)
    else:
        put(polygon, side, 0, x, y, -core[3])
        put(polygon, side, 1, x, y, core[3])
    signs = (1 if x < 0.0 else 0) + (2 if y < 0.0 else 0) + (4 if z < 0.0 else 0)
    return 2, 8 + 8 * flat + (signs & ~(1 << flat))


@routine
def rim_points(radius, z, polygon, side):
    """The rim of a round flat end."""
    for k in range(RIM):
        put(polygon, side, k, radius * RIM_X[k], radius * RIM_Y[k], z)


@routine
def standing_feature(core, d0, d1, d2, polygon, side):
    """Of a capsule, cylinder or cone: a flat end or a line along its side. (points, name)."""
    kind, x, y = core[0], core[1], core[2]
    across = np.sqrt(d0 * d0 + d1 * d1)
    if kind == CAPSULE:
        if abs(d2) > EDGE_TILT:
            return 0, 0
        put(polygon, side, 0, 0.0, 0.0, -y)
        put(polygon, side, 1, 0.0, 0.0, y)
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
        put(polygon, side, 0, x * u0, x * u1, -y)
        put(polygon, side, 1, x * u0, x * u1, y)
        return 2, 0
    if abs(y * d2 - x * across) > EDGE_TILT * np.sqrt(x * x + y * y):
        return 0, 0
    put(polygon, side, 0, x * u0, x * u1, -0.25 * y)
    put(polygon, side, 1, 0.0, 0.0, 0.75 * y)
    return 2, 0


@routine
def triangle_feature(core, points, d0, d1, d2, polygon, side):
    """Of a triangle: itself or an edge. (points, name)."""
    f = core[4]
    e0, e1, e2 = (
        points[f + 1, 0] - points[f, 0],
        points[f + 1, 1] - points[f, 1],
        points[f + 1, 2] - points[f, 2],
    )
    g0, g1, g2 = (
        points[f + 2, 0] - points[f, 0],
        points[f + 2, 1] - points[f, 1],
        points[f + 2, 2] - points[f, 2],
    )
    m0, m1, m2 = e1 * g2 - e2 * g1, e2 * g0 - e0 * g2, e0 * g1 - e1 * g0
    upright = m0 * d0 + m1 * d1 + m2 * d2
    area = m0 * m0 + m1 * m1 + m2 * m2
    if upright * upright > (1.0 - FACE_TILT * FACE_TILT) * area:
        for k in range(3):
            put(polygon, side, k, points[f + k, 0], points[f + k, 1], points[f + k, 2])
        return 3, 0
    top = np.int64(farthest_vertex(f, 3, points, d0, d1, d2))
    best = -1
    least = EDGE_TILT
    for step in range(1, 3):
        k = f + (top - f + step) % 3
        lean = edge_lean(points, top, k, d0, d1, d2)
        if lean < least:
            least, best = lean, k
    if best < 0:
        return 0, 0
    low, high = min(top, best), max(top, best)
    put(polygon, side, 0, points[low, 0], points[low, 1], points[low, 2])
    put(polygon, side, 1, points[high, 0], points[high, 1], points[high, 2])
    return 2, low - f + high - f


@routine
def edge_lean(points, i, j, d0, d1, d2):
    """Sine of the angle by which the edge between two vertices rises along d."""
    e0, e1, e2 = (
        points[j, 0] - points[i, 0],
        points[j, 1] - points[i, 1],
        points[j, 2] - points[i, 2],
    )
    length = np.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    return abs(e0 * d0 + e1 * d1 + e2 * d2) / length if length > 0.0 else 1.0


@routine
def hull_feature(core, points, face_start, corner, plane, d0, d1, d2, polygon, side):
    """Of a hull: a face or an edge. (points, name)."""
    first, first_face, faces = core[4], core[6], core[7]
    best = first_face
    upright = -2.0
    for f in range(first_face, first_face + faces):
        here = plane[f, 0] * d0 + plane[f, 1] * d1 + plane[f, 2] * d2
        if here > upright + 1e-9:  # faces that do as well as the first are no better
            upright, best = here, f
    if 1.0 - upright * upright < FACE_TILT * FACE_TILT:
        start, count = face_start[best], face_start[best + 1] - face_start[best]
        stride = (count + CORNERS - 1) // CORNERS
        taken = 0
        for k in range(0, count, stride):
            p = first + corner[start + k]
            put(polygon, side, taken, points[p, 0], points[p, 1], points[p, 2])
            taken += 1
        return taken, 2 * (best - first_face)
    top = np.int64(farthest_vertex(first, core[5], points, d0, d1, d2))
    other = -1
    least = EDGE_TILT
    for f in range(first_face, first_face + faces):
        for k in range(face_start[f], face_start[f + 1]):
            if first + corner[k] == top:
                after = k + 1 if k + 1 < face_start[f + 1] else face_start[f]
                end = first + corner[after]
                lean = edge_lean(points, top, end, d0, d1, d2)
                if lean < least:
                    least, other = lean, end
    if other < 0:
        return 0, 0
    low, high = min(top, other), max(top, other)
    put(polygon, side, 0, points[low, 0], points[low, 1], points[low, 2])
    put(polygon, side, 1, points[high, 0], points[high, 1], points[high, 2])
    return 2, 1 + 2 * (low - first + 31 * (high - first))


@routine
def feature(core, points, face_start, corner, plane, d0, d1, d2, polygon, side):
    """polygon[side] ← what of a core lies across the unit direction d: (points, name).

    All in the shape's frame; the name tells it from the shape's other features. Fewer than two
    points say that it is no more than a point.
    """
    kind = core[0]
    if kind == BOX:
        return box_feature(core, d0, d1, d2, polygon, side)
    if kind == HULL:
        return hull_feature(core, points, face_start, corner, plane, d0, d1, d2, polygon, side)
    if kind in (CAPSULE, CYLINDER, CONE):
        return standing_feature(core, d0, d1, d2, polygon, side)
    if kind == TRIANGLE:
        return triangle_feature(core, points, d0, d1, d2, polygon, side)
    return 0, 0
