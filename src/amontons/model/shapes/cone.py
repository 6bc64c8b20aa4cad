"""A circular cone."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import ArrayLike

from amontons.array_types import Floats, Ints
from amontons.checks import unit_rows
from amontons.model.shapes.base import ShapeRow
from amontons.model.shapes.cylinder import rim_directions
from amontons.model.shapes.lengths import ShapeOfLengths
from amontons.model.shapes.surfaces import segments_of, turned
from amontons.model.shapes.table import ShapeKind


@dataclass(frozen=True)
class Cone(ShapeOfLengths):
    """A cone along z with its centre of mass at the origin: base at z = −h/4, tip at z = 3h/4.

    Parameters
    ----------
    radius:
        Of the base [m].
    height:
        From base to tip [m].
    """

    radius: float
    height: float

    def encode(self) -> ShapeRow:
        r, h = self.radius, self.height
        return ShapeRow(ShapeKind.CONE, (r, h, 0.0, 0.0), (r, r, h / 2), (0.0, 0.0, h / 4))

    @property
    def volume(self) -> float:
        return pi / 3 * self.radius**2 * self.height

    def unit_inertia(self) -> Floats:
        r2, h2 = self.radius**2, self.height**2
        across = 3 / 20 * r2 + 3 / 80 * h2
        return self.volume * np.diag([across, across, 3 / 10 * r2])

    def support(self, directions: ArrayLike) -> Floats:
        unit = unit_rows(directions)
        rim = self.radius * rim_directions(unit)
        rim[:, 2] = -self.height / 4
        tip = np.array([0.0, 0.0, 3 / 4 * self.height])
        to_rim = np.einsum("ij,ij->i", unit, rim)
        return np.where((to_rim > unit @ tip)[:, None], rim, tip)

    def surface_mesh(self, resolution: int = 32) -> tuple[Floats, Ints]:
        r, h = self.radius, self.height
        profile = np.array([[0.0, -h / 4], [r, -h / 4], [0.0, 3 / 4 * h]])
        return turned(profile, segments_of(resolution))
