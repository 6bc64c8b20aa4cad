"""Boxes against boxes: the exact distance, and the face, edge or vertex contacts that show it."""

from __future__ import annotations

import math

import numpy as np

from amontons._jit import heavy_kernel, prange, routine
from amontons.algebra.rotations import rotation_of
from amontons.collision.narrow.box_axes import (
    along_axis,
    crossing_of_edges,
    direction_key,
    face_across,
    lowest_vertex,
    normal_along,
    outward,
    separating_axis,
    turn_round,
    vertex_is_closest,
)
from amontons.collision.narrow.box_faces import ROOM, following, key_of, overlap
from amontons.collision.narrow.box_rests import rest, store_rests
from amontons.collision.narrow.box_tiles import (
    CORNER,
    LANES,
    TILE,
    edge_axes,
    face_axes,
    gather,
    relative_frames,
)
from amontons.collision.narrow.choose_four import FLAT, choose_four
from amontons.collision.pair_contacts import put_contact

GROUP = 128
"""Pairs that share one set of scratch arrays; a whole number of tiles."""

TIE = 1e-11
"""Lengths that differ by no more, relative to the boxes, are equal: faces before edges."""

SLIP = 1e-4
"""Part of the boxes by which contact points may be off sideways."""


@routine
def askew(frame, face, witness):
    """Sine of the angle between a face's normal and the contact's."""
    j = face if face < 3 else face - 3
    cosine = witness[j] if face < 3 else along_axis(frame, j, witness)
    return math.sqrt(max(0.0, 1.0 - cosine * cosine))


@routine
def face_contacts(frame, face, margin, scale, witness, polygon, tags, chosen):
    """Choose the contacts where a face of A (0 to 2) or B (3 to 5) meets the other box.

    Chosen rows of `polygon` become points of A's surface in the frame of the face's box; rows
    ROOM + k have their gaps in the first column, and tags there their keys. Returns how many.
    """
    home, j = (0, face) if face < 3 else (6, face - 3)
    sign = outward(frame, face, witness)
    corners = overlap(frame, home, j, sign, polygon, tags)
    cosine = math.sqrt(1.0 - askew(frame, face, witness) ** 2)
    contacts = choose_four(
        polygon, 0, corners, (0.0, 0.0, 1.0), 0.0, margin / cosine, scale, FLAT, chosen
    )
    u = following(j)
    for k in range(contacts):
        row = chosen[4 + k]
        x, y, height = polygon[row, 0], polygon[row, 1], polygon[row, 2]
        polygon[ROOM + row, 0] = height * cosine
        polygon[row, u], polygon[row, following(u)] = x, y
        polygon[row, j] = sign * (frame[home + 4, j] + (height if home else 0.0))
        tags[ROOM + row, 0] = key_of(tags[chosen[k], 0], frame, home, j, sign)
    return contacts


@routine
def meet(frame, axis, apart, margin, scale, witness, polygon, tags, chosen):
    """Contacts of two boxes at most `margin` apart along `axis`, the one that parts them farthest.

    Returns how many there are, their distance, and the face of A (0 to 2) or B (3 to 5) that
    `face_contacts` found them on, or −1 and the key of the one contact at the witness.
    """
    turn_round(frame)
    normal_along(frame, axis, witness)
    key = crossing_of_edges(frame, axis, witness) if axis >= 6 else -1
    if apart > 0.0:
        apart, by_vertex = vertex_is_closest(frame, apart, TIE * scale, witness)
        if apart > margin:
            return 0, apart, -1, -1
        if by_vertex:
            key = direction_key(frame, witness)
    face = face_across(frame, witness)
    if face >= 0 and askew(frame, face, witness) * abs(apart) > SLIP * scale:
        # points over each other along the face's normal are not so along the contact's
        face = axis if axis < 6 and key < 0 else -1
    if face >= 0:
        contacts = face_contacts(frame, face, margin, scale, witness, polygon, tags, chosen)
        if contacts > 0:
            return contacts, apart, face, -1
    if key < 0:
        lowest_vertex(frame, axis, apart, witness)
        key = direction_key(frame, witness)
    return 1, apart, -1, key


