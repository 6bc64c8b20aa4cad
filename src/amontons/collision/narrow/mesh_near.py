"""Triangles of two meshes that come near each other, found by walking down both trees at once."""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import cross, dot, minus, norm, put, row
from amontons.collision.narrow.support import out_of_b
from amontons.model.shapes.tree import LEAF

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
def place_face(shapes, m, face, pose, corner):
    """Corner ← those of a triangle of mesh m, placed by `pose`, (3, 3)."""
    begin, first = shapes.face_start[shapes.data[m, 2] + face], np.int64(shapes.data[m, 0])
    for c in range(3):
        p = row(shapes.point, first + np.int64(shapes.corner[begin + c]))
        put(corner, c, out_of_b(pose, p))


@routine
def boxes_apart(one, other, margin):
    """Whether the boxes around two triangles are farther than the margin from each other."""
    for k in range(3):
        low, high = min(one[0, k], one[1, k], one[2, k]), max(one[0, k], one[1, k], one[2, k])
        if low > max(other[0, k], other[1, k], other[2, k]) + margin:
            return True
        if high < min(other[0, k], other[1, k], other[2, k]) - margin:
            return True
    return False


@routine
def beyond(one, both, n, p, most):
    """Whether a triangle is farther than `most` / |n| beyond the plane through p, along n.

    If `both` is set, along −n will do.
    """
    a, b, c = (
        dot(n, minus(row(one, 0), p)), dot(n, minus(row(one, 1), p)), dot(n, minus(row(one, 2), p)),
    )  # fmt: skip
    return min(a, b, c) > most or (both and max(a, b, c) < -most)


@routine
def planes_apart(one, other, margin):
    """Whether a plane along a triangle, or upright on one of its sides, parts it from the other."""
    p = row(other, 0)
    u, v = minus(row(other, 1), p), minus(row(other, 2), p)
    m = cross(u, v)
    if beyond(one, True, m, p, margin * norm(m)):
        return True
    for k in range(3):
        p = row(other, k)
        n = cross(minus(row(other, (k + 1) % 3), p), m)  # out of the triangle
        if beyond(one, False, n, p, margin * norm(n)):
            return True
    return False


@routine
def faces_of_leaves(shapes, s, u, t, v, pose, margin, corners, near, count):
    """Append to `near` the faces of leaf u of mesh s, A, and v of mesh t, B, that come close."""
    node_link, node_face = shapes.node_link, shapes.node_face
    still = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    a, begin = corners[LEAF], -1 - node_link[v, 0]
    for other in range(begin, node_link[v, 1]):
        place_face(shapes, t, node_face[other], pose, corners[other - begin])
    for one in range(-1 - node_link[u, 0], node_link[u, 1]):
        place_face(shapes, s, node_face[one], still, a)
        for other in range(begin, node_link[v, 1]):
            b = corners[other - begin]
            if boxes_apart(a, b, margin):
                continue
            if planes_apart(a, b, margin) or planes_apart(b, a, margin):
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
    """(table, how many) of faces of mesh s, A, and mesh t, B, that may be within the margin.

    `pose` is that of B in A's frame; a row of the table names a face of each, counted within it.
    """
    node_box, node_link = shapes.node_box, shapes.node_link
    near, count = np.empty((64, 2), dtype=np.int64), 0
    stack, corners = np.empty((DEEP, 2), dtype=np.int64), np.empty((LEAF + 1, 3, 3))
    stack[0, 0], stack[0, 1], waiting = shapes.data[s, 4], shapes.data[t, 4], 1
    while waiting > 0:
        waiting -= 1
        u, v = stack[waiting, 0], stack[waiting, 1]
        c, e = box_of_node(node_box, v, pose)
        if nodes_apart(node_box, u, c, e, margin):
            continue
        leaf_a, leaf_b = node_link[u, 0] < 0, node_link[v, 0] < 0
        if leaf_a and leaf_b:
            near, count = faces_of_leaves(shapes, s, u, t, v, pose, margin, corners, near, count)
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
