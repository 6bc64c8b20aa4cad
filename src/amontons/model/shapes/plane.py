"""A half-space."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from amontons.array_types import Floats, Ints
from amontons.checks import finite, positive, unit_vector
from amontons.checks.arrays import Vector
from amontons.errors import InputError
from amontons.model.shapes.base import ShapeRow, Volumeless
from amontons.model.shapes.table import ShapeKind

DRAWN = 10.0
"""Side of the square that is drawn for a plane [m]."""


@dataclass(frozen=True)
class Plane(Volumeless):
    """Infinite solid ground: all points p with normal·p ≤ offset. For fixed bodies only.

    Parameters
    ----------
    normal:
        Out of the ground, of any length but zero.
    offset:
        Distance of the surface from the origin along the normal [m].
    """

    normal: Vector = (0.0, 0.0, 1.0)
    offset: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", unit_vector("normal", self.normal))
        object.__setattr__(self, "offset", finite("offset", self.offset))

    def encode(self) -> ShapeRow:
        return ShapeRow(ShapeKind.PLANE, (*self.normal, self.offset), (inf, inf, inf))

    def support(self, directions: ArrayLike) -> Floats:
        raise InputError("a Plane has no end: it has no point that is farthest along a direction")

    def surface_mesh(self, resolution: int = 32) -> tuple[Floats, Ints]:
        """A square of 10 m about the point of the plane that is nearest to the origin."""
        normal = np.array(self.normal)
        across = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
        across *= DRAWN / 2 / np.linalg.norm(across)
        along = np.cross(normal, across)
        corners = [-across - along, across - along, across + along, along - across]
        triangles = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
        return np.array(corners) + self.offset * normal, triangles

    def scaled(self, factor: float) -> Self:
        return replace(self, offset=self.offset * positive("factor", factor))
