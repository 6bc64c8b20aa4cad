"""From shapes to the table that collision kernels read.

In the table `face_start` and `node_link` count through all shapes: children are rows of `node_box`,
and a leaf's entries are places in `node_face`. Corners, neighbours and `node_face` count within
their own shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from amontons.array_types import Floats, Ints
from amontons.checks import LARGEST, SMALLEST, finite_array
from amontons.errors import InputError
from amontons.model.shapes.base import Faces, Shape, ShapeRow
from amontons.model.shapes.table import ShapeArrays, ShapeKind


def build_table(shapes: Sequence[Shape]) -> ShapeArrays:
    """The table of shapes, one row for each, in their order; equal ones share their vertices.

    Compounds have no row: give their `leaves`.
    """
    number: dict[Shape, int] = {}
    for shape in shapes:
        if not isinstance(shape, Shape):
            raise InputError(f"a table is built of shapes, got {shape!r}")
    which = np.fromiter((number.setdefault(s, len(number)) for s in shapes), np.int64, len(shapes))
    rows = [shape.encode() for shape in number]
    faces = [row.faces for row in rows if row.faces is not None]
    data = np.zeros((len(rows), 6), dtype=np.int32)
    data[[i for i, row in enumerate(rows) if row.faces is not None]] = _shares(faces)
    return ShapeArrays(
        np.array([row.kind for row in rows], dtype=np.uint8)[which],
        _column(rows, "size", 4)[which],
        _column(rows, "middle", 3)[which],
        _column(rows, "half", 3)[which],
        data[which],
        **_joined(faces)._asdict(),
    )


def sphere_table(radii: ArrayLike) -> ShapeArrays:
    """The table of spheres of given radii [m], as `build_table` gives it, at once for all."""
    radius = np.atleast_1d(finite_array("radii", radii))
    if radius.ndim != 1:
        raise InputError(f"radii must be one number per sphere, got shape {radius.shape}")
    wrong = ~((radius >= SMALLEST) & (radius <= LARGEST))
    if wrong.any():
        first = int(np.argmax(wrong))
        raise InputError(
            f"radii[{first}] is {radius[first]:g}; "
            f"it must be positive, from {SMALLEST:g} to {LARGEST:g}"
        )
    number = len(radius)
    size = np.zeros((number, 4))
    size[:, 0] = radius
    return ShapeArrays(
        np.full(number, ShapeKind.SPHERE, dtype=np.uint8),
        size,
        np.zeros((number, 3)),
        np.repeat(radius[:, None], 3, axis=1),
        np.zeros((number, 6), dtype=np.int32),
        **_joined([])._asdict(),
    )


def _column(rows: Sequence[ShapeRow], name: str, width: int) -> Floats:
    numbers = (number for row in rows for number in getattr(row, name))
    return np.fromiter(numbers, np.float64, len(rows) * width).reshape(-1, width)


def _before(lengths: Iterable[int]) -> Ints:
    """Sum of all lengths before each."""
    return np.concatenate([[0], np.cumsum(list(lengths))]).astype(np.int32)[:-1]


def _shares(faces: Sequence[Faces]) -> Ints:
    """First point, points, first face, faces, first node, nodes of each."""
    columns = []
    for lengths in (
        [len(f.point) for f in faces],
        [len(f.face_start) - 1 for f in faces],
        [len(f.node_box) for f in faces],
    ):
        columns += [_before(lengths), np.array(lengths, dtype=np.int32)]
    return np.stack(columns, axis=1)


def _joined(faces: Sequence[Faces]) -> Faces:
    """The arrays of the table that hulls and meshes share, end to end."""
    faces = [_NO_FACES, *faces]  # so that there is always something to concatenate
    corners_before = _before(len(f.corner) for f in faces)
    starts = [f.face_start[:-1] + before for f, before in zip(faces, corners_before, strict=True)]
    total = np.array([sum(len(f.corner) for f in faces)], dtype=np.int32)
    return Faces(
        point=np.concatenate([f.point for f in faces]),
        face_start=np.concatenate([*starts, total]),
        corner=np.concatenate([f.corner for f in faces]),
        neighbour=np.concatenate([f.neighbour for f in faces]),
        plane=np.concatenate([f.plane for f in faces]),
        edge_kind=np.concatenate([f.edge_kind for f in faces]),
        node_box=np.concatenate([f.node_box for f in faces]),
        node_link=np.concatenate(_links(faces)),
        node_face=np.concatenate([f.node_face for f in faces]),
    )


_NO_INTS = np.empty(0, dtype=np.int32)
_NO_FACES = Faces(
    point=np.empty((0, 3)),
    face_start=np.zeros(1, dtype=np.int32),
    corner=_NO_INTS,
    neighbour=_NO_INTS,
    plane=np.empty((0, 4)),
    edge_kind=np.empty(0, dtype=np.uint8),
    node_box=np.empty((0, 6)),
    node_link=np.empty((0, 2), dtype=np.int32),
    node_face=_NO_INTS,
)


def _links(faces: Sequence[Faces]) -> list[Ints]:
    """Links of all trees, counted through the table."""
    first_node = _before(len(f.node_box) for f in faces)
    first_entry = _before(len(f.node_face) for f in faces)
    links = []
    for f, node, entry in zip(faces, first_node, first_entry, strict=True):
        leaf = f.node_link[:, :1] < 0
        shift = np.where(leaf, np.array([-entry, entry]), node)
        links.append((f.node_link + shift).astype(np.int32))
    return links
