"""Exact normals for round shapes: Newton's method on the directions of separation.

The signed distance of two cores is the least of f(n) = h_A(n) + h_B(−n), turned round, over unit
directions n; h is the height of a core in a direction. f is the largest of smooth pieces: a
polyhedron has one a vertex, a cylinder one a rim, a cone its rim and its tip, an ellipsoid one.
A search with simplices tells which of them meet at the least value, and roughly where. From there,
Newton's method for "the largest of a few smooth functions is least" takes a few steps where
simplices would take a hundred.

Vectors are in A's axes. A piece is known by any of its points: row (point of A, point of B in B's
frame).
"""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.collision.narrow.epa import perpendicular
from amontons.collision.narrow.support import support_point
from amontons.model.shapes.table import CONE, CYLINDER, ELLIPSOID

STEPS = 16
"""Most steps of Newton's method; five are usual."""

SOFT = 1e-7
"""Part of the curvature that is added to it, so that there is some in every direction."""

PROBE = 0.03
"""Step where there is no bottom in sight [rad]."""

LONGEST = 0.2
"""Longest step [rad]."""

PIECE_COLUMNS = 18
"""Of a row of pieces: 6 for its name; then its points on A and B, f, its slope and curvature."""


@routine
def is_round(core):
    """Whether simplices take many steps to find points of this core."""
    return core[0] in (CYLINDER, CONE, ELLIPSOID)


@routine
def same_piece(core, size, p0, p1, p2, q0, q1, q2):
    """Whether two support points of a core belong to the same smooth piece of its height."""
    kind = core[0]
    if kind == ELLIPSOID:
        return True
    if kind in (CYLINDER, CONE):
        return p2 * q2 > 0.0
    return abs(p0 - q0) + abs(p1 - q1) + abs(p2 - q2) <= 1e-9 * size


@routine
def slide(core, p0, p1, p2, d0, d1, d2):
    """The point of the piece of p that is farthest in direction d."""
    kind, x, y, z, _, _, _, _ = core
    if kind == ELLIPSOID:
        e0, e1, e2 = x * d0, y * d1, z * d2
        length = np.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
        return x * (e0 / length), y * (e1 / length), z * (e2 / length)
    if kind == CYLINDER or (kind == CONE and p2 < 0.0):
        across = np.sqrt(d0 * d0 + d1 * d1)
        if across > 0.0:
            return x * d0 / across, x * d1 / across, p2
    return p0, p1, p2


@routine
def curvature(core, p, d, u, v):
    """Second derivatives (uu, uv, vv) of a piece's height at the unit direction d."""
    kind, x, y, z, _, _, _, _ = core
    p0, p1, p2 = p
    d0, d1, d2 = d
    u0, u1, u2 = u
    v0, v1, v2 = v
    if kind == ELLIPSOID:
        h = p0 * d0 + p1 * d1 + p2 * d2
        pu, pv = p0 * u0 + p1 * u1 + p2 * u2, p0 * v0 + p1 * v1 + p2 * v2
        xx, yy, zz = x * x, y * y, z * z
        return (
            (xx * u0 * u0 + yy * u1 * u1 + zz * u2 * u2 - pu * pu) / h,
            (xx * u0 * v0 + yy * u1 * v1 + zz * u2 * v2 - pu * pv) / h,
            (xx * v0 * v0 + yy * v1 * v1 + zz * v2 * v2 - pv * pv) / h,
        )
    if kind == CYLINDER or (kind == CONE and p2 < 0.0):
        across = np.sqrt(d0 * d0 + d1 * d1)
        if across > 0.0:
            tu, tv = (d0 * u1 - d1 * u0) / across, (d0 * v1 - d1 * v0) / across
            scale = x / across
            return scale * tu * tu, scale * tu * tv, scale * tv * tv
    return 0.0, 0.0, 0.0


@routine
def into_b(pose, d0, d1, d2):
    """A direction of A's axes in B's."""
    return (
        pose[0] * d0 + pose[3] * d1 + pose[6] * d2,
        pose[1] * d0 + pose[4] * d1 + pose[7] * d2,
        pose[2] * d0 + pose[5] * d1 + pose[8] * d2,
    )


@routine
def out_of_b(pose, q0, q1, q2):
    """A point of B's frame in A's."""
    return (
        pose[0] * q0 + pose[1] * q1 + pose[2] * q2 + pose[9],
        pose[3] * q0 + pose[4] * q1 + pose[5] * q2 + pose[10],
        pose[6] * q0 + pose[7] * q1 + pose[8] * q2 + pose[11],
    )


@routine
def add_piece(a, b, size, piece, count, share, weight, p, q):
    """Add the piece of points p of A and q of B (in B's frame), or its weight if it is there."""
    p0, p1, p2 = p
    q0, q1, q2 = q
    for i in range(count):
        if same_piece(a, size, piece[i, 0], piece[i, 1], piece[i, 2], p0, p1, p2) and same_piece(
            b, size, piece[i, 3], piece[i, 4], piece[i, 5], q0, q1, q2
        ):
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
    piece[at, 0], piece[at, 1], piece[at, 2] = p0, p1, p2
    piece[at, 3], piece[at, 4], piece[at, 5] = q0, q1, q2
    return count


