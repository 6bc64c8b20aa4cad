"""Vertices of one closed mesh against the faces, edges and vertices of another."""

from __future__ import annotations

import math

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import along, dot, minus, negative, over, row, turned
from amontons.collision.narrow.mesh_cones import (
    edge_rises,
    into_faces,
    sticks_out,
    vertex_rises,
)
from amontons.collision.narrow.support import into_b, out_of_b
from amontons.collision.queries.nearest_on_mesh import (
    EDGE,
    VERTEX,
    distance_to_mesh,
    feature_normal,
    nearest_on_triangle,
)

LEANING = 0.2
"""Sine of the angle (11°) by which a face's normal may be outside the normal cone of a vertex that
touches it: so the corners of a face that leans a little are all found."""

STRICT = 1e-6
"""The same where the normal is not a face's."""

ON_BORDER = 1e-9
"""A point that is over the outside of a triangle by less, as a part of the size, is over it."""

CLEAR = 1e-8
"""Distance, as a part of the size, from which the direction between two points is a normal."""

NUMBERS = 7
"""Columns of a table of contacts: the normal from the first mesh to the second, the point on the
first, the gap."""

OF_FIRST, OF_SECOND, OF_EDGES = 0, 1, 2
"""Lowest bits of a key: whose vertex it is, or that two edges cross."""


@routine
def room_for_one(table, name, count):
    """The table and the names, twice as long if they are full."""
    if count < name.size:
        return table, name
    longer, names = np.empty((2 * count, NUMBERS)), np.empty(2 * count, dtype=np.uint32)
    longer[:count], names[:count] = table, name
    return longer, names


@routine
def store(table, name, count, n, p, gap, code):
    """Row `count` of the table and the names ← a contact."""
    table[count, 0], table[count, 1], table[count, 2] = n
    table[count, 3], table[count, 4], table[count, 5] = p
    table[count, 6] = gap
    name[count] = np.uint32(code)


@routine
def vertices_and_faces(shapes, s, near, count, mine):
    """Sorted codes of vertices of mesh s (upper half) and faces near them, and corners of both.

    Column `mine` of `near` holds faces of mesh s, the other one those of the other mesh. The second
    array names, for each code, the corner of mesh s that it is from.
    """
    code, source = np.empty(3 * count, dtype=np.int64), np.empty(3 * count, dtype=np.int64)
    for i in range(count):
        begin = np.int64(shapes.face_start[shapes.data[s, 2] + near[i, mine]])
        for k in range(3):
            code[3 * i + k] = (np.int64(shapes.corner[begin + k]) << 32) | near[i, 1 - mine]
            source[3 * i + k] = 3 * near[i, mine] + k
    order = np.argsort(code, kind="mergesort")
    return code[order], source[order]


@routine
def face_of_point(shapes, t, f, p, size):
    """(distance, height, over it, closest point, feature) of a point and face f of mesh t."""
    first, row_f = np.int64(shapes.data[t, 0]), np.int64(shapes.data[t, 2]) + f
    square, q, what = nearest_on_triangle(
        shapes.point, shapes.face_start, shapes.corner, shapes.plane, first, row_f, p
    )
    height = dot(row(shapes.plane, row_f), p) - shapes.plane[row_f, 3]
    beside = max(square - height * height, 0.0)
    over_it = what < EDGE or beside <= (ON_BORDER * size) ** 2 + 1e-14 * square
    return math.sqrt(square), height, over_it, q, what


@routine
def rounded_contact(shapes, s, g, vertex, t, f, what, d, distance, pose):
    """Whether a vertex of s and an edge or vertex of t, nearest along d, are nearest of all.

    d is from the vertex of s to the feature `what` of face f of t, in t's axes.
    """
    n = over(d, distance)
    if vertex_rises(shapes, s, g, vertex, into_b(pose, n)) > STRICT:
        return False
    if what >= VERTEX:
        begin = np.int64(shapes.face_start[shapes.data[t, 2] + f])
        other = shapes.corner[begin + what - VERTEX]
        return vertex_rises(shapes, t, f, other, negative(n)) <= STRICT
    sides = into_faces(shapes, t, f, what - EDGE)
    return sticks_out(sides) and edge_rises(sides, negative(n)) <= STRICT


