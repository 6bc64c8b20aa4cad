"""A cell that repeats itself, as a place to measure in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons.collision.images.lattice import Lattice
from amontons.measure.regions import MeasuredRegion
from amontons.model.shapes import Box, Part

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class CellRegion(MeasuredRegion):
    """All of a cell: every body is in it once, and what it cuts goes on in it on the other side."""

    def __init__(self, lengths: Floats) -> None:
        super().__init__(Part(Box(tuple(lengths.tolist()))))
        self.size = lengths
        """[m], shape (3,)."""

    def _inside(self, points: Floats) -> Flags:
        return np.ones(len(points), dtype=bool)

    def _span(self, start: Floats, along: Floats) -> tuple[Floats, Floats]:
        return np.zeros(len(start)), np.ones(len(start))

    def _balls(self, centre: Floats, radius: Floats) -> Floats:
        return np.asarray(4.0 / 3.0 * np.pi * radius**3)


@dataclass(frozen=True, eq=False)
class SampledCell:
    """A cell at the moment of a sample."""

    lattice: Lattice
    """Where images are."""
    earlier: Lattice
    """Where they were when contacts were found, at the start of the step that led here."""
    gradient: Floats
    """Of the velocity of space [1/s], shape (3, 3)."""

    @classmethod
    def of(cls, lattice: Lattice, gradient: Floats, step: float) -> SampledCell:
        """A cell after a step [s] in which space moved by a gradient; NaN: after none."""
        back = np.eye(3) + (0.0 if np.isnan(step) else step) * gradient
        edges = np.asarray(np.linalg.solve(back, lattice.edges), dtype=np.float64)
        earlier = lattice._replace(edges=edges)
        return cls(lattice, earlier, gradient)

    @property
    def repeats(self) -> bool:
        """Whether it repeats along all axes, so that its volume is that of the sample."""
        return bool(self.lattice.periodic.all())

    def nearest(self, vector: Floats) -> Floats:
        """From a body to the image of a contact point that is on it [m]; shape (n, 3) both."""
        middle = self.earlier._replace(origin=-0.5 * self.earlier.lengths)
        return vector + middle.shifts(middle.home(vector))

    def fluctuation(self, position: Floats, velocity: Floats) -> Floats:
        """Velocities relative to that of space [m/s], shape (bodies, 3)."""
        return np.asarray(velocity - position @ self.gradient.T)
