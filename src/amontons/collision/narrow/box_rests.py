"""Two boxes that lie face on face, as in walls and piles: what `box_pairs.meet` finds, faster.

The overlap of the two faces has four corners in closed form, unless a side of one cuts a side of
the other aslant. Face axes alone decide, unless an edge axis could part the boxes farther. `frame`,
`witness` and names are as in `box_axes` and `box_faces`; so are keys and contacts.
"""

from __future__ import annotations

import math

import numpy as np

from amontons._jit import routine
from amontons.collision.narrow.box_axes import FLAT, PARALLEL, turn_round
from amontons.collision.narrow.box_faces import (
    CROSSING,
    SNAP,
    VERTEX_OF_A,
    VERTEX_OF_B,
    following,
    incident_axis,
)

KEPT, CUT, ASLANT = 0, 1, 2
"""What a side of the reference face does to the side of the incident face that is next to it."""

HIGH_U, HIGH_V = np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0, 1.0])
"""Whether each of the four corners is on the upper side along u and v."""


@routine
def face_axis(frame, tie):
    """Largest separation along the six face axes, and one that has it."""
    r00, r01, r02 = abs(frame[0, 0]), abs(frame[0, 1]), abs(frame[0, 2])
    r10, r11, r12 = abs(frame[1, 0]), abs(frame[1, 1]), abs(frame[1, 2])
    r20, r21, r22 = abs(frame[2, 0]), abs(frame[2, 1]), abs(frame[2, 2])
    d0, d1, d2 = frame[3, 0], frame[3, 1], frame[3, 2]
    a0, a1, a2 = frame[4, 0], frame[4, 1], frame[4, 2]
    b0, b1, b2 = frame[5, 0], frame[5, 1], frame[5, 2]
    best, axis = abs(d0) - a0 - b0 * r00 - b1 * r01 - b2 * r02, 0
    apart = abs(d1) - a1 - b0 * r10 - b1 * r11 - b2 * r12
    if apart > best + tie:
        best, axis = apart, 1
    apart = abs(d2) - a2 - b0 * r20 - b1 * r21 - b2 * r22
    if apart > best + tie:
        best, axis = apart, 2
    for j in range(3):
        apart = abs(d0 * frame[0, j] + d1 * frame[1, j] + d2 * frame[2, j]) - frame[5, j]
        apart -= a0 * abs(frame[0, j]) + a1 * abs(frame[1, j]) + a2 * abs(frame[2, j])
        if apart > best + tie:
            best, axis = apart, 3 + j
    return best, axis


@routine
def may_beat(least, x, y, d1, d2, a1, a2, b1, b2, r1, r2):
    """Whether the boxes are less deep than `least` ≤ 0 along an edge axis, before it is scaled."""
    apart = abs(d2 * x - d1 * y) - a1 * abs(y) - a2 * abs(x) - b1 * abs(r2) - b2 * abs(r1)
    square = x * x + y * y
    return (square >= PARALLEL * PARALLEL) & (
        (apart >= 0.0) | (apart * apart < least * least * square)
    )


@routine
def edges_may_beat(frame, least):
    """Whether an edge axis could part the boxes farther than `least`, at most zero."""
    r00, r01, r02 = frame[0, 0], frame[0, 1], frame[0, 2]
    r10, r11, r12 = frame[1, 0], frame[1, 1], frame[1, 2]
    r20, r21, r22 = frame[2, 0], frame[2, 1], frame[2, 2]
    d0, d1, d2 = frame[3, 0], frame[3, 1], frame[3, 2]
    a0, a1, a2 = frame[4, 0], frame[4, 1], frame[4, 2]
    b0, b1, b2 = frame[5, 0], frame[5, 1], frame[5, 2]
    return (
        may_beat(least, r10, r20, d1, d2, a1, a2, b1, b2, r01, r02)
        | may_beat(least, r11, r21, d1, d2, a1, a2, b2, b0, r02, r00)
        | may_beat(least, r12, r22, d1, d2, a1, a2, b0, b1, r00, r01)
        | may_beat(least, r20, r00, d2, d0, a2, a0, b1, b2, r11, r12)
        | may_beat(least, r21, r01, d2, d0, a2, a0, b2, b0, r12, r10)
        | may_beat(least, r22, r02, d2, d0, a2, a0, b0, b1, r10, r11)
        | may_beat(least, r00, r10, d0, d1, a0, a1, b1, b2, r21, r22)
        | may_beat(least, r01, r11, d0, d1, a0, a1, b2, b0, r22, r20)
        | may_beat(least, r02, r12, d0, d1, a0, a1, b0, b1, r20, r21)
    )


