"""The base of shapes: mass properties, bounds, surface, and a row in the table of shapes.

Lengths are in metres and densities in kg/m³ throughout, everything in the shape's own frame.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.array_types import Floats, Ints
from amontons.checks import positive
from amontons.checks.arrays import Vector
from amontons.errors import InputError
from amontons.model.shapes.table import ShapeKind


class MassProperties(NamedTuple):
    """A body of uniform density in the frame of its shape."""

    mass: float  # [kg]
    centre: Floats  # centre of mass [m], (3,)
    inertia: Floats  # about the centre of mass, along the axes of the frame [kg m²], (3, 3)


class Faces(NamedTuple):
    """Vertices and faces of one hull or mesh, as `ShapeArrays` describes them.

    All numbers count from the start of this shape; a hull has no nodes.
    """

    point: Floats  # (points, 3)
    face_start: Ints  # (faces + 1,)
    corner: Ints  # (corners,)
    neighbour: Ints  # (corners,)
    plane: Floats  # (faces, 4)
    edge_kind: NDArray[np.uint8]  # (corners,)
    node_box: Floats  # (nodes, 6)
    node_link: Ints  # (nodes, 2)
    node_face: Ints  # (leaf entries,)


class ShapeRow(NamedTuple):
    """A shape's row in the table of shapes."""

    kind: ShapeKind
    size: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # as ShapeKind says
    half: Vector = (0.0, 0.0, 0.0)  # half extents of the bounding box [m]
    middle: Vector = (0.0, 0.0, 0.0)  # of the bounding box [m]
    faces: Faces | None = None  # of hulls and meshes


class Shape(ABC):
    """A piece of solid matter, without pose or material. Shapes are immutable.

    A subclass defines `encode`, `volume`, `unit_inertia`, `support`, `surface_mesh` and
    `scaled`; also `centre`, if its centre of mass is not at the origin.
    """

    @abstractmethod
    def encode(self) -> ShapeRow:
        """Its numbers for collision kernels."""

    @property
    @abstractmethod
    def volume(self) -> float:
        """Volume [m³]."""

    @property
    def centre(self) -> Floats:
        """Centre of mass [m], shape (3,)."""
        return np.zeros(3)

    @abstractmethod
    def unit_inertia(self) -> Floats:
        """Inertia about the centre of mass for a density of 1 kg/m³ [kg m²], shape (3, 3)."""

    @abstractmethod
    def support(self, directions: ArrayLike) -> Floats:
        """Points of the shape that are farthest along each direction (n, 3) [m], shape (n, 3)."""

    @abstractmethod
    def surface_mesh(self, resolution: int = 32) -> tuple[Floats, Ints]:
        """Vertices [m], (n, 3), and triangles (m, 3), counter-clockwise seen from outside.

        Vertices are on the surface; `resolution` is the number of segments of a full circle.
        """

    @abstractmethod
    def scaled(self, factor: float) -> Self:
        """The same shape, larger by a factor in all directions about the origin of its frame."""

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Low and high corner of the bounding box along the axes of the frame [m], (3,) each."""
        row = self.encode()
        middle, half = np.array(row.middle), np.array(row.half)
        return middle - half, middle + half

    @property
    def curvature(self) -> float | None:
        """1/R [1/m] of its surface, for adhesion; 0 is flat, None not the same everywhere."""
        return None

    def inertia(self, density: float = 1.0) -> Floats:
        """Inertia about the centre of mass [kg m²], shape (3, 3)."""
        return positive("density", density) * self.unit_inertia()

    def mass_properties(self, density: float) -> MassProperties:
        """Mass [kg], centre of mass [m] and inertia about it [kg m²] for a density [kg/m³]."""
        density, volume = positive("density", density), self.volume
        if not volume > 0.0:
            raise InputError(
                f"{self!r} encloses nothing, so it has no mass: only a body that is fixed or has a "
                "motion can have it"
            )
        return MassProperties(density * volume, self.centre, density * self.unit_inertia())


class Volumeless(Shape):
    """A shape that encloses no matter: its bodies cannot move freely."""

    @property
    def volume(self) -> float:
        raise self._no_volume()

    @property
    def centre(self) -> Floats:
        raise self._no_volume()

    def unit_inertia(self) -> Floats:
        raise self._no_volume()

    @property
    def curvature(self) -> float:
        return 0.0

    def _no_volume(self) -> InputError:
        return InputError(
            f"a {type(self).__name__} has no volume, so no mass: only a body that is "
            "fixed or has a motion can have it"
        )
