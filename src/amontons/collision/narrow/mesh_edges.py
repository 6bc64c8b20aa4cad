"""Edges of one closed mesh that cross those of another."""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import (
    along,
    cross,
    dot,
    minus,
    negative,
    norm,
    over,
    plus,
    row,
    turned,
)
from amontons.collision.narrow.mesh_cones import edge_rises, into_faces, sticks_out
from amontons.collision.narrow.mesh_vertices import OF_EDGES, room_for_one, store
from amontons.collision.narrow.support import into_b, out_of_b
from amontons.collision.queries.nearest_on_mesh import distance_to_mesh

TILTED = 0.1
"""Sine of the angle (6°) by which the normal of two edges may be outside their normal cones: then
it is turned into that of the face that it leans over."""

PARALLEL = 1e-5
"""Sine of the angle below which two edges do not cross."""

ENDS = 1e-9
"""An edge reaches so far beyond its ends, as a part of the size."""

SHALLOW = 1e-7
"""Overlap, as a part of the size, that needs no proof."""


@routine
def owned_edge(shapes, m, face, k):
    """Whether the edge from corner k of a face is counted here, not at the face beyond it."""
    begin = np.int64(shapes.face_start[shapes.data[m, 2] + face])
    return shapes.neighbour[begin + k] > face


@routine
def ends_of(shapes, m, face, k):
    """The two ends of the edge from corner k of a face of mesh m."""
    begin = np.int64(shapes.face_start[shapes.data[m, 2] + face])
    first = np.int64(shapes.data[m, 0])
    return (
        row(shapes.point, first + np.int64(shapes.corner[begin + k])),
        row(shapes.point, first + np.int64(shapes.corner[begin + (k + 1) % 3])),
    )


@routine
def turned_sides(pose, sides):
    """What :func:`into_faces` gives of B, in A's axes."""
    return (
        turned(pose, sides[0]), turned(pose, sides[1]), turned(pose, sides[2]),
        turned(pose, sides[3]),
    )  # fmt: skip


@routine
def upright_normal(a, b, n):
    """(whether two edges with these sides can meet along n, the unit normal of the contact)."""
    rise_a, rise_b = edge_rises(a, n), edge_rises(b, negative(n))
    if rise_a > TILTED or rise_b > TILTED:
        return False, n
    if rise_a <= 0.0 and rise_b <= 0.0:
        return True, n
    if rise_a >= rise_b:
        return True, a[0] if dot(n, a[2]) >= dot(n, a[3]) else a[1]
    return True, negative(b[0] if dot(n, b[2]) <= dot(n, b[3]) else b[1])


@routine
def slips_off(a, b, one, other, u, v, depth, slack):
    """Whether edges that overlap by `depth` come free sooner past one of their ends.

    a, b: their sides; one, other: where they cross, from 0 to 1; u, v: edges from end to end.
    Past the end of A's edge in direction w, the normal would be w, which B's edge must allow.
    """
    length, span = norm(u), norm(v)
    w, z = over(u, length), over(v, span)
    if one * length + slack < depth and edge_rises(b, w) <= TILTED:
        return True
    if (1.0 - one) * length + slack < depth and edge_rises(b, negative(w)) <= TILTED:
        return True
    if other * span + slack < depth and edge_rises(a, z) <= TILTED:
        return True
    return (1.0 - other) * span + slack < depth and edge_rises(a, negative(z)) <= TILTED


@routine
def overlap_there(shapes, s, t, pose, p, q, depth, walk, size):
    """Whether point p of mesh s is inside mesh t, and point q of t inside s; both in A's frame.

    If not, the two edges are on the far sides of the solids from each other.
    """
    slack = 1e-3 * depth + ENDS * size
    seen = into_b(pose, minus(p, (pose[9], pose[10], pose[11])))
    there, _ = distance_to_mesh(shapes, True, t, walk, seen, slack)
    if there > slack:
        return False
    here, _ = distance_to_mesh(shapes, True, s, walk, q, slack)
    return here <= slack


@routine
def cross_edges(shapes, s, t, pose, edge_a, edge_b, a, b, margin, walk, size):
    """(whether they touch, normal, point on A, gap) of one edge of each mesh, in A's frame.

    An edge is its two ends, in A's frame; a and b are the sides of the edges.
    """
    p, q = edge_a[0], edge_b[0]
    u, v = minus(edge_a[1], p), minus(edge_b[1], q)
    c = cross(u, v)
    square = dot(c, c)
    if square <= PARALLEL * PARALLEL * dot(u, u) * dot(v, v):
        return False, c, p, 0.0
    r = minus(q, p)
    one, other = dot(cross(r, v), c) / square, dot(cross(r, u), c) / square
    beyond_a, beyond_b = ENDS * size / norm(u), ENDS * size / norm(v)
    if one < -beyond_a or one > 1.0 + beyond_a or other < -beyond_b or other > 1.0 + beyond_b:
        return False, c, p, 0.0
    n = over(c, np.sqrt(square))
    if dot(n, plus(a[0], a[1])) < 0.0:
        n = negative(n)
    meets, n = upright_normal(a, b, n)
    on_a, on_b = along(p, one, u), along(q, other, v)
    gap = dot(n, minus(on_b, on_a))
    if not meets or gap > margin:
        return False, n, on_a, gap
    if gap < 0.0 and slips_off(a, b, one, other, u, v, -gap, ENDS * size):
        return False, n, on_a, gap
    if gap < -SHALLOW * size and not overlap_there(
        shapes, s, t, pose, on_a, on_b, -gap, walk, size
    ):
        return False, n, on_a, gap
    return True, n, on_a, gap


@routine
def edges_of_both(shapes, s, t, pose, near, count, margin, found):
    """Append to the table `found` the contacts of edges of mesh s, A, with those of mesh t, B."""
    table, name, made, walk, size = found
    for i in range(count):
        f, g = near[i, 0], near[i, 1]
        any_of_b = False
        for j in range(3):
            any_of_b = any_of_b or owned_edge(shapes, t, g, j)
        for k in range(3):
            if not any_of_b or not owned_edge(shapes, s, f, k):
                continue
            a = into_faces(shapes, s, f, k)
            if not sticks_out(a):
                continue
            edge_a = ends_of(shapes, s, f, k)
            for j in range(3):
                if not owned_edge(shapes, t, g, j):
                    continue
                b = into_faces(shapes, t, g, j)
                if not sticks_out(b):
                    continue
                start, end = ends_of(shapes, t, g, j)
                edge_b = out_of_b(pose, start), out_of_b(pose, end)
                touches, n, p, gap = cross_edges(
                    shapes, s, t, pose, edge_a, edge_b, a, turned_sides(pose, b), margin, walk, size
                )
                if touches:
                    table, name = room_for_one(table, name, made)
                    code = (3 * f + k) * 2654435761 + (3 * g + j) * 2246822519
                    code ^= code >> 29
                    store(table, name, made, n, p, gap, (code & 0x3FFFFFFF) << 2 | OF_EDGES)
                    made += 1
    return table, name, made
