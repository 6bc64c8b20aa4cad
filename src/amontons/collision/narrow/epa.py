"""Depth of overlapping cores: the expanding polytope, with signed distances.

The depth is the least height of B − A above the origin over all directions m. A polytope inside
B − A grows where its face is nearest: the face's distance d is a lower bound and the height of
B − A in the face's direction an upper one. Distances are signed, so the origin may just as well be
a little outside (cores that barely touch): the first polytope need not hold it.

The polytope is a list of faces without neighbours. What a new point sees is removed, and edges that
are left without a partner are joined to the new point: the surface stays closed whatever rounding
errors decide about faces in one plane.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import (
    cross,
    dot,
    minus,
    negative,
    norm,
    over,
    perpendicular,
    put,
    row,
    times,
)
from amontons.collision.narrow.gjk import nearest_on_triangle, put_corner
from amontons.collision.narrow.support import difference_support

VERTICES = 160
"""Most points of a polytope; polyhedra need a dozen, round shapes up to a hundred."""

SPARE = 64
FACES = 2 * VERTICES + SPARE
"""Most faces of a polytope: twice its points, and some for a surface that meets itself."""

SEEN = 1e-13
"""Faces that a new point is below by less than this part of the size are replaced, too: their
planes are the same, and a sliver is avoided."""

FLAT = 1e-11
"""Thickness, as a part of the size, below which B − A is flat (two crossing segments, say)."""


@routine
def add_vertex(a, points_a, b, points_b, pose, d, vertex, at):
    """vertex[at] ← the farthest point of B − A in direction d; return its height d·w."""
    w, p = difference_support(a, points_a, b, points_b, pose, d)
    put_corner(vertex, at, w, p)
    return dot(d, w)


@routine
def copy_vertex(vertex, source, target):
    """vertex[target] ← vertex[source]."""
    for c in range(6):
        vertex[target, c] = vertex[source, c]


@routine
def axis_vector(axis):
    """Unit vector along an axis."""
    return (
        1.0 if axis == 0 else 0.0,
        1.0 if axis == 1 else 0.0,
        1.0 if axis == 2 else 0.0,
    )


@routine
def first_edge(a, points_a, b, points_b, pose, vertex):
    """vertex[0], vertex[1] ← the extremes of B − A along the axis where it is longest."""
    longest = -1.0
    axis = 0
    for c in range(3):
        d = axis_vector(c)
        extent = add_vertex(a, points_a, b, points_b, pose, d, vertex, 0)
        extent += add_vertex(a, points_a, b, points_b, pose, negative(d), vertex, 1)
        if extent > longest:
            longest, axis = extent, c
    d = axis_vector(axis)
    add_vertex(a, points_a, b, points_b, pose, d, vertex, 0)
    add_vertex(a, points_a, b, points_b, pose, negative(d), vertex, 1)
    return longest


@routine
def third_vertex(a, points_a, b, points_b, pose, vertex):
    """vertex[2] ← a point far from the line through the first two; return how far."""
    x = row(vertex, 0)
    e = minus(row(vertex, 1), x)
    u = perpendicular(e)
    length = norm(e)
    if length > 0.0:
        e = over(e, length)
    s = cross(e, u)
    farthest = -1.0
    for turn in range(4):
        d = times(1.0 if turn < 2 else -1.0, u if turn % 2 == 0 else s)
        above = add_vertex(a, points_a, b, points_b, pose, d, vertex, 3) - dot(d, x)
        if above > farthest:
            farthest = above
            copy_vertex(vertex, 3, 2)
    return farthest


@routine
def flat_answer(a, points_a, b, points_b, pose, guess, m, vertex):
    """(height, m) of a B − A without thickness along m; of the two sides the one that suits."""
    if dot(m, guess) > 0.0:
        m = negative(m)
    ahead = add_vertex(a, points_a, b, points_b, pose, negative(m), vertex, 1)
    height = add_vertex(a, points_a, b, points_b, pose, m, vertex, 0)
    if ahead < height * (1.0 - 1e-6):
        copy_vertex(vertex, 1, 0)
        return ahead, negative(m)
    return height, m


@routine
def first_polytope(a, points_a, b, points_b, pose, guess, size, vertex):
    """Four points of B − A that are not in one plane: (whether there are, height, m).

    Where there are none, m is a direction in which B − A is flat and `vertex[0]` a point of it.
    """
    flat = True
    if first_edge(a, points_a, b, points_b, pose, vertex) <= FLAT * size:
        m = over(negative(guess), norm(guess))
    else:
        e = minus(row(vertex, 1), row(vertex, 0))
        if third_vertex(a, points_a, b, points_b, pose, vertex) <= FLAT * size:
            m = perpendicular(e)
        else:
            m = cross(e, minus(row(vertex, 2), row(vertex, 0)))
            m = over(m, norm(m))
            level = dot(m, row(vertex, 0))
            below = add_vertex(a, points_a, b, points_b, pose, negative(m), vertex, 4) + level
            above = add_vertex(a, points_a, b, points_b, pose, m, vertex, 3) - level
            flat = above + below <= FLAT * size
            if below > above and not flat:
                copy_vertex(vertex, 4, 3)
    if not flat:
        return True, 0.0, m
    height, m = flat_answer(a, points_a, b, points_b, pose, guess, m, vertex)
    return False, height, m


@routine
def volume_of(vertex):
    """Six times the signed volume of the tetrahedron of the first four points."""
    x = row(vertex, 0)
    e, f, g = minus(row(vertex, 1), x), minus(row(vertex, 2), x), minus(row(vertex, 3), x)
    return dot(cross(e, f), g)


@routine
def set_face(vertex, face, plane, at, i, j, k):
    """face[at] ← (i, j, k), counter-clockwise from outside, and its plane m·w = d."""
    face[at, 0], face[at, 1], face[at, 2] = i, j, k
    x = row(vertex, i)
    m = cross(minus(row(vertex, j), x), minus(row(vertex, k), x))
    length = norm(m)
    if length > 0.0:
        m = over(m, length)
        plane[at, 3] = dot(m, x)
    else:
        plane[at, 3] = np.inf  # no area: never the nearest, never seen
    put(plane, at, m)


@routine
def remove_seen(vertex, face, plane, faces, nearest, new, below, horizon):
    """Remove the faces that point `new` sees; return the faces and the edges of the hole."""
    w = row(vertex, new)
    edges = 0
    kept = 0
    for f in range(faces):
        height = dot(row(plane, f), w) - plane[f, 3]
        if f == nearest or height > -below:
            for side in range(3):
                i, j = face[f, side], face[f, (side + 1) % 3]
                partner = edges - 1
                while partner >= 0 and not (horizon[partner, 0] == j and horizon[partner, 1] == i):
                    partner -= 1
                if partner >= 0:
                    edges -= 1
                    horizon[partner, 0], horizon[partner, 1] = horizon[edges, 0], horizon[edges, 1]
                else:
                    horizon[edges, 0], horizon[edges, 1] = i, j
                    edges += 1
        else:
            if kept < f:
                for c in range(3):
                    face[kept, c] = face[f, c]
                for c in range(4):
                    plane[kept, c] = plane[f, c]
            kept += 1
    return kept, edges


@routine
def depth_of_cores(a, points_a, b, points_b, pose, guess, size, accuracy, start, scratch):
    """Depth of two cores that overlap: (depth, m, faces, nearest face).

    `start` says that the scratch's first four corners are a simplex to begin with. The two part
    when B moves by −depth·m, so −m leads from A to B. A nearest face of −1 says that there is none,
    for B − A is flat or room ran out (round shapes that overlap deeply and evenly); then the first
    corner is the point that goes with m.
    """
    vertex, _, plane, _, face, horizon = scratch
    if start and abs(volume_of(vertex)) <= 1e-7 * size**3:
        start = False
    if not start:
        solid, h, m = first_polytope(a, points_a, b, points_b, pose, guess, size, vertex)
        if not solid:
            return h, m, 0, -1
    second, third = (1, 2) if volume_of(vertex) < 0.0 else (2, 1)
    set_face(vertex, face, plane, 0, 0, second, third)
    set_face(vertex, face, plane, 1, 0, third, 3)
    set_face(vertex, face, plane, 2, third, second, 3)
    set_face(vertex, face, plane, 3, second, 0, 3)
    faces, vertices = 4, 4
    least, best = np.inf, (0.0, 0.0, 0.0)
    while True:
        nearest = 0
        for f in range(1, faces):
            if plane[f, 3] < plane[nearest, 3]:
                nearest = f
        m = row(plane, nearest)
        height = add_vertex(a, points_a, b, points_b, pose, m, vertex, vertices)
        if height - plane[nearest, 3] <= accuracy:
            return height, m, faces, nearest
        if height < least:
            least, best = height, m
        if vertices == VERTICES - 1 or faces > FACES - SPARE:
            break
        faces, edges = remove_seen(
            vertex, face, plane, faces, nearest, vertices, SEEN * size, horizon
        )
        if faces + edges > FACES:
            break
        for e in range(edges):
            set_face(vertex, face, plane, faces + e, horizon[e, 0], horizon[e, 1], vertices)
        faces += edges
        vertices += 1
    add_vertex(a, points_a, b, points_b, pose, best, vertex, 0)
    return least, best, faces, -1


@routine
def face_in_front(vertex, face, plane, faces, nearest, size, weight):
    """Of the faces in the plane of the nearest, the one in front of the origin.

    Writes the weights of its corners for the point nearest to the origin.
    """
    least = np.inf
    best = nearest
    for f in range(faces):
        if plane[f, 3] <= plane[nearest, 3] + 1e-13 * size:
            i, j, k = face[f, 0], face[f, 1], face[f, 2]
            vv, _, wi, wj, wk = nearest_on_triangle(vertex, i, j, k)
            if vv < least:
                least = vv
                best = f
                weight[0], weight[1], weight[2] = wi, wj, wk
    return best
