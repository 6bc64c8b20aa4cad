"""Which face lies beyond each edge, and normals of faces."""

from __future__ import annotations

import numpy as np

from amontons.array_types import Floats, Ints, Longs


def following_corners(face_start: Ints, corner: Ints) -> Ints:
    """At each corner, the next vertex around its face."""
    following = np.roll(corner, -1)
    following[face_start[1:] - 1] = corner[face_start[:-1]]
    return following


def face_of_corners(face_start: Ints) -> Ints:
    """The face to which each corner belongs."""
    return np.repeat(np.arange(len(face_start) - 1, dtype=np.int32), np.diff(face_start))


def opposite_corners(face_start: Ints, corner: Ints) -> Longs:
    """The corner at which the opposite half-edge begins, or −1.

    An edge that more than two faces share has nothing beyond it.
    """
    following = following_corners(face_start, corner)
    points = int(corner.max(initial=0)) + 1
    walked = corner.astype(np.int64) * points + following
    back = following.astype(np.int64) * points + corner
    order = np.argsort(walked, kind="stable")
    ascending = walked[order]
    first = np.searchsorted(ascending, back, side="left")
    number = np.searchsorted(ascending, back, side="right") - first
    same_way = np.searchsorted(ascending, walked, side="right")
    same_way -= np.searchsorted(ascending, walked, side="left")
    single = (number == 1) & (same_way == 1)
    return np.where(single, order[np.minimum(first, len(order) - 1)], -1)


def neighbours(face_start: Ints, corner: Ints) -> Ints:
    """The face beyond each corner's edge, or −1."""
    opposite = opposite_corners(face_start, corner)
    return np.where(opposite >= 0, face_of_corners(face_start)[opposite], -1).astype(np.int32)


def face_normals(point: Floats, face_start: Ints, corner: Ints) -> Floats:
    """Unit normals of faces, shape (faces, 3): the mean over all corners (Newell's method)."""
    start = point[corner[face_start[:-1]]]  # relative to a corner of the face: nothing is lost
    face = face_of_corners(face_start)
    here = point[corner] - start[face]
    there = point[following_corners(face_start, corner)] - start[face]
    normal = np.add.reduceat(np.cross(here, there), face_start[:-1], axis=0)
    # Scale first: the square of a tiny normal would be zero.
    largest = np.abs(normal).max(axis=1, keepdims=True)
    normal = normal / np.where(largest > 0.0, largest, 1.0)
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    return np.asarray(normal / np.where(length > 0.0, length, 1.0))


def face_planes(point: Floats, face_start: Ints, corner: Ints) -> Floats:
    """Outward normal and the largest offset of a corner along it, shape (faces, 4)."""
    normal = face_normals(point, face_start, corner)
    along = np.einsum("ij,ij->i", normal[face_of_corners(face_start)], point[corner])
    return np.column_stack([normal, np.maximum.reduceat(along, face_start[:-1])])


def fan_triangles(face_start: Ints, corner: Ints) -> Ints:
    """Polygons cut into triangles that all share the polygon's first corner."""
    face = face_of_corners(face_start)
    place = np.arange(len(corner)) - face_start[face]
    inner = (place >= 1) & (place < np.diff(face_start)[face] - 1)
    middle = np.flatnonzero(inner)
    first = corner[face_start[face[middle]]]
    return np.stack([first, corner[middle], corner[middle + 1]], axis=1).astype(np.int32)
