"""Where a face of one box lies over a face of another: a polygon whose corners keep their names.

`frame` holds B seen from A in its first six rows and A seen from B in the next six: the rotation of
the incident box in the frame of the reference box, the incident box's centre, and the half extents
of the reference box and the incident box. `home` is the first row of either six.

A face is an axis j and a sign; over it, coordinates are (u, v) = axes (j + 1, j + 2) mod 3.
Corners of a face are counted (−, −), (+, −), (+, +), (−, +), and side k goes from corner k to the
next. Names of the polygon's corners: 0 to 3 corners of the incident face, 4 to 7 corners of the
reference face, 8 + 4·side + edge where an edge of the incident face crosses a side. A corner's tags
are its name and the label of the edge that leaves it: the edge's number in the incident face, or
4 + side where it runs along a side of the reference face.
"""

from __future__ import annotations

from amontons._jit import routine

ROOM = 16
"""Corners that a polygon has room for: a quadrilateral cut by four sides has at most eight.

Arrays of polygons have twice as many rows, as a polygon is cut from one half into the other."""

SNAP = 1e-3
"""Corners this near to a side, relative to the faces, count as on it: aligned boxes stay so."""

VERTEX_OF_A, VERTEX_OF_B, CROSSING = 0x100, 0x200, 0x400
"""Keys: a vertex 0 to 7 of one box meets the other, or edges 0 to 11 of the two cross."""


@routine
def following(axis):
    """The axis after this one."""
    return axis + 1 if axis < 2 else 0


@routine
def corner_signs(k):
    """Signs along u and v of corner `k` of a face."""
    return (1.0 if k == 1 or k == 2 else -1.0), (1.0 if k >= 2 else -1.0)


@routine
def incident_axis(frame, home, axis):
    """Axis of the incident box most nearly along the reference axis; earlier ones if in doubt."""
    best, j = -1.0, 0
    for candidate in range(3):
        along = abs(frame[home + axis, candidate])
        if along > best + SNAP:
            best, j = along, candidate
    return j


@routine
def side_line(h0, h1, side):
    """w0, w1 and reach: w0·x + w1·y − reach is how far a point is outside a side."""
    w0 = 1.0 if side == 1 else (-1.0 if side == 3 else 0.0)
    w1 = 1.0 if side == 2 else (-1.0 if side == 0 else 0.0)
    return w0, w1, (h0 if side & 1 else h1)


@routine
def sticks_out(h0, h1, side, snap, polygon, start, count):
    """Whether a corner of the polygon is outside a side by more than `snap`."""
    w0, w1, reach = side_line(h0, h1, side)
    for k in range(start, start + count):
        if w0 * polygon[k, 0] + w1 * polygon[k, 1] - reach > snap:
            return True
    return False


@routine
def cut(h0, h1, side, snap, polygon, tags, start, count, goal):
    """Keep the part of the polygon from row `start` within one side of the reference face.

    Corners within `snap` of the side are kept as they are, so that their names stay. The result is
    written from row `goal`; returns how many corners it has.
    """
    w0, w1, reach = side_line(h0, h1, side)
    kept, full = goal, goal + ROOM - 2
    here = w0 * polygon[start, 0] + w1 * polygon[start, 1] - reach
    for k in range(start, start + count):
        after = k + 1 if k + 1 < start + count else start
        x, y, label = polygon[k, 0], polygon[k, 1], tags[k, 1]
        there = w0 * polygon[after, 0] + w1 * polygon[after, 1] - reach
        leaves, enters = here <= snap < there, there < -snap and here > snap
        if here <= snap and kept < full:
            polygon[kept, 0], polygon[kept, 1], tags[kept, 0] = x, y, tags[k, 0]
            tags[kept, 1] = 4 + side if leaves and here >= -snap else label
            kept += 1
        if ((leaves and here < -snap) or enters) and kept < full:
            part = here / (here - there)
            polygon[kept, 0] = x + part * (polygon[after, 0] - x)
            polygon[kept, 1] = y + part * (polygon[after, 1] - y)
            # two sides meet in the later one's corner, but for sides 3 and 0
            low, high = min(side, label - 4), max(side, label - 4)
            corner = 4 if high - low == 3 else 4 + high
            tags[kept, 0] = corner if label >= 4 else 8 + 4 * side + label
            tags[kept, 1] = label if enters else 4 + side
            kept += 1
        here = there
    return kept - goal


