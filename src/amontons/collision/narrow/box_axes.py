"""Two boxes: the axis that parts them farthest, and the points that are closest along it.

Axes are numbered 0 to 2 for faces of A, 3 to 5 for faces of B, and 6 + 3i + j for edge i of A
across edge j of B. `frame` is laid out as in `box_faces`; its first rows are B in the frame of A,
and all is done in that frame. `witness` has three times six numbers: the normal from A to B and a
point of A; the same if a vertex is closest; and what B sees of that.
"""

from __future__ import annotations

import math

import numpy as np

from amontons._jit import routine
from amontons.collision.narrow.box_faces import CROSSING, following

DIRECTION = 0x800
"""Keys of contacts that are told apart by their normals."""

PARALLEL = 1e-7
"""Sine of the angle below which two edges have no common perpendicular worth the name."""

FLAT = 0.995
"""Cosine of the angle from which a face is taken to lie across the normal."""


@routine
def turn_round(frame):
    """A in the frame of B, into the last six rows."""
    for j in range(3):
        r0, r1, r2 = frame[0, j], frame[1, j], frame[2, j]
        frame[6 + j, 0], frame[6 + j, 1], frame[6 + j, 2] = r0, r1, r2
        frame[9, j] = -(r0 * frame[3, 0] + r1 * frame[3, 1] + r2 * frame[3, 2])
        frame[10, j], frame[11, j] = frame[5, j], frame[4, j]


@routine
def along_axis(frame, j, witness):
    """Component of the normal along axis `j` of B."""
    return witness[0] * frame[0, j] + witness[1] * frame[1, j] + witness[2] * frame[2, j]


@routine
def separating_axis(frame, margin, tie):
    """Largest separation along the 15 axes and one that has it, or the first beyond `margin`."""
    best, axis, lead = -np.inf, 0, -np.inf
    for i in range(3):
        apart = abs(frame[3, i]) - frame[4, i]
        for j in range(3):
            apart -= frame[5, j] * abs(frame[i, j])
        if apart > margin:
            return apart, i
        if apart > lead + tie or i == 0:
            lead, axis = apart, i
        best = max(best, apart)
    for j in range(3):
        apart, reach = 0.0, frame[5, j]
        for i in range(3):
            apart += frame[3, i] * frame[i, j]
            reach += frame[4, i] * abs(frame[i, j])
        apart = abs(apart) - reach
        if apart > margin:
            return apart, 3 + j
        if apart > lead + tie:
            lead, axis = apart, 3 + j
        best = max(best, apart)
    for i in range(3):
        i1 = following(i)
        i2 = following(i1)
        for j in range(3):
            j1 = following(j)
            j2 = following(j1)
            x, y = frame[i1, j], frame[i2, j]
            square = x * x + y * y
            if square < PARALLEL * PARALLEL:
                continue
            apart = (
                abs(frame[3, i2] * x - frame[3, i1] * y)
                - frame[4, i1] * abs(y)
                - frame[4, i2] * abs(x)
                - frame[5, j1] * abs(frame[i, j2])
                - frame[5, j2] * abs(frame[i, j1])
            ) / math.sqrt(square)
            if apart > margin:
                return apart, 6 + 3 * i + j
            if apart > lead + tie:
                lead, axis = apart, 6 + 3 * i + j
            best = max(best, apart)
    return best, axis


@routine
def normal_along(frame, axis, witness):
    """The unit vector of an axis, towards B."""
    witness[0], witness[1], witness[2] = 0.0, 0.0, 0.0
    if axis < 3:
        witness[axis] = 1.0
    elif axis < 6:
        for k in range(3):
            witness[k] = frame[k, axis - 3]
    else:
        i, j = (axis - 6) // 3, (axis - 6) % 3
        i1 = following(i)
        i2 = following(i1)
        x, y = frame[i1, j], frame[i2, j]
        length = math.sqrt(x * x + y * y)
        witness[i1], witness[i2] = -y / length, x / length
    towards = witness[0] * frame[3, 0] + witness[1] * frame[3, 1] + witness[2] * frame[3, 2]
    if towards < 0.0:
        for k in range(3):
            witness[k] = -witness[k]


@routine
def crossing_of_edges(frame, axis, witness):
    """Key of the two edges that an edge axis parts.

    Writes the point of A's edge, e, where it is closest to B's edge, f: with L = e × f and d from
    edge to edge, it is at (d × e)·L/L² along f, and at the foot of that point on e.
    """
    i, j = (axis - 6) // 3, (axis - 6) % 3
    i1, j1 = following(i), following(j)
    i2, j2 = following(i1), following(j1)
    side1, side2 = witness[i1] > 0.0, witness[i2] > 0.0
    a1 = frame[4, i1] if side1 else -frame[4, i1]
    a2 = frame[4, i2] if side2 else -frame[4, i2]
    b1 = -frame[5, j1] if along_axis(frame, j1, witness) > 0.0 else frame[5, j1]
    b2 = -frame[5, j2] if along_axis(frame, j2, witness) > 0.0 else frame[5, j2]
    d = frame[3, i] + b1 * frame[i, j1] + b2 * frame[i, j2]
    d1 = frame[3, i1] + b1 * frame[i1, j1] + b2 * frame[i1, j2] - a1
    d2 = frame[3, i2] + b1 * frame[i2, j1] + b2 * frame[i2, j2] - a2
    f, f1, f2 = frame[i, j], frame[i1, j], frame[i2, j]
    on_b = -(d1 * f1 + d2 * f2) / (f1 * f1 + f2 * f2)
    on_a = d + f * on_b
    witness[3 + i] = min(max(on_a, -frame[4, i]), frame[4, i])
    witness[3 + i1], witness[3 + i2] = a1, a2
    edge_a = 4 * i + (1 if side1 else 0) + (2 if side2 else 0)
    edge_b = 4 * j + (1 if b1 > 0.0 else 0) + (2 if b2 > 0.0 else 0)
    return CROSSING + 16 * edge_a + edge_b


