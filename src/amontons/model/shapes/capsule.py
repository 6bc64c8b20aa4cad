"""A cylinder with round ends."""

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
class Capsule(ShapeOfLengths):
    """All points within a radius of a segment along z, whose middle is the origin.

    Parameters
    ----------
    radius:
        Of the cylinder and of the two half balls at its ends [m].
    length:
        Of the cylindrical part alone [m]; the whole is longer by two radii.
    """

    radius: float
    length: float

    def encode(self) -> ShapeRow:
        r, half = self.radius, self.length / 2
        return ShapeRow(ShapeKind.CAPSULE, (r, half, 0.0, 0.0), (r, r, half + r))

    @property
    def volume(self) -> float:
        return pi * self.radius**2 * (self.length + 4 / 3 * self.radius)

    def unit_inertia(self) -> Floats:
        r, h = self.radius, self.length
        cylinder = pi * r**2 * h
        half_ball = 2 / 3 * pi * r**3
        along = cylinder * r**2 / 2 + 2 * half_ball * 0.4 * r**2
        # a half ball has 2/5 m r² about its flat side's middle; its centre is 3r/8 beyond
        across = cylinder * (r**2 / 4 + h**2 / 12)
        across += 2 * half_ball * (0.4 * r**2 + h**2 / 4 + 3 / 8 * r * h)
        return np.diag([across, across, along])

    def support(self, directions: ArrayLike) -> Floats:
        unit = unit_rows(directions)
        points = self.radius * unit
        points[:, 2] += np.where(unit[:, 2] < 0.0, -self.length / 2, self.length / 2)
        return points

    def surface_mesh(self, resolution: int = 32) -> tuple[Floats, Ints]:
        segments = segments_of(resolution)
        latitude = quarter_turns(segments)
        south, north = latitude[latitude <= 0.0], latitude[latitude >= 0.0]
        profile = self.radius * np.concatenate(
            [np.stack([np.cos(part), np.sin(part)], axis=1) for part in (south, north)]
        )
        profile[: len(south), 1] -= self.length / 2
        profile[len(south) :, 1] += self.length / 2
        return turned(profile, segments)