@routine
def overlap(frame, home, axis, sign, polygon, tags):
    """Cut the incident face to the reference face's outline; return how many corners are left.

    Rows of `polygon` become (u, v, height over the reference face).
    """
    u = following(axis)
    v = following(u)
    j = incident_axis(frame, home, axis)
    p = following(j)
    q = following(p)
    up, tilt0, tilt1 = frame[home + axis, j], frame[home + u, j], frame[home + v, j]
    middle, reach, extent = home + 3, home + 4, home + 5
    b = -frame[extent, j] if up * sign > 0.0 else frame[extent, j]
    c0, c1 = frame[middle, u] + b * tilt0, frame[middle, v] + b * tilt1
    height = frame[middle, axis] + b * up
    tilt0, tilt1 = tilt0 / up, tilt1 / up
    h0, h1, b0, b1 = frame[reach, u], frame[reach, v], frame[extent, p], frame[extent, q]
    for k in range(4):
        along_p, along_q = corner_signs(k)
        along_p, along_q = along_p * b0, along_q * b1
        polygon[k, 0] = c0 + along_p * frame[home + u, p] + along_q * frame[home + u, q]
        polygon[k, 1] = c1 + along_p * frame[home + v, p] + along_q * frame[home + v, q]
        tags[k, 0], tags[k, 1] = k, k
    snap, count, start = SNAP * min(h0, h1, b0, b1), 4, 0
    for side in range(4):
        if sticks_out(h0, h1, side, snap, polygon, start, count):
            count = cut(h0, h1, side, snap, polygon, tags, start, count, ROOM - start)
            start = ROOM - start
    for k in range(count):
        x, y = polygon[start + k, 0], polygon[start + k, 1]
        x, y = min(max(x, -h0), h0), min(max(y, -h1), h1)
        tags[k, 0] = tags[start + k, 0]
        over = sign * (height - tilt0 * (x - c0) - tilt1 * (y - c1)) - frame[reach, axis]
        polygon[k, 0], polygon[k, 1], polygon[k, 2] = x, y, over
    return count


@routine
def vertex_of(axis, positive, k):
    """Number of a box's vertex that is corner `k` of a face: bit j is its sign along axis j."""
    along_u, along_v = corner_signs(k)
    u = following(axis)
    number = (1 << axis) if positive else 0
    number += (1 << u) if along_u > 0.0 else 0
    return number + ((1 << following(u)) if along_v > 0.0 else 0)


@routine
def edge_of(axis, positive, side):
    """Number of a box's edge that is this side of a face: 4·axis + signs of the next two axes."""
    face = 1 if positive else 0
    plus = 1 if side == 1 or side == 2 else 0
    u = following(axis)
    if side == 0 or side == 2:
        return 4 * u + plus + 2 * face
    return 4 * following(u) + face + 2 * plus


@routine
def key_of(name, frame, home, axis, sign):
    """Key of a corner of the polygon, the same whichever of the boxes is the reference."""
    j = incident_axis(frame, home, axis)
    positive = frame[home + axis, j] * sign < 0.0
    flipped = home > 0
    if name < 4:
        return (VERTEX_OF_A if flipped else VERTEX_OF_B) + vertex_of(j, positive, name)
    if name < 8:
        return (VERTEX_OF_B if flipped else VERTEX_OF_A) + vertex_of(axis, sign > 0.0, name - 4)
    side = edge_of(axis, sign > 0.0, (name - 8) >> 2)
    edge = edge_of(j, positive, name & 3)
    return CROSSING + (16 * edge + side if flipped else 16 * side + edge)
