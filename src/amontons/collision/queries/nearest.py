"""The body that is closest to each of many points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import kernel, prange, routine
from amontons.algebra.rotations import rotation_of
from amontons.algebra.vectors import dot, minus, norm, over, put, row, turned, turned_back
from amontons.array_types import Floats, Ints
from amontons.collision.narrow.distances import distance_to_convex
from amontons.collision.queries.nearest_on_mesh import distance_to_mesh
from amontons.collision.queries.tree_boxes import depth_or_distance, keep_for_later, new_walk
from amontons.model.shapes.table import MESH, PLANE, SPHERE

POINTS = 64
"""Points that share one set of scratch arrays."""


class Points(NamedTuple):
    """Points for which the nearest body is searched."""

    place: Floats  # [m], (points, 3)
    within: Floats  # search distance of each [m], (points,)
    mask: NDArray[np.uint32]  # bits of the groups that it sees, (points,)
    ignored: Ints  # a body that it does not see, or −1, (points,)


@routine
def distance_to_part(shapes, closed, s, walk, p, limit):
    """Signed distance of point p from shape s, and the outward unit normal; local frame.

    Beyond `limit` anything above `limit` may be returned.
    """
    size, what = shapes.size, shapes.kind[s]
    if what == SPHERE:
        length = norm(p)
        return length - size[s, 0], over(p, length) if length > 0.0 else (0.0, 0.0, 1.0)
    if what == PLANE:
        n = row(size, s)
        return dot(n, p) - size[s, 3], n
    if what == MESH:
        return distance_to_mesh(shapes, closed[s], s, walk, p, limit)
    return distance_to_convex(
        what, size, shapes.data, shapes.point, shapes.face_start, shapes.corner, shapes.plane, s, p,
        limit,
    )  # fmt: skip


@kernel
def find_nearest(shapes, closed, poses, group, body, tree, points, nearest, distance, normal):
    """Nearest ← part of least signed distance or −1; where there is one, distance and normal."""
    asked, within, mask, ignored = points.place, points.within, points.mask, points.ignored
    place, turn, shape = poses.place, poses.turn, poses.shape
    box, start, entry = tree.box, tree.start, tree.entry
    leaves = box.shape[0] // 2
    number = asked.shape[0]
    for chunk in prange((number + POINTS - 1) // POINTS):
        (stack, later), in_mesh = new_walk(), new_walk()
        for q in range(chunk * POINTS, min((chunk + 1) * POINTS, number)):
            here = row(asked, q)
            best, which, m = within[q], -1, (0.0, 0.0, 0.0)
            stack[0], stack[1], later[0], later[1], waiting = 1, 2 * leaves, -np.inf, -np.inf, 2
            while waiting > 0:
                waiting -= 1
                node = np.int64(stack[waiting])
                if later[waiting] > best:
                    continue
                if node < leaves:
                    one, other = 2 * node, 2 * node + 1
                    to_one = depth_or_distance(box, one, here)
                    to_other = depth_or_distance(box, other, here)
                    waiting = keep_for_later(stack, later, waiting, one, to_one, other, to_other)
                    continue
                for e in range(start[node - leaves], start[node - leaves + 1]):
                    i = np.int64(entry[e])
                    if (group[i] & mask[q]) == 0 or body[i] == ignored[q]:
                        continue
                    p = turned_back(rotation_of(turn, i), minus(here, row(place, i)))
                    d, n = distance_to_part(shapes, closed, shape[i], in_mesh, p, best)
                    if d < best or (d == best and d < np.inf and (which < 0 or i < which)):
                        best, which, m = d, i, n
            nearest[q] = which
            if which < 0:
                continue
            distance[q] = best
            put(normal, q, turned(rotation_of(turn, which), m))
