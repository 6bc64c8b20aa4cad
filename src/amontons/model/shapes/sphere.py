"""A ball."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import ArrayLike

from amontons.array_types import Floats, Ints
from amontons.checks import unit_rows
from amontons.model.shapes.base import ShapeRow
from amontons.model.shapes.lengths import ShapeOfLengths
from amontons.model.shapes.surfaces import quarter_turns, segments_of, turned
from amontons.model.shapes.table import ShapeKind


@dataclass(frozen=True)
class Sphere(ShapeOfLengths):
    """A ball about the origin.

    Parameters
    ----------
    radius:
        [m]
    """

    radius: float

    def encode(self) -> ShapeRow:
        r = self.radius
        return ShapeRow(ShapeKind.SPHERE, (r, 0.0, 0.0, 0.0), (r, r, r))

    @property
    def volume(self) -> float:
        return 4 / 3 * pi * self.radius**3

    @property
    def curvature(self) -> float:
        return 1.0 / self.radius

    def unit_inertia(self) -> Floats:
        return 0.4 * self.volume * self.radius**2 * np.eye(3)

    def support(self, directions: ArrayLike) -> Floats:
        return self.radius * unit_rows(directions)

    def surface_mesh(self, resolution: int = 32) -> tuple[Floats, Ints]:
        segments = segments_of(resolution)
        latitude = quarter_turns(segments)
        return turned(self.radius * np.stack([np.cos(latitude), np.sin(latitude)], 1), segments)
