"""Ground given by heights over a grid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from amontons.array_types import Floats, Ints
from amontons.checks import finite_array, positive
from amontons.errors import InputError
from amontons.model.shapes.base import ShapeRow, Volumeless
from amontons.model.shapes.mesh import TriangleMesh


@dataclass(frozen=True, init=False, eq=False, repr=False)
class HeightField(Volumeless):
    """Heights over a grid in x and y whose middle is the origin; solid from above.

    Each cell of the grid is two triangles. Give either the spacing or the extent.

    Parameters
    ----------
    heights:
        z at the points of the grid [m], shape (nx, ny), at least 2 × 2.
    spacing:
        Between neighbouring points, one number or one each along x and y [m].
    extent:
        Of the whole grid, one number or one each along x and y [m].
    """

    heights: Floats
    spacing: tuple[float, float]

    def __init__(
        self,
        heights: ArrayLike,
        spacing: ArrayLike | None = None,
        *,
        extent: ArrayLike | None = None,
    ) -> None:
        grid = finite_array("heights", heights) + 0.0
        if grid.ndim != 2 or min(grid.shape) < 2:
            raise InputError(f"heights must have shape (nx, ny), at least 2 × 2, got {grid.shape}")
        if (spacing is None) == (extent is None):
            raise InputError("give either the spacing of the grid or its extent")
        grid.flags.writeable = False
        object.__setattr__(self, "heights", grid)
        if spacing is not None:
            x, y = _two_lengths("spacing", spacing)
        else:
            assert extent is not None
            x, y = _two_lengths("extent", extent)
            x, y = x / (grid.shape[0] - 1), y / (grid.shape[1] - 1)
        object.__setattr__(self, "spacing", (x, y))

    @cached_property
    def mesh(self) -> TriangleMesh:
        """The triangles, two a cell, facing up."""
        return TriangleMesh(*self.surface_mesh())

    def encode(self) -> ShapeRow:
        return self.mesh.encode()

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        half = (np.array(self.heights.shape) - 1) * self.spacing / 2
        return np.array([*-half, self.heights.min()]), np.array([*half, self.heights.max()])

    def support(self, directions: ArrayLike) -> Floats:
        return self.mesh.support(directions)

    def surface_mesh(self, resolution: int = 32) -> tuple[Floats, Ints]:
        nx, ny = self.heights.shape
        x = (np.arange(nx) - (nx - 1) / 2) * self.spacing[0]
        y = (np.arange(ny) - (ny - 1) / 2) * self.spacing[1]
        vertices = np.stack([*np.meshgrid(x, y, indexing="ij"), self.heights], axis=-1)
        number = np.arange(nx * ny, dtype=np.int32).reshape(nx, ny)
        here, right = number[:-1, :-1].ravel(), number[1:, :-1].ravel()
        behind, beyond = number[:-1, 1:].ravel(), number[1:, 1:].ravel()
        cells = np.stack([here, right, beyond, here, beyond, behind], axis=1)
        return vertices.reshape(-1, 3), cells.reshape(-1, 3)

    def scaled(self, factor: float) -> Self:
        factor = positive("factor", factor)
        return type(self)(factor * self.heights, tuple(factor * step for step in self.spacing))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.spacing == other.spacing and np.array_equal(self.heights, other.heights)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Not Python's own hash of bytes: that differs from process to process.
        return hash((self.spacing, self.heights.shape, crc32(self.heights.tobytes())))

    def __repr__(self) -> str:
        (nx, ny), (x, y) = self.heights.shape, self.spacing
        return f"HeightField({nx} × {ny} points, spacing {x:.4g} × {y:.4g} m)"


def _two_lengths(name: str, value: ArrayLike) -> tuple[float, float]:
    array = finite_array(name, value)
    if array.shape not in ((), (2,)):
        raise InputError(f"{name} must be one number or two, got an array of shape {array.shape}")
    x, y = np.broadcast_to(array, 2)
    return positive(f"{name} along x", float(x)), positive(f"{name} along y", float(y))
