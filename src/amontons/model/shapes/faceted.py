"""The base of solids with flat faces: all that follows from their points and enclosed volume."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from amontons.array_types import Floats
from amontons.checks import unit_rows
from amontons.model.shapes.base import Faces, Shape, ShapeRow
from amontons.model.shapes.table import ShapeKind


class Faceted(Shape):
    """A solid with flat faces; a subclass defines its kind, its points and the enclosed volume."""

    kind: ClassVar[ShapeKind]

    @property
    @abstractmethod
    def polygons(self) -> Faces:
        """Vertices and faces, as the table of shapes has them."""

    @property
    @abstractmethod
    def _points(self) -> Floats:
        """Vertices [m], shape (n, 3)."""

    @property
    @abstractmethod
    def _enclosed(self) -> tuple[float, Floats, Floats]:
        """Volume [m³], its centre [m], and inertia about the centre at unit density [m⁵]."""

    @property
    def curvature(self) -> float:
        """Of its faces; edges and corners do not count."""
        return 0.0

    def encode(self) -> ShapeRow:
        low, high = self.bounds
        return ShapeRow(
            self.kind,
            half=tuple((high / 2 - low / 2).tolist()),
            middle=tuple((low / 2 + high / 2).tolist()),
            faces=self.polygons,
        )

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        return self._points.min(axis=0), self._points.max(axis=0)

    @property
    def volume(self) -> float:
        return self._enclosed[0]

    @property
    def centre(self) -> Floats:
        return self._enclosed[1].copy()

    def unit_inertia(self) -> Floats:
        return self._enclosed[2].copy()

    def support(self, directions: ArrayLike) -> Floats:
        points, unit = self._points, unit_rows(directions)
        chosen = np.empty(len(unit), dtype=np.int64)
        chunk = max(1, 4_000_000 // len(points))
        for begin in range(0, len(unit), chunk):
            part = unit[begin : begin + chunk]
            chosen[begin : begin + chunk] = np.argmax(part @ points.T, axis=1)
        return points[chosen]
