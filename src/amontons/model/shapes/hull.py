"""Convex polyhedra."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from amontons.array_types import Floats, Ints
from amontons.checks import points_array, positive
from amontons.model.shapes.base import Faces
from amontons.model.shapes.faceted import Faceted
from amontons.model.shapes.hull_faces import hull_faces
from amontons.model.shapes.surfaces import enclosed
from amontons.model.shapes.table import ShapeKind
from amontons.model.shapes.topology import fan_triangles

if TYPE_CHECKING:
    from amontons.model.shapes.mesh import TriangleMesh


class Polyhedron(Faceted):
    """A convex polyhedron, the hull of points; a subclass defines `corners` and `scaled`.

    All the rest, mass properties included, follows from the faces of the hull.
    """

    kind = ShapeKind.HULL

    @property
    @abstractmethod
    def corners(self) -> Floats:
        """Points [m], shape (n, 3), whose convex hull is the shape."""

    @cached_property
    def polygons(self) -> Faces:
        """Vertices and polygonal faces of the hull."""
        return hull_faces(self.corners)

    @cached_property
    def _enclosed(self) -> tuple[float, Floats, Floats]:
        return enclosed(*self.surface_mesh())

    @property
    def _points(self) -> Floats:
        return self.polygons.point

    def surface_mesh(self, resolution: int = 32) -> tuple[Floats, Ints]:
        faces = self.polygons
        return faces.point.copy(), fan_triangles(faces.face_start, faces.corner)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ConvexHull(Polyhedron):
    """The convex hull of points.

    Parameters
    ----------
    points:
        At least four, not all in one plane [m], shape (n, 3). Those inside are dropped.
    """

    points: Floats

    def __init__(self, points: ArrayLike) -> None:
        faces = hull_faces(points_array("points", points))
        object.__setattr__(self, "points", faces.point)
        self.__dict__["polygons"] = faces

    @classmethod
    def from_mesh(cls, mesh: TriangleMesh) -> Self:
        """The convex hull of a triangle mesh."""
        return cls(mesh.vertices)

    @property
    def corners(self) -> Floats:
        return self.points

    def scaled(self, factor: float) -> Self:
        return type(self)(positive("factor", factor) * self.points)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return np.array_equal(self.points, other.points)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Not Python's own hash of bytes: that differs from process to process.
        return crc32(self.points.tobytes())

    def __repr__(self) -> str:
        low, high = self.bounds
        size = " × ".join(f"{length:.4g}" for length in high - low)
        faces = len(self.polygons.face_start) - 1
        return f"ConvexHull({len(self.points)} points, {faces} faces, {size} m)"
