"""Boxes that lie face on face, as in walls and piles: what `box_pairs.meet` finds, faster.

The overlap of the two faces has four corners in closed form, unless a side of one cuts a side of
the other aslant. Face axes alone decide, unless an edge axis could part the boxes farther. It is
done for a tile of pairs at once (see `box_tiles`); names, keys and contacts are as in `box_faces`.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.collision.narrow.box_faces import CROSSING, SNAP, VERTEX_OF_A, VERTEX_OF_B
from amontons.collision.narrow.box_references import (
    ALONG,
    CENTRE,
    COLUMN_N,
    COLUMN_U,
    COLUMN_V,
    COSINE,
    EXTENT,
    FACE,
    HOME,
    INCIDENT,
    NORMAL,
    REACH,
    ROWS_OF_FACES,
    SIDE_P,
    SIDE_Q,
    SIGN,
    SLOPE,
    at,
    choose_faces,
)
from amontons.collision.narrow.box_tiles import APART, LANES, OFFSET, SCALE, three
from amontons.collision.pair_contacts import put_contact

KEPT, CUT, ASLANT = 0.0, 1.0, 2.0
"""What a side of the reference face does to the side of the incident face that is next to it."""

C0, C1, HEIGHT, E0, E1, SLOPE_E, F0, F1, SLOPE_F = range(ROWS_OF_FACES, ROWS_OF_FACES + 9)
"""The incident face's centre and height; half its sides, nearest to u and to v, and slopes."""
LOW_U, HIGH_U, LOW_V, HIGH_V = range(ROWS_OF_FACES + 9, ROWS_OF_FACES + 13)
"""What each side of the reference face does to the incident face."""
INNER, VERTEX_E, VERTEX_F, EDGE_E, EDGE_E_F, EDGE_F, EDGE_F_E = range(
    ROWS_OF_FACES + 13, ROWS_OF_FACES + 20
)
"""Numbers of the incident face's vertices and edges: first ones, and what signs add."""
OUTER, VERTEX_U, VERTEX_V, SIDE_U, SIDE_V = range(ROWS_OF_FACES + 20, ROWS_OF_FACES + 25)
"""The same of the reference face."""
RESTS, FIRST = ROWS_OF_FACES + 25, ROWS_OF_FACES + 26
"""Whether the overlap has four corners and shows how far the boxes are apart; the deepest one."""
TILE = LANES * (ROWS_OF_FACES + 27)
"""Numbers of a tile."""
POINT, GAP, KEY, NEAR = 0, 3, 4, 5
"""Rows of a corner: place, in three rows, gap, key, and height if it is on both faces."""
CORNER = LANES * 6
"""Numbers of one corner of each pair; four of those follow each other."""


@routine
def side_state(c, e, f, h, snap):
    """What a side at `h` does to an incident side with corners at c + e ± f, e and f positive."""
    low, high = c - e + f - h, c + e - f - h
    state = CUT if high > snap else ASLANT
    state = state if low < -snap else ASLANT
    return KEPT if c + e + f - h <= snap else state


@routine
def next_axis(axis):
    """The axis after this one, as a number of a tile."""
    return axis + 1.0 if axis < 1.5 else 0.0


@routine
def bit(axis):
    """Two to the power of an axis."""
    return 4.0 if axis > 1.5 else (2.0 if axis > 0.5 else 1.0)


