"""The body that is closest to each of many points."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import kernel, prange, routine
from amontons.algebra.rotations import rotation_of
from amontons.collision.narrow.distances import distance_to_convex
from amontons.collision.queries.nearest_on_mesh import distance_to_mesh
from amontons.collision.queries.tree_boxes import depth_or_distance, new_walk
from amontons.collision.queries.world_axes import put_turned
from amontons.model.shapes.table import MESH, PLANE, SPHERE

POINTS = 64
"""Points that share one set of scratch arrays."""


class Points(NamedTuple):
    """Points that look for what is nearest."""

    place: NDArray[np.float64]  # [m], (points, 3)
    within: NDArray[np.float64]  # how far each looks [m], (points,)
    mask: NDArray[np.uint32]  # bits of the groups that it sees, (points,)
    ignored: NDArray[np.int32]  # a body that it does not see, or −1, (points,)


@routine
def distance_to_part(shapes, closed, s, walk, p, limit):
    """Signed distance of point p from shape s, and the outward unit normal; local frame.

    Beyond `limit` anything above `limit` may be returned.
    """
    kind, size, (x, y, z) = shapes.kind, shapes.size, p
    what = kind[s]
    if what == SPHERE:
        length = math.sqrt(x * x + y * y + z * z)
        if length > 0.0:
            return length - size[s, 0], x / length, y / length, z / length
        return -size[s, 0], 0.0, 0.0, 1.0
    if what == PLANE:
        n0, n1, n2 = size[s, 0], size[s, 1], size[s, 2]
        return n0 * x + n1 * y + n2 * z - size[s, 3], n0, n1, n2
    if what == MESH:
        return distance_to_mesh(shapes, closed[s], s, walk, p, limit)
    return distance_to_convex(
        what, size, shapes.data, shapes.point, shapes.face_start, shapes.corner, shapes.plane, s,
        x, y, z, limit,
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
            x, y, z = asked[q, 0], asked[q, 1], asked[q, 2]
            best, which, m0, m1, m2 = within[q], -1, 0.0, 0.0, 0.0
            stack[0], stack[1], later[0], later[1], waiting = 1, 2 * leaves, -np.inf, -np.inf, 2
            while waiting > 0:
                waiting -= 1
                node = np.int64(stack[waiting])
                if later[waiting] > best:
                    continue
                if node < leaves:
                    one, other = 2 * node, 2 * node + 1
                    to_one = depth_or_distance(box, one, x, y, z)
                    to_other = depth_or_distance(box, other, x, y, z)
                    if to_one < to_other:
                        one, other, to_one, to_other = other, one, to_other, to_one
                    stack[waiting], later[waiting] = one, to_one
                    stack[waiting + 1], later[waiting + 1] = other, to_other
                    waiting += 2
                    continue
                for e in range(start[node - leaves], start[node - leaves + 1]):
                    i = np.int64(entry[e])
                    if (group[i] & mask[q]) == 0 or body[i] == ignored[q]:
                        continue
                    p0, p1, p2 = x - place[i, 0], y - place[i, 1], z - place[i, 2]
                    r = rotation_of(turn, i)
                    p = (
                        r[0] * p0 + r[3] * p1 + r[6] * p2,
                        r[1] * p0 + r[4] * p1 + r[7] * p2,
                        r[2] * p0 + r[5] * p1 + r[8] * p2,
                    )
                    d, n0, n1, n2 = distance_to_part(shapes, closed, shape[i], in_mesh, p, best)
                    if d < best or (d == best and d < np.inf and (which < 0 or i < which)):
                        best, which, m0, m1, m2 = d, i, n0, n1, n2
            nearest[q] = which
            if which < 0:
                continue
            distance[q] = best
            put_turned(turn, which, m0, m1, m2, normal, q)
