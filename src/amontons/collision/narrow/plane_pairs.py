"""Planes against every other shape: the points of B that are lowest over the plane.

All happens in B's frame, where the plane's normal is m and the gap of a point p is m·p + shift.
Each kind of shape lists its candidates, with a key each; up to four of them become contacts.
"""

from __future__ import annotations

import math

import numpy as np

from amontons._jit import kernel, prange, routine
from amontons.algebra.rotations import rotation_of
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
def put(spots, codes, k, x, y, z, code):
    """Candidate `k` at (x, y, z) in B's frame."""
    spots[k, 0], spots[k, 1], spots[k, 2] = x, y, z
    codes[k] = code


@routine
def vertices_of_box(h0, h1, h2, spots, codes):
    """All eight; a vertex's number has bit j set on the positive side of axis j."""
    for k in range(8):
        x = h0 if k & 1 else -h0
        y = h1 if k & 2 else -h1
        z = h2 if k & 4 else -h2
        put(spots, codes, k, x, y, z, k)
    return 8


@routine
def ends_of_capsule(radius, half, m0, m1, m2, spots, codes):
    """Lowest points of its two balls."""
    put(spots, codes, 0, -radius * m0, -radius * m1, -radius * m2 - half, 0)
    put(spots, codes, 1, -radius * m0, -radius * m1, -radius * m2 + half, 1)
    return 2 if half > 1e-12 * radius else 1


@routine
def lowest_of_ellipsoid(a0, a1, a2, m0, m1, m2, spots, codes):
    """Its lowest point: the gradient of |(x_i/a_i)| there is along −m."""
    s0, s1, s2 = a0 * m0, a1 * m1, a2 * m2
    length = math.sqrt(s0 * s0 + s1 * s1 + s2 * s2)
    put(spots, codes, 0, -a0 * s0 / length, -a1 * s1 / length, -a2 * s2 / length, 0)
    return 1


@routine
def points_of_rim(radius, z, end, m0, m1, scale, spots, codes):
    """Four points of a rim, the lowest one included, and where that is.

    Standing, they are fixed in the shape, so that contacts at rest stay; the lowest point takes
    the place of its neighbour where it is noticeably lower. Tilted, only it counts.
    """
    sine = math.sqrt(m0 * m0 + m1 * m1)
    u0, u1 = 1.0, 0.0
    if sine > 0.0:
        u0, u1 = -m0 / sine, -m1 / sine
    nearest = 0
    if abs(u0) >= abs(u1):
        nearest = 0 if u0 > 0.0 else 2
    else:
        nearest = 1 if u1 > 0.0 else 3
    for k in range(4):
        x = radius if k == 0 else (-radius if k == 2 else 0.0)
        y = radius if k == 1 else (-radius if k == 3 else 0.0)
        put(spots, codes, k, x, y, z, 4 + 4 * end + k)
    fixed = max(abs(u0), abs(u1))
    if sine * (1.0 - fixed) * radius > 1e-10 * scale:
        spots[nearest, 0], spots[nearest, 1] = radius * u0, radius * u1
    if sine > STANDING:
        codes[nearest] = end
    return u0, u1


@routine
def points_of_cylinder(radius, half, m0, m1, m2, spots, codes):
    """The rim of its lower end, and the lowest point of the other one."""
    end = 0 if m2 > 0.0 else 1
    z = half if end else -half
    u0, u1 = points_of_rim(radius, z, end, m0, m1, radius + half, spots, codes)
    put(spots, codes, 4, radius * u0, radius * u1, -z, 1 - end)
    return 5


@routine
def points_of_cone(radius, height, m0, m1, m2, spots, codes):
    """Its rim and its tip."""
    points_of_rim(radius, -0.25 * height, 0, m0, m1, radius + height, spots, codes)
    put(spots, codes, 4, 0.0, 0.0, 0.75 * height, 1)
    return 5


@routine
def candidates(kind, size, s, m0, m1, m2, spots, codes):
    """Fill `spots` and `codes` for shape `s`, no hull or mesh; return how many there are."""
    if kind == SPHERE:
        put(spots, codes, 0, -size[s, 0] * m0, -size[s, 0] * m1, -size[s, 0] * m2, 0)
        return 1
    if kind == CAPSULE:
        return ends_of_capsule(size[s, 0], size[s, 1], m0, m1, m2, spots, codes)
    if kind == BOX:
        return vertices_of_box(size[s, 0], size[s, 1], size[s, 2], spots, codes)
    if kind == CYLINDER:
        return points_of_cylinder(size[s, 0], size[s, 1], m0, m1, m2, spots, codes)
    if kind == CONE:
        return points_of_cone(size[s, 0], size[s, 1], m0, m1, m2, spots, codes)
    if kind == ELLIPSOID:
        return lowest_of_ellipsoid(size[s, 0], size[s, 1], size[s, 2], m0, m1, m2, spots, codes)
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
            n0, n1, n2 = size[q, 0], size[q, 1], size[q, 2]
            r00, r01, r02, r10, r11, r12, r20, r21, r22 = rotation_of(turn, a)
            n0, n1, n2 = (
                r00 * n0 + r01 * n1 + r02 * n2,
                r10 * n0 + r11 * n1 + r12 * n2,
                r20 * n0 + r21 * n1 + r22 * n2,
            )
            d0 = place[b, 0] - place[a, 0]
            d1 = place[b, 1] - place[a, 1]
            d2 = place[b, 2] - place[a, 2]
            shift = n0 * d0 + n1 * d1 + n2 * d2 - size[q, 3]
            r00, r01, r02, r10, r11, r12, r20, r21, r22 = rotation_of(turn, b)
            m0 = r00 * n0 + r10 * n1 + r20 * n2
            m1 = r01 * n0 + r11 * n1 + r21 * n2
            m2 = r02 * n0 + r12 * n1 + r22 * n2
            scale = half[s, 0] + half[s, 1] + half[s, 2]
            has_vertices = kind[s] == HULL or kind[s] == MESH
            if has_vertices:
                points, first, count = vertex, np.int64(data[s, 0]), np.int64(data[s, 1])
            else:
                points, first = spots, 0
                count = candidates(kind[s], size, s, m0, m1, m2, spots, codes)
            contacts = choose_four(
                points, first, count, m0, m1, m2, shift, margin, scale, ROUND, chosen
            )
            number[i] = contacts
            for k in range(contacts):
                owner, row = chosen[k], chosen[4 + k]
                x, y, z = points[row, 0], points[row, 1], points[row, 2]
                code = np.uint32(owner - first) if has_vertices else codes[owner]
                apart = m0 * x + m1 * y + m2 * z + shift
                p = (
                    d0 + r00 * x + r01 * y + r02 * z - apart * n0,
                    d1 + r10 * x + r11 * y + r12 * z - apart * n1,
                    d2 + r20 * x + r21 * y + r22 * z - apart * n2,
                )
                put_contact(normal, point, gap, key, i, k, (n0, n1, n2), p, apart, code)
