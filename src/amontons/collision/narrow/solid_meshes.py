"""Closed meshes against closed meshes: vertices on surfaces and edges on edges.

Two solids touch where a feature of one and a feature of the other are nearest to each other, and
the direction between them is within the normal cones of both. Faces give their own normals, so
that flat faces on flat faces have upright contacts. See docs/decisions/0025-mesh-on-mesh.md.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import heavy_kernel, prange, routine
from amontons.algebra.rotations import rotation_of
from amontons.algebra.vectors import along, minus, negative, norm, plus, put_vector, row, turned
from amontons.array_types import Ints
from amontons.collision.body_parts import Poses
from amontons.collision.narrow.convex_pairs import relative_pose
from amontons.collision.narrow.mesh_edges import edges_of_both
from amontons.collision.narrow.mesh_near import faces_near_each_other
from amontons.collision.narrow.mesh_sides import MOST_OF_SIDE, SIDES, choose_of_meshes, point_of
from amontons.collision.narrow.mesh_vertices import NUMBERS, vertices_of
from amontons.collision.pair_contacts import PairContacts, empty_slots, packed
from amontons.collision.queries.tree_boxes import new_walk
from amontons.model.shapes.table import ShapeArrays

KEPT = MOST_OF_SIDE * SIDES
"""Most contacts of two meshes."""


@routine
def contacts_of_two(shapes, s, t, pose, back, margin, chosen):
    """(table, names, how many) of contacts of meshes s, A, and t, B; chosen ← rows to keep.

    pose: of B in A's frame; back: of A in B's. Normals from A to B and points on A, in A's frame.
    """
    table, name, made = np.empty((32, NUMBERS)), np.empty(32, dtype=np.uint32), np.int64(0)
    near, count = faces_near_each_other(shapes, s, t, pose, margin)
    if count == 0:
        return table, name, made
    size, walk = norm(row(shapes.half, s)) + norm(row(shapes.half, t)), new_walk()
    table, name, made = vertices_of(
        shapes, s, t, back, pose, near, count, 0, margin, (table, name, made, walk, size)
    )
    still = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    table, name, made = vertices_of(
        shapes, t, s, pose, still, near, count, 1, margin, (table, name, made, walk, size)
    )
    table, name, made = edges_of_both(
        shapes, s, t, pose, near, count, margin, (table, name, made, walk, size)
    )
    return table, name, np.int64(choose_of_meshes(table, made, size, chosen))


@heavy_kernel
def collide_closed_meshes(shapes, poses, pair, margin, found):
    """Contacts of pairs of closed meshes; pairs with an open one have none.

    The part of the lower number is the first whichever is A, so that keys last and contacts do not
    depend on the order within a pair.
    """
    place, turn, shape = poses.place, poses.turn, poses.shape
    number, normal, point, gap, key = found.number, found.normal, found.point, found.gap, found.key
    for at in prange(pair.shape[0]):
        i, j = min(pair[at, 0], pair[at, 1]), max(pair[at, 0], pair[at, 1])
        s, t = np.int64(shape[i]), np.int64(shape[j])
        number[at] = 0
        if shapes.size[s, 0] == 0.0 or shapes.size[t, 0] == 0.0:
            continue
        r, other = rotation_of(turn, i), rotation_of(turn, j)
        pose = relative_pose(r, other, place, i, place, j)
        back = relative_pose(other, r, place, j, place, i)
        chosen = np.empty(KEPT, dtype=np.int64)
        table, name, kept = contacts_of_two(shapes, s, t, pose, back, margin, chosen)
        number[at] = kept
        for k in range(kept):
            c = chosen[k]
            n, p = turned(r, row(table, c)), turned(r, point_of(table, c))
            if i != pair[at, 0]:  # the first mesh is B
                p = plus(along(p, table[c, 6], n), minus(row(place, i), row(place, j)))
                n = negative(n)
            put_vector(normal, at, k, n)
            put_vector(point, at, k, p)
            gap[at, k], key[at, k] = table[c, 6], name[c]


def collide_meshes(shapes: ShapeArrays, poses: Poses, pairs: Ints, margin: float) -> PairContacts:
    """Contacts of pairs of closed meshes, a few on each side of the solids."""
    found = empty_slots(len(pairs), KEPT)
    collide_closed_meshes.sized(len(pairs))(shapes, poses, pairs, margin, found)
    return packed(found)
