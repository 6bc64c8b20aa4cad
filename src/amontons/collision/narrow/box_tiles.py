"""Pairs of boxes, a tile of them at a time: where B is seen from A, and the axes that part them.

A tile has a row for each number of a pair and a column for each pair: the compiler works on four
pairs at once, and nothing is read back right after it was written. Axes are numbered as in
`box_axes`.
"""

from __future__ import annotations

from amontons._jit import routine
from amontons.collision.narrow.box_axes import PARALLEL

LANES = 16
"""Pairs of a tile. The last bits of a pair may depend on its lane."""

TURN_A, TURN_B = 0, 4
"""Rows of quaternions, as they come."""
OFFSET = 8
"""Three rows: from A's place to B's, in world axes [m]."""
HALF_A, HALF_B = 11, 14
"""Three rows each: half extents [m]."""
AXES_A, AXES_B, B_IN_A = 17, 26, 35
"""Nine rows each: rotation matrices of A, of B, and of B in the frame of A, row by row."""
MIDDLE_B, MIDDLE_A = 44, 47
"""Three rows each: B's centre in the frame of A, and A's in that of B [m]."""
SCALE, APART, AXIS, EDGES = 50, 51, 52, 53
"""Sum of all half extents, separation along a face axis and which one, edges that may beat it."""
ROWS = 54
"""Rows of this file; those of `box_references` follow."""


@routine
def gather(place, turn, size, shape, pair, begin, tile):
    """The boxes of pairs from `begin` on into a tile; the last pair fills what it has too many."""
    for lane in range(LANES):
        i = min(begin + lane, pair.shape[0] - 1)
        a, b = pair[i, 0], pair[i, 1]
        s, t = shape[a], shape[b]
        for k in range(4):
            tile[(TURN_A + k) * LANES + lane] = turn[a, k]
            tile[(TURN_B + k) * LANES + lane] = turn[b, k]
        for k in range(3):
            tile[(OFFSET + k) * LANES + lane] = place[b, k] - place[a, k]
            tile[(HALF_A + k) * LANES + lane] = size[s, k]
            tile[(HALF_B + k) * LANES + lane] = size[t, k]


@routine
def three(tile, row, i):
    """Rows from `row` on of lane i."""
    at = row * LANES + i
    return tile[at], tile[at + LANES], tile[at + 2 * LANES]


@routine
def nine(tile, row, i):
    """Rows from `row` on of lane i, as of a matrix row by row."""
    a, b, c = three(tile, row, i)
    d, e, f = three(tile, row + 3, i)
    g, h, k = three(tile, row + 6, i)
    return a, b, c, d, e, f, g, h, k


@routine
def rotation(w, x, y, z):
    """Row by row, the rotation matrix of a unit quaternion."""
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


@routine
def put_three(tile, row, i, x, y, z):
    """Rows from `row` on of lane i ← x, y, z."""
    at = row * LANES + i
    tile[at], tile[at + LANES], tile[at + 2 * LANES] = x, y, z


@routine
def relative_frames(tile):
    """B in the frame of A, where each is in the frame of the other, and the sum of half extents."""
    for i in range(LANES):
        w, x, y = three(tile, TURN_A, i)
        p00, p01, p02, p10, p11, p12, p20, p21, p22 = rotation(
            w, x, y, tile[(TURN_A + 3) * LANES + i]
        )
        put_three(tile, AXES_A, i, p00, p01, p02)
        put_three(tile, AXES_A + 3, i, p10, p11, p12)
        put_three(tile, AXES_A + 6, i, p20, p21, p22)
        w, x, y = three(tile, TURN_B, i)
        q00, q01, q02, q10, q11, q12, q20, q21, q22 = rotation(
            w, x, y, tile[(TURN_B + 3) * LANES + i]
        )
        put_three(tile, AXES_B, i, q00, q01, q02)
        put_three(tile, AXES_B + 3, i, q10, q11, q12)
        put_three(tile, AXES_B + 6, i, q20, q21, q22)
        r00 = p00 * q00 + p10 * q10 + p20 * q20
        r01 = p00 * q01 + p10 * q11 + p20 * q21
        r02 = p00 * q02 + p10 * q12 + p20 * q22
        r10 = p01 * q00 + p11 * q10 + p21 * q20
        r11 = p01 * q01 + p11 * q11 + p21 * q21
        r12 = p01 * q02 + p11 * q12 + p21 * q22
        r20 = p02 * q00 + p12 * q10 + p22 * q20
        r21 = p02 * q01 + p12 * q11 + p22 * q21
        r22 = p02 * q02 + p12 * q12 + p22 * q22
        put_three(tile, B_IN_A, i, r00, r01, r02)
        put_three(tile, B_IN_A + 3, i, r10, r11, r12)
        put_three(tile, B_IN_A + 6, i, r20, r21, r22)
        x, y, z = three(tile, OFFSET, i)
        d0 = p00 * x + p10 * y + p20 * z
        d1 = p01 * x + p11 * y + p21 * z
        d2 = p02 * x + p12 * y + p22 * z
        put_three(tile, MIDDLE_B, i, d0, d1, d2)
        x = -(r00 * d0 + r10 * d1 + r20 * d2)
        y = -(r01 * d0 + r11 * d1 + r21 * d2)
        z = -(r02 * d0 + r12 * d1 + r22 * d2)
        put_three(tile, MIDDLE_A, i, x, y, z)
        a0, a1, a2 = three(tile, HALF_A, i)
        b0, b1, b2 = three(tile, HALF_B, i)
        tile[SCALE * LANES + i] = (a0 + b0) + (a1 + b1) + (a2 + b2)


@routine
def face_axes(tile, tie):
    """Largest separation along the six face axes, and one that has it.

    A later one must be larger by `tie`, relative to the boxes.
    """
    for i in range(LANES):
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = nine(tile, B_IN_A, i)
        r00, r01, r02 = abs(r00), abs(r01), abs(r02)
        r10, r11, r12 = abs(r10), abs(r11), abs(r12)
        r20, r21, r22 = abs(r20), abs(r21), abs(r22)
        d0, d1, d2 = three(tile, MIDDLE_B, i)
        e0, e1, e2 = three(tile, MIDDLE_A, i)
        a0, a1, a2 = three(tile, HALF_A, i)
        b0, b1, b2 = three(tile, HALF_B, i)
        lead = tie * tile[SCALE * LANES + i]
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
        tile[APART * LANES + i] = best
        tile[AXIS * LANES + i] = axis


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
    for i in range(LANES):
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = nine(tile, B_IN_A, i)
        d0, d1, d2 = three(tile, MIDDLE_B, i)
        a0, a1, a2 = three(tile, HALF_A, i)
        b0, b1, b2 = three(tile, HALF_B, i)
        apart = tile[APART * LANES + i]
        least = min(apart + tie * tile[SCALE * LANES + i], 0.0)
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
        tile[EDGES * LANES + i] = 1.0 if lead >= 0.0 else 0.0
