"""Exact normals for round shapes: Newton's method on the directions of separation.

The signed distance of two cores is the least of f(n) = h_A(n) + h_B(−n), turned round, over unit
directions n; h is the height of a core in a direction. f is the largest of smooth pieces: a
polyhedron has one per vertex, a cylinder one per rim, a cone its rim and its tip, an ellipsoid one.
A search with simplices tells which of them meet at the least value, and roughly where. From there,
Newton's method for "the largest of a few smooth functions is least" takes a few steps where
simplices would take a hundred.

Vectors are in A's axes. A piece is known by any of its points: row (point of A, point of B in B's
frame).
"""

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
    perpendicular,
    plus,
    row,
)
from amontons.collision.narrow.gjk import point_of_a, put_corner
from amontons.collision.narrow.support import into_b, out_of_b, support_point
from amontons.model.shapes.table import CONE, CYLINDER, ELLIPSOID

STEPS = 16
"""Most steps of Newton's method; five are usual."""

SOFT = 1e-7
"""Share of the curvature that is added to it, so that it is positive in every direction."""

PROBE = 0.03
"""Step if no minimum is in sight [rad]."""

LONGEST = 0.2
"""Longest step [rad]."""

PIECE_COLUMNS = 18
"""Of a row of pieces: 6 for its name; then its points on A and B, f, its slope and curvature."""


@routine
def is_round(core):
    """Whether simplices take many steps to find points of this core."""
    return core[0] in (CYLINDER, CONE, ELLIPSOID)


@routine
def same_piece(core, size, p, q):
    """Whether two support points of a core belong to the same smooth piece of its height."""
    kind = core[0]
    if kind == ELLIPSOID:
        return True
    if kind in (CYLINDER, CONE):
        return p[2] * q[2] > 0.0
    return abs(p[0] - q[0]) + abs(p[1] - q[1]) + abs(p[2] - q[2]) <= 1e-9 * size


@routine
def slide(core, p, d):
    """The point of the piece of p that is farthest in direction d."""
    kind, x, y, z, _, _, _, _ = core
    if kind == ELLIPSOID:
        e = (x * d[0], y * d[1], z * d[2])
        length = norm(e)
        return x * (e[0] / length), y * (e[1] / length), z * (e[2] / length)
    if kind == CYLINDER or (kind == CONE and p[2] < 0.0):
        across = np.sqrt(d[0] * d[0] + d[1] * d[1])
        if across > 0.0:
            return x * d[0] / across, x * d[1] / across, p[2]
    return p


@routine
def curvature(core, p, d, u, v):
    """Second derivatives (uu, uv, vv) of a piece's height at the unit direction d."""
    kind, x, y, z, _, _, _, _ = core
    if kind == ELLIPSOID:
        h, pu, pv = dot(p, d), dot(p, u), dot(p, v)
        xx, yy, zz = x * x, y * y, z * z
        return (
            (xx * u[0] * u[0] + yy * u[1] * u[1] + zz * u[2] * u[2] - pu * pu) / h,
            (xx * u[0] * v[0] + yy * u[1] * v[1] + zz * u[2] * v[2] - pu * pv) / h,
            (xx * v[0] * v[0] + yy * v[1] * v[1] + zz * v[2] * v[2] - pv * pv) / h,
        )
    if kind == CYLINDER or (kind == CONE and p[2] < 0.0):
        across = np.sqrt(d[0] * d[0] + d[1] * d[1])
        if across > 0.0:
            tu = (d[0] * u[1] - d[1] * u[0]) / across
            tv = (d[0] * v[1] - d[1] * v[0]) / across
            scale = x / across
            return scale * tu * tu, scale * tu * tv, scale * tv * tv
    return 0.0, 0.0, 0.0


@routine
def add_piece(a, b, size, piece, count, share, weight, p, q):
    """Add the piece of points p of A and q of B (in B's frame), or its weight if it is there."""
    for i in range(count):
        if same_piece(a, size, row(piece, i), p) and same_piece(b, size, point_of_a(piece, i), q):
            weight[i] += share
            return count
    if count == 3:
        # the least of the three makes room
        at = 0
        for i in range(1, 3):
            if weight[i] < weight[at]:
                at = i
    else:
        at = count
        count += 1
    weight[at] = share
    put_corner(piece, at, p, q)
    return count


@routine
def add_simplex_piece(a, b, pose, size, piece, count, share, weight, corner, i):
    """Add the piece that corner i of a simplex lies on."""
    p = point_of_a(corner, i)
    q = into_b(pose, minus(plus(row(corner, i), p), (pose[9], pose[10], pose[11])))
    return add_piece(a, b, size, piece, count, share, weight, p, q)


@routine
def evaluate(a, b, pose, piece, i, n, u, v):
    """Points, value, slope and curvature of piece i at direction n; u and v span the rest."""
    p, d = slide(a, row(piece, i), n), into_b(pose, negative(n))
    s = slide(b, point_of_a(piece, i), d)
    q = out_of_b(pose, s)
    w = minus(p, q)
    f = dot(n, w)
    uu, uv, vv = curvature(a, p, n, u, v)
    ee, eg, gg = curvature(b, s, d, into_b(pose, u), into_b(pose, v))
    piece[i, 6], piece[i, 7], piece[i, 8] = p
    piece[i, 9], piece[i, 10], piece[i, 11] = q
    piece[i, 12], piece[i, 13], piece[i, 14] = f, dot(u, w), dot(v, w)
    piece[i, 15], piece[i, 16], piece[i, 17] = uu + ee - f, uv + eg, vv + gg - f


