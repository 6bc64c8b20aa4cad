"""A cylinder."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import ArrayLike

from amontons.array_types import Floats, Ints
from amontons.checks import unit_rows
from amontons.model.shapes.base import ShapeRow
from amontons.model.shapes.lengths import ShapeOfLengths
from amontons.model.shapes.surfaces import segments_of, turned
from amontons.model.shapes.table import ShapeKind


@dataclass(frozen=True)
class Cylinder(ShapeOfLengths):
    """A cylinder about the origin, its axis along z.

    Parameters
    ----------
    radius:
        [m]
    height:
        Full height [m].
    """

    radius: float
    height: float

    def encode(self) -> ShapeRow:
        r, half = self.radius, self.height / 2
        return ShapeRow(ShapeKind.CYLINDER, (r, half, 0.0, 0.0), (r, r, half))

    @property
    def volume(self) -> float:
        return pi * self.radius**2 * self.height

    def unit_inertia(self) -> Floats:
        r2, h2 = self.radius**2, self.height**2
        across = r2 / 4 + h2 / 12
        return self.volume * np.diag([across, across, r2 / 2])

    def support(self, directions: ArrayLike) -> Floats:
        unit = unit_rows(directions)
        points = self.radius * rim_directions(unit)
        points[:, 2] = np.where(unit[:, 2] < 0.0, -self.height / 2, self.height / 2)
        return points

    def surface_mesh(self, resolution: int = 32) -> tuple[Floats, Ints]:
        r, half = self.radius, self.height / 2
        profile = np.array([[0.0, -half], [r, -half], [r, half], [0.0, half]])
        return turned(profile, segments_of(resolution))


def rim_directions(unit: Floats) -> Floats:
    """Unit directions (n, 3) projected into the plane z = 0; zero for those along z."""
    flat = unit * [1.0, 1.0, 0.0]
    length = np.linalg.norm(flat, axis=1, keepdims=True)
    return np.asarray(flat / np.where(length > 0.0, length, 1.0))
