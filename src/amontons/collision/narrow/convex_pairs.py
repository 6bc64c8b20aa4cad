"""Contacts of any two convex shapes, by a search over directions and clipped features.

Everything happens in the frame of A, so positions far from the world's origin lose nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from amontons._jit import heavy_kernel, helper, prange, routine
from amontons.algebra.rotations import rotation_of
from amontons.algebra.vectors import minus, norm, put_vector, row, turned, turned_back, vector_at
from amontons.collision.narrow.manifold import (
    HullFaces,
    ManifoldScratch,
    Nearest,
    manifold,
    new_manifold_scratch,
)
from amontons.collision.narrow.signed_distance import (
    SearchScratch,
    new_search_scratch,
    signed_distance,
)
from amontons.collision.narrow.support import core_of, out_of_b, rounding

PAIRS = 64
"""Pairs that share one set of scratch arrays."""


@helper
def relative_pose(r, s, place_a, i, place_b, j):
    """Pose of part j of B in the frame of part i of A, whose rotations are s and r."""
    x = turned_back(r, (s[0], s[3], s[6]))
    y = turned_back(r, (s[1], s[4], s[7]))
    z = turned_back(r, (s[2], s[5], s[8]))
    t = turned_back(r, minus(row(place_b, j), row(place_a, i)))
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2], t[0], t[1], t[2]


@helper
def between_middles(middle_a, half_a, s, middle_b, half_b, t, pose):
    """From the middle of shape s of A to that of t of B (never zero), its length, their size."""
    g = minus(out_of_b(pose, row(middle_b, t)), row(middle_a, s))
    size = norm(row(half_a, s)) + norm(row(half_b, t))
    apart = norm(g)
    if not apart > 1e-9 * size:
        return (0.0, 0.0, size), apart, size
    return g, apart, size


class PairScratch(NamedTuple):
    """Room for one pair at a time."""

    search: SearchScratch
    flats: ManifoldScratch


@routine
def new_pair_scratch():
    """Room for pairs, one after the other."""
    return PairScratch(new_search_scratch(), new_manifold_scratch())


@routine
def collide_pair(a, points_a, b, points_b, faces, pose, guess, size, margin, scratch, out, at):
    """(number, normal) of the contacts of one pair of shapes, in A's frame.

    a, b, pose, guess, size: as for :func:`signed_distance`. `faces`, `out` and `at` are as for
    :func:`.manifold`: up to four contacts are written, the deepest first.
    """
    r_a, r_b = rounding(a), rounding(b)
    within, distance, n, p = signed_distance(
        a, points_a, b, points_b, pose, guess, size, margin + r_a + r_b, scratch.search
    )
    distance -= r_a + r_b
    if not within or distance > margin:
        return 0, n
    nearest = Nearest(distance, n, p)
    number = manifold(
        a, points_a, b, points_b, faces, pose, size, margin, nearest, scratch.flats, out, at
    )
    return number, n


@routine
def write_world(r, n, number, at, normal, point):
    """Turn normals and points of one pair's contacts from A's axes to the world's."""
    for k in range(number):
        put_vector(normal, at, k, turned(r, n))
        put_vector(point, at, k, turned(r, vector_at(point, at, k)))


@heavy_kernel
def collide_convex(shapes, poses, pair, margin, found):
    """Contacts of pairs (A, B) of convex parts of any kinds, with gaps up to the margin [m]."""
    kind, shape_size, middle, half = shapes.kind, shapes.size, shapes.middle, shapes.half
    data, points = shapes.data, shapes.point
    face_start, corner, plane = shapes.face_start, shapes.corner, shapes.plane
    place, turn, shape = poses.place, poses.turn, poses.shape
    number, normal, point, gap, key = found.number, found.normal, found.point, found.gap, found.key
    for chunk in prange((pair.shape[0] + PAIRS - 1) // PAIRS):
        scratch, faces = new_pair_scratch(), HullFaces(face_start, corner, plane)
        out = point, gap, key
        for at in range(chunk * PAIRS, min((chunk + 1) * PAIRS, pair.shape[0])):
            i, j = pair[at, 0], pair[at, 1]
            s, t = shape[i], shape[j]
            r = rotation_of(turn, i)
            pose = relative_pose(r, rotation_of(turn, j), place, i, place, j)
            guess, apart, size = between_middles(middle, half, s, middle, half, t, pose)
            number[at] = 0
            if apart > size + margin:
                continue
            a, b = core_of(kind, shape_size, data, s), core_of(kind, shape_size, data, t)
            made, n = collide_pair(
                a, points, b, points, faces, pose, guess, size, margin, scratch, out, at
            )
            write_world(r, n, made, at, normal, point)
            number[at] = made