@routine
def newton_step(piece, count, weight):
    """Step (along u, along v) to where the largest of the pieces is least, and its weights.

    Returns also whether there is one.
    """
    huu, huv, hvv = 0.0, 0.0, 0.0
    for i in range(count):
        huu += weight[i] * piece[i, 15]
        huv += weight[i] * piece[i, 16]
        hvv += weight[i] * piece[i, 17]
    # a direction along which nothing changes (two cylinders with one axis) must not stop the rest
    lift = SOFT * (abs(huu) + abs(hvv))
    huu, hvv = huu + lift, hvv + lift
    gu, gv = piece[0, 13], piece[0, 14]
    if count == 1:
        det = huu * hvv - huv * huv
        if not (det > 0.0 and huu > 0.0):
            # bent the wrong way: downhill, until another piece comes up
            slope = np.sqrt(gu * gu + gv * gv)
            return -PROBE * gu / slope, -PROBE * gv / slope, slope > 0.0
        return (huv * gv - hvv * gu) / det, (huv * gu - huu * gv) / det, True
    cu, cv = piece[1, 13] - gu, piece[1, 14] - gv
    c = piece[1, 12] - piece[0, 12]
    if count == 2:
        square = cu * cu + cv * cv
        if not square > 0.0:
            return 0.0, 0.0, False
        su, sv = -c * cu / square, -c * cv / square
        tu, tv = -cv, cu
        bend = huu * tu * tu + 2.0 * huv * tu * tv + hvv * tv * tv
        bu, bv = huu * su + huv * sv + gu, huv * su + hvv * sv + gv
        slope = tu * bu + tv * bv
        if bend > 0.0:
            s = -slope / bend
        elif abs(slope) <= 1e-8 * square:
            s = 0.0
        else:
            s = (-PROBE if slope > 0.0 else PROBE) / np.sqrt(square)
        su, sv = su + s * tu, sv + s * tv
        bu, bv = huu * su + huv * sv + gu, huv * su + hvv * sv + gv
        weight[1] = -(cu * bu + cv * bv) / square
        weight[0] = 1.0 - weight[1]
        return su, sv, True
    eu, ev = piece[2, 13] - gu, piece[2, 14] - gv
    e = piece[2, 12] - piece[0, 12]
    det = cu * ev - cv * eu
    if det == 0.0:
        return 0.0, 0.0, False
    su, sv = (cv * e - ev * c) / det, (eu * c - cu * e) / det
    bu, bv = huu * su + huv * sv + gu, huv * su + hvv * sv + gv
    weight[1] = (eu * bv - ev * bu) / det
    weight[2] = (cv * bu - cu * bv) / det
    weight[0] = 1.0 - weight[1] - weight[2]
    return su, sv, True


@routine
def drop_negative(piece, count, weight):
    """Remove the piece that pulls instead of pushes, if there is one; return how many are left."""
    at = 0
    for i in range(1, count):
        if weight[i] < weight[at]:
            at = i
    if not weight[at] < -1e-12:
        return count
    last = count - 1
    weight[at] = weight[last]
    for c in range(PIECE_COLUMNS):
        piece[at, c] = piece[last, c]
    total = 0.0
    for i in range(last):
        weight[i] = max(weight[i], 0.0)
        total += weight[i]
    for i in range(last):
        weight[i] = weight[i] / total if total > 0.0 else 1.0 / last
    return last


@routine
def polish(a, points_a, b, points_b, pose, size, count, n, piece, weight):
    """Improve direction n: (f, n, point of A, how far the points are from facing each other [m]).

    The first `count` rows of `piece` are those that meet, with their weights.
    """
    small = False
    for _ in range(STEPS):
        u = perpendicular(n)
        v = cross(n, u)
        p, s = support_point(a, points_a, n), support_point(b, points_b, into_b(pose, negative(n)))
        f = dot(n, minus(p, out_of_b(pose, s)))
        largest = -np.inf
        for i in range(count):
            evaluate(a, b, pose, piece, i, n, u, v)
            largest = max(largest, piece[i, 12])
        if f > largest + 1e-14 * size:
            count = add_piece(a, b, size, piece, count, 0.0, weight, p, s)
            for i in range(count):
                evaluate(a, b, pose, piece, i, n, u, v)
            small = False
        if small:
            break
        su, sv, found = newton_step(piece, count, weight)
        if not found:
            return f, n, p, np.inf
        fewer = drop_negative(piece, count, weight)
        if fewer < count:
            count = fewer
            continue
        length = np.sqrt(su * su + sv * sv)
        small = length < 1e-8
        if length > LONGEST:
            su, sv = su * (LONGEST / length), sv * (LONGEST / length)
        n = along(along(n, su, u), sv, v)
        n = over(n, norm(n))
    p, q = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(count):
        p = along(p, weight[i], (piece[i, 6], piece[i, 7], piece[i, 8]))
        q = along(q, weight[i], (piece[i, 9], piece[i, 10], piece[i, 11]))
    error = norm(along(minus(q, p), f, n))
    if not small:
        error = np.inf
    return f, n, p, error
