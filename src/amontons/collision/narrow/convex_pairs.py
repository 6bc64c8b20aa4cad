"""Contacts of any two convex shapes, by a search over directions and clipped features.

Everything happens in the frame of A, so positions far from the world's origin lose nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amontons._jit import heavy_kernel, helper, prange, routine
from amontons.algebra.rotations import rotation_of
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
from amontons.collision.narrow.support import core_of, rounding

PAIRS = 64
"""Pairs that share one set of scratch arrays."""


@helper
def relative_pose(r, s, place_a, i, place_b, j):
    """Pose of part j of B in the frame of part i of A, whose rotations are s and r."""
    t0 = place_b[j, 0] - place_a[i, 0]
    t1 = place_b[j, 1] - place_a[i, 1]
    t2 = place_b[j, 2] - place_a[i, 2]
    return (
        r[0] * s[0] + r[3] * s[3] + r[6] * s[6],
        r[0] * s[1] + r[3] * s[4] + r[6] * s[7],
        r[0] * s[2] + r[3] * s[5] + r[6] * s[8],
        r[1] * s[0] + r[4] * s[3] + r[7] * s[6],
        r[1] * s[1] + r[4] * s[4] + r[7] * s[7],
        r[1] * s[2] + r[4] * s[5] + r[7] * s[8],
        r[2] * s[0] + r[5] * s[3] + r[8] * s[6],
        r[2] * s[1] + r[5] * s[4] + r[8] * s[7],
        r[2] * s[2] + r[5] * s[5] + r[8] * s[8],
        r[0] * t0 + r[3] * t1 + r[6] * t2,
        r[1] * t0 + r[4] * t1 + r[7] * t2,
        r[2] * t0 + r[5] * t1 + r[8] * t2,
    )


@helper
def from_middle_to_middle(middle, half, s, t, pose):
    """Direction from the middle of shape s to that of t (never zero), its length, their size."""
    m0, m1, m2 = middle[t, 0], middle[t, 1], middle[t, 2]
    g0 = pose[0] * m0 + pose[1] * m1 + pose[2] * m2 + pose[9] - middle[s, 0]
    g1 = pose[3] * m0 + pose[4] * m1 + pose[5] * m2 + pose[10] - middle[s, 1]
    g2 = pose[6] * m0 + pose[7] * m1 + pose[8] * m2 + pose[11] - middle[s, 2]
    size = np.sqrt(half[s, 0] ** 2 + half[s, 1] ** 2 + half[s, 2] ** 2)
    size += np.sqrt(half[t, 0] ** 2 + half[t, 1] ** 2 + half[t, 2] ** 2)
    apart = np.sqrt(g0 * g0 + g1 * g1 + g2 * g2)
    if not apart > 1e-9 * size:
        return (0.0, 0.0, size), apart, size
    return (g0, g1, g2), apart, size


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
    within, distance, n0, n1, n2, p0, p1, p2 = signed_distance(
        a, points_a, b, points_b, pose, guess, size, margin + r_a + r_b, scratch.search
    )
    distance -= r_a + r_b
    if not within or distance > margin:
        return 0, 0.0, 0.0, 0.0
    nearest = Nearest(distance, (n0, n1, n2), (p0, p1, p2))
    number = manifold(
        a, points_a, b, points_b, faces, pose, size, margin, nearest, scratch.flats, out, at
    )
    return number, n0, n1, n2


@routine
def write_world(r, n0, n1, n2, number, at, normal, point):
    """Turn the contacts of one pair from A's axes to the world's."""
    w0 = r[0] * n0 + r[1] * n1 + r[2] * n2
    w1 = r[3] * n0 + r[4] * n1 + r[5] * n2
    w2 = r[6] * n0 + r[7] * n1 + r[8] * n2
    for k in range(number):
        normal[at, k, 0], normal[at, k, 1], normal[at, k, 2] = w0, w1, w2
        p0, p1, p2 = point[at, k, 0], point[at, k, 1], point[at, k, 2]
        point[at, k, 0] = r[0] * p0 + r[1] * p1 + r[2] * p2
        point[at, k, 1] = r[3] * p0 + r[4] * p1 + r[5] * p2
        point[at, k, 2] = r[6] * p0 + r[7] * p1 + r[8] * p2


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
            guess, apart, size = from_middle_to_middle(middle, half, s, t, pose)
            number[at] = 0
            if apart > size + margin:
                continue
            a, b = core_of(kind, shape_size, data, s), core_of(kind, shape_size, data, t)
            made, n0, n1, n2 = collide_pair(
                a, points, b, points, faces, pose, guess, size, margin, scratch, out, at
            )
            write_world(r, n0, n1, n2, made, at, normal, point)
            number[at] = made
