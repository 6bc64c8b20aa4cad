"""`FrameCell`: the cell that repeats itself, at the moment of a frame."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from amontons.collision.images.lattice import Lattice

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FrameCell:
    """The cell of a frame."""

    edges: Floats
    """One edge a column [m], shape (3, 3)."""
    gradient: Floats
    """Of the velocity of space [1/s], shape (3, 3)."""
    origin: Floats
    """Its lowest corner [m], shape (3,)."""
    periodic: NDArray[np.bool_]
    """Which axes repeat, shape (3,)."""

    @property
    def lengths(self) -> Floats:
        """Along the axes [m], shape (3,)."""
        return np.diag(self.edges).copy()

    @property
    def volume(self) -> float:
        """Of it [m³]."""
        return float(np.prod(self.lengths))

    @property
    def corners(self) -> Floats:
        """All eight [m], shape (8, 3); bits of a number say along which edges a corner is."""
        number = np.arange(8)
        along = np.stack([number & 1, number >> 1 & 1, number >> 2 & 1], axis=1)
        return np.asarray(self.origin + along @ self.edges.T)

    @property
    def lattice(self) -> Lattice:
        """Where its images are."""
        return Lattice(self.edges, self.periodic, self.origin)

    def nearest(self, vector: Floats) -> Floats:
        """The shortest of the ways (n, 3) that end at images of the same point [m]."""
        middle = self.lattice._replace(origin=-0.5 * self.edges.sum(axis=1))
        return np.asarray(vector + middle.shifts(middle.home(vector)))

    def before(self, step: float) -> FrameCell:
        """As it was before a step of this length [s] that led to it."""
        back = np.linalg.inv(np.eye(3) + step * self.gradient)
        return replace(self, edges=np.asarray(back @ self.edges))
