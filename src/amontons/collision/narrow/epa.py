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
from amontons.collision.narrow.gjk import nearest_on_triangle
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
def add_vertex(a, points_a, b, points_b, pose, d0, d1, d2, vertex, at):
    """vertex[at] ← the farthest point of B − A in direction d; return its height n·w."""
    w0, w1, w2, p0, p1, p2 = difference_support(a, points_a, b, points_b, pose, d0, d1, d2)
    vertex[at, 0], vertex[at, 1], vertex[at, 2] = w0, w1, w2
    vertex[at, 3], vertex[at, 4], vertex[at, 5] = p0, p1, p2
    return d0 * w0 + d1 * w1 + d2 * w2


@routine
def copy_vertex(vertex, source, target):
    """vertex[target] ← vertex[source]."""
    for c in range(6):
        vertex[target, c] = vertex[source, c]


@routine
def perpendicular(e0, e1, e2):
    """A unit vector perpendicular to e."""
    if abs(e0) <= abs(e1) and abs(e0) <= abs(e2):
        d0, d1, d2 = 0.0, e2, -e1
    elif abs(e1) <= abs(e2):
        d0, d1, d2 = -e2, 0.0, e0
    else:
        d0, d1, d2 = e1, -e0, 0.0
    length = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    if length == 0.0:
        return 0.0, 0.0, 1.0
    return d0 / length, d1 / length, d2 / length


@routine
def along_axis(axis):
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
        d0, d1, d2 = along_axis(c)
        extent = add_vertex(a, points_a, b, points_b, pose, d0, d1, d2, vertex, 0)
        extent += add_vertex(a, points_a, b, points_b, pose, -d0, -d1, -d2, vertex, 1)
        if extent > longest:
            longest, axis = extent, c
    d0, d1, d2 = along_axis(axis)
    add_vertex(a, points_a, b, points_b, pose, d0, d1, d2, vertex, 0)
    add_vertex(a, points_a, b, points_b, pose, -d0, -d1, -d2, vertex, 1)
    return longest


@routine
def third_vertex(a, points_a, b, points_b, pose, vertex):
    """vertex[2] ← a point far from the line through the first two; return how far."""
    x0, x1, x2 = vertex[0, 0], vertex[0, 1], vertex[0, 2]
    e0, e1, e2 = vertex[1, 0] - x0, vertex[1, 1] - x1, vertex[1, 2] - x2
    u0, u1, u2 = perpendicular(e0, e1, e2)
    length = np.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    if length > 0.0:
        e0, e1, e2 = e0 / length, e1 / length, e2 / length
    s0, s1, s2 = e1 * u2 - e2 * u1, e2 * u0 - e0 * u2, e0 * u1 - e1 * u0
    farthest = -1.0
    for turn in range(4):
        sign = 1.0 if turn < 2 else -1.0
        d0, d1, d2 = (u0, u1, u2) if turn % 2 == 0 else (s0, s1, s2)
        d0, d1, d2 = sign * d0, sign * d1, sign * d2
        above = add_vertex(a, points_a, b, points_b, pose, d0, d1, d2, vertex, 3)
        above -= d0 * x0 + d1 * x1 + d2 * x2
        if above > farthest:
            farthest = above
            copy_vertex(vertex, 3, 2)
    return farthest


@routine
def flat_answer(a, points_a, b, points_b, pose, guess, m0, m1, m2, vertex):
    """(height, m) of a B − A without thickness along m; of the two sides the one that suits."""
    if m0 * guess[0] + m1 * guess[1] + m2 * guess[2] > 0.0:
        m0, m1, m2 = -m0, -m1, -m2
    ahead = add_vertex(a, points_a, b, points_b, pose, -m0, -m1, -m2, vertex, 1)
    height = add_vertex(a, points_a, b, points_b, pose, m0, m1, m2, vertex, 0)
    if ahead < height * (1.0 - 1e-6):
        copy_vertex(vertex, 1, 0)
        return ahead, -m0, -m1, -m2
    return height, m0, m1, m2


@routine
def first_polytope(a, points_a, b, points_b, pose, guess, size, vertex):
    """Four points of B − A that are not in one plane: (whether there are, height, m).

    Where there are none, m is a direction in which B − A is flat and `vertex[0]` a point of it.
    """
    longest = first_edge(a, points_a, b, points_b, pose, vertex)
    if longest <= FLAT * size:
        g0, g1, g2 = guess
        length = np.sqrt(g0 * g0 + g1 * g1 + g2 * g2)
        h, m0, m1, m2 = flat_answer(
            a,
            points_a,
            b,
            points_b,
            pose,
            guess,
            -g0 / length,
            -g1 / length,
            -g2 / length,
            vertex,
        )
        return False, h, m0, m1, m2
    e0, e1, e2 = (
        vertex[1, 0] - vertex[0, 0],
        vertex[1, 1] - vertex[0, 1],
        vertex[1, 2] - vertex[0, 2],
    )
    if third_vertex(a, points_a, b, points_b, pose, vertex) <= FLAT * size:
        m0, m1, m2 = perpendicular(e0, e1, e2)
        h, m0, m1, m2 = flat_answer(a, points_a, b, points_b, pose, guess, m0, m1, m2, vertex)
        return False, h, m0, m1, m2
    f0, f1, f2 = (
        vertex[2, 0] - vertex[0, 0],
        vertex[2, 1] - vertex[0, 1],
        vertex[2, 2] - vertex[0, 2],
    )
    m0, m1, m2 = e1 * f2 - e2 * f1, e2 * f0 - e0 * f2, e0 * f1 - e1 * f0
    length = np.sqrt(m0 * m0 + m1 * m1 + m2 * m2)
    m0, m1, m2 = m0 / length, m1 / length, m2 / length
    level = m0 * vertex[0, 0] + m1 * vertex[0, 1] + m2 * vertex[0, 2]
    below = add_vertex(a, points_a, b, points_b, pose, -m0, -m1, -m2, vertex, 4) + level
    above = add_vertex(a, points_a, b, points_b, pose, m0, m1, m2, vertex, 3) - level
    if above + below <= FLAT * size:
        h, m0, m1, m2 = flat_answer(a, points_a, b, points_b, pose, guess, m0, m1, m2, vertex)
        return False, h, m0, m1, m2
    if below > above:
        copy_vertex(vertex, 4, 3)
    return True, 0.0, 0.0, 0.0, 0.0


