"""Triangles of two meshes that come near each other, found by walking down both trees at once."""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import row
from amontons.collision.narrow.support import out_of_b

DEEP = 256
"""Size of the stack for walking down two trees; each is balanced and at most 64 deep."""


@routine
def box_of_node(box, v, pose):
    """(middle, half extents) in A's frame of a box that holds node v of B's tree."""
    x, y, z = (
        0.5 * (box[v, 3] - box[v, 0]), 0.5 * (box[v, 4] - box[v, 1]), 0.5 * (box[v, 5] - box[v, 2]),
    )  # fmt: skip
    middle = out_of_b(pose, (box[v, 0] + x, box[v, 1] + y, box[v, 2] + z))
    return middle, (
        abs(pose[0]) * x + abs(pose[1]) * y + abs(pose[2]) * z,
        abs(pose[3]) * x + abs(pose[4]) * y + abs(pose[5]) * z,
        abs(pose[6]) * x + abs(pose[7]) * y + abs(pose[8]) * z,
    )


@routine
def nodes_apart(box, u, c, e, margin):
    """Whether node u's box is farther than the margin from the box (middle c, halves e)."""
    for k in range(3):
        reach = e[k] + margin
        if box[u, k] > c[k] + reach or box[u, 3 + k] < c[k] - reach:
            return True
    return False


@routine
def bounds_of_face(shapes, m, face, pose, into):
    """Low and high corner of a triangle of mesh m, placed by `pose`: into[:3] and into[3:]."""
    begin = shapes.face_start[shapes.data[m, 2] + face]
    first = shapes.data[m, 0]
    for c in range(3):
        p = out_of_b(pose, row(shapes.point, np.int64(first + shapes.corner[begin + c])))
        for k in range(3):
            if c == 0 or p[k] < into[k]:
                into[k] = p[k]
            if c == 0 or p[k] > into[3 + k]:
                into[3 + k] = p[k]


@routine
def faces_of_leaves(shapes, s, u, t, v, pose, margin, boxes, near, count):
    """Append to `near` the faces of leaf u of mesh s, A, and v of mesh t, B, that come close."""
    node_link, node_face = shapes.node_link, shapes.node_face
    still = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    for one in range(-1 - node_link[u, 0], node_link[u, 1]):
        bounds_of_face(shapes, s, node_face[one], still, boxes[0])
        for other in range(-1 - node_link[v, 0], node_link[v, 1]):
            bounds_of_face(shapes, t, node_face[other], pose, boxes[1])
            apart = False
            for k in range(3):
                apart = apart or boxes[0, k] > boxes[1, 3 + k] + margin
                apart = apart or boxes[1, k] > boxes[0, 3 + k] + margin
            if apart:
                continue
            if count == near.shape[0]:
                more = np.empty((2 * count, 2), dtype=np.int64)
                more[:count] = near
                near = more
            near[count, 0], near[count, 1] = node_face[one], node_face[other]
            count += 1
    return near, count


@routine
def faces_near_each_other(shapes, s, t, pose, margin):
    """(table, how many) of faces of mesh s, A, and mesh t, B, whose boxes are within the margin.

    `pose` is that of B in A's frame; a row of the table names a face of each, counted within it.
    """
    node_box, node_link = shapes.node_box, shapes.node_link
    near, count = np.empty((64, 2), dtype=np.int64), 0
    stack, boxes = np.empty((DEEP, 2), dtype=np.int64), np.empty((2, 6))
    stack[0, 0], stack[0, 1], waiting = shapes.data[s, 4], shapes.data[t, 4], 1
    while waiting > 0:
        waiting -= 1
        u, v = stack[waiting, 0], stack[waiting, 1]
        c, e = box_of_node(node_box, v, pose)
        if nodes_apart(node_box, u, c, e, margin):
            continue
        leaf_a, leaf_b = node_link[u, 0] < 0, node_link[v, 0] < 0
        if leaf_a and leaf_b:
            near, count = faces_of_leaves(shapes, s, u, t, v, pose, margin, boxes, near, count)
            continue
        span_a, span_b = 0.0, 0.0
        for k in range(3):
            span_a = max(span_a, node_box[u, 3 + k] - node_box[u, k])
            span_b = max(span_b, node_box[v, 3 + k] - node_box[v, k])
        first = leaf_b or (not leaf_a and span_a >= span_b)
        for child in range(2):
            stack[waiting, 0] = node_link[u, 1 - child] if first else u
            stack[waiting, 1] = v if first else node_link[v, 1 - child]
            waiting += 1
    return near, count