@routine
def reference_face(frame, axis, apart, slip, witness):
    """Face axis to clip on: one of A if it lies flat on the normal, which becomes the witness.

    Returns it, the sign of its outward direction, and its cosine with the normal.
    """
    face, cosine, sign = axis, 1.0, 1.0
    if axis < 3:
        sign = 1.0 if frame[3, axis] >= 0.0 else -1.0
        witness[0], witness[1], witness[2] = 0.0, 0.0, 0.0
        witness[axis] = sign
    else:
        j = axis - 3
        n0, n1, n2 = frame[0, j], frame[1, j], frame[2, j]
        towards = 1.0 if n0 * frame[3, 0] + n1 * frame[3, 1] + n2 * frame[3, 2] >= 0.0 else -1.0
        witness[0], witness[1], witness[2] = towards * n0, towards * n1, towards * n2
        sign, steepest = -towards, max(abs(n0), abs(n1), abs(n2))
        askew = math.sqrt(max(0.0, 1.0 - steepest * steepest))
        if steepest >= FLAT and askew * abs(apart) <= slip:
            face = 0 if abs(n0) == steepest else (1 if abs(n1) == steepest else 2)
            sign, cosine = (1.0 if witness[face] > 0.0 else -1.0), steepest
    return face, sign, cosine


@routine
def side_state(c, e, f, h, snap):
    """What a side at `h` does to an incident side with corners at c + e ± f, e and f positive."""
    if c + e + f - h <= snap:
        return KEPT
    return CUT if c + e - f - h > snap and c - e + f - h < -snap else ASLANT