@routine
def volume_of(vertex):
    """Six times the signed volume of the tetrahedron of the first four points."""
    x0, x1, x2 = vertex[0, 0], vertex[0, 1], vertex[0, 2]
    e0, e1, e2 = vertex[1, 0] - x0, vertex[1, 1] - x1, vertex[1, 2] - x2
    f0, f1, f2 = vertex[2, 0] - x0, vertex[2, 1] - x1, vertex[2, 2] - x2
    g0, g1, g2 = vertex[3, 0] - x0, vertex[3, 1] - x1, vertex[3, 2] - x2
    return (e1 * f2 - e2 * f1) * g0 + (e2 * f0 - e0 * f2) * g1 + (e0 * f1 - e1 * f0) * g2


@routine
def set_face(vertex, face, plane, at, i, j, k):
    """face[at] ← (i, j, k), counter-clockwise from outside, and its plane m·w = d."""
    face[at, 0], face[at, 1], face[at, 2] = i, j, k
    x0, x1, x2 = vertex[i, 0], vertex[i, 1], vertex[i, 2]
    e0, e1, e2 = vertex[j, 0] - x0, vertex[j, 1] - x1, vertex[j, 2] - x2
    f0, f1, f2 = vertex[k, 0] - x0, vertex[k, 1] - x1, vertex[k, 2] - x2
    m0, m1, m2 = e1 * f2 - e2 * f1, e2 * f0 - e0 * f2, e0 * f1 - e1 * f0
    length = np.sqrt(m0 * m0 + m1 * m1 + m2 * m2)
    if length > 0.0:
        m0, m1, m2 = m0 / length, m1 / length, m2 / length
        plane[at, 3] = m0 * x0 + m1 * x1 + m2 * x2
    else:
        plane[at, 3] = np.inf  # no area: never the nearest, never seen
    plane[at, 0], plane[at, 1], plane[at, 2] = m0, m1, m2


@routine
def remove_seen(vertex, face, plane, faces, nearest, new, below, horizon):
    """Remove the faces that point `new` sees; return the faces and the edges of the hole."""
    w0, w1, w2 = vertex[new, 0], vertex[new, 1], vertex[new, 2]
    edges = 0
    kept = 0
    for f in range(faces):
        height = plane[f, 0] * w0 + plane[f, 1] * w1 + plane[f, 2] * w2 - plane[f, 3]
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
        solid, h, m0, m1, m2 = first_polytope(a, points_a, b, points_b, pose, guess, size, vertex)
        if not solid:
            return h, m0, m1, m2, 0, -1
    second, third = (1, 2) if volume_of(vertex) < 0.0 else (2, 1)
    set_face(vertex, face, plane, 0, 0, second, third)
    set_face(vertex, face, plane, 1, 0, third, 3)
    set_face(vertex, face, plane, 2, third, second, 3)
    set_face(vertex, face, plane, 3, second, 0, 3)
    faces, vertices = 4, 4
    least = np.inf
    best0, best1, best2 = 0.0, 0.0, 0.0
    while True:
        nearest = 0
        for f in range(1, faces):
            if plane[f, 3] < plane[nearest, 3]:
                nearest = f
        m0, m1, m2 = plane[nearest, 0], plane[nearest, 1], plane[nearest, 2]
        height = add_vertex(a, points_a, b, points_b, pose, m0, m1, m2, vertex, vertices)
        if height - plane[nearest, 3] <= accuracy:
            return height, m0, m1, m2, faces, nearest
        if height < least:
            least, best0, best1, best2 = height, m0, m1, m2
        if vertices == VERTICES - 1 or faces > FACES - SPARE:
            add_vertex(a, points_a, b, points_b, pose, best0, best1, best2, vertex, 0)
            return least, best0, best1, best2, faces, -1
        faces, edges = remove_seen(
            vertex, face, plane, faces, nearest, vertices, SEEN * size, horizon
        )
        if faces + edges > FACES:
            add_vertex(a, points_a, b, points_b, pose, best0, best1, best2, vertex, 0)
            return least, best0, best1, best2, faces, -1
        for e in range(edges):
            set_face(vertex, face, plane, faces + e, horizon[e, 0], horizon[e, 1], vertices)
        faces += edges
        vertices += 1


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
            vv, _, _, _, wi, wj, wk = nearest_on_triangle(vertex, i, j, k)
            if vv < least:
                least = vv
                best = f
                weight[0], weight[1], weight[2] = wi, wj, wk
    return best