@routine
def outlines(tile):
    """The incident faces over the reference faces, and the names of what they consist of."""
    for i in range(LANES):
        sign, home = tile[SIGN * LANES + i], tile[HOME * LANES + i]
        tilt0, tilt1, up = three(tile, SLOPE, i)
        x, y, z = three(tile, CENTRE, i)
        h0, h1, h2 = three(tile, REACH, i)
        b0, b1, b2 = three(tile, EXTENT, i)
        front = 1.0 if up * sign < 0.0 else 0.0
        top = 1.0 if sign > 0.0 else 0.0
        b = (2.0 * front - 1.0) * b2
        c0, c1 = x + b * tilt0, y + b * tilt1
        # height over the reference face at (0, 0), and its slope
        tilt0, tilt1 = tilt0 * sign / up, tilt1 * sign / up
        height = sign * (z + b * up) - h2 + tilt0 * c0 + tilt1 * c1
        snap = SNAP * min(h0, h1, b0, b1)
        # half sides of the incident face: (e0, e1) more along u, (f0, f1) more along v
        p0, p1 = b0 * tile[SIDE_P * LANES + i], b0 * tile[(SIDE_P + 1) * LANES + i]
        q0, q1 = b1 * tile[SIDE_Q * LANES + i], b1 * tile[(SIDE_Q + 1) * LANES + i]
        swap = abs(q0) * b0 > abs(p0) * b1
        e0, e1 = (q0 if swap else p0), (q1 if swap else p1)
        f0, f1 = (p0 if swap else q0), (p1 if swap else q1)
        long0, long1, short0, short1 = abs(e0), abs(f1), abs(f0), abs(e1)
        low0 = side_state(-c0, long0, short0, h0, snap)
        high0 = side_state(c0, long0, short0, h0, snap)
        low1 = side_state(-c1, long1, short1, h1, snap)
        high1 = side_state(c1, long1, short1, h1, snap)
        worst = max(low0, high0, low1, high1)
        rests = 1.0 if min(long0, long1) > 0.0 else 0.0
        tile[RESTS * LANES + i] = rests if worst < ASLANT else 0.0
        tile[C0 * LANES + i], tile[C1 * LANES + i], tile[HEIGHT * LANES + i] = c0, c1, height
        tile[SLOPE * LANES + i], tile[(SLOPE + 1) * LANES + i] = tilt0, tilt1
        tile[E0 * LANES + i], tile[E1 * LANES + i], tile[SLOPE_E * LANES + i] = e0, e1, e1 / e0
        tile[F0 * LANES + i], tile[F1 * LANES + i], tile[SLOPE_F * LANES + i] = f0, f1, f0 / f1
        tile[LOW_U * LANES + i], tile[HIGH_U * LANES + i] = low0, high0
        tile[LOW_V * LANES + i], tile[HIGH_V * LANES + i] = low1, high1
        # vertices and edges by number: a first one, and what the signs along e and f add
        j, along = tile[INCIDENT * LANES + i], tile[ALONG * LANES + i]
        p, u = next_axis(j), next_axis(along)
        q, v = next_axis(p), next_axis(u)
        edge_p, edge_q = 4.0 * p + 2.0 * front, 4.0 * q + front
        tile[VERTEX_E * LANES + i] = bit(q) if swap else bit(p)
        tile[VERTEX_F * LANES + i] = bit(p) if swap else bit(q)
        tile[EDGE_E * LANES + i] = edge_q if swap else edge_p
        tile[EDGE_F * LANES + i] = edge_p if swap else edge_q
        tile[EDGE_E_F * LANES + i] = 2.0 if swap else 1.0
        tile[EDGE_F_E * LANES + i] = 1.0 if swap else 2.0
        incident = float(VERTEX_OF_A) if home > 0.0 else float(VERTEX_OF_B)
        reference = float(VERTEX_OF_B) if home > 0.0 else float(VERTEX_OF_A)
        tile[INNER * LANES + i] = incident + front * bit(j)
        tile[OUTER * LANES + i] = reference + top * bit(along)
        tile[VERTEX_U * LANES + i], tile[VERTEX_V * LANES + i] = bit(u), bit(v)
        tile[SIDE_U * LANES + i], tile[SIDE_V * LANES + i] = 4.0 * v + top, 4.0 * u + 2.0 * top


@routine
def corners(tile, k, tie, spots):
    """Corner `k` of the overlaps: bit 0 is set if it is on the upper side along u, bit 1 along v.

    It is one of `box_faces.overlap`. What is found goes to an array of its own: where the compiler
    is to see that loops write elsewhere than they read, `k` must not count in both.
    """
    plus0, plus1 = float(k & 1), float(k >> 1)
    upper0, upper1 = 2.0 * plus0 - 1.0, 2.0 * plus1 - 1.0
    side0, side1 = (HIGH_U if k & 1 else LOW_U), (HIGH_V if k >> 1 else LOW_V)
    goal = np.uint64(CORNER * k)
    row0, row1 = np.uint64(side0 * LANES), np.uint64(side1 * LANES)
    for i in range(LANES):
        h0, h1, half = three(tile, REACH, i)
        e0, e1 = tile[E0 * LANES + i], tile[E1 * LANES + i]
        f0, f1 = tile[F0 * LANES + i], tile[F1 * LANES + i]
        end_e = upper0 if e0 > 0.0 else -upper0
        end_f = upper1 if f1 > 0.0 else -upper1
        plus_e, plus_f = 0.5 + 0.5 * end_e, 0.5 + 0.5 * end_f
        cut0, cut1 = tile[row0 + np.uint64(i)] == CUT, tile[row1 + np.uint64(i)] == CUT
        x = tile[C0 * LANES + i] + end_e * e0 + end_f * f0
        y = tile[C1 * LANES + i] + end_e * e1 + end_f * f1
        # the side along e goes on to u = s0, and the side along f to v = s1
        s0, s1 = upper0 * h0, upper1 * h1
        x1 = x + (s1 - y) * tile[SLOPE_F * LANES + i]
        y1 = y + (s0 - x) * tile[SLOPE_E * LANES + i]
        x1, y1 = (x1 if cut1 else x), (y1 if cut0 else y)
        x, y = (s0 if cut0 else x1), (s1 if cut1 else y1)
        in_x, in_y = min(max(x, -h0), h0), min(max(y, -h1), h1)
        over = tile[HEIGHT * LANES + i]
        over = over - tile[SLOPE * LANES + i] * in_x - tile[(SLOPE + 1) * LANES + i] * in_y
        off = (x - in_x) * (x - in_x) + (y - in_y) * (y - in_y)
        loose = 2.0 * (tie * tile[SCALE * LANES + i]) * abs(tile[APART * LANES + i])
        spots[goal + np.uint64(NEAR * LANES + i)] = over if off <= loose else np.inf
        spots[goal + np.uint64(GAP * LANES + i)] = over * tile[COSINE * LANES + i]
        # what meets: a vertex of either box, or a side and an edge
        inner = tile[INNER * LANES + i]
        inner += plus_e * tile[VERTEX_E * LANES + i] + plus_f * tile[VERTEX_F * LANES + i]
        outer = tile[OUTER * LANES + i]
        outer += plus0 * tile[VERTEX_U * LANES + i] + plus1 * tile[VERTEX_V * LANES + i]
        home = tile[HOME * LANES + i]
        of_side, of_edge = (1.0 if home > 0.0 else 16.0), (16.0 if home > 0.0 else 1.0)
        edge0 = tile[EDGE_E * LANES + i] + plus_f * tile[EDGE_E_F * LANES + i]
        edge1 = tile[EDGE_F * LANES + i] + plus_e * tile[EDGE_F_E * LANES + i]
        across0 = of_side * (tile[SIDE_U * LANES + i] + 2.0 * plus0) + of_edge * edge0
        across1 = of_side * (tile[SIDE_V * LANES + i] + plus1) + of_edge * edge1
        not_cut0 = CROSSING + across1 if cut1 else inner
        is_cut0 = outer if cut1 else CROSSING + across0
        spots[goal + np.uint64(KEY * LANES + i)] = is_cut0 if cut0 else not_cut0
        # in world axes, less A's place: on the reference face if that is A's, else below it
        z = tile[SIGN * LANES + i] * (half + home * over)
        u0, u1, u2 = three(tile, COLUMN_U, i)
        v0, v1, v2 = three(tile, COLUMN_V, i)
        n0, n1, n2 = three(tile, COLUMN_N, i)
        d0, d1, d2 = three(tile, OFFSET, i)
        spots[goal + np.uint64(i)] = home * d0 + u0 * in_x + v0 * in_y + n0 * z
        spots[goal + np.uint64(LANES + i)] = home * d1 + u1 * in_x + v1 * in_y + n1 * z
        spots[goal + np.uint64(2 * LANES + i)] = home * d2 + u2 * in_x + v2 * in_y + n2 * z


