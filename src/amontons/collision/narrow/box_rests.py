"""Boxes that lie face on face, as in walls and piles: what `box_pairs.meet` finds, faster.

The overlap of the two faces has four corners in closed form, unless a side of one cuts a side of
the other aslant. Face axes alone decide, unless an edge axis could part the boxes farther. It is
done for a tile of pairs at once (see `box_tiles`); names, keys and contacts are as in `box_faces`.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.collision.narrow.box_faces import CROSSING, SNAP, VERTEX_OF_A, VERTEX_OF_B
from amontons.collision.narrow.box_references import choose_faces
from amontons.collision.narrow.box_tiles import LANES, three
from amontons.collision.pair_contacts import put_contact

ONE_MORE = np.uint64(1)
"""Rows are counted without sign, as Numba checks every other index for its sign."""

KEPT, CUT, ASLANT = 0.0, 1.0, 2.0
"""What a side of the reference face does to the side of the incident face that is next to it."""


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
def lay_outlines(tile):
    """The incident faces over the reference faces, and what sides of these do to them."""
    t = tile[0]
    sign, slope, centre, reach, extent = t.sign, t.slope, t.centre, t.reach, t.extent
    side_p, side_q, middle, tilt, side_e = t.side_p, t.side_q, t.middle, t.tilt, t.side_e
    side_f, cut_u, cut_v, rests = t.side_f, t.cut_u, t.cut_v, t.rests
    for i in range(LANES):
        tilt0, tilt1, up = three(slope, i)
        x, y, z = three(centre, i)
        h0, h1, h2 = three(reach, i)
        b0, b1, b2 = three(extent, i)
        b = b2 if up * sign[i] < 0.0 else -b2
        c0, c1 = x + b * tilt0, y + b * tilt1
        # height over the reference face at (0, 0), and its slope
        tilt0, tilt1 = tilt0 * sign[i] / up, tilt1 * sign[i] / up
        height = sign[i] * (z + b * up) - h2 + tilt0 * c0 + tilt1 * c1
        snap = SNAP * min(h0, h1, b0, b1)
        # half sides of the incident face: (e0, e1) more along u, (f0, f1) more along v
        p0, p1 = b0 * side_p[0, i], b0 * side_p[1, i]
        q0, q1 = b1 * side_q[0, i], b1 * side_q[1, i]
        swap = abs(q0) * b0 > abs(p0) * b1
        e0, e1 = (q0 if swap else p0), (q1 if swap else p1)
        f0, f1 = (p0 if swap else q0), (p1 if swap else q1)
        long0, long1, short0, short1 = abs(e0), abs(f1), abs(f0), abs(e1)
        low0 = side_state(-c0, long0, short0, h0, snap)
        high0 = side_state(c0, long0, short0, h0, snap)
        low1 = side_state(-c1, long1, short1, h1, snap)
        high1 = side_state(c1, long1, short1, h1, snap)
        worst = max(low0, high0, low1, high1)
        may_rest = 1.0 if min(long0, long1) > 0.0 else 0.0
        rests[i] = may_rest if worst < ASLANT else 0.0
        middle[0, i], middle[1, i], middle[2, i] = c0, c1, height
        tilt[0, i], tilt[1, i] = tilt0, tilt1
        side_e[0, i], side_e[1, i], side_e[2, i] = e0, e1, e1 / e0
        side_f[0, i], side_f[1, i], side_f[2, i] = f0, f1, f0 / f1
        cut_u[0, i], cut_u[1, i] = low0, high0
        cut_v[0, i], cut_v[1, i] = low1, high1


@routine
def number_features(tile):
    """Vertices and edges of both faces: a first number, and what the signs along e and f add."""
    t = tile[0]
    sign, home, slope, extent, side_p = t.sign, t.home, t.slope, t.extent, t.side_p
    side_q, incident, along, vertex_e = t.side_q, t.incident, t.along, t.vertex_e
    vertex_f, edge_e, edge_f, edge_e_f = t.vertex_f, t.edge_e, t.edge_f, t.edge_e_f
    edge_f_e, inner, outer, vertex_u = t.edge_f_e, t.inner, t.outer, t.vertex_u
    vertex_v, side_u, side_v = t.vertex_v, t.side_u, t.side_v
    for i in range(LANES):
        front = 1.0 if slope[2, i] * sign[i] < 0.0 else 0.0
        top = 1.0 if sign[i] > 0.0 else 0.0
        b0, b1 = extent[0, i], extent[1, i]
        swap = abs(b1 * side_q[0, i]) * b0 > abs(b0 * side_p[0, i]) * b1
        p, u = next_axis(incident[i]), next_axis(along[i])
        q, v = next_axis(p), next_axis(u)
        edge_p, edge_q = 4.0 * p + 2.0 * front, 4.0 * q + front
        vertex_e[i], vertex_f[i] = (bit(q) if swap else bit(p)), (bit(p) if swap else bit(q))
        edge_e[i], edge_f[i] = (edge_q if swap else edge_p), (edge_p if swap else edge_q)
        edge_e_f[i], edge_f_e[i] = (2.0 if swap else 1.0), (1.0 if swap else 2.0)
        of_incident = float(VERTEX_OF_A) if home[i] > 0.0 else float(VERTEX_OF_B)
        of_reference = float(VERTEX_OF_B) if home[i] > 0.0 else float(VERTEX_OF_A)
        inner[i] = of_incident + front * bit(incident[i])
        outer[i] = of_reference + top * bit(along[i])
        vertex_u[i], vertex_v[i] = bit(u), bit(v)
        side_u[i], side_v[i] = 4.0 * v + top, 4.0 * u + 2.0 * top


@routine
def find_corners(tile, k, tie, corners):
    """Corner `k` of the overlaps: bit 0 is set if it is on the upper side along u, bit 1 along v.

    It is one of `box_faces.overlap`.
    """
    t = tile[0]
    reach, side_e, side_f, cut_u, cut_v = t.reach, t.side_e, t.side_f, t.cut_u, t.cut_v
    middle, tilt, scale, apart, cosine, sign = t.middle, t.tilt, t.scale, t.apart, t.cosine, t.sign
    home, column_u, column_v, column_n = t.home, t.column_u, t.column_v, t.column_n
    offset = t.offset
    point, gap, near = corners[k].point, corners[k].gap, corners[k].near
    low_or_high_u, low_or_high_v = k & 1, k >> 1
    upper0, upper1 = 2.0 * low_or_high_u - 1.0, 2.0 * low_or_high_v - 1.0
    for i in range(LANES):
        h0, h1, half = three(reach, i)
        e0, e1, slope_e = three(side_e, i)
        f0, f1, slope_f = three(side_f, i)
        end_e = upper0 if e0 > 0.0 else -upper0
        end_f = upper1 if f1 > 0.0 else -upper1
        cut0, cut1 = cut_u[low_or_high_u, i] == CUT, cut_v[low_or_high_v, i] == CUT
        x = middle[0, i] + end_e * e0 + end_f * f0
        y = middle[1, i] + end_e * e1 + end_f * f1
        # the side along e goes on to u = s0, and the side along f to v = s1
        s0, s1 = upper0 * h0, upper1 * h1
        x1 = x + (s1 - y) * slope_f
        y1 = y + (s0 - x) * slope_e
        x1, y1 = (x1 if cut1 else x), (y1 if cut0 else y)
        x, y = (s0 if cut0 else x1), (s1 if cut1 else y1)
        in_x, in_y = min(max(x, -h0), h0), min(max(y, -h1), h1)
        over = middle[2, i] - tilt[0, i] * in_x - tilt[1, i] * in_y
        off = (x - in_x) * (x - in_x) + (y - in_y) * (y - in_y)
        loose = 2.0 * (tie * scale[i]) * abs(apart[i])
        near[i] = over if off <= loose else np.inf
        gap[i] = over * cosine[i]
        # in world axes, less A's place: on the reference face if that is A's, else below it
        z = sign[i] * (half + home[i] * over)
        u0, u1, u2 = three(column_u, i)
        v0, v1, v2 = three(column_v, i)
        n0, n1, n2 = three(column_n, i)
        d0, d1, d2 = three(offset, i)
        point[0, i] = home[i] * d0 + u0 * in_x + v0 * in_y + n0 * z
        point[1, i] = home[i] * d1 + u1 * in_x + v1 * in_y + n1 * z
        point[2, i] = home[i] * d2 + u2 * in_x + v2 * in_y + n2 * z


@routine
def name_corners(tile, k, corners):
    """Keys of corner `k`: what meets there, a vertex of either box, or a side and an edge."""
    t = tile[0]
    side_e, side_f, cut_u, cut_v, home = t.side_e, t.side_f, t.cut_u, t.cut_v, t.home
    inner, vertex_e, vertex_f, outer = t.inner, t.vertex_e, t.vertex_f, t.outer
    vertex_u, vertex_v, edge_e, edge_e_f = t.vertex_u, t.vertex_v, t.edge_e, t.edge_e_f
    edge_f, edge_f_e, side_u, side_v = t.edge_f, t.edge_f_e, t.side_u, t.side_v
    key = corners[k].key
    low_or_high_u, low_or_high_v = k & 1, k >> 1
    plus0, plus1 = float(low_or_high_u), float(low_or_high_v)
    for i in range(LANES):
        plus_e = plus0 if side_e[0, i] > 0.0 else 1.0 - plus0
        plus_f = plus1 if side_f[1, i] > 0.0 else 1.0 - plus1
        cut0, cut1 = cut_u[low_or_high_u, i] == CUT, cut_v[low_or_high_v, i] == CUT
        inner_vertex = inner[i] + plus_e * vertex_e[i] + plus_f * vertex_f[i]
        outer_vertex = outer[i] + plus0 * vertex_u[i] + plus1 * vertex_v[i]
        of_side, of_edge = (1.0 if home[i] > 0.0 else 16.0), (16.0 if home[i] > 0.0 else 1.0)
        edge0 = edge_e[i] + plus_f * edge_e_f[i]
        edge1 = edge_f[i] + plus_e * edge_f_e[i]
        across0 = of_side * (side_u[i] + 2.0 * plus0) + of_edge * edge0
        across1 = of_side * (side_v[i] + plus1) + of_edge * edge1
        not_cut0 = CROSSING + across1 if cut1 else inner_vertex
        is_cut0 = outer_vertex if cut1 else CROSSING + across0
        key[i] = is_cut0 if cut0 else not_cut0


@routine
def judge(tile, margin, tie, corners):
    """Whether each overlap shows how far its boxes are apart, and its deepest corner."""
    t = tile[0]
    apart, scale, rests, face, first = t.apart, t.scale, t.rests, t.face, t.first
    for i in range(LANES):
        deepest, which = corners[0].gap[i], 0.0
        lowest = corners[0].near[i]
        for k in range(1, 4):
            here = corners[k].gap[i]
            which = float(k) if here < deepest else which
            deepest = here if here < deepest else deepest
            lowest = min(lowest, corners[k].near[i])
        # Boxes are as far apart as two points of theirs at most: no other axis parts them farther
        # than this one if it has such points. Those may be off sideways by x: the square root of
        # apart² + x² is less than apart + x²/(2 apart).
        reached = lowest if apart[i] > 0.0 else apart[i]
        rest_there = rests[i] if reached <= apart[i] + tie * scale[i] else 0.0
        rest_there = rest_there if deepest <= margin else 0.0
        rests[i] = rest_there if face[i] >= 0.0 else 0.0
        first[i] = which


@routine
def rest(tile, margin, tie, slip, corners):
    """Find which pairs of a tile lie face on face (`rests`), and the corners of their overlaps.

    Lengths up to `tie` are equal, contact points may be off by `slip`, both of the boxes' scale.
    """
    if choose_faces(tile, margin, slip) == 0:
        rests = tile[0].rests
        for i in range(LANES):
            rests[i] = 0.0
        return
    lay_outlines(tile)
    number_features(tile)
    for k in range(4):
        find_corners(tile, k, tie, corners)
        name_corners(tile, k, corners)
    judge(tile, margin, tie, corners)


@routine
def store_rests(begin, count, tile, corners, margin, number, normal, point, gap, key):
    """Contacts of pairs that rest, from pair `begin` on, the deepest first; others have none."""
    t = tile[0]
    for lane in range(np.uint64(count)):
        i, contacts = np.uint64(begin) + lane, np.uint64(0)
        if t.rests[lane] > 0.0:
            n = three(t.normal, lane)
            apart, first = t.apart[lane], int(t.first[lane])
            for slot in range(4):
                k = first if slot == 0 else (0 if slot == first else slot)
                c = corners[np.uint64(k)]
                here = c.gap[lane]
                if here <= margin:
                    # the first is the deepest; snapping may have moved it by a hair
                    distance = max(apart, here) if slot > 0 else apart
                    p, code = three(c.point, lane), np.uint32(c.key[lane])
                    put_contact(normal, point, gap, key, i, contacts, n, p, distance, code)
                    contacts += ONE_MORE
        number[i] = contacts
