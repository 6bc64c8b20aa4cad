"""Boxes against boxes: the exact distance, and the face, edge or vertex contacts that show it."""

from __future__ import annotations

import numpy as np

from amontons._jit import kernel, prange, routine
from amontons.algebra.rotations import rotation_of
from amontons.collision.box_axes import (
    crossing_of_edges,
    direction_key,
    face_across,
    lowest_vertex,
    nearest_vertex,
    normal_along,
    relative_frame,
    separating_axis,
    turn_round,
)
from amontons.collision.box_faces import ROOM, key_of, overlap
from amontons.collision.spread import choose_four
from amontons.collision.store import store

GROUP = 64
"""Pairs that share one set of scratch arrays."""

TIE = 1e-10
"""Lengths that differ by no more, relative to the boxes, are equal: faces before edges."""


@routine
def outward(frame, face, witness):
    """Sign along its axis of the face of A (0 to 2) or B (3 to 5) that looks at the other box."""
    if face < 3:
        return 1.0 if witness[face] > 0.0 else -1.0
    j = face - 3
    along = witness[0] * frame[0, j] + witness[1] * frame[1, j] + witness[2] * frame[2, j]
    return -1.0 if along > 0.0 else 1.0


@routine
def faces_meeting(frame, back, face, witness, polygon, tags, spare, spare_tags):
    """Corners of the polygon in which a face of A (0 to 2) or B (3 to 5) meets the other box."""
    sign = outward(frame, face, witness)
    if face < 3:
        return overlap(frame, face, sign, polygon, tags, spare, spare_tags)
    return overlap(back, face - 3, sign, polygon, tags, spare, spare_tags)


@routine
def distance_beyond(
    frame, back, axis, apart, tie, witness, swapped, polygon, tags, spare, spare_tags
):
    """Distance of two boxes, and a key, whose largest separation is `apart` > 0 along `axis`.

    They are the same where the features that the axis parts lie over each other. Else a vertex is
    closest, and gives the normal.
    """
    reach = np.inf
    if axis < 6:
        corners = faces_meeting(frame, back, axis, witness, polygon, tags, spare, spare_tags)
        for k in range(corners):
            reach = min(reach, spare[k, 2])
        if reach <= apart + tie:
            return apart, -1
    else:
        key, within = crossing_of_edges(frame, axis, witness)
        if within:
            return apart, key
    distance = nearest_vertex(frame, back, reach, witness, swapped)
    if distance == reach:
        return distance, -1
    return distance, direction_key(frame, witness)


@routine
def collide_pair(
    place, turn, shape, size, a, b, margin, i, normal, point, gap, key,
    frame, back, witness, swapped, polygon, tags, spare, spare_tags, chosen,
):  # fmt: skip
    """Write the contacts of boxes `a` and `b` as those of pair `i`; return how many there are."""
    scale = relative_frame(place, turn, size, a, b, shape[a], shape[b], frame)
    apart, axis = separating_axis(frame, margin, TIE * scale)
    if apart > margin:
        return 0
    turn_round(frame, back)
    normal_along(frame, axis, witness)
    code = -1
    if apart > 0.0:
        apart, code = distance_beyond(
            frame, back, axis, apart, TIE * scale, witness, swapped,
            polygon, tags, spare, spare_tags,
        )  # fmt: skip
        if apart > margin:
            return 0
    elif axis >= 6:
        code, _ = crossing_of_edges(frame, axis, witness)

    r00, r01, r02, r10, r11, r12, r20, r21, r22 = rotation_of(turn, a)
    w0, w1, w2 = witness[0], witness[1], witness[2]
    n0 = r00 * w0 + r01 * w1 + r02 * w2
    n1 = r10 * w0 + r11 * w1 + r12 * w2
    n2 = r20 * w0 + r21 * w1 + r22 * w2
    face, contacts, sign, cosine = face_across(frame, witness), 0, 1.0, 1.0
    if face >= 0:
        corners = faces_meeting(frame, back, face, witness, polygon, tags, spare, spare_tags)
        sign = outward(frame, face, witness)
        cosine = abs(w0 * frame[0, face - 3] + w1 * frame[1, face - 3] + w2 * frame[2, face - 3])
        if face < 3:
            cosine = abs(witness[face])
        contacts = choose_four(
            polygon, 0, corners, 0.0, 0.0, 1.0, 0.0, margin / cosine, scale, chosen
        )
    if contacts == 0:
        if code < 0:
            lowest_vertex(frame, axis, apart, witness)
            code = direction_key(frame, witness)
        x, y, z = witness[3], witness[4], witness[5]
        store(
            normal, point, gap, key, i, 0, n0, n1, n2,
            r00 * x + r01 * y + r02 * z,
            r10 * x + r11 * y + r12 * z,
            r20 * x + r21 * y + r22 * z,
            apart, code,
        )  # fmt: skip
        return 1

    d0, d1, d2 = 0.0, 0.0, 0.0
    reference, j = frame, face
    if face >= 3:
        reference, j = back, face - 3
        d0, d1, d2 = place[b, 0] - place[a, 0], place[b, 1] - place[a, 1], place[b, 2] - place[a, 2]
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = rotation_of(turn, b)
    for k in range(contacts):
        row = chosen[4 + k]
        height = polygon[row, 2]
        # the witness is no longer needed: its first rows hold the point in the reference frame
        witness[(j + 1) % 3], witness[(j + 2) % 3] = polygon[row, 0], polygon[row, 1]
        witness[j] = sign * (reference[4, j] + (height if face >= 3 else 0.0))
        x, y, z = witness[0], witness[1], witness[2]
        store(
            normal, point, gap, key, i, k, n0, n1, n2,
            d0 + r00 * x + r01 * y + r02 * z,
            d1 + r10 * x + r11 * y + r12 * z,
            d2 + r20 * x + r21 * y + r22 * z,
            apart if k == 0 else max(apart, height * cosine),
            key_of(tags[chosen[k], 0], reference, j, sign, face >= 3),
        )  # fmt: skip
    return contacts


@kernel
def collide_boxes(shapes, poses, pair, margin, found):
    """Contacts of two boxes: up to four, of faces or of a face and an edge, or one."""
    size, place, turn, shape = shapes.size, poses.place, poses.turn, poses.shape
    number, normal, point, gap, key = found.number, found.normal, found.point, found.gap, found.key
    pairs = pair.shape[0]
    for group in prange((pairs + GROUP - 1) // GROUP):
        frame, back = np.empty((6, 3)), np.empty((6, 3))
        witness, swapped = np.empty(6), np.empty(6)
        polygon, tags = np.empty((ROOM, 3)), np.empty((ROOM, 2), np.int64)
        spare, spare_tags = np.empty((ROOM, 3)), np.empty((ROOM, 2), np.int64)
        chosen = np.empty(8, np.int64)
        for i in range(group * GROUP, min(pairs, (group + 1) * GROUP)):
            number[i] = collide_pair(
                place, turn, shape, size, pair[i, 0], pair[i, 1], margin, i,
                normal, point, gap, key,
                frame, back, witness, swapped, polygon, tags, spare, spare_tags, chosen,
            )  # fmt: skip
