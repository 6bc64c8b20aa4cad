"""Where the faces of bodies are, which are borders of a region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.algebra.rotations import rotation_matrices
from amontons.errors import InputError
from amontons.frames import Surface
from amontons.model.between import Between

Floats = NDArray[np.float64]

AXES = "xyz"


@dataclass(frozen=True, eq=False)
class Everybody:
    """All bodies at one moment, walls included."""

    id: NDArray[np.int64]
    names: Mapping[str, int]
    """Ids by names."""
    position: Floats
    orientation: Floats
    shape: NDArray[np.int32]
    shapes: Sequence[Surface]

    def row(self, body: Any) -> int:
        """The row of a body, given by its handle or its name."""
        id = self.names.get(body) if isinstance(body, str) else getattr(body, "id", body)
        rows = np.flatnonzero(self.id == (-1 if id is None else id))
        if not rows.size:
            raise InputError(
                f"there is no body {body!r} here (any more): a region or a probe names it"
            )
        return int(rows[0])

    def borders(self, region: Between) -> tuple[Floats, Floats]:
        """Low and high corner of a region between bodies [m]."""
        low = np.array([self._border(each, k, 1.0) for k, each in enumerate(region.low)])
        high = np.array([self._border(each, k, -1.0) for k, each in enumerate(region.high)])
        flat = np.flatnonzero(high <= low)
        if flat.size:
            k = int(flat[0])
            raise InputError(
                f"the region has no volume: it goes from {low[k]:g} to {high[k]:g} m along "
                f"{AXES[k]}; its low border is below, its high one above"
            )
        return low, high

    def _border(self, given: Any, axis: int, side: float) -> float:
        """Where a border is along an axis [m]; its face looks along it (1) or against it (−1)."""
        if isinstance(given, float):
            return given
        row = self.row(given)
        towards = rotation_matrices(self.orientation[row : row + 1])[0][axis]  # in the body's axes
        reach = _reach(self.shapes[int(self.shape[row])], side * towards)
        return float(self.position[row, axis] + side * reach)


def _reach(surface: Surface, towards: Floats) -> float:
    """How far a shape goes from its centre of mass in a direction [m]."""
    if surface.kind == "Sphere":
        return float(surface.half[0] + surface.middle @ towards)
    if surface.kind == "Box":
        return float(surface.half @ np.abs(towards) + surface.middle @ towards)
    corners = surface.vertices.astype(np.float64) @ towards
    if surface.kind == "Plane" and np.ptp(corners) > FLAT * np.abs(surface.vertices).max():
        raise InputError("a plane that is a border of a region must lie across that axis")
    return float(corners.max())


FLAT = 1e-6
"""Share of the extent that is drawn of a plane by which it may lean."""
