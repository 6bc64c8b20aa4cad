"""Closest points of triangle meshes, and on which side of the surface a point is."""

from __future__ import annotations

import math

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import along, cross, dot, minus, norm, over, plus, row, times
from amontons.collision.queries.tree_boxes import depth_or_distance, keep_for_later

FACE, EDGE, VERTEX = 0, 3, 6
"""The closest feature of a triangle: itself, EDGE + k its edge k, VERTEX + k its vertex k."""

AROUND = 10_000
"""Most triangles that are visited around a vertex."""


@routine
def nearest_on_triangle(point, face_start, corner, plane, first, f, p):
    """(squared distance, closest point, what is closest) of triangle f and point p."""
    n = row(plane, f)
    begin = face_start[f]
    best, closest, what = np.inf, (0.0, 0.0, 0.0), FACE
    within = True
    for k in range(3):
        i = np.int64(first + corner[begin + k])
        j = np.int64(first + corner[begin + (k + 1) % 3])
        e, d = minus(row(point, j), row(point, i)), minus(p, row(point, i))
        if dot(n, cross(e, d)) > 0.0:
            continue
        within = False
        part = min(max(dot(e, d) / dot(e, e), 0.0), 1.0)
        q = along(row(point, i), part, e)
        d = minus(p, q)
        if dot(d, d) < best:
            best, closest = dot(d, d), q
            what = VERTEX + k if part == 0.0 else EDGE + k
            if part == 1.0:
                what = VERTEX + (k + 1) % 3
    if within:
        height = dot(n, p) - plane[f, 3]
        return height * height, minus(p, times(height, n)), what
    return best, closest, what


@routine
def corner_angle(point, face_start, corner, first, f, k):
    """Angle of triangle f at its corner k [rad]."""
    begin = face_start[f]
    a = row(point, np.int64(first + corner[begin + k]))
    u = minus(row(point, np.int64(first + corner[begin + (k + 1) % 3])), a)
    v = minus(row(point, np.int64(first + corner[begin + (k + 2) % 3])), a)
    return math.atan2(norm(cross(u, v)), dot(u, v))


@routine
def feature_normal(point, face_start, corner, neighbour, plane, first, face, f, what):
    """Normal, not unit, of a face, an edge or a vertex of a mesh: outward on all sides of it.

    At a vertex, triangles count by their angles: then the sign of the height above the closest
    point tells the inside of a closed mesh from the outside.
    """
    m = row(plane, f)
    if what < EDGE:
        return m
    if what < VERTEX:
        beyond = neighbour[face_start[f] + what - EDGE]
        if beyond >= 0:
            m = plus(m, row(plane, np.int64(face + beyond)))
        return m
    vertex = corner[face_start[f] + what - VERTEX]
    m = (0.0, 0.0, 0.0)
    g = np.int64(f)
    for _ in range(AROUND):
        k = 0
        for c in range(1, 3):
            if corner[face_start[g] + c] == vertex:
                k = c
        angle = corner_angle(point, face_start, corner, first, g, k)
        m = along(m, angle, row(plane, g))
        beyond = neighbour[face_start[g] + k]
        if beyond < 0 or face + beyond == f:
            break
        g = np.int64(face + beyond)
    return m


@routine
def distance_to_mesh(shapes, closed, s, walk, p, limit):
    """(distance, unit normal) of point p from mesh s; the closest point is p − distance·normal.

    Inside a closed mesh the distance is negative and the normal outward; an open mesh has no
    inside: the normal points to the point. Beyond `limit` the distance is ∞.
    """
    data, point, face_start, corner = shapes.data, shapes.point, shapes.face_start, shapes.corner
    neighbour, plane = shapes.neighbour, shapes.plane
    node_box, node_link, node_face = shapes.node_box, shapes.node_link, shapes.node_face
    stack, later = walk
    first, face = data[s, 0], data[s, 2]
    root = np.int64(data[s, 4])
    nearest = depth_or_distance(node_box, root, p)
    if nearest > limit or (limit < 0.0 and not closed):
        return np.inf, (0.0, 0.0, 0.0)
    # within the box of a closed mesh, a point may be deeper than the limit is far
    best = np.inf
    if (nearest > 0.0 or not closed) and limit < np.inf:
        best = limit * limit * (1.0 + 1e-14)
    closest, which, what = (0.0, 0.0, 0.0), -1, FACE
    stack[0], later[0], waiting = root, max(nearest, 0.0), 1
    while waiting > 0:
        waiting -= 1
        node = np.int64(stack[waiting])
        if later[waiting] * later[waiting] > best:
            continue
        if node_link[node, 0] < 0:
            for e in range(-1 - node_link[node, 0], node_link[node, 1]):
                f = np.int64(face + node_face[e])
                square, q, feature = nearest_on_triangle(
                    point, face_start, corner, plane, first, f, p
                )
                if square < best or (square == best and f < which):
                    best, closest, which, what = square, q, f, feature
            continue
        one, other = np.int64(node_link[node, 0]), np.int64(node_link[node, 1])
        to_one = max(depth_or_distance(node_box, one, p), 0.0)
        to_other = max(depth_or_distance(node_box, other, p), 0.0)
        waiting = keep_for_later(stack, later, waiting, one, to_one, other, to_other)
    if which < 0:
        return np.inf, (0.0, 0.0, 0.0)
    m = feature_normal(point, face_start, corner, neighbour, plane, first, face, which, what)
    d = minus(p, closest)
    distance = norm(d)
    sign = -1.0 if closed and dot(m, d) < 0.0 else 1.0
    extent = abs(node_box[root, 3] - node_box[root, 0]) + abs(node_box[root, 4] - node_box[root, 1])
    extent += abs(node_box[root, 5] - node_box[root, 2])
    if distance > 1e-13 * extent:
        return sign * distance, times(sign / distance, d)
    length = norm(m)
    return sign * distance, over(m, length) if length > 0.0 else row(plane, which)
