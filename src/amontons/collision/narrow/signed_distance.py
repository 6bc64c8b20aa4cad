"""Signed distance of any two convex cores, with the direction and a point that go with it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import dot, negative, norm, over, plus, times
from amontons.array_types import Floats, Longs
from amontons.collision.narrow.epa import FACES, VERTICES, depth_of_cores, face_in_front
from amontons.collision.narrow.gjk import APART, FAR, distance_of_cores, point_of_a, point_of_first
from amontons.collision.narrow.polish import PIECE_COLUMNS, add_simplex_piece, is_round, polish
from amontons.collision.narrow.support import difference_support

EXACT = 1e-12
"""Accuracy of distances, as a part of the size of the two shapes."""

COARSE = 3e-7
"""Accuracy with which Newton's method takes over."""

BARELY = 1e-4
"""Distance, as a part of the size, below which a stalled search is repeated as an overlap."""

FACING = 1e-9
"""Two points that miss each other by less, as a part of the size, are nearest points."""


class SearchScratch(NamedTuple):
    """Room for one search at a time."""

    corner: Floats  # points of B − A and those of A that made them [m], (VERTICES, 6)
    weight: Floats  # of corners, or of pieces, (4,)
    plane: Floats  # of the polytope's faces: normal and distance, (FACES, 4)
    piece: Floats  # smooth pieces that meet, see `polish`, (3, PIECE_COLUMNS)
    face: Longs  # corners of the polytope's faces, (FACES, 3)
    horizon: Longs  # edges of the hole that a new corner leaves, (3 FACES, 2)


@routine
def new_search_scratch():
    """Room for searches, one after the other."""
    return SearchScratch(
        np.empty((VERTICES, 6)),
        np.empty(4),
        np.empty((FACES, 4)),
        np.empty((3, PIECE_COLUMNS)),
        np.empty((FACES, 3), dtype=np.int64),
        np.empty((3 * FACES, 2), dtype=np.int64),
    )


@routine
def polish_distance(a, points_a, b, points_b, pose, size, count, v, corner, weight, piece):
    """Newton's method from the simplex of cores that are apart, as :func:`polish`."""
    pieces = 0
    share0, share1, share2, share3 = weight[0], weight[1], weight[2], weight[3]
    for i in range(count):
        share = share0 if i == 0 else share1 if i == 1 else share2 if i == 2 else share3
        pieces = add_simplex_piece(a, b, pose, size, piece, pieces, share, weight, corner, i)
    n = over(v, norm(v))
    return polish(a, points_a, b, points_b, pose, size, pieces, n, piece, weight)


@routine
def polish_depth(a, points_a, b, points_b, pose, size, m, face, front, corner, weight, piece):
    """Newton's method from a face of the polytope (or its first corner), as :func:`polish`."""
    pieces = 0
    share0, share1, share2 = weight[0], weight[1], weight[2]
    if front < 0:
        pieces = add_simplex_piece(a, b, pose, size, piece, 0, 1.0, weight, corner, 0)
    else:
        for i in range(3):
            share = share0 if i == 0 else share1 if i == 1 else share2
            if share > 0.0:
                pieces = add_simplex_piece(
                    a, b, pose, size, piece, pieces, share, weight, corner, face[front, i]
                )
    return polish(a, points_a, b, points_b, pose, size, pieces, negative(m), piece, weight)


@routine
def overlap(a, points_a, b, points_b, pose, guess, size, start, scratch):
    """(gap, n, point of A) of cores that overlap or touch."""
    corner, weight, plane, piece, face, _ = scratch
    accuracy = COARSE if is_round(a) or is_round(b) else EXACT
    for _ in range(2):
        h, m, faces, nearest = depth_of_cores(
            a, points_a, b, points_b, pose, guess, size, accuracy * size, start, scratch
        )
        front, p = nearest, point_of_a(corner, 0)
        if nearest >= 0:
            front = face_in_front(corner, face, plane, faces, nearest, size, weight)
            p = times(weight[0], point_of_a(corner, face[front, 0]))
            p = plus(p, times(weight[1], point_of_a(corner, face[front, 1])))
            p = plus(p, times(weight[2], point_of_a(corner, face[front, 2])))
        if accuracy < COARSE or faces == 0:
            break
        if nearest >= 0 and h - plane[nearest, 3] <= EXACT * size:
            break
        f, n, q, error = polish_depth(
            a, points_a, b, points_b, pose, size, m, face, front, corner, weight, piece
        )
        if error <= FACING * size and f <= h + EXACT * size:
            return -f, n, q
        accuracy = 1e-11
        start = False
    return -h, negative(m), p


@routine
def signed_distance(a, points_a, b, points_b, pose, guess, size, limit, scratch):
    """(whether it is within the limit, gap, n, point of A) of two cores, in A's frame.

    `pose` is the rotation of B in A's axes row by row and B's origin from A's (12 numbers), `guess`
    any direction but zero, best from A's middle to B's, `size` the size of the two, say the sum of
    their half diagonals [m]. n is the unit normal from A to B and the point of B is p + gap·n; a
    negative gap is the depth of cores that overlap; `scratch` is a :class:`SearchScratch`.
    Roundings (spheres, capsules) are left to the caller: add them to the limit, take them off the
    gap and move the point outward.
    """
    corner, weight, _, piece, _, _ = scratch
    round_pair = is_round(a) or is_round(b)
    coarse = COARSE * size if round_pair else 0.0
    d, q = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for _ in range(2):
        state, count, v = distance_of_cores(
            a, points_a, b, points_b, pose, guess, size, EXACT * size, coarse, limit, corner, weight
        )
        if state == FAR:
            return False, 0.0, d, q
        if state != APART:
            break
        p = point_of_first(corner, count, weight)
        if coarse == 0.0:
            break
        f, n, on_a, error = polish_distance(
            a, points_a, b, points_b, pose, size, count, v, corner, weight, piece
        )
        if f < 0.0 and error <= min(FACING * size, -1e-6 * f):
            return True, -f, n, on_a
        coarse = 0.0
    least = -np.inf
    if state == APART:
        apart = norm(v)
        w, _ = difference_support(a, points_a, b, points_b, pose, negative(v))
        least = dot(v, w) / apart
        if apart - least <= FACING * size or apart > BARELY * size:
            return True, apart, over(v, apart), p
        # so near that v has stalled: the polytope may do better
        d, q = over(v, apart), p
        count = 0
    gap, n, p = overlap(a, points_a, b, points_b, pose, guess, size, count == 4, scratch)
    if gap < least:
        return True, least, d, q
    return True, gap, n, p
