"""Which faces of two boxes lie on each other: the reference face and the incident face.

It is done for a tile of pairs (see `box_tiles`), whose rows from `ROWS` on are filled here. The
reference face has sides along axes u and v, the incident face of axis j those along p and q.
"""

from __future__ import annotations

import math

import numpy as np

from amontons._jit import routine
from amontons.collision.narrow.box_axes import FLAT
from amontons.collision.narrow.box_faces import SNAP, following
from amontons.collision.narrow.box_tiles import (
    APART,
    AXES_A,
    AXES_B,
    AXIS,
    B_IN_A,
    EDGES,
    HALF_A,
    HALF_B,
    LANES,
    MIDDLE_A,
    MIDDLE_B,
    ROWS,
    SCALE,
)

FACE, SIGN, COSINE, HOME, ALONG, INCIDENT = range(ROWS, ROWS + 6)
"""The reference face (0 to 5, or −1), its outward direction, its cosine with the normal, whether it
is B's, its own axis and j."""
NORMAL, COLUMN_U, COLUMN_V, COLUMN_N = range(ROWS + 6, ROWS + 18, 3)
"""Three rows each, in world axes: the contacts' normal; u, v and the reference face's own axis."""
CENTRE, REACH, SLOPE, SIDE_P, SIDE_Q, EXTENT = range(ROWS + 18, ROWS + 36, 3)
"""Three rows each, along (u, v, own): the incident box's centre, the reference box's half extents,
axes j, p and q; the last are the incident box's half extents along (p, q, j)."""
ROWS_OF_FACES = ROWS + 36
"""Rows up to here; those of `box_rests` follow."""


@routine
def at(tile, row, lane):
    """An element of a tile."""
    return tile[np.uint64(row * LANES + lane)]


@routine
def put(tile, row, lane, value):
    """An element of a tile ← value."""
    tile[np.uint64(row * LANES + lane)] = value


@routine
def copy(tile, lane, goal, x, y, z):
    """Rows `goal`, `goal` + 1 and `goal` + 2 of a lane ← its rows x, y and z."""
    put(tile, goal, lane, at(tile, x, lane))
    put(tile, goal + 1, lane, at(tile, y, lane))
    put(tile, goal + 2, lane, at(tile, z, lane))


@routine
def put_normal(tile, lane, axis):
    """The normal in world axes, along a face axis of A, or of B as A sees it; return its sign."""
    towards = 1.0 if at(tile, MIDDLE_B + axis, lane) >= 0.0 else -1.0
    if axis >= 3:
        towards = -1.0 if at(tile, MIDDLE_A + axis - 3, lane) > 0.0 else 1.0
    for k in range(3):
        along = at(tile, AXES_A + 3 * k + axis, lane)
        if axis >= 3:
            along = at(tile, AXES_A + 3 * k, lane) * at(tile, B_IN_A + axis - 3, lane)
            along += at(tile, AXES_A + 3 * k + 1, lane) * at(tile, B_IN_A + axis, lane)
            along += at(tile, AXES_A + 3 * k + 2, lane) * at(tile, B_IN_A + axis + 3, lane)
        put(tile, NORMAL + k, lane, towards * along)
    return towards


@routine
def reference_face(tile, lane, axis, towards, slip):
    """Face to clip on: one of A if it lies flat on the normal, along or against face axis `axis`.

    Returns it, the sign of its outward direction, and its cosine with the normal.
    """
    if axis < 3:
        return axis, towards, 1.0
    n0 = at(tile, B_IN_A + axis - 3, lane)
    n1 = at(tile, B_IN_A + axis, lane)
    n2 = at(tile, B_IN_A + axis + 3, lane)
    steepest = max(abs(n0), abs(n1), abs(n2))
    askew = math.sqrt(max(0.0, 1.0 - steepest * steepest))
    if steepest < FLAT or askew * abs(at(tile, APART, lane)) > slip * at(tile, SCALE, lane):
        return axis, -towards, 1.0
    face = 0 if abs(n0) == steepest else (1 if abs(n1) == steepest else 2)
    along = n0 if face == 0 else (n1 if face == 1 else n2)
    return face, (1.0 if along * towards > 0.0 else -1.0), steepest


@routine
def incident_axis(tile, lane, row, column):
    """Axis of the incident box most nearly along the reference axis; earlier ones if in doubt."""
    j, best = 0, abs(at(tile, row, lane))
    for candidate in range(1, 3):
        along = abs(at(tile, row + column * candidate, lane))
        if along > best + SNAP:
            j, best = candidate, along
    return j


@routine
def lay_axes(tile, lane, face):
    """Bring what belongs to the reference face's axes u, v and its own, and to p, q and j, there.

    Rows of B in A's frame are along axes of A; if the reference face is one of B, columns are.
    """
    own, axes, middle, reach, extent = face, AXES_A, MIDDLE_B, HALF_A, HALF_B
    row, column = 3, 1
    if face >= 3:
        own, axes, middle, reach, extent = face - 3, AXES_B, MIDDLE_A, HALF_B, HALF_A
        row, column = 1, 3
    u = following(own)
    v = following(u)
    along_u, along_v, along = B_IN_A + row * u, B_IN_A + row * v, B_IN_A + row * own
    j = incident_axis(tile, lane, along, column)
    p = following(j)
    q = following(p)
    put(tile, HOME, lane, 1.0 if face >= 3 else 0.0)
    put(tile, ALONG, lane, float(own))
    put(tile, INCIDENT, lane, float(j))
    copy(tile, lane, COLUMN_U, axes + u, axes + 3 + u, axes + 6 + u)
    copy(tile, lane, COLUMN_V, axes + v, axes + 3 + v, axes + 6 + v)
    copy(tile, lane, COLUMN_N, axes + own, axes + 3 + own, axes + 6 + own)
    copy(tile, lane, CENTRE, middle + u, middle + v, middle + own)
    copy(tile, lane, REACH, reach + u, reach + v, reach + own)
    copy(tile, lane, EXTENT, extent + p, extent + q, extent + j)
    j, p, q = column * j, column * p, column * q
    copy(tile, lane, SLOPE, along_u + j, along_v + j, along + j)
    copy(tile, lane, SIDE_P, along_u + p, along_v + p, along + p)
    copy(tile, lane, SIDE_Q, along_u + q, along_v + q, along + q)


@routine
def choose_faces(tile, margin, slip):
    """Reference and incident faces of the pairs that may rest on each other; return how many do."""
    number = 0
    for lane in range(LANES):
        put(tile, FACE, lane, -1.0)
        if at(tile, APART, lane) > margin or at(tile, EDGES, lane) > 0.0:
            continue
        number += 1
        axis = int(at(tile, AXIS, lane))
        towards = put_normal(tile, lane, axis)
        face, sign, cosine = reference_face(tile, lane, axis, towards, slip)
        put(tile, FACE, lane, float(face))
        put(tile, SIGN, lane, sign)
        put(tile, COSINE, lane, cosine)
        lay_axes(tile, lane, face)
    return number
