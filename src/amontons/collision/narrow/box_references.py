"""Which faces of two boxes lie on each other: the reference face and the incident face.

It is done for a tile of pairs (see `box_tiles`), pair by pair. The reference face has sides along
axes u and v, the incident face of axis j those along p and q.
"""

from __future__ import annotations

import math

import numpy as np

from amontons._jit import routine
from amontons.collision.narrow.box_axes import FLAT
from amontons.collision.narrow.box_faces import SNAP, following
from amontons.collision.narrow.box_tiles import LANES

THREE = np.uint64(3)


@routine
def copy(source, x, y, z, lane, goal):
    """The three rows of a lane in `goal` ← its rows x, y and z in `source`.

    Rows are counted without sign, as Numba checks every other index for its sign.
    """
    goal[0, lane] = source[np.uint64(x), lane]
    goal[1, lane] = source[np.uint64(y), lane]
    goal[2, lane] = source[np.uint64(z), lane]


@routine
def put_normal(tile, lane, axis):
    """The normal in world axes, along a face axis of A, or of B as A sees it; return its sign."""
    t = tile[0]
    axes_a, b_in_a, normal = t.axes_a, t.b_in_a, t.normal
    if axis < 3:
        towards = 1.0 if t.middle_b[np.uint64(axis), lane] >= 0.0 else -1.0
        for k in range(3):
            normal[k, lane] = towards * axes_a[np.uint64(3 * k + axis), lane]
        return towards
    j = np.uint64(axis - 3)
    towards = -1.0 if t.middle_a[j, lane] > 0.0 else 1.0
    n0, n1, n2 = b_in_a[j, lane], b_in_a[j + THREE, lane], b_in_a[j + THREE + THREE, lane]
    for k in range(3):
        along = axes_a[3 * k, lane] * n0
        along += axes_a[3 * k + 1, lane] * n1
        along += axes_a[3 * k + 2, lane] * n2
        normal[k, lane] = towards * along
    return towards


@routine
def reference_face(tile, lane, axis, towards, slip):
    """Face to clip on: one of A if it lies flat on the normal, along or against face axis `axis`.

    Returns it, the sign of its outward direction, and its cosine with the normal.
    """
    if axis < 3:
        return axis, towards, 1.0
    t = tile[0]
    b_in_a = t.b_in_a
    n0, n1, n2 = b_in_a[axis - 3, lane], b_in_a[axis, lane], b_in_a[axis + 3, lane]
    steepest = max(abs(n0), abs(n1), abs(n2))
    askew = math.sqrt(max(0.0, 1.0 - steepest * steepest))
    if steepest < FLAT or askew * abs(t.apart[lane]) > slip * t.scale[lane]:
        return axis, -towards, 1.0
    face = 0 if abs(n0) == steepest else (1 if abs(n1) == steepest else 2)
    along = n0 if face == 0 else (n1 if face == 1 else n2)
    return face, (1.0 if along * towards > 0.0 else -1.0), steepest


@routine
def incident_axis(b_in_a, lane, row, column):
    """Axis of the incident box most nearly along the reference axis; earlier ones if in doubt."""
    j, best = 0, abs(b_in_a[np.uint64(row), lane])
    for candidate in range(1, 3):
        along = abs(b_in_a[np.uint64(row + column * candidate), lane])
        if along > best + SNAP:
            j, best = candidate, along
    return j


@routine
def lay_axes(tile, lane, face):
    """Bring what belongs to the reference face's axes u, v and its own, and to p, q and j, there.

    Rows of B in A's frame are along axes of A; if the reference face is one of B, columns are.
    """
    t = tile[0]
    b_in_a = t.b_in_a
    own, row, column = face, 3, 1
    axes, middle, reach, extent = t.axes_a, t.middle_b, t.half_a, t.half_b
    if face >= 3:
        own, row, column = face - 3, 1, 3
        axes, middle, reach, extent = t.axes_b, t.middle_a, t.half_b, t.half_a
    u = following(own)
    v = following(u)
    along_u, along_v, along = row * u, row * v, row * own
    j = incident_axis(b_in_a, lane, along, column)
    p = following(j)
    q = following(p)
    t.home[lane], t.along[lane], t.incident[lane] = (1.0 if face >= 3 else 0.0), own, j
    copy(axes, u, 3 + u, 6 + u, lane, t.column_u)
    copy(axes, v, 3 + v, 6 + v, lane, t.column_v)
    copy(axes, own, 3 + own, 6 + own, lane, t.column_n)
    copy(middle, u, v, own, lane, t.centre)
    copy(reach, u, v, own, lane, t.reach)
    copy(extent, p, q, j, lane, t.extent)
    j, p, q = column * j, column * p, column * q
    copy(b_in_a, along_u + j, along_v + j, along + j, lane, t.slope)
    copy(b_in_a, along_u + p, along_v + p, along + p, lane, t.side_p)
    copy(b_in_a, along_u + q, along_v + q, along + q, lane, t.side_q)


@routine
def choose_faces(tile, margin, slip):
    """Reference and incident faces of the pairs that may rest on each other; return how many do."""
    t = tile[0]
    number = 0
    for lane in range(np.uint64(LANES)):
        t.face[lane] = -1.0
        if t.apart[lane] > margin or t.edges[lane] > 0.0:
            continue
        number += 1
        axis = int(t.axis[lane])
        towards = put_normal(tile, lane, axis)
        face, sign, cosine = reference_face(tile, lane, axis, towards, slip)
        t.face[lane], t.sign[lane], t.cosine[lane] = face, sign, cosine
        lay_axes(tile, lane, face)
    return number
