"""Pairs of parts of two sides: which may be close, and their distances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import kernel, prange
from amontons.algebra.vectors import row
from amontons.array_types import Flags, Floats, Ints
from amontons.collision.body_parts import Poses
from amontons.collision.broad.grid import bound_parts
from amontons.collision.queries.mesh_gaps import mesh_gaps
from amontons.collision.queries.pair_gaps import convex_gaps, plane_gaps
from amontons.collision.queries.scene_tree import SLACK, SceneTree
from amontons.collision.queries.tree_boxes import DEPTH, box_to_box
from amontons.model.shapes.table import MESH, PLANE, ShapeArrays

WORK = 32
"""Cost of a pair, in contacts of a solver."""


class Side(NamedTuple):
    """Shapes, and the parts that have them."""

    shapes: ShapeArrays
    poses: Poses
    closed: Flags  # which shapes are closed meshes, (shapes,)

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """Kind of each part, (parts,)."""
        return self.shapes.kind[self.poses.shape]


def closed_meshes(shapes: ShapeArrays) -> Flags:
    """Which shapes are meshes whose edges all have a triangle on each side, shape (shapes,)."""
    closed = np.zeros(shapes.kind.size, dtype=bool)
    meshes = np.flatnonzero(shapes.kind == MESH)
    border = np.concatenate([[0], np.cumsum(shapes.neighbour < 0)])
    begin = shapes.face_start[shapes.data[meshes, 2]]
    end = shapes.face_start[shapes.data[meshes, 2] + shapes.data[meshes, 3]]
    closed[meshes] = border[begin] == border[end]
    return closed


@kernel
def find_near(box, tree_box, start, entry, first, near, count):
    """Count ← parts in leaves that box i meets; they go to near[first[i]:], where there is room."""
    leaves = tree_box.shape[0] // 2
    for i in prange(box.shape[0]):
        stack = np.empty(DEPTH, dtype=np.int32)
        middle, half = row(box, i), (box[i, 3], box[i, 4], box[i, 5])
        stack[0], stack[1], waiting = 1, 2 * leaves, 2
        met = 0
        while waiting > 0:
            waiting -= 1
            node = np.int64(stack[waiting])
            if node < 2 * leaves and box_to_box(tree_box, node, middle, half) > 0.0:
                continue
            if node < leaves:
                stack[waiting], stack[waiting + 1] = 2 * node + 1, 2 * node
                waiting += 2
                continue
            for e in range(start[node - leaves], start[node - leaves + 1]):
                if near.size > 0:
                    near[first[i] + met] = entry[e]
                met += 1
        count[i] = met


def near_parts(asking: Side, side: Side, tree: SceneTree, within: float) -> Ints:
    """Pairs of parts of two sides that may be within a distance [m], shape (pairs, 2).

    `tree` is that of `side`.
    """
    poses, shapes = asking.poses, asking.shapes
    number = len(poses.shape)
    box = np.empty((number, 6))
    bound_parts.sized(number)(
        shapes.kind, shapes.size, shapes.middle, shapes.half, poses.place, poses.turn, poses.shape,
        within, box,
    )  # fmt: skip
    box[:, 3:] += SLACK * box[:, 3:] + 1e-15 * np.abs(box[:, :3])
    count, first = np.empty(number, dtype=np.int64), np.zeros(number + 1, dtype=np.int64)
    near = np.empty(0, dtype=np.int32)
    search = find_near.sized(WORK * number)
    search(box, tree.box, tree.start, tree.entry, first, near, count)
    np.cumsum(count, out=first[1:])
    near = np.empty(int(first[-1]), dtype=np.int32)
    if near.size:
        search(box, tree.box, tree.start, tree.entry, first, near, count)
    return np.column_stack([np.repeat(np.arange(number, dtype=np.int32), count), near])


def gaps_of(a: Side, b: Side, pairs: Ints, limit: float) -> tuple[Floats, Floats, Floats]:
    """Gaps [m], normals and points on A less A's place of pairs of parts; ∞ beyond the limit."""
    number = len(pairs)
    gap, normal, point = np.empty(number), np.zeros((number, 3)), np.zeros((number, 3))
    kinds = np.column_stack([a.kinds[pairs[:, 0]], b.kinds[pairs[:, 1]]])
    swapped = kinds[:, 0] > kinds[:, 1]
    for turned in (False, True):
        lowest = np.where(swapped == turned, kinds.min(axis=1), 255)
        one, other = (b, a) if turned else (a, b)
        for chosen, gaps in (
            (lowest == PLANE, plane_gaps),
            (lowest == MESH, mesh_gaps),
            ((lowest > MESH) & (lowest < 255), convex_gaps),
        ):
            which = np.flatnonzero(chosen)
            if not which.size:
                continue
            ordered = np.ascontiguousarray(pairs[which][:, ::-1] if turned else pairs[which])
            size = which.size
            answer = np.empty(size), np.zeros((size, 3)), np.zeros((size, 3))
            gaps.sized(WORK * size)(*one, *other, ordered, limit, *answer)
            if turned:
                answer = _seen_from_other(one, other, ordered, *answer)
            gap[which], normal[which], point[which] = answer
    return gap, normal, point


def _seen_from_other(
    a: Side, b: Side, pairs: Ints, gap: Floats, normal: Floats, point: Floats
) -> tuple[Floats, Floats, Floats]:
    """The same answer, with A and B exchanged."""
    apart = a.poses.place[pairs[:, 0]] - b.poses.place[pairs[:, 1]]
    reach = np.where(np.isfinite(gap), gap, 0.0)[:, None]
    return gap, -normal, point + reach * normal + apart
