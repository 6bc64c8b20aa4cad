"""From points to the faces of their convex hull: triangles of Qhull, merged into polygons."""

from __future__ import annotations

from typing import cast

import numpy as np
from scipy.spatial import ConvexHull as Qhull
from scipy.spatial import QhullError

from amontons.array_types import Floats, Ints
from amontons.errors import InputError
from amontons.model.shapes.base import Faces
from amontons.model.shapes.topology import face_planes, neighbours

FLAT = 1e-6
"""Thickness of a point set, relative to its size, below which it counts as flat."""

COPLANAR = 1e-9
"""Distance of a vertex from a face, relative to the hull's size, that makes it part of the face.

Hulls thinner than a hundredth of their size have proportionally less, or faces would take them up.
"""


def hull_faces(points: Floats) -> Faces:
    """The convex hull of points (n, 3) [m]; points that are not vertices of it are dropped."""
    if len(points) < 4:
        raise InputError(f"a convex hull needs at least 4 points, got {len(points)}")
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max())
    if not size > 1e-12 * float(np.abs(points).max()):
        raise InputError(f"all {len(points)} points of the hull are the same point")
    unit = (points - (low + high) / 2) / size
    thickness = _thickness(unit)
    if thickness < FLAT:
        raise InputError(
            f"the {len(points)} points of the hull are flat: {thickness * size:.3g} m thick, "
            f"{size:.3g} m wide; a solid needs four points that do not lie in one plane"
        )
    try:
        qhull = Qhull(unit)
    except QhullError as reason:
        first = str(reason).splitlines()[0]
        raise InputError(f"Qhull finds no convex hull of these points: {first}") from None
    tolerance = COPLANAR * min(1.0, 100 * thickness)
    loops = _polygons(unit, _oriented(qhull), qhull.neighbors, tolerance)
    return _compact(points, loops)


def _thickness(unit: Floats) -> float:
    """Extent across the best plane through the points."""
    axes = np.linalg.svd(unit - unit.mean(axis=0), full_matrices=False)[2]
    return float(np.ptp(unit @ axes[-1])) if len(axes) == 3 else 0.0


def _oriented(qhull: Qhull) -> Ints:
    """Qhull's triangles, counter-clockwise seen from outside."""
    triangles = qhull.simplices.astype(np.int32)
    a, b, c = np.moveaxis(qhull.points[triangles], 1, 0)
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), qhull.equations[:, :3]) < 0
    triangles[inwards] = triangles[inwards][:, ::-1]
    return cast(Ints, triangles)


def _polygons(unit: Floats, triangles: Ints, beyond: Ints, tolerance: float) -> list[list[int]]:
    """Faces as loops of vertices; coplanar triangles are one face."""
    plane = face_planes(unit, *_as_faces(triangles))
    if not _any_coplanar(unit, triangles, beyond, plane, tolerance):
        return cast(list[list[int]], triangles.tolist())
    loops: list[list[int]] = []
    for region in _regions(unit, triangles, beyond, plane, tolerance):
        loop = _outline(triangles[region])
        # A face with a hole can only come of rounding: its triangles then stay as they are.
        loops.extend([loop] if loop else triangles[region].tolist())
    straightened = _without_straight_corners(loops)
    if min(len(loop) for loop in straightened) < 3:
        return cast(list[list[int]], triangles.tolist())
    return straightened


def _as_faces(triangles: Ints) -> tuple[Ints, Ints]:
    return np.arange(len(triangles) + 1, dtype=np.int32) * 3, triangles.ravel()


def _any_coplanar(
    unit: Floats, triangles: Ints, beyond: Ints, plane: Floats, tolerance: float
) -> bool:
    """Whether any two adjacent triangles lie in one plane."""
    corners = unit[triangles[beyond]]  # (triangles, 3 neighbours, 3 corners, 3)
    above = np.einsum("tncx,tx->tnc", corners, plane[:, :3]) - plane[:, 3, None, None]
    return bool((np.abs(above).max(axis=2) <= tolerance).any())


def _regions(
    unit: Floats, triangles: Ints, beyond: Ints, plane: Floats, tolerance: float
) -> list[list[int]]:
    """Connected triangles in the plane of the largest of them, largest first.

    Slivers have no plane worth the name, so they are taken in by a larger neighbour.
    """
    a, b, c = np.moveaxis(unit[triangles], 1, 0)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    taken = np.zeros(len(triangles), dtype=bool)
    regions = []
    for seed in np.argsort(-area, kind="stable").tolist():
        if taken[seed]:
            continue
        taken[seed] = True
        region, following = [seed], 0
        while following < len(region):
            for other in beyond[region[following]].tolist():
                away = np.abs(unit[triangles[other]] @ plane[seed, :3] - plane[seed, 3]).max()
                if not taken[other] and away <= tolerance:
                    taken[other] = True
                    region.append(other)
            following += 1
        regions.append(region)
    return regions


def _outline(triangles: Ints) -> list[int]:
    """The loop around triangles that hang together, or nothing if there is more than one."""
    edges = {
        (triangle[i], triangle[(i + 1) % 3]) for triangle in triangles.tolist() for i in range(3)
    }
    border = {start: end for start, end in edges if (end, start) not in edges}
    loop = [min(border)]
    while border[loop[-1]] != loop[0] and len(loop) <= len(border):
        loop.append(border[loop[-1]])
    return loop if len(loop) == len(border) else []


def _without_straight_corners(loops: list[list[int]]) -> list[list[int]]:
    """A vertex where only two faces meet lies within an edge: it is left out."""
    meeting = np.bincount(np.concatenate(loops))
    return [[vertex for vertex in loop if meeting[vertex] > 2] for loop in loops]


def _compact(points: Floats, loops: list[list[int]]) -> Faces:
    """Faces over the vertices in use, in the given order."""
    used, inverse = np.unique(np.concatenate(loops), return_inverse=True)
    corner: Ints = np.asarray(inverse, dtype=np.int32)
    face_start = np.zeros(len(loops) + 1, dtype=np.int32)
    face_start[1:] = np.cumsum([len(loop) for loop in loops])
    point = points[used]
    point.flags.writeable = False
    return Faces(
        point=point,
        face_start=face_start,
        corner=corner,
        neighbour=neighbours(face_start, corner),
        plane=face_planes(point, face_start, corner),
        edge_kind=np.ones(len(corner), dtype=np.uint8),
        node_box=np.empty((0, 6)),
        node_link=np.empty((0, 2), dtype=np.int32),
        node_face=np.empty(0, dtype=np.int32),
    )
