"""Planes against every other shape: the points of B that are lowest over the plane.

All happens in B's frame, where the plane's normal is m and the gap of a point p is m·p + shift.
Each kind of shape lists its candidates, with a key each; up to four of them become contacts.
"""

from __future__ import annotations

import math

import numpy as np

from amontons._jit import kernel, prange, routine
from amontons.algebra.rotations import rotation_of
from amontons.algebra.vectors import dot, minus, norm, plus, put, row, times, turned, turned_back
from amontons.collision.narrow.choose_four import ROUND, choose_four
from amontons.collision.pair_contacts import put_contact
from amontons.model.shapes.table import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    HULL,
    MESH,
    SPHERE,
)

GROUP = 64
"""Pairs that share one set of scratch arrays."""

STANDING = 0.2
"""Sine of the tilt up to which a cylinder or cone is taken to stand on its rim."""


@routine
def candidate(spots, codes, k, p, code):
    """Candidate `k` at p in B's frame."""
    put(spots, k, p)
    codes[k] = code


@routine
def vertices_of_box(h, spots, codes):
    """All eight; a vertex's number has bit j set on the positive side of axis j."""
    for k in range(8):
        x = h[0] if k & 1 else -h[0]
        y = h[1] if k & 2 else -h[1]
        z = h[2] if k & 4 else -h[2]
        candidate(spots, codes, k, (x, y, z), k)
    return 8


@routine
def ends_of_capsule(radius, half, m, spots, codes):
    """Lowest points of its two balls."""
    x, y, z = times(-radius, m)
    candidate(spots, codes, 0, (x, y, z - half), 0)
    candidate(spots, codes, 1, (x, y, z + half), 1)
    return 2 if half > 1e-12 * radius else 1


@routine
def lowest_of_ellipsoid(a, m, spots, codes):
    """Its lowest point: the gradient of |(x_i/a_i)| there is along −m."""
    s = (a[0] * m[0], a[1] * m[1], a[2] * m[2])
    length = norm(s)
    p = (-a[0] * s[0] / length, -a[1] * s[1] / length, -a[2] * s[2] / length)
    candidate(spots, codes, 0, p, 0)
    return 1


@routine
def points_of_rim(radius, z, end, m, scale, spots, codes):
    """Four points of a rim, the lowest one included, and where that is.

    Standing, they are fixed in the shape, so that contacts at rest stay; the lowest point takes
    the place of its neighbour where it is noticeably lower. Tilted, only it counts.
    """
    sine = math.sqrt(m[0] * m[0] + m[1] * m[1])
    u0, u1 = 1.0, 0.0
    if sine > 0.0:
        u0, u1 = -m[0] / sine, -m[1] / sine
    nearest = 0
    if abs(u0) >= abs(u1):
        nearest = 0 if u0 > 0.0 else 2
    else:
        nearest = 1 if u1 > 0.0 else 3
    for k in range(4):
        x = radius if k == 0 else (-radius if k == 2 else 0.0)
        y = radius if k == 1 else (-radius if k == 3 else 0.0)
        candidate(spots, codes, k, (x, y, z), 4 + 4 * end + k)
    fixed = max(abs(u0), abs(u1))
    if sine * (1.0 - fixed) * radius > 1e-10 * scale:
        spots[nearest, 0], spots[nearest, 1] = radius * u0, radius * u1
    if sine > STANDING:
        codes[nearest] = end
    return u0, u1


@routine
def points_of_cylinder(radius, half, m, spots, codes):
    """The rim of its lower end, and the lowest point of the other one."""
    end = 0 if m[2] > 0.0 else 1
    z = half if end else -half
    u0, u1 = points_of_rim(radius, z, end, m, radius + half, spots, codes)
    candidate(spots, codes, 4, (radius * u0, radius * u1, -z), 1 - end)
    return 5


@routine
def points_of_cone(radius, height, m, spots, codes):
    """Its rim and its tip."""
    points_of_rim(radius, -0.25 * height, 0, m, radius + height, spots, codes)
    candidate(spots, codes, 4, (0.0, 0.0, 0.75 * height), 1)
    return 5


@routine
def candidates(kind, size, s, m, spots, codes):
    """Fill `spots` and `codes` for shape `s`, not a hull or a mesh; return how many there are."""
    if kind == SPHERE:
        candidate(spots, codes, 0, times(-size[s, 0], m), 0)
        return 1
    if kind == CAPSULE:
        return ends_of_capsule(size[s, 0], size[s, 1], m, spots, codes)
    if kind == BOX:
        return vertices_of_box(row(size, s), spots, codes)
    if kind == CYLINDER:
        return points_of_cylinder(size[s, 0], size[s, 1], m, spots, codes)
    if kind == CONE:
        return points_of_cone(size[s, 0], size[s, 1], m, spots, codes)
    if kind == ELLIPSOID:
        return lowest_of_ellipsoid(row(size, s), m, spots, codes)
    return 0


@kernel
def collide_plane(shapes, poses, pair, margin, found):
    """Contacts of a plane A and a convex shape or a mesh B; the normal is the plane's."""
    kind, size, half = shapes.kind, shapes.size, shapes.half
    data, vertex = shapes.data, shapes.point
    place, turn, shape = poses.place, poses.turn, poses.shape
    number, normal, point, gap, key = found.number, found.normal, found.point, found.gap, found.key
    pairs = pair.shape[0]
    for group in prange((pairs + GROUP - 1) // GROUP):
        spots, codes, chosen = np.empty((8, 3)), np.empty(8, np.uint32), np.empty(8, np.int64)
        for i in range(group * GROUP, min(pairs, (group + 1) * GROUP)):
            a, b = pair[i, 0], pair[i, 1]
            q, s = shape[a], shape[b]
            n = turned(rotation_of(turn, a), row(size, q))
            d = minus(row(place, b), row(place, a))
            shift = dot(n, d) - size[q, 3]
            r = rotation_of(turn, b)
            m = turned_back(r, n)
            scale = half[s, 0] + half[s, 1] + half[s, 2]
            has_vertices = kind[s] == HULL or kind[s] == MESH
            if has_vertices:
                points, first, count = vertex, np.int64(data[s, 0]), np.int64(data[s, 1])
            else:
                points, first = spots, 0
                count = candidates(kind[s], size, s, m, spots, codes)
            contacts = choose_four(points, first, count, m, shift, margin, scale, ROUND, chosen)
            number[i] = contacts
            for k in range(contacts):
                owner, x = chosen[k], row(points, chosen[4 + k])
                code = np.uint32(owner - first) if has_vertices else codes[owner]
                apart = dot(m, x) + shift
                p = minus(plus(d, turned(r, x)), times(apart, n))
                put_contact(normal, point, gap, key, i, k, n, p, apart, code)