@routine
def frame_of(tile, lane, frame):
    """B in the frame of A, as `box_axes` wants it."""
    t = tile[0]
    for k in range(9):
        frame[k // 3, k % 3] = t.b_in_a[k, lane]
    for k in range(3):
        frame[3, k] = t.middle_b[k, lane]
        frame[4, k], frame[5, k] = t.half_a[k, lane], t.half_b[k, lane]


@routine
def is_open(tile, lane, margin):
    """Whether more must be found out of a pair that is near and does not lie face on face."""
    return not (tile[0].rests[lane] > 0.0 or tile[0].apart[lane] > margin)


@heavy_kernel
def collide_boxes(shapes, poses, pair, margin, found):
    """Contacts of two boxes: up to four, of faces or of a face and an edge, or one."""
    size, place, turn, shape = shapes.size, poses.place, poses.turn, poses.shape
    number, normal, point, gap, key = found.number, found.normal, found.point, found.gap, found.key
    pairs = pair.shape[0]
    for group in prange((pairs + GROUP - 1) // GROUP):
        frame, witness, chosen = np.empty((12, 3)), np.empty(18), np.empty(8, np.int64)
        polygon, tags = np.empty((2 * ROOM, 3)), np.empty((2 * ROOM, 2), np.int64)
        tile, corners = np.empty(1, TILE), np.empty(4, CORNER)
        for i in range(group * GROUP, min(pairs, (group + 1) * GROUP)):
            lane = i % LANES
            if lane == 0:
                gather(place, turn, size, shape, pair, i, tile)
                relative_frames(tile)
                face_axes(tile, TIE)
                edge_axes(tile, TIE)
                rest(tile, margin, TIE, SLIP, corners)
                count = min(pairs - i, LANES)
                store_rests(i, count, tile, corners, margin, number, normal, point, gap, key)
            if not is_open(tile, lane, margin):
                continue
            scale = tile[0].scale[lane]
            frame_of(tile, lane, frame)
            apart, axis = separating_axis(frame, margin, TIE * scale)
            if apart > margin:
                continue
            a, b = pair[i, 0], pair[i, 1]
            contacts, apart, face, code = meet(
                frame, axis, apart, margin, scale, witness, polygon, tags, chosen
            )
            number[i] = contacts
            r00, r01, r02, r10, r11, r12, r20, r21, r22 = rotation_of(turn, a)
            x, y, z = witness[0], witness[1], witness[2]
            n0 = r00 * x + r01 * y + r02 * z
            n1 = r10 * x + r11 * y + r12 * z
            n2 = r20 * x + r21 * y + r22 * z
            d0, d1, d2 = 0.0, 0.0, 0.0
            if face >= 3:
                r00, r01, r02, r10, r11, r12, r20, r21, r22 = rotation_of(turn, b)
                d0 = place[b, 0] - place[a, 0]
                d1 = place[b, 1] - place[a, 1]
                d2 = place[b, 2] - place[a, 2]
            for k in range(contacts):
                distance = apart
                if face >= 0:
                    row = chosen[4 + k]
                    x, y, z = polygon[row, 0], polygon[row, 1], polygon[row, 2]
                    code = tags[ROOM + row, 0]
                    # the first is the deepest; snapping may have moved it by a hair
                    distance = max(apart, polygon[ROOM + row, 0]) if k > 0 else apart
                else:
                    x, y, z = witness[3], witness[4], witness[5]
                p = (
                    d0 + r00 * x + r01 * y + r02 * z,
                    d1 + r10 * x + r11 * y + r12 * z,
                    d2 + r20 * x + r21 * y + r22 * z,
                )
                put_contact(normal, point, gap, key, i, k, (n0, n1, n2), p, distance, code)
