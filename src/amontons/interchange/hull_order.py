"""The order of a hull's faces: contacts depend on it, and Qhull's depends on the points given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from amontons.errors import InputError
from amontons.model.shapes import ConvexHull
from amontons.model.shapes.base import Faces
from amontons.model.shapes.topology import face_planes, neighbours

Loops = list[list[int]]


def order_to_tell(hull: ConvexHull) -> Loops | None:
    """Faces of a hull as loops of vertices; None if its points alone give the same order."""
    own, again = _loops(hull.polygons), _loops(ConvexHull(hull.points).polygons)
    return None if own == again else own


def in_order(hull: ConvexHull, faces: Sequence[Sequence[int]]) -> ConvexHull:
    """The same hull with its faces in a given order."""
    loops = [list(face) for face in faces]
    if sorted(map(_from_lowest, loops)) != sorted(map(_from_lowest, _loops(hull.polygons))):
        raise InputError("faces are not those of the points' hull; leave them out")
    start = np.cumsum([0, *map(len, loops)], dtype=np.int32)
    corner = np.array([vertex for loop in loops for vertex in loop], dtype=np.int32)
    hull.__dict__["polygons"] = hull.polygons._replace(
        face_start=start,
        corner=corner,
        neighbour=neighbours(start, corner),
        plane=face_planes(hull.points, start, corner),
    )
    return hull


def _loops(faces: Faces) -> Loops:
    return [part.tolist() for part in np.split(faces.corner, faces.face_start[1:-1])]


def _from_lowest(loop: list[int]) -> list[int]:
    """The same loop, starting at its lowest vertex."""
    place = loop.index(min(loop)) if loop else 0
    return loop[place:] + loop[:place]
