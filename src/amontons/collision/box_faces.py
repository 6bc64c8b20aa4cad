"""Where a face of one box lies over a face of another: a polygon whose corners keep their names.

The reference box has the frame; `frame` holds, row by row, the rotation of the incident box in it
(rows 0 to 2), the incident box's centre (3), and the half extents of the two (4 and 5).
A face is an axis j and a sign; over it, coordinates are (u, v) = axes (j + 1, j + 2) mod 3.
Corners of a face are counted (−, −), (+, −), (+, +), (−, +), and side k goes from corner k to the
next. Names of the polygon's corners: 0 to 3 corners of the incident face, 4 to 7 corners of the
reference face, 8 + 4·side + edge where an edge of the incident face crosses a side. A corner's tags
are its name and the label of the edge that leaves it: the edge's number in the incident face, or
4 + side where it runs along a side of the reference face.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import helper, routine

ROOM = 16
"""Rows of the polygons' arrays: a quadrilateral cut by four sides has at most eight corners."""

SNAP = 1e-3
"""Corners this near to a side, relative to the faces, count as on it: aligned boxes stay so."""

VERTEX_OF_A, VERTEX_OF_B, CROSSING = 0x100, 0x200, 0x400
"""Keys: a vertex 0 to 7 of one box meets the other, or edges 0 to 11 of the two cross."""


@helper
def corner_signs(k):
    """Signs along u and v of corner `k` of a face."""
    return (1.0 if k == 1 or k == 2 else -1.0), (1.0 if k >= 2 else -1.0)


@routine
def incident_axis(frame, axis):
    """Axis of the incident box most nearly along the reference axis; earlier ones if in doubt."""
    best, j = -1.0, 0
    for candidate in range(3):
        if abs(frame[axis, candidate]) > best + SNAP:
            best, j = abs(frame[axis, candidate]), candidate
    return j


@helper
def beyond(side, x, y, h0, h1):
    """How far (x, y) is outside a side of the rectangle with half extents h0, h1."""
    if side == 0:
        return -y - h1
    if side == 1:
        return x - h0
    if side == 2:
        return y - h1
    return -x - h0


@helper
def add(polygon, tags, count, x, y, name, label):
    """Another corner of the polygon."""
    polygon[count, 0], polygon[count, 1] = x, y
    tags[count, 0], tags[count, 1] = name, label
    return min(count + 1, ROOM - 1)


@routine
def cut(side, h0, h1, snap, polygon, tags, count, result, result_tags):
    """Keep the part of the polygon within one side of the reference face.

    Corners within `snap` of the side are kept as they are, so that their names stay.
    """
    kept = 0
    for k in range(count):
        after = k + 1 if k + 1 < count else 0
        x, y = polygon[k, 0], polygon[k, 1]
        here = beyond(side, x, y, h0, h1)
        there = beyond(side, polygon[after, 0], polygon[after, 1], h0, h1)
        label = tags[k, 1]
        leaves = here <= snap and there > snap
        if here <= snap:
            along = 4 + side if leaves and here >= -snap else label
            kept = add(result, result_tags, kept, x, y, tags[k, 0], along)
        enters = here > snap and there < -snap
        if (leaves and here < -snap) or enters:
            part = here / (here - there)
            x += part * (polygon[after, 0] - x)
            y += part * (polygon[after, 1] - y)
            if label < 4:
                name = 8 + 4 * side + label
            else:
                # Two sides meet in the later one's corner, but for sides 3 and 0.
                low, high = min(side, label - 4), max(side, label - 4)
                name = 4 if high - low == 3 else 4 + high
            along = label if enters else 4 + side
            kept = add(result, result_tags, kept, x, y, name, along)
    return kept


@routine
def overlap(frame, axis, sign, polygon, tags, spare, spare_tags):
    """Cut the incident face to the reference face's outline; return how many corners are left.

    Rows of `polygon` become (u, v, height over the reference face) where that face is, and
    spare[:, 2] the distance from a corner there to the incident face's own corner that was snapped
    onto it.
    """
    u, v = (axis + 1) % 3, (axis + 2) % 3
    j = incident_axis(frame, axis)
    p, q = (j + 1) % 3, (j + 2) % 3
    up = frame[axis, j]
    b = -frame[5, j] if up * sign > 0.0 else frame[5, j]
    h0, h1 = frame[4, u], frame[4, v]
    c0, c1 = frame[3, u] + b * frame[u, j], frame[3, v] + b * frame[v, j]
    height = frame[3, axis] + b * up
    for k in range(4):
        along_p, along_q = corner_signs(k)
        along_p, along_q = along_p * frame[5, p], along_q * frame[5, q]
        polygon[k, 0] = c0 + along_p * frame[u, p] + along_q * frame[u, q]
        polygon[k, 1] = c1 + along_p * frame[v, p] + along_q * frame[v, q]
        tags[k, 0], tags[k, 1] = k, k
    snap = SNAP * min(h0, h1, frame[5, p], frame[5, q])
    count = 4
    for side in range(0, 4, 2):
        count = cut(side, h0, h1, snap, polygon, tags, count, spare, spare_tags)
        count = cut(side + 1, h0, h1, snap, spare, spare_tags, count, polygon, tags)
    tilt0, tilt1 = frame[u, j] / up, frame[v, j] / up
    for k in range(count):
        x, y = polygon[k, 0], polygon[k, 1]
        polygon[k, 0], polygon[k, 1] = min(max(x, -h0), h0), min(max(y, -h1), h1)
        own = sign * (height - tilt0 * (x - c0) - tilt1 * (y - c1)) - frame[4, axis]
        x -= polygon[k, 0]
        y -= polygon[k, 1]
        spare[k, 2] = np.sqrt(own * own + x * x + y * y) if own > 0.0 else 0.0
        polygon[k, 2] = own + sign * (tilt0 * x + tilt1 * y)
    return count


@routine
def vertex_of(axis, positive, k):
    """Number of a box's vertex that is corner `k` of a face."""
    along_u, along_v = corner_signs(k)
    number = (1 << axis) if positive else 0
    if along_u > 0.0:
        number += 1 << ((axis + 1) % 3)
    if along_v > 0.0:
        number += 1 << ((axis + 2) % 3)
    return number


@routine
def edge_of(axis, positive, side):
    """Number of a box's edge that is this side of a face: 4·axis + signs of the next two axes."""
    face = 1 if positive else 0
    plus = 1 if side == 1 or side == 2 else 0
    if side == 0 or side == 2:
        return 4 * ((axis + 1) % 3) + plus + 2 * face
    return 4 * ((axis + 2) % 3) + face + 2 * plus


@routine
def key_of(name, frame, axis, sign, flipped):
    """Key of a corner of the polygon, the same whichever of the boxes is the reference."""
    j = incident_axis(frame, axis)
    positive = frame[axis, j] * sign < 0.0
    if name < 4:
        return (VERTEX_OF_A if flipped else VERTEX_OF_B) + vertex_of(j, positive, name)
    if name < 8:
        return (VERTEX_OF_B if flipped else VERTEX_OF_A) + vertex_of(axis, sign > 0.0, name - 4)
    side = edge_of(axis, sign > 0.0, (name - 8) // 4)
    edge = edge_of(j, positive, name % 4)
    if flipped:
        return CROSSING + 16 * edge + side
    return CROSSING + 16 * side + edge