@routine
def judge(tile, margin, tie, spots):
    """Whether each overlap shows how far its boxes are apart, and its deepest corner."""
    for i in range(LANES):
        deepest, first = spots[GAP * LANES + i], 0.0
        lowest = spots[NEAR * LANES + i]
        for k in range(1, 4):
            gap = spots[CORNER * k + GAP * LANES + i]
            first = float(k) if gap < deepest else first
            deepest = gap if gap < deepest else deepest
            lowest = min(lowest, spots[CORNER * k + NEAR * LANES + i])
        # Boxes are as far apart as two points of theirs at most: no other axis parts them farther
        # than this one if it has such points. Those may be off sideways by x: the square root of
        # apart² + x² is less than apart + x²/(2 apart).
        apart = tile[APART * LANES + i]
        reached = lowest if apart > 0.0 else apart
        rests = tile[RESTS * LANES + i] if reached <= apart + tie * tile[SCALE * LANES + i] else 0.0
        rests = rests if deepest <= margin else 0.0
        tile[RESTS * LANES + i] = rests if tile[FACE * LANES + i] >= 0.0 else 0.0
        tile[FIRST * LANES + i] = first


@routine
def rest(tile, margin, tie, slip, spots):
    """Find which pairs of a tile lie face on face (`RESTS`), and the corners of their overlaps.

    Lengths up to `tie` are equal, contact points may be off by `slip`, both of the boxes' scale.
    """
    if choose_faces(tile, margin, slip) == 0:
        for i in range(LANES):
            tile[RESTS * LANES + i] = 0.0
        return
    outlines(tile)
    for k in range(4):
        corners(tile, k, tie, spots)
    judge(tile, margin, tie, spots)


@routine
def store_rests(begin, count, tile, spots, margin, number, normal, point, gap, key):
    """Contacts of pairs that rest, from pair `begin` on, the deepest first; others have none."""
    for lane in range(count):
        i, contacts = begin + lane, 0
        if at(tile, RESTS, lane) > 0.0:
            n0, n1, n2 = three(tile, NORMAL, lane)
            apart, first = at(tile, APART, lane), int(at(tile, FIRST, lane))
            for slot in range(4):
                k = first if slot == 0 else (0 if slot == first else slot)
                spot = np.uint64(CORNER * k + lane)
                here = spots[spot + np.uint64(GAP * LANES)]
                if here <= margin:
                    # the first is the deepest; snapping may have moved it by a hair
                    distance = max(apart, here) if slot > 0 else apart
                    p = (
                        spots[spot],
                        spots[spot + np.uint64(LANES)],
                        spots[spot + np.uint64(2 * LANES)],
                    )
                    code = np.uint32(spots[spot + np.uint64(KEY * LANES)])
                    n = (n0, n1, n2)
                    put_contact(normal, point, gap, key, i, contacts, n, p, distance, code)
                    contacts += 1
        number[i] = contacts