@routine
def add_simplex_piece(a, b, pose, size, piece, count, share, weight, corner, i):
    """Add the piece that corner i of a simplex lies on."""
    p0, p1, p2 = corner[i, 3], corner[i, 4], corner[i, 5]
    q = into_b(
        pose,
        corner[i, 0] + p0 - pose[9],
        corner[i, 1] + p1 - pose[10],
        corner[i, 2] + p2 - pose[11],
    )
    return add_piece(a, b, size, piece, count, share, weight, (p0, p1, p2), q)


@routine
def evaluate(a, b, pose, piece, i, n, u, v):
    """Points, value, slope and curvature of piece i at direction n; u and v span the rest."""
    p0, p1, p2 = slide(a, piece[i, 0], piece[i, 1], piece[i, 2], n[0], n[1], n[2])
    d0, d1, d2 = into_b(pose, -n[0], -n[1], -n[2])
    s0, s1, s2 = slide(b, piece[i, 3], piece[i, 4], piece[i, 5], d0, d1, d2)
    q0, q1, q2 = out_of_b(pose, s0, s1, s2)
    w0, w1, w2 = p0 - q0, p1 - q1, p2 - q2
    f = n[0] * w0 + n[1] * w1 + n[2] * w2
    uu, uv, vv = curvature(a, (p0, p1, p2), n, u, v)
    e, g = into_b(pose, u[0], u[1], u[2]), into_b(pose, v[0], v[1], v[2])
    ee, eg, gg = curvature(b, (s0, s1, s2), (d0, d1, d2), e, g)
    piece[i, 6], piece[i, 7], piece[i, 8] = p0, p1, p2
    piece[i, 9], piece[i, 10], piece[i, 11] = q0, q1, q2
    piece[i, 12] = f
    piece[i, 13] = u[0] * w0 + u[1] * w1 + u[2] * w2
    piece[i, 14] = v[0] * w0 + v[1] * w1 + v[2] * w2
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
    n0, n1, n2 = n
    small = False
    for _ in range(STEPS):
        u0, u1, u2 = perpendicular(n0, n1, n2)
        v0, v1, v2 = n1 * u2 - n2 * u1, n2 * u0 - n0 * u2, n0 * u1 - n1 * u0
        p0, p1, p2 = support_point(a, points_a, n0, n1, n2)
        d0, d1, d2 = into_b(pose, -n0, -n1, -n2)
        s0, s1, s2 = support_point(b, points_b, d0, d1, d2)
        q0, q1, q2 = out_of_b(pose, s0, s1, s2)
        f = n0 * (p0 - q0) + n1 * (p1 - q1) + n2 * (p2 - q2)
        largest = -np.inf
        for i in range(count):
            evaluate(a, b, pose, piece, i, (n0, n1, n2), (u0, u1, u2), (v0, v1, v2))
            largest = max(largest, piece[i, 12])
        if f > largest + 1e-14 * size:
            p, q = (p0, p1, p2), (s0, s1, s2)
            count = add_piece(a, b, size, piece, count, 0.0, weight, p, q)
            for i in range(count):
                evaluate(a, b, pose, piece, i, (n0, n1, n2), (u0, u1, u2), (v0, v1, v2))
            small = False
        if small:
            break
        su, sv, found = newton_step(piece, count, weight)
        if not found:
            return f, n0, n1, n2, p0, p1, p2, np.inf
        fewer = drop_negative(piece, count, weight)
        if fewer < count:
            count = fewer
            continue
        length = np.sqrt(su * su + sv * sv)
        small = length < 1e-8
        if length > LONGEST:
            su, sv = su * (LONGEST / length), sv * (LONGEST / length)
        n0, n1, n2 = n0 + su * u0 + sv * v0, n1 + su * u1 + sv * v1, n2 + su * u2 + sv * v2
        length = np.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
        n0, n1, n2 = n0 / length, n1 / length, n2 / length
    p0, p1, p2, q0, q1, q2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(count):
        p0, p1, p2 = (
            p0 + weight[i] * piece[i, 6],
            p1 + weight[i] * piece[i, 7],
            p2 + weight[i] * piece[i, 8],
        )
        q0, q1, q2 = (
            q0 + weight[i] * piece[i, 9],
            q1 + weight[i] * piece[i, 10],
            q2 + weight[i] * piece[i, 11],
        )
    error = np.sqrt((q0 - p0 + f * n0) ** 2 + (q1 - p1 + f * n1) ** 2 + (q2 - p2 + f * n2) ** 2)
    if not small:
        error = np.inf
    return f, n0, n1, n2, p0, p1, p2, error
