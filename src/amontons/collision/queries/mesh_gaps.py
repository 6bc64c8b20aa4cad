"""Signed distance of meshes from other parts: the least of all triangles, found through a tree.

A part wholly inside a closed mesh touches none of its triangles: there the distance is that from
the surface, with a minus sign.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import helper, kernel, prange, routine
from amontons.algebra.rotations import rotation_of
from amontons.algebra.vectors import minus, negative, norm, put, row
from amontons.collision.narrow.convex_pairs import relative_pose
from amontons.collision.narrow.mesh_pairs import box_in_frame
from amontons.collision.narrow.signed_distance import new_search_scratch
from amontons.collision.narrow.support import into_b, out_of_b, support_point, triangle_core
from amontons.collision.narrow.triangles import centroid
from amontons.collision.queries.nearest_on_mesh import distance_to_mesh
from amontons.collision.queries.pair_gaps import core_or_vertices, gap_of_cores, write
from amontons.collision.queries.tree_boxes import box_to_box, keep_for_later, new_walk
from amontons.model.shapes.table import MESH


@helper
def identity():
    """The pose of B where it has A's frame."""
    return 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0


@routine
def triangle_to_core(triangle, b, points_b, pose, middle, reach, limit, scratch):
    """Gap of one triangle, corners in A's frame, and B, which lies within `reach` of `middle`."""
    centre, radius = centroid(triangle), 0.0
    for v in range(3):
        radius = max(radius, norm(minus(row(triangle, v), centre)))
    size = reach + radius
    guess = minus(middle, centre)
    if not norm(guess) > 1e-9 * size:
        guess = (0.0, 0.0, size)
    return gap_of_cores(triangle_core(), triangle, b, points_b, pose, guess, size, limit, scratch)


@routine
def mesh_to_core(shapes, s, b, points_b, pose, middle, half, limit, triangle, walk, scratch):
    """(gap or ∞, n, point on A) of mesh s, A, and a convex B, whose box in A's frame is given.

    `triangle` is room for the corners of one, `walk` and `scratch` for the walk and the searches.
    """
    data, point, face_start, corner = shapes.data, shapes.point, shapes.face_start, shapes.corner
    node_box, node_link, node_face = shapes.node_box, shapes.node_link, shapes.node_face
    stack, later = walk
    reach = norm(half)
    first, first_face = data[s, 0], data[s, 2]
    best, n, p = limit, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    found = False
    root = np.int64(data[s, 4])
    stack[0], later[0], waiting = root, box_to_box(node_box, root, middle, half), 1
    while waiting > 0:
        waiting -= 1
        node = np.int64(stack[waiting])
        if later[waiting] > best:
            continue
        if node_link[node, 0] < 0:
            for e in range(-1 - node_link[node, 0], node_link[node, 1]):
                begin = face_start[first_face + node_face[e]]
                for v in range(3):
                    put(triangle, v, row(point, first + corner[begin + v]))
                gap, u, q = triangle_to_core(
                    triangle, b, points_b, pose, middle, reach, best, scratch
                )
                if gap < best or (gap == best and gap < np.inf and not found):
                    best, n, p, found = gap, u, q, True
            continue
        one, other = np.int64(node_link[node, 0]), np.int64(node_link[node, 1])
        to_one = box_to_box(node_box, one, middle, half)
        to_other = box_to_box(node_box, other, middle, half)
        waiting = keep_for_later(stack, later, waiting, one, to_one, other, to_other)
    return (best if found else np.inf), n, p


@routine
def place_triangle(point, corner, first, begin, pose, triangle):
    """Write the corners of a triangle of B in A's frame; middle and half extents of its box."""
    low0, low1, low2 = np.inf, np.inf, np.inf
    high0, high1, high2 = -np.inf, -np.inf, -np.inf
    for v in range(3):
        x, y, z = out_of_b(pose, row(point, first + corner[begin + v]))
        put(triangle, v, (x, y, z))
        low0, low1, low2 = min(low0, x), min(low1, y), min(low2, z)
        high0, high1, high2 = max(high0, x), max(high1, y), max(high2, z)
    return (0.5 * (low0 + high0), 0.5 * (low1 + high1), 0.5 * (low2 + high2)), (
        0.5 * (high0 - low0),
        0.5 * (high1 - low1),
        0.5 * (high2 - low2),
    )


@routine
def inside_mesh(shapes, s, p, walk):
    """Whether point p is inside the closed mesh s."""
    distance, _ = distance_to_mesh(shapes, True, s, walk, p, 0.0)
    return distance < 0.0


@routine
def gap_of_mesh(shapes_a, closed_a, s, shapes_b, closed_b, t, pose, limit, walk, scratch):
    """(gap or ∞, n, point on A) of mesh s, A, and any shape t with an end, B, in A's frame."""
    triangle, other = np.empty((3, 3)), np.empty((3, 3))
    points_a, data_b, points_b = shapes_a.point, shapes_b.data, shapes_b.point
    b = core_or_vertices(shapes_b.kind, shapes_b.size, data_b, t)
    # a point of each: if it is inside the other, and no triangles meet, all of it is
    inside = False
    if closed_a[s]:
        top = support_point(b, points_b, (0.0, 0.0, 1.0))
        inside = inside_mesh(shapes_a, s, out_of_b(pose, top), walk)
    if closed_b[t] and not inside:
        corner = minus(row(points_a, shapes_a.data[s, 0]), (pose[9], pose[10], pose[11]))
        inside = inside_mesh(shapes_b, t, into_b(pose, corner), walk)
    best = np.inf if inside else limit
    gap, n, p = np.inf, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    whole = shapes_b.kind[t] != MESH
    for f in range(1 if whole else data_b[t, 3]):
        if whole:
            piece, piece_points, piece_pose = b, points_b, pose
            middle, half = box_in_frame(shapes_b.middle, shapes_b.half, t, pose, 0.0)
        else:
            piece, piece_points, piece_pose = triangle_core(), other, identity()
            begin = shapes_b.face_start[data_b[t, 2] + f]
            middle, half = place_triangle(
                points_b, shapes_b.corner, data_b[t, 0], begin, pose, other
            )
        distance, u, q = mesh_to_core(
            shapes_a, s, piece, piece_points, piece_pose, middle, half, best, triangle, walk,
            scratch,
        )  # fmt: skip
        if distance < gap:
            gap, n, p = distance, u, q
            best = min(best, gap)
    if inside and gap > 0.0:
        return -gap, negative(n), p
    return gap, n, p


@kernel
def mesh_gaps(
    shapes_a, poses_a, closed_a, shapes_b, poses_b, closed_b, pairs, limit, gap, normal, point
):
    """A is a mesh, B convex or a mesh; of two meshes, each triangle of B goes through A's tree."""
    place_a, turn_a, shape_a = poses_a.place, poses_a.turn, poses_a.shape
    place_b, turn_b, shape_b = poses_b.place, poses_b.turn, poses_b.shape
    for k in prange(pairs.shape[0]):
        i, j = np.int64(pairs[k, 0]), np.int64(pairs[k, 1])
        r = rotation_of(turn_a, i)
        pose = relative_pose(r, rotation_of(turn_b, j), place_a, i, place_b, j)
        distance, n, p = gap_of_mesh(
            shapes_a, closed_a, np.int64(shape_a[i]), shapes_b, closed_b, np.int64(shape_b[j]),
            pose, limit, new_walk(), new_search_scratch(),
        )  # fmt: skip
        gap[k] = np.inf
        if distance < np.inf:
            write(gap, normal, point, k, distance, n, p, r)
