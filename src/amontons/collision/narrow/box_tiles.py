"""Pairs of boxes, a tile of them at a time: where B is seen from A, and the axes that part them.

A tile has a row for each number of a pair and a column for each pair: the compiler works on four
pairs at once, and nothing is read back right after it was written. Axes are numbered as in
`box_axes`.

Tiles are handed on as arrays of one record, which own their memory; each routine takes out the
fields that it works with.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import routine
from amontons.algebra.rotations import matrix_entries
from amontons.collision.narrow.box_axes import PARALLEL

LANES = 16
"""Pairs of a tile. The last bits of a pair may depend on its lane."""

ONE, TWO, THREE, FOUR, NINE = ((n, LANES) if n > 1 else (LANES,) for n in (1, 2, 3, 4, 9))
"""Shapes of the fields of a tile: a number of rows of lanes each."""

TILE = np.dtype(
    [
        # as they come (`gather`)
        ("turn_a", "f8", FOUR),  # quaternions
        ("turn_b", "f8", FOUR),
        ("offset", "f8", THREE),  # from A's place to B's, in world axes [m]
        ("half_a", "f8", THREE),  # half extents [m]
        ("half_b", "f8", THREE),
        # where B is seen from A (`relative_frames`)
        ("axes_a", "f8", NINE),  # rotation matrices of A and of B, row by row
        ("axes_b", "f8", NINE),
        ("b_in_a", "f8", NINE),  # that of B in the frame of A
        ("middle_b", "f8", THREE),  # B's centre in the frame of A [m]
        ("middle_a", "f8", THREE),  # A's centre in the frame of B [m]
        ("scale", "f8", ONE),  # sum of all half extents [m]
        # the axes that part them (`face_axes`, `edge_axes`)
        ("apart", "f8", ONE),  # largest separation along a face axis [m]
        ("axis", "f8", ONE),  # which one that is
        ("edges", "f8", ONE),  # 1 where an edge axis may part them farther
        # the faces that lie on each other (`box_references`)
        ("face", "f8", ONE),  # the reference face, 0 to 5, or −1
        ("sign", "f8", ONE),  # its outward direction along its axis
        ("cosine", "f8", ONE),  # of its angle with the normal
        ("home", "f8", ONE),  # 1 if it is B's
        ("along", "f8", ONE),  # its axis
        ("incident", "f8", ONE),  # axis j of the incident face
        ("normal", "f8", THREE),  # of the contacts, in world axes
        ("column_u", "f8", THREE),  # in world axes: u, v and the reference face's own axis
        ("column_v", "f8", THREE),
        ("column_n", "f8", THREE),
        ("centre", "f8", THREE),  # of the incident box, along (u, v, own) [m]
        ("reach", "f8", THREE),  # half extents of the reference box, along (u, v, own) [m]
        ("slope", "f8", THREE),  # axes j, p and q of the incident box, along (u, v, own)
        ("side_p", "f8", THREE),
        ("side_q", "f8", THREE),
        ("extent", "f8", THREE),  # half extents of the incident box, along (p, q, j) [m]
        # the incident face over the reference face (`box_rests`)
        ("middle", "f8", THREE),  # its centre along u and v, and its height at (0, 0) [m]
        ("tilt", "f8", TWO),  # by how much it falls along u and v
        ("side_e", "f8", THREE),  # half its side that is more along u: u, v [m] and v/u
        ("side_f", "f8", THREE),  # half its side that is more along v: u, v [m] and u/v
        ("cut_u", "f8", TWO),  # what the lower and the upper side along u do to it
        ("cut_v", "f8", TWO),
        ("inner", "f8", ONE),  # number of its first vertex; and what is added along e and f
        ("vertex_e", "f8", ONE),
        ("vertex_f", "f8", ONE),
        ("edge_e", "f8", ONE),  # number of its first edge along e; and what is added along f
        ("edge_e_f", "f8", ONE),
        ("edge_f", "f8", ONE),  # the same of those along f
        ("edge_f_e", "f8", ONE),
        ("outer", "f8", ONE),  # number of the reference face's first vertex, and what is added
        ("vertex_u", "f8", ONE),
        ("vertex_v", "f8", ONE),
        ("side_u", "f8", ONE),  # numbers of its sides across u and across v
        ("side_v", "f8", ONE),
        ("rests", "f8", ONE),  # 1 if the overlap has four corners and shows how far they are apart
        ("first", "f8", ONE),  # the deepest corner
    ],
    align=True,
)
"""Data of a tile of pairs, in the order of computation."""

CORNER = np.dtype(
    [
        ("point", "f8", THREE),  # in world axes, less A's place [m]
        ("gap", "f8", ONE),  # [m]
        ("key", "f8", ONE),
        ("near", "f8", ONE),  # height if it is on both faces, else ∞ [m]
    ],
    align=True,
)
"""One of the four corners of the overlaps of a tile of pairs. They are not part of the tile, and a
record each, so that the compiler needs few checks to see that loops write elsewhere than they read.
"""


@routine
def gather(place, turn, size, shape, pair, begin, tile):
    """Gather the boxes of pairs from `begin` on into a tile; the last pair fills unused lanes."""
    turn_a, turn_b, offset = tile[0].turn_a, tile[0].turn_b, tile[0].offset
    half_a, half_b = tile[0].half_a, tile[0].half_b
    for lane in range(LANES):
        i = min(begin + lane, pair.shape[0] - 1)
        a, b = pair[i, 0], pair[i, 1]
        s, t = shape[a], shape[b]
        for k in range(4):
            turn_a[k, lane], turn_b[k, lane] = turn[a, k], turn[b, k]
        for k in range(3):
            offset[k, lane] = place[b, k] - place[a, k]
            half_a[k, lane], half_b[k, lane] = size[s, k], size[t, k]


@routine
def three(rows, i):
    """The three rows of lane i."""
    return rows[0, i], rows[1, i], rows[2, i]


@routine
def nine(rows, i):
    """The nine rows of lane i, as of a matrix row by row."""
    return (
        rows[0, i], rows[1, i], rows[2, i],
        rows[3, i], rows[4, i], rows[5, i],
        rows[6, i], rows[7, i], rows[8, i],
    )  # fmt: skip


rotation = routine(matrix_entries)
"""Row by row, the rotation matrix of a unit quaternion (w, x, y, z)."""


@routine
def put_three(rows, first, i, x, y, z):
    """Rows from `first` on of lane i ← x, y, z."""
    rows[first, i], rows[first + 1, i], rows[first + 2, i] = x, y, z


@routine
def relative_frames(tile):
    """B in the frame of A, where each is in the frame of the other, and the sum of half extents."""
    t = tile[0]
    turn_a, turn_b, axes_a, axes_b, b_in_a = t.turn_a, t.turn_b, t.axes_a, t.axes_b, t.b_in_a
    offset, half_a, half_b, middle_a = t.offset, t.half_a, t.half_b, t.middle_a
    middle_b, scale = t.middle_b, t.scale
    for i in range(LANES):
        p00, p01, p02, p10, p11, p12, p20, p21, p22 = rotation(
            turn_a[0, i], turn_a[1, i], turn_a[2, i], turn_a[3, i]
        )
        put_three(axes_a, 0, i, p00, p01, p02)
        put_three(axes_a, 3, i, p10, p11, p12)
        put_three(axes_a, 6, i, p20, p21, p22)
        q00, q01, q02, q10, q11, q12, q20, q21, q22 = rotation(
            turn_b[0, i], turn_b[1, i], turn_b[2, i], turn_b[3, i]
        )
        put_three(axes_b, 0, i, q00, q01, q02)
        put_three(axes_b, 3, i, q10, q11, q12)
        put_three(axes_b, 6, i, q20, q21, q22)
        r00 = p00 * q00 + p10 * q10 + p20 * q20
        r01 = p00 * q01 + p10 * q11 + p20 * q21
        r02 = p00 * q02 + p10 * q12 + p20 * q22
        r10 = p01 * q00 + p11 * q10 + p21 * q20
        r11 = p01 * q01 + p11 * q11 + p21 * q21
        r12 = p01 * q02 + p11 * q12 + p21 * q22
        r20 = p02 * q00 + p12 * q10 + p22 * q20
        r21 = p02 * q01 + p12 * q11 + p22 * q21
        r22 = p02 * q02 + p12 * q12 + p22 * q22
        put_three(b_in_a, 0, i, r00, r01, r02)
        put_three(b_in_a, 3, i, r10, r11, r12)
        put_three(b_in_a, 6, i, r20, r21, r22)
        x, y, z = three(offset, i)
        d0 = p00 * x + p10 * y + p20 * z
        d1 = p01 * x + p11 * y + p21 * z
        d2 = p02 * x + p12 * y + p22 * z
        put_three(middle_b, 0, i, d0, d1, d2)
        x = -(r00 * d0 + r10 * d1 + r20 * d2)
        y = -(r01 * d0 + r11 * d1 + r21 * d2)
        z = -(r02 * d0 + r12 * d1 + r22 * d2)
        put_three(middle_a, 0, i, x, y, z)
        a0, a1, a2 = three(half_a, i)
        b0, b1, b2 = three(half_b, i)
        scale[i] = (a0 + b0) + (a1 + b1) + (a2 + b2)


@routine
def face_axes(tile, tie):
    """Largest separation along the six face axes, and one that has it.

    A later one must be larger by `tie`, relative to the boxes.
    """
    t = tile[0]
    b_in_a, middle_a, middle_b, half_a = t.b_in_a, t.middle_a, t.middle_b, t.half_a
    half_b, scale = t.half_b, t.scale
    for i in range(LANES):
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = nine(b_in_a, i)
        r00, r01, r02 = abs(r00), abs(r01), abs(r02)
        r10, r11, r12 = abs(r10), abs(r11), abs(r12)
        r20, r21, r22 = abs(r20), abs(r21), abs(r22)
        d0, d1, d2 = three(middle_b, i)
        e0, e1, e2 = three(middle_a, i)
        a0, a1, a2 = three(half_a, i)
        b0, b1, b2 = three(half_b, i)
        lead = tie * scale[i]
        best, axis = abs(d0) - a0 - b0 * r00 - b1 * r01 - b2 * r02, 0.0
        apart = abs(d1) - a1 - b0 * r10 - b1 * r11 - b2 * r12
        axis = 1.0 if apart > best + lead else axis
        best = apart if apart > best + lead else best
        apart = abs(d2) - a2 - b0 * r20 - b1 * r21 - b2 * r22
        axis = 2.0 if apart > best + lead else axis
        best = apart if apart > best + lead else best
        apart = abs(e0) - b0 - (a0 * r00 + a1 * r10 + a2 * r20)
        axis = 3.0 if apart > best + lead else axis
        best = apart if apart > best + lead else best
        apart = abs(e1) - b1 - (a0 * r01 + a1 * r11 + a2 * r21)
        axis = 4.0 if apart > best + lead else axis
        best = apart if apart > best + lead else best
        apart = abs(e2) - b2 - (a0 * r02 + a1 * r12 + a2 * r22)
        axis = 5.0 if apart > best + lead else axis
        best = apart if apart > best + lead else best
        t.apart[i], t.axis[i] = best, axis


@routine
def lead_of_edges(square, x, y, d1, d2, a1, a2, b1, b2, r1, r2):
    """Not negative if boxes that overlap by the root of `square` do so less along an edge axis.

    Both are squares, with the sign of the separation, before the axis is scaled to length one.
    """
    apart = abs(d2 * x - d1 * y) - a1 * abs(y) - a2 * abs(x) - b1 * abs(r2) - b2 * abs(r1)
    length = x * x + y * y
    lead = apart * abs(apart) + square * length
    return lead if length >= PARALLEL * PARALLEL else -1.0


@routine
def edge_axes(tile, tie):
    """Edges ← 1 where the boxes overlap and an edge axis could part them farther, else 0."""
    t = tile[0]
    b_in_a, middle_b, half_a, half_b, scale = t.b_in_a, t.middle_b, t.half_a, t.half_b, t.scale
    edges = t.edges
    for i in range(LANES):
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = nine(b_in_a, i)
        d0, d1, d2 = three(middle_b, i)
        a0, a1, a2 = three(half_a, i)
        b0, b1, b2 = three(half_b, i)
        apart = t.apart[i]
        least = min(apart + tie * scale[i], 0.0)
        square = least * least
        lead = max(
            lead_of_edges(square, r10, r20, d1, d2, a1, a2, b1, b2, r01, r02),
            lead_of_edges(square, r11, r21, d1, d2, a1, a2, b2, b0, r02, r00),
            lead_of_edges(square, r12, r22, d1, d2, a1, a2, b0, b1, r00, r01),
            lead_of_edges(square, r20, r00, d2, d0, a2, a0, b1, b2, r11, r12),
            lead_of_edges(square, r21, r01, d2, d0, a2, a0, b2, b0, r12, r10),
            lead_of_edges(square, r22, r02, d2, d0, a2, a0, b0, b1, r10, r11),
            lead_of_edges(square, r00, r10, d0, d1, a0, a1, b1, b2, r21, r22),
            lead_of_edges(square, r01, r11, d0, d1, a0, a1, b2, b0, r22, r20),
            lead_of_edges(square, r02, r12, d0, d1, a0, a1, b0, b1, r20, r21),
        )
        lead = lead if apart <= 0.0 else -1.0
        edges[i] = 1.0 if lead >= 0.0 else 0.0
