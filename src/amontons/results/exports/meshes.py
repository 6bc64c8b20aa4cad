"""All bodies of a run as one set of triangles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons.algebra.rotations import rotation_matrices
from amontons.results.reader import Results

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Meshes:
    """Vertices of all bodies, one after the other, in each body's own frame."""

    vertices: Floats
    """[m], shape (vertices, 3)."""
    owner: NDArray[np.int64]
    """Row of the body that each vertex belongs to, shape (vertices,)."""
    triangles: NDArray[np.int64]
    """Numbers of vertices, shape (triangles, 3)."""

    @classmethod
    def of(cls, results: Results) -> Meshes:
        """The triangles of every body."""
        shapes = [results.shapes[number] for number in results.bodies.shape]
        counts = [len(shape.vertices) for shape in shapes]
        starts = np.cumsum([0, *counts])
        corners = [shape.triangles + start for shape, start in zip(shapes, starts, strict=False)]
        return cls(
            np.concatenate([np.empty((0, 3)), *(shape.vertices for shape in shapes)]),
            np.repeat(np.arange(len(shapes)), counts),
            np.concatenate([np.empty((0, 3), dtype=np.int64), *corners]),
        )

    def among(self, there: NDArray[np.bool_]) -> Meshes:
        """The triangles of some bodies, chosen by row."""
        kept = there[self.owner]
        number = np.cumsum(kept) - 1
        triangles = self.triangles[kept[self.triangles[:, 0]]]
        return Meshes(self.vertices[kept], self.owner[kept], number[triangles])

    def placed(self, position: Floats, orientation: Floats) -> Floats:
        """Vertices in the world for given poses of the bodies [m], shape (vertices, 3)."""
        turns = rotation_matrices(orientation)[self.owner]
        return np.asarray(np.einsum("vij,vj->vi", turns, self.vertices) + position[self.owner])
