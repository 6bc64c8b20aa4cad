"""Closest points of triangle meshes, and on which side of the surface a point is."""

from __future__ import annotations

import math

import numpy as np

from amontons._jit import routine
from amontons.collision.queries.tree_boxes import depth_or_distance

FACE, EDGE, VERTEX = 0, 3, 6
"""What of a triangle is closest: itself, EDGE + k its edge k, VERTEX + k its vertex k."""

AROUND = 10_000
"""Most triangles that are visited around a vertex."""


@routine
def nearest_on_edge(point, i, j, x, y, z):
    """How far along the edge from vertex i to j (0 to 1) the closest point is."""
    e0, e1, e2 = point[j, 0] - point[i, 0], point[j, 1] - point[i, 1], point[j, 2] - point[i, 2]
    p0, p1, p2 = x - point[i, 0], y - point[i, 1], z - point[i, 2]
    along = (e0 * p0 + e1 * p1 + e2 * p2) / (e0 * e0 + e1 * e1 + e2 * e2)
    return min(max(along, 0.0), 1.0)


@routine
def nearest_on_triangle(point, face_start, corner, plane, first, f, x, y, z):
    """(squared distance, closest point, what is closest) of triangle f."""
    n0, n1, n2 = plane[f, 0], plane[f, 1], plane[f, 2]
    begin = face_start[f]
    best, c0, c1, c2, what = np.inf, 0.0, 0.0, 0.0, FACE
    within = True
    for k in range(3):
        i = np.int64(first + corner[begin + k])
        j = np.int64(first + corner[begin + (k + 1) % 3])
        e0, e1, e2 = point[j, 0] - point[i, 0], point[j, 1] - point[i, 1], point[j, 2] - point[i, 2]
        p0, p1, p2 = x - point[i, 0], y - point[i, 1], z - point[i, 2]
        inward = n0 * (e1 * p2 - e2 * p1) + n1 * (e2 * p0 - e0 * p2) + n2 * (e0 * p1 - e1 * p0)
        if inward > 0.0:
            continue
        within = False
        along = nearest_on_edge(point, i, j, x, y, z)
        q0, q1, q2 = point[i, 0] + along * e0, point[i, 1] + along * e1, point[i, 2] + along * e2
        square = (x - q0) * (x - q0) + (y - q1) * (y - q1) + (z - q2) * (z - q2)
        if square < best:
            best, c0, c1, c2 = square, q0, q1, q2
            what = VERTEX + k if along == 0.0 else EDGE + k
            if along == 1.0:
                what = VERTEX + (k + 1) % 3
    if within:
        height = n0 * x + n1 * y + n2 * z - plane[f, 3]
        return height * height, x - height * n0, y - height * n1, z - height * n2, what
    return best, c0, c1, c2, what


@routine
def corner_angle(point, face_start, corner, first, f, k):
    """Angle of triangle f at its corner k [rad]."""
    begin = face_start[f]
    a = np.int64(first + corner[begin + k])
    b = np.int64(first + corner[begin + (k + 1) % 3])
    c = np.int64(first + corner[begin + (k + 2) % 3])
    u0, u1, u2 = point[b, 0] - point[a, 0], point[b, 1] - point[a, 1], point[b, 2] - point[a, 2]
    v0, v1, v2 = point[c, 0] - point[a, 0], point[c, 1] - point[a, 1], point[c, 2] - point[a, 2]
    w0, w1, w2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
    across = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
    return math.atan2(across, u0 * v0 + u1 * v1 + u2 * v2)


