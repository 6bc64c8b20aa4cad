"""An ellipsoid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, prod
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from amontons.checks import positive, positive_vector, unit_rows
from amontons.checks.arrays import Vector
from amontons.model.shapes.base import Floats, Ints, Row, Shape
from amontons.model.shapes.sphere import Sphere
from amontons.model.shapes.table import ShapeKind


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """An ellipsoid about the origin.

    Parameters
    ----------
    semi_axes:
        Half the lengths along x, y and z [m].
    """

    semi_axes: Vector

    def __post_init__(self) -> None:
        object.__setattr__(self, "semi_axes", positive_vector("semi_axes", self.semi_axes))

    def encode(self) -> Row:
        return Row(ShapeKind.ELLIPSOID, (*self.semi_axes, 0.0), self.semi_axes)

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

    def scaled(self, factor: float) -> Self:
        a, b, c = self.semi_axes
        factor = positive("factor", factor)
        return replace(self, semi_axes=(factor * a, factor * b, factor * c))
