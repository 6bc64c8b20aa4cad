"""Triangles: checked when they come in, and as the table of shapes wants them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.array_types import Flags, Floats, Ints, Longs
from amontons.errors import InputError
from amontons.model.shapes.base import Faces
from amontons.model.shapes.topology import face_of_corners, face_planes, opposite_corners
from amontons.model.shapes.tree import median_tree

THINNEST = 1e-14
"""Height of a triangle, relative to the mesh's size, that leaves it without a plane."""

FLAT_EDGE = np.cos(np.radians(1.0))
"""Cosine between the normals of two triangles whose edge is taken for flat."""


def triangle_array(points: Floats, faces: ArrayLike) -> Ints:
    """Three vertices a triangle, shape (m, 3), or an error that names the first that is wrong."""
    array = np.asarray(faces)
    if array.ndim != 2 or array.shape[1] != 3 or not len(array):
        raise InputError(f"faces must have shape (m, 3) with m ≥ 1, got {array.shape}")
    if not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"faces must be whole numbers (vertices from 0 on), got {array.dtype}")
    wrong = ((array < 0) | (array >= len(points))).any(axis=1)
    if wrong.any():
        first = int(np.argmax(wrong))
        raise InputError(
            f"faces[{first}] is {array[first].tolist()}; vertices count from 0 to {len(points) - 1}"
        )
    array = array.astype(np.int32)
    thin = thin_triangles(points, array)
    if thin.any():
        first = int(np.argmax(thin))
        raise InputError(
            f"faces[{first}] is {array[first].tolist()}: its corners lie on one line, so it has no "
            f"area; leave it out ({thin.sum()} such triangles)"
        )
    return array


def thin_triangles(points: Floats, faces: Ints) -> Flags:
    """Which triangles have no area to speak of."""
    corners = points[faces]
    size = float(np.ptp(corners, axis=(0, 1)).max())
    if size == 0.0:
        return np.ones(len(faces), dtype=bool)
    a, b, c = np.moveaxis((corners - corners[:, :1]) / size, 1, 0)
    twice_area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    longest = np.max([np.linalg.norm(side, axis=1) for side in (b - a, c - b, a - c)], axis=0)
    return np.asarray(twice_area <= THINNEST * longest)


def merged_vertices(points: Floats, faces: Ints) -> tuple[Floats, Ints]:
    """Vertices at the same place become one, those not in use are left out; the order stays."""
    order = np.lexsort(points.T)
    new_place = np.ones(len(points), dtype=bool)
    new_place[1:] = (points[order[1:]] != points[order[:-1]]).any(axis=1)
    first = np.empty(len(points), dtype=np.int64)
    first[order] = order[new_place][np.cumsum(new_place) - 1]  # lexsort keeps the lowest first
    used, corner = np.unique(first[faces], return_inverse=True)
    return points[used], corner.reshape(faces.shape).astype(np.int32)


def mesh_faces(points: Floats, faces: Ints) -> Faces:
    """Neighbours, planes, edges and tree of checked triangles."""
    face_start = np.arange(len(faces) + 1, dtype=np.int32) * 3
    corner = faces.ravel().copy()
    plane = face_planes(points, face_start, corner)
    opposite = opposite_corners(face_start, corner)
    beyond = face_of_corners(face_start)[opposite]
    corners = points[faces]
    tree = median_tree(corners.min(axis=1), corners.max(axis=1))
    return Faces(
        point=points,
        face_start=face_start,
        corner=corner,
        neighbour=np.where(opposite >= 0, beyond, -1).astype(np.int32),
        plane=plane,
        edge_kind=_edge_kinds(points, faces, plane, opposite),
        node_box=tree.box,
        node_link=tree.link,
        node_face=tree.entry,
    )


def _edge_kinds(points: Floats, faces: Ints, plane: Floats, opposite: Longs) -> NDArray[np.uint8]:
    """1 where an edge sticks out by more than a degree or is a border, 0 where it does not."""
    beyond, place = opposite // 3, opposite % 3
    normal = np.repeat(plane[:, :3], 3, axis=0)
    bent = np.einsum("ij,ij->i", normal, plane[beyond, :3]) < FLAT_EDGE
    tip = points[faces[beyond, (place + 2) % 3]]
    falls = np.einsum("ij,ij->i", tip - points[faces.ravel()], normal) < 0.0
    return np.asarray((opposite < 0) | (bent & falls), dtype=np.uint8)
