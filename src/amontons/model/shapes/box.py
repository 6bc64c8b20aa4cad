"""A rectangular box."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from amontons.array_types import Floats, Ints
from amontons.checks import unit_rows
from amontons.checks.arrays import Vector
from amontons.model.shapes.base import ShapeRow
from amontons.model.shapes.lengths import ShapeOfLengths
from amontons.model.shapes.table import ShapeKind

# Two triangles per side; corner number = 4 [x > 0] + 2 [y > 0] + [z > 0].
TRIANGLES = np.array(
    [
        [0, 1, 3],
        [0, 3, 2],
        [4, 6, 7],
        [4, 7, 5],
        [0, 4, 5],
        [0, 5, 1],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
        [0, 6, 4],
        [1, 5, 7],
        [1, 7, 3],
    ],
    dtype=np.int32,
)


@dataclass(frozen=True)
class Box(ShapeOfLengths):
    """A box about the origin, its edges along the axes.

    Parameters
    ----------
    size:
        Full lengths along x, y and z [m].
    """

    size: Vector

    @classmethod
    def cube(cls, length: float) -> Self:
        """A box with twelve equal edges [m]."""
        return cls((length, length, length))

    @property
    def _half(self) -> Vector:
        x, y, z = self.size
        return x / 2, y / 2, z / 2

    @property
    def curvature(self) -> float:
        """Of its faces; edges and corners do not count."""
        return 0.0

    def encode(self) -> ShapeRow:
        return ShapeRow(ShapeKind.BOX, (*self._half, 0.0), self._half)

    @property
    def volume(self) -> float:
        return prod(self.size)

    def unit_inertia(self) -> Floats:
        squares = np.square(self.size)
        return self.volume / 12 * np.diag(squares.sum() - squares)

    def support(self, directions: ArrayLike) -> Floats:
        return np.where(unit_rows(directions) < 0.0, -1.0, 1.0) * self._half

    def surface_mesh(self, resolution: int = 32) -> tuple[Floats, Ints]:
        signs = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
        return signs * self._half, TRIANGLES.copy()
