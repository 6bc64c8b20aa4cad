"""Signed distance of pairs of parts at any distance, of two tables of shapes or of one.

Each kernel writes for pair k the gap [m], the unit normal from A to B in world axes, and the point
on A less A's place; the point on B is point + gap·normal. Beyond `limit` the gap is ∞.
"""

from __future__ import annotations

import math

import numpy as np

from amontons._jit import helper, kernel, prange, routine
from amontons.algebra.rotations import rotation_of
from amontons.collision.narrow.convex_pairs import relative_pose
from amontons.collision.narrow.distances import distance_to_convex
from amontons.collision.narrow.signed_distance import new_search_scratch, signed_distance
from amontons.collision.narrow.support import core_of, rounding, support_point
from amontons.model.shapes.table import MESH, SPHERE, TRIANGLE

PAIRS = 16
"""Pairs that share one set of scratch arrays."""


@helper
def write(gap, normal, point, k, distance, n0, n1, n2, p0, p1, p2, r):
    """Answer of pair k, turned from A's axes to the world's by its rotation r."""
    gap[k] = distance
    normal[k, 0] = r[0] * n0 + r[1] * n1 + r[2] * n2
    normal[k, 1] = r[3] * n0 + r[4] * n1 + r[5] * n2
    normal[k, 2] = r[6] * n0 + r[7] * n1 + r[8] * n2
    point[k, 0] = r[0] * p0 + r[1] * p1 + r[2] * p2
    point[k, 1] = r[3] * p0 + r[4] * p1 + r[5] * p2
    point[k, 2] = r[6] * p0 + r[7] * p1 + r[8] * p2


@routine
def gap_of_cores(a, points_a, b, points_b, pose, guess, size, limit, scratch):
    """(gap or ∞, n, point on A) of two convex shapes, in A's frame; as :func:`signed_distance`."""
    radius = rounding(a)
    round_off = radius + rounding(b)
    near, gap, n0, n1, n2, p0, p1, p2 = signed_distance(
        a, points_a, b, points_b, pose, guess, size, limit + round_off, scratch
    )
    if not near or gap - round_off > limit:
        return np.inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    p0, p1, p2 = p0 + radius * n0, p1 + radius * n1, p2 + radius * n2
    return gap - round_off, n0, n1, n2, p0, p1, p2


@routine
def core_or_vertices(kind, size, data, s):
    """The core of shape s; that of a mesh is its vertices, of which any may be a support point."""
    what, x, y, z, first, count, face, faces = core_of(kind, size, data, s)
    if what == MESH:
        what = np.int64(TRIANGLE)
    return what, x, y, z, first, count, face, faces


@kernel
def plane_gaps(shapes_a, poses_a, shapes_b, poses_b, pairs, limit, gap, normal, point):
    """A is a plane, B anything that has an end: its lowest point counts."""
    size_a, place_a, turn_a, shape_a = shapes_a.size, poses_a.place, poses_a.turn, poses_a.shape
    kind, size, data, vertex = shapes_b.kind, shapes_b.size, shapes_b.data, shapes_b.point
    place_b, turn_b, shape_b = poses_b.place, poses_b.turn, poses_b.shape
    for k in prange(pairs.shape[0]):
        i, j = np.int64(pairs[k, 0]), np.int64(pairs[k, 1])
        r = rotation_of(turn_a, i)
        pose = relative_pose(r, rotation_of(turn_b, j), place_a, i, place_b, j)
        s = shape_a[i]
        n0, n1, n2 = size_a[s, 0], size_a[s, 1], size_a[s, 2]
        m0 = pose[0] * n0 + pose[3] * n1 + pose[6] * n2
        m1 = pose[1] * n0 + pose[4] * n1 + pose[7] * n2
        m2 = pose[2] * n0 + pose[5] * n1 + pose[8] * n2
        b = core_or_vertices(kind, size, data, shape_b[j])
        radius = rounding(b)
        p0, p1, p2 = support_point(b, vertex, -m0, -m1, -m2)
        q0 = pose[0] * p0 + pose[1] * p1 + pose[2] * p2 + pose[9] - radius * n0
        q1 = pose[3] * p0 + pose[4] * p1 + pose[5] * p2 + pose[10] - radius * n1
        q2 = pose[6] * p0 + pose[7] * p1 + pose[8] * p2 + pose[11] - radius * n2
        height = n0 * q0 + n1 * q1 + n2 * q2 - size_a[s, 3]
        gap[k] = np.inf
        if height <= limit:
            q0, q1, q2 = q0 - height * n0, q1 - height * n1, q2 - height * n2
            write(gap, normal, point, k, height, n0, n1, n2, q0, q1, q2, r)


