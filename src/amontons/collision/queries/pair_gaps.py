"""Signed distance of pairs of parts at any distance, of two tables of shapes or of one.

A kernel takes the fields of two sides (:class:`.Side`) and writes for pair k the gap [m], the unit
normal from A to B in world axes, and the point on A less A's place; the point on B is point +
gap·normal. Beyond `limit` the gap is ∞.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import helper, kernel, prange, routine
from amontons.algebra.rotations import rotation_of
from amontons.algebra.vectors import (
    along,
    dot,
    minus,
    negative,
    norm,
    over,
    put,
    row,
    times,
    turned,
    turned_back,
)
from amontons.collision.narrow.convex_pairs import between_middles, relative_pose
from amontons.collision.narrow.distances import distance_to_convex
from amontons.collision.narrow.signed_distance import new_search_scratch, signed_distance
from amontons.collision.narrow.support import core_of, into_b, out_of_b, rounding, support_point
from amontons.model.shapes.table import MESH, SPHERE, TRIANGLE

PAIRS = 16
"""Pairs that share one set of scratch arrays."""


@helper
def write(gap, normal, point, k, distance, n, p, r):
    """Answer of pair k, turned from A's axes to the world's by its rotation r."""
    gap[k] = distance
    put(normal, k, turned(r, n))
    put(point, k, turned(r, p))


@routine
def gap_of_cores(a, points_a, b, points_b, pose, guess, size, limit, scratch):
    """(gap or ∞, n, point on A) of two convex shapes, in A's frame; as :func:`signed_distance`."""
    radius = rounding(a)
    round_off = radius + rounding(b)
    near, gap, n, p = signed_distance(
        a, points_a, b, points_b, pose, guess, size, limit + round_off, scratch
    )
    if not near or gap - round_off > limit:
        return np.inf, n, p
    return gap - round_off, n, along(p, radius, n)


@routine
def core_or_vertices(kind, size, data, s):
    """The core of shape s; that of a mesh is its vertices, of which any may be a support point."""
    what, x, y, z, first, count, face, faces = core_of(kind, size, data, s)
    if what == MESH:
        what = np.int64(TRIANGLE)
    return what, x, y, z, first, count, face, faces


@kernel
def plane_gaps(
    shapes_a, poses_a, _closed_a, shapes_b, poses_b, _closed_b, pairs, limit, gap, normal, point
):
    """A is a plane, B anything that has an end: its lowest point counts."""
    size_a, place_a, turn_a, shape_a = shapes_a.size, poses_a.place, poses_a.turn, poses_a.shape
    kind, size, data, vertex = shapes_b.kind, shapes_b.size, shapes_b.data, shapes_b.point
    place_b, turn_b, shape_b = poses_b.place, poses_b.turn, poses_b.shape
    for k in prange(pairs.shape[0]):
        i, j = np.int64(pairs[k, 0]), np.int64(pairs[k, 1])
        r = rotation_of(turn_a, i)
        pose = relative_pose(r, rotation_of(turn_b, j), place_a, i, place_b, j)
        s = shape_a[i]
        n = row(size_a, s)
        core = core_or_vertices(kind, size, data, shape_b[j])
        lowest = support_point(core, vertex, negative(into_b(pose, n)))
        q = minus(out_of_b(pose, lowest), times(rounding(core), n))
        height = dot(n, q) - size_a[s, 3]
        gap[k] = np.inf
        if height <= limit:
            write(gap, normal, point, k, height, n, minus(q, times(height, n)), r)


@routine
def gap_of_sphere(radius, kind, size, data, point, face_start, corner, plane, t, pose, limit):
    """(gap or ∞, n, point on A) of a sphere A and a convex shape t, B, in A's frame."""
    centre = (pose[9], pose[10], pose[11])
    if kind[t] == SPHERE:
        length = norm(centre)
        distance = length - size[t, 0]
        n = over(centre, length) if length > 0.0 else (0.0, 0.0, 1.0)
    else:
        distance, m = distance_to_convex(
            kind[t], size, data, point, face_start, corner, plane, t,
            negative(turned_back(pose, centre)), limit + radius,
        )  # fmt: skip
        n = negative(turned(pose, m))
    if distance - radius > limit:
        return np.inf, n, n
    return distance - radius, n, times(radius, n)


@kernel
def convex_gaps(
    shapes_a, poses_a, _closed_a, shapes_b, poses_b, _closed_b, pairs, limit, gap, normal, point
):
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
                distance, n, p = gap_of_sphere(
                    size_a[s, 0], kind_b, size_b, data_b, points_b, face_start, corner, plane, t,
                    pose, limit,
                )  # fmt: skip
            else:
                guess, _, size = between_middles(middle_a, half_a, s, middle_b, half_b, t, pose)
                distance, n, p = gap_of_cores(
                    core_of(kind_a, size_a, data_a, s), points_a,
                    core_of(kind_b, size_b, data_b, t), points_b, pose, guess, size, limit, scratch,
                )  # fmt: skip
            gap[k] = np.inf
            if distance < np.inf:
                write(gap, normal, point, k, distance, n, p, r)