@routine
def feature_normal(point, face_start, corner, neighbour, plane, first, face, f, what):
    """Normal, not unit, of a face, an edge or a vertex of a mesh: outward on all sides of it.

    At a vertex, triangles count by their angles: then the sign of the height above the closest
    point tells the inside of a closed mesh from the outside.
    """
    m0, m1, m2 = plane[f, 0], plane[f, 1], plane[f, 2]
    if what < EDGE:
        return m0, m1, m2
    if what < VERTEX:
        beyond = neighbour[face_start[f] + what - EDGE]
        if beyond >= 0:
            g = np.int64(face + beyond)
            m0, m1, m2 = m0 + plane[g, 0], m1 + plane[g, 1], m2 + plane[g, 2]
        return m0, m1, m2
    vertex = corner[face_start[f] + what - VERTEX]
    m0, m1, m2 = 0.0, 0.0, 0.0
    g = np.int64(f)
    for _ in range(AROUND):
        k = 0
        for c in range(1, 3):
            if corner[face_start[g] + c] == vertex:
                k = c
        angle = corner_angle(point, face_start, corner, first, g, k)
        m0, m1, m2 = m0 + angle * plane[g, 0], m1 + angle * plane[g, 1], m2 + angle * plane[g, 2]
        beyond = neighbour[face_start[g] + k]
        if beyond < 0 or face + beyond == f:
            break
        g = np.int64(face + beyond)
    return m0, m1, m2


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
    x, y, z = p
    first, face = data[s, 0], data[s, 2]
    root = np.int64(data[s, 4])
    nearest = depth_or_distance(node_box, root, x, y, z)
    if nearest > limit or (limit < 0.0 and not closed):
        return np.inf, 0.0, 0.0, 0.0
    # within the box of a closed mesh, a point may be deeper than the limit is far
    best = np.inf
    if (nearest > 0.0 or not closed) and limit < np.inf:
        best = limit * limit * (1.0 + 1e-14)
    c0, c1, c2, which, what = 0.0, 0.0, 0.0, -1, FACE
    stack[0], later[0], waiting = root, max(nearest, 0.0), 1
    while waiting > 0:
        waiting -= 1
        node = np.int64(stack[waiting])
        if later[waiting] * later[waiting] > best:
            continue
        if node_link[node, 0] < 0:
            for e in range(-1 - node_link[node, 0], node_link[node, 1]):
                f = np.int64(face + node_face[e])
                square, q0, q1, q2, feature = nearest_on_triangle(
                    point, face_start, corner, plane, first, f, x, y, z
                )
                if square < best or (square == best and f < which):
                    best, c0, c1, c2, which, what = square, q0, q1, q2, f, feature
            continue
        one, other = np.int64(node_link[node, 0]), np.int64(node_link[node, 1])
        to_one = max(depth_or_distance(node_box, one, x, y, z), 0.0)
        to_other = max(depth_or_distance(node_box, other, x, y, z), 0.0)
        if to_one < to_other:
            one, other, to_one, to_other = other, one, to_other, to_one
        stack[waiting], later[waiting] = one, to_one
        stack[waiting + 1], later[waiting + 1] = other, to_other
        waiting += 2
    if which < 0:
        return np.inf, 0.0, 0.0, 0.0
    m0, m1, m2 = feature_normal(
        point, face_start, corner, neighbour, plane, first, face, which, what
    )
    p0, p1, p2 = x - c0, y - c1, z - c2
    distance = math.sqrt(p0 * p0 + p1 * p1 + p2 * p2)
    sign = -1.0 if closed and m0 * p0 + m1 * p1 + m2 * p2 < 0.0 else 1.0
    extent = abs(node_box[root, 3] - node_box[root, 0]) + abs(node_box[root, 4] - node_box[root, 1])
    extent += abs(node_box[root, 5] - node_box[root, 2])
    if distance > 1e-13 * extent:
        scale = sign / distance
        return sign * distance, scale * p0, scale * p1, scale * p2
    length = math.sqrt(m0 * m0 + m1 * m1 + m2 * m2)
    if length > 0.0:
        return sign * distance, m0 / length, m1 / length, m2 / length
    return sign * distance, plane[which, 0], plane[which, 1], plane[which, 2]