@routine
def separation_along(frame, witness):
    """How far the boxes are apart along the normal."""
    apart = 0.0
    for k in range(3):
        apart += witness[k] * frame[3, k] - frame[4, k] * abs(witness[k])
        apart -= frame[5, k] * abs(along_axis(frame, k, witness))
    return apart


@routine
def vertex_over_box(frame, home, nearest, witness, first):
    """Distance from the reference box to the incident box's vertices, or `nearest` if less [m].

    Writes, from witness[first] on, the unit vector to that vertex from the closest point of the
    reference box, and that point.
    """
    row1, row2, middle, reach, extent = home + 1, home + 2, home + 3, home + 4, home + 5
    h0, h1, h2 = frame[reach, 0], frame[reach, 1], frame[reach, 2]
    square = nearest * nearest
    e0, e1, e2 = 0.0, 0.0, 0.0
    for k in range(8):
        b0 = frame[extent, 0] if k & 1 else -frame[extent, 0]
        b1 = frame[extent, 1] if k & 2 else -frame[extent, 1]
        b2 = frame[extent, 2] if k & 4 else -frame[extent, 2]
        x = frame[home, 0] * b0 + frame[home, 1] * b1 + frame[home, 2] * b2 + frame[middle, 0]
        y = frame[row1, 0] * b0 + frame[row1, 1] * b1 + frame[row1, 2] * b2 + frame[middle, 1]
        z = frame[row2, 0] * b0 + frame[row2, 1] * b1 + frame[row2, 2] * b2 + frame[middle, 2]
        p0, p1, p2 = min(max(x, -h0), h0), min(max(y, -h1), h1), min(max(z, -h2), h2)
        x, y, z = x - p0, y - p1, z - p2
        if x * x + y * y + z * z < square:
            square, e0, e1, e2 = x * x + y * y + z * z, x, y, z
            witness[first + 3], witness[first + 4], witness[first + 5] = p0, p1, p2
    distance = math.sqrt(square)
    if distance < nearest:
        # coincident to the last digit: any direction will do, as the caller checks it
        scale = 1.0 / distance if distance > 0.0 else 0.0
        witness[first], witness[first + 1], witness[first + 2] = scale * e0, scale * e1, scale * e2
    return min(distance, nearest)


@routine
def vertex_is_closest(frame, apart, tie, witness):
    """Whether the boxes are farther apart along the line from a vertex to the other box.

    If so, that is their distance, and becomes the witness. Returns the larger separation.
    """
    from_b = vertex_over_box(frame, 0, np.inf, witness, 6)
    distance = vertex_over_box(frame, 6, from_b, witness, 12)
    if distance < from_b:
        n0, n1, n2 = witness[12], witness[13], witness[14]
        p0 = witness[15] + distance * n0
        p1 = witness[16] + distance * n1
        p2 = witness[17] + distance * n2
        for k in range(3):
            r0, r1, r2 = frame[k, 0], frame[k, 1], frame[k, 2]
            witness[6 + k] = -(r0 * n0 + r1 * n1 + r2 * n2)
            witness[9 + k] = frame[3, k] + r0 * p0 + r1 * p1 + r2 * p2
    for k in range(6):
        witness[k], witness[6 + k] = witness[6 + k], witness[k]
    along = separation_along(frame, witness)
    if along > apart + tie:
        return along, True
    for k in range(6):
        witness[k] = witness[6 + k]
    return apart, False


@routine
def lowest_vertex(frame, axis, apart, witness):
    """The witness for a face axis: the vertex of the other box farthest along the normal."""
    for k in range(3):
        witness[3 + k] = frame[3, k] - apart * witness[k]
    for j in range(3):
        b = -frame[5, j] if along_axis(frame, j, witness) > 0.0 else frame[5, j]
        for k in range(3):
            witness[3 + k] += b * frame[k, j]
    if axis >= 3:
        for k in range(3):
            witness[3 + k] = frame[4, k] if witness[k] > 0.0 else -frame[4, k]


@routine
def sign_of(x):
    """0, 1 or 2 for a component of a unit vector that is negative, next to nothing or positive."""
    if x > 1e-3:
        return 2
    return 0 if x < -1e-3 else 1


@routine
def direction_key(frame, witness):
    """Key of a contact of two boxes by its normal: the signs of its components in both frames."""
    code = 0
    for k in range(3):
        code = 3 * code + sign_of(witness[k])
    for j in range(3):
        code = 3 * code + sign_of(along_axis(frame, j, witness))
    return DIRECTION + code


@routine
def face_across(frame, witness):
    """A face axis along the normal, of A if there is one, or −1."""
    for k in range(3):
        if abs(witness[k]) >= FLAT:
            return k
    for j in range(3):
        if abs(along_axis(frame, j, witness)) >= FLAT:
            return 3 + j
    return -1


@routine
def outward(frame, face, witness):
    """Sign along its axis of the face of A (0 to 2) or B (3 to 5) that looks at the other box."""
    if face < 3:
        return 1.0 if witness[face] > 0.0 else -1.0
    return -1.0 if along_axis(frame, face - 3, witness) > 0.0 else 1.0
