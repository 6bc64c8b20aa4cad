"""An ellipsoid."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, prod

import numpy as np
from numpy.typing import ArrayLike

from amontons.array_types import Floats, Ints
from amontons.checks import unit_rows
from amontons.checks.arrays import Vector
from amontons.model.shapes.base import ShapeRow
from amontons.model.shapes.lengths import ShapeOfLengths
from amontons.model.shapes.sphere import Sphere
from amontons.model.shapes.table import ShapeKind


@dataclass(frozen=True)
class Ellipsoid(ShapeOfLengths):
    """An ellipsoid about the origin.

    Parameters
    ----------
    semi_axes:
        Half the lengths along x, y and z [m].
    """

    semi_axes: Vector

    def encode(self) -> ShapeRow:
        return ShapeRow(ShapeKind.ELLIPSOID, (*self.semi_axes, 0.0), self.semi_axes)

    @property
    def volume(self) -> float:
        return 4 / 3 * pi * prod(self.semi_axes)

    def unit_inertia(self) -> Floats:
        squares = np.square(self.semi_axes)
        return self.volume / 5 * np.diag(squares.sum() - squares)

    def support(self, directions: ArrayLike) -> Floats:
        axes = np.array(self.semi_axes)
        return axes * unit_rows(axes / axes.max() * unit_rows(directions))

    def surface_mesh(self, resolution: int = 32) -> tuple[Floats, Ints]:
        vertices, triangles = Sphere(1.0).surface_mesh(resolution)
        return vertices * self.semi_axes, triangles