@routine
def vertex_inside(shapes, s, g, vertex, t, code, low, high, p, pose, size):
    """Least distance of a vertex of s, inside t, from a face that it can leave t through."""
    least = np.inf
    for i in range(low, high):
        f = code[i] & 0xFFFFFFFF
        distance, height, _, _, _ = face_of_point(shapes, t, f, p, size)
        if height > 0.0 or distance >= least:
            continue
        m = row(shapes.plane, np.int64(shapes.data[t, 2]) + f)
        if vertex_rises(shapes, s, g, vertex, into_b(pose, negative(m))) <= LEANING:
            least = distance
    return least


@routine
def vertices_of(shapes, s, t, pose, home, near, count, side, margin, found):
    """Append to the table `found` the contacts of vertices of mesh s with mesh t.

    `pose` is that of s in t's frame, `home` that of t in the frame of the first mesh; `side` is 0
    if s is the first mesh, 1 if t is.
    """
    table, name, made, walk, size = found
    first_face = np.int64(shapes.data[t, 2])
    code, source = vertices_and_faces(shapes, s, near, count, side)
    low = 0
    while low < code.size:
        vertex, high = code[low] >> 32, low
        while high < code.size and code[high] >> 32 == vertex:
            high += 1
        g = source[low] // 3
        p = out_of_b(pose, row(shapes.point, np.int64(shapes.data[s, 0]) + vertex))
        nearest, best, what, at = np.inf, np.int64(-1), 0, p
        for i in range(low, high):
            f = code[i] & 0xFFFFFFFF
            distance, _, _, q, feature = face_of_point(shapes, t, f, p, size)
            if distance < nearest:
                nearest, best, what, at = distance, f, feature, q
        rank, inside, least = np.int64(0), False, np.inf
        if nearest > margin:
            # outside, too far; or deep within: then out by the shortest way
            depth, m = distance_to_mesh(shapes, True, t, walk, p, 0.0)
            into = into_b(pose, negative(m))
            if depth < 0.0 and vertex_rises(shapes, s, g, vertex, into) <= LEANING:
                table, name = room_for_one(table, name, made)
                put_at_home(table, name, made, home, side, m, p, depth, 8 * vertex)
                made += 1
            low = high
            continue
        m = feature_normal(
            shapes.point, shapes.face_start, shapes.corner, shapes.neighbour, shapes.plane,
            np.int64(shapes.data[t, 0]), first_face, first_face + best, what,
        )  # fmt: skip
        if dot(m, minus(p, at)) < 0.0:
            inside = True
            least = vertex_inside(shapes, s, g, vertex, t, code, low, high, p, pose, size)
        before = np.int64(-1)
        for i in range(low, high):
            f = code[i] & 0xFFFFFFFF
            if f == before:
                continue
            before = f
            distance, height, over_it, q, feature = face_of_point(shapes, t, f, p, size)
            if distance > margin and not (inside and distance <= 1.001 * least):
                continue
            m = row(shapes.plane, first_face + f)
            gap = height
            if inside and height <= 0.0:
                touches = distance <= least + 1e-3 * least + ON_BORDER * size
            elif over_it:
                touches = height >= 0.0 or -height <= ON_BORDER * size
            elif inside:  # a wall beside the floor that the vertex is below
                touches = height * height + 4.0 * nearest * nearest >= distance * distance
            else:
                touches = False
            if touches:
                touches = vertex_rises(shapes, s, g, vertex, into_b(pose, negative(m))) <= LEANING
            elif not inside and not over_it and distance > CLEAR * size:
                mine = feature >= VERTEX and f == best
                if feature < VERTEX:
                    begin = np.int64(shapes.face_start[first_face + f])
                    mine = shapes.neighbour[begin + feature - EDGE] > f
                d = minus(q, p)
                touches = mine and rounded_contact(
                    shapes, s, g, vertex, t, f, feature, d, distance, pose
                )
                m, gap = over(d, -distance), distance
            if touches and gap <= margin:
                table, name = room_for_one(table, name, made)
                put_at_home(
                    table, name, made, home, side, m, p, gap, 8 * vertex + min(rank, np.int64(7))
                )
                made += 1
                rank += 1
        low = high
    return table, name, made


@routine
def put_at_home(table, name, made, home, side, m, p, gap, code):
    """Store a contact of a vertex at p and a surface with normal m; both in the surface's frame."""
    n = turned(home, m)
    p = out_of_b(home, p)
    if side == 0:
        store(table, name, made, negative(n), p, gap, 4 * code + OF_FIRST)
    else:
        store(table, name, made, n, along(p, -gap, n), gap, 4 * code + OF_SECOND)