@routine
def gap_of_sphere(radius, kind, size, data, point, face_start, corner, plane, t, pose, limit):
    """(gap or ∞, n, point on A) of a sphere A and a convex shape t, B, in A's frame."""
    x, y, z = pose[9], pose[10], pose[11]
    if kind[t] == SPHERE:
        length = math.sqrt(x * x + y * y + z * z)
        distance, n0, n1, n2 = length - size[t, 0], 0.0, 0.0, 1.0
        if length > 0.0:
            n0, n1, n2 = x / length, y / length, z / length
    else:
        distance, m0, m1, m2 = distance_to_convex(
            kind[t], size, data, point, face_start, corner, plane, t,
            -(pose[0] * x + pose[3] * y + pose[6] * z),
            -(pose[1] * x + pose[4] * y + pose[7] * z),
            -(pose[2] * x + pose[5] * y + pose[8] * z),
            limit + radius,
        )  # fmt: skip
        n0 = -(pose[0] * m0 + pose[1] * m1 + pose[2] * m2)
        n1 = -(pose[3] * m0 + pose[4] * m1 + pose[5] * m2)
        n2 = -(pose[6] * m0 + pose[7] * m1 + pose[8] * m2)
    if distance - radius > limit:
        return np.inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    return distance - radius, n0, n1, n2, radius * n0, radius * n1, radius * n2


@kernel
def convex_gaps(shapes_a, poses_a, shapes_b, poses_b, pairs, limit, gap, normal, point):
    """A and B are convex; if one is a sphere, A is."""
    kind_a, size_a, data_a = shapes_a.kind, shapes_a.size, shapes_a.data
    middle_a, half_a, points_a = shapes_a.middle, shapes_a.half, shapes_a.point
    place_a, turn_a, shape_a = poses_a.place, poses_a.turn, poses_a.shape
    kind_b, size_b, data_b = shapes_b.kind, shapes_b.size, shapes_b.data
    middle_b, half_b, points_b = shapes_b.middle, shapes_b.half, shapes_b.point
    face_start, corner, plane = shapes_b.face_start, shapes_b.corner, shapes_b.plane
    place_b, turn_b, shape_b = poses_b.place, poses_b.turn, poses_b.shape
    number = pairs.shape[0]
    for chunk in prange((number + PAIRS - 1) // PAIRS):
        scratch = new_search_scratch()
        for k in range(chunk * PAIRS, min((chunk + 1) * PAIRS, number)):
            i, j = np.int64(pairs[k, 0]), np.int64(pairs[k, 1])
            s, t = np.int64(shape_a[i]), np.int64(shape_b[j])
            r = rotation_of(turn_a, i)
            pose = relative_pose(r, rotation_of(turn_b, j), place_a, i, place_b, j)
            if kind_a[s] == SPHERE:
                distance, n0, n1, n2, p0, p1, p2 = gap_of_sphere(
                    size_a[s, 0], kind_b, size_b, data_b, points_b, face_start, corner, plane, t,
                    pose, limit,
                )  # fmt: skip
            else:
                guess, size = between_middles(middle_a, half_a, s, middle_b, half_b, t, pose)
                distance, n0, n1, n2, p0, p1, p2 = gap_of_cores(
                    core_of(kind_a, size_a, data_a, s), points_a,
                    core_of(kind_b, size_b, data_b, t), points_b, pose, guess, size, limit, scratch,
                )  # fmt: skip
            gap[k] = np.inf
            if distance < np.inf:
                write(gap, normal, point, k, distance, n0, n1, n2, p0, p1, p2, r)


@helper
def between_middles(middle_a, half_a, s, middle_b, half_b, t, pose):
    """From the middle of shape s of A to that of shape t of B (never zero), and their size."""
    m0, m1, m2 = middle_b[t, 0], middle_b[t, 1], middle_b[t, 2]
    g0 = pose[0] * m0 + pose[1] * m1 + pose[2] * m2 + pose[9] - middle_a[s, 0]
    g1 = pose[3] * m0 + pose[4] * m1 + pose[5] * m2 + pose[10] - middle_a[s, 1]
    g2 = pose[6] * m0 + pose[7] * m1 + pose[8] * m2 + pose[11] - middle_a[s, 2]
    size = math.sqrt(half_a[s, 0] ** 2 + half_a[s, 1] ** 2 + half_a[s, 2] ** 2)
    size += math.sqrt(half_b[t, 0] ** 2 + half_b[t, 1] ** 2 + half_b[t, 2] ** 2)
    if g0 * g0 + g1 * g1 + g2 * g2 > (1e-9 * size) ** 2:
        return (g0, g1, g2), size
    return (0.0, 0.0, size), size