@routine
def corners(frame, home, axis, sign, cosine, loose, spots):
    """Corners of the overlap of two faces, where that has four; return whether it has.

    They are those of `box_faces.overlap`: spots[0] and spots[1] ← where they are over the reference
    face along u and v, spots[2] ← their heights over it, spots[3] ← gaps, spots[4] ← keys, and
    spots[5] ← heights of those that are, to the square root of `loose`, on both faces.
    """
    u = following(axis)
    v = following(u)
    j = incident_axis(frame, home, axis)
    p = following(j)
    q = following(p)
    middle, reach, extent = home + 3, home + 4, home + 5
    up, tilt0, tilt1 = frame[home + axis, j], frame[home + u, j], frame[home + v, j]
    front, top = (1.0 if up * sign < 0.0 else 0.0), (1.0 if sign > 0.0 else 0.0)
    b = (2.0 * front - 1.0) * frame[extent, j]
    c0, c1 = frame[middle, u] + b * tilt0, frame[middle, v] + b * tilt1
    # height over the reference face at (0, 0), and its slope
    tilt0, tilt1 = tilt0 * sign / up, tilt1 * sign / up
    height = sign * (frame[middle, axis] + b * up) - frame[reach, axis] + tilt0 * c0 + tilt1 * c1
    h0, h1, b0, b1 = frame[reach, u], frame[reach, v], frame[extent, p], frame[extent, q]
    snap = SNAP * min(h0, h1, b0, b1)
    # half sides of the incident face: (e0, e1) more along u, (f0, f1) more along v
    e0, e1 = b0 * frame[home + u, p], b0 * frame[home + v, p]
    f0, f1 = b1 * frame[home + u, q], b1 * frame[home + v, q]
    # vertices and edges by number: a first one, and what the signs along e and f add
    vertex_e, vertex_f = float(1 << p), float(1 << q)
    edge_e, edge_e_f, edge_f, edge_f_e = 4.0 * p + 2.0 * front, 1.0, 4.0 * q + front, 2.0
    if abs(f0) * b0 > abs(e0) * b1:
        e0, e1, f0, f1 = f0, f1, e0, e1
        vertex_e, vertex_f = vertex_f, vertex_e
        edge_e, edge_e_f, edge_f, edge_f_e = edge_f, edge_f_e, edge_e, edge_e_f
    long0, long1, short0, short1 = abs(e0), abs(f1), abs(f0), abs(e1)
    low0 = side_state(-c0, long0, short0, h0, snap)
    high0 = side_state(c0, long0, short0, h0, snap)
    low1 = side_state(-c1, long1, short1, h1, snap)
    high1 = side_state(c1, long1, short1, h1, snap)
    four = max(low0, high0, low1, high1) < ASLANT and long0 > 0.0 and long1 > 0.0
    if four:
        incident, reference, of_side, of_edge = VERTEX_OF_B, VERTEX_OF_A, 16.0, 1.0
        if home > 0:
            incident, reference, of_side, of_edge = VERTEX_OF_A, VERTEX_OF_B, 1.0, 16.0
        first_inner, first_outer = incident + front * (1 << j), reference + top * (1 << axis)
        vertex_u, vertex_v = float(1 << u), float(1 << v)
        side_u, side_v = 4.0 * v + top, 4.0 * u + 2.0 * top
        forth_e, forth_f = (1.0 if e0 > 0.0 else -1.0), (1.0 if f1 > 0.0 else -1.0)
        slope_e, slope_f = e1 / e0, f0 / f1
        for k in range(4):  # without branches, in numbers of one kind: all four at once
            plus0, plus1 = HIGH_U[k], HIGH_V[k]
            s0, s1 = (2.0 * plus0 - 1.0) * h0, (2.0 * plus1 - 1.0) * h1
            end_e, end_f = (2.0 * plus0 - 1.0) * forth_e, (2.0 * plus1 - 1.0) * forth_f
            plus_e, plus_f = 0.5 + 0.5 * end_e, 0.5 + 0.5 * end_f
            cut0 = (high0 if plus0 > 0.5 else low0) == CUT
            cut1 = (high1 if plus1 > 0.5 else low1) == CUT
            x, y = c0 + end_e * e0 + end_f * f0, c1 + end_e * e1 + end_f * f1
            # the side along e goes on to u = s0, and the side along f to v = s1
            x1, y1 = x + (s1 - y) * slope_f, y + (s0 - x) * slope_e
            x, y = (s0 if cut0 else (x1 if cut1 else x)), (s1 if cut1 else (y1 if cut0 else y))
            inner = first_inner + plus_e * vertex_e + plus_f * vertex_f
            outer = first_outer + plus0 * vertex_u + plus1 * vertex_v
            across0 = of_side * (side_u + 2.0 * plus0) + of_edge * (edge_e + plus_f * edge_e_f)
            across1 = of_side * (side_v + plus1) + of_edge * (edge_f + plus_e * edge_f_e)
            in_x, in_y = min(max(x, -h0), h0), min(max(y, -h1), h1)
            over = height - tilt0 * in_x - tilt1 * in_y
            off = (x - in_x) * (x - in_x) + (y - in_y) * (y - in_y)
            spots[0, k], spots[1, k], spots[2, k], spots[3, k] = in_x, in_y, over, over * cosine
            spots[4, k] = (
                (outer if cut1 else CROSSING + across0)
                if cut0
                else (CROSSING + across1 if cut1 else inner)
            )
            spots[5, k] = over if off <= loose else math.inf
    return four


@routine
def rest(frame, axis, apart, margin, tie, slip, witness, spots):
    """Whether two boxes, `apart` along the face axis `axis`, meet face on face; if so, `corners`.

    Returns the face, too, and the sign of its outward direction.
    """
    four, face, sign = False, axis, 1.0
    if apart > 0.0 or not edges_may_beat(frame, min(apart + tie, 0.0)):
        face, sign, cosine = reference_face(frame, axis, apart, slip, witness)
        home, j = 0, face
        if face >= 3:
            turn_round(frame)
            home, j = 6, face - 3
        four = corners(frame, home, j, sign, cosine, 2.0 * tie * abs(apart), spots)
        if four:
            # Boxes are as far apart as two points of theirs at most: no other axis parts them
            # farther than this one if it has such points. Those may be off sideways by x: the
            # square root of apart² + x² is less than apart + x²/(2 apart).
            lowest = min(spots[5, 0], spots[5, 1], spots[5, 2], spots[5, 3])
            deepest = min(spots[3, 0], spots[3, 1], spots[3, 2], spots[3, 3])
            four = deepest <= margin and (apart <= 0.0 or lowest <= apart + tie)
    return four, face, sign
