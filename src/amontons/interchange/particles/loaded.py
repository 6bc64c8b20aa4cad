"""`Particles`: spheres read from a file of another program."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from amontons.checks import positive
from amontons.errors import FileFormatError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Particles:
    """Spheres, one row each. What the file does not contain is None."""

    position: Floats
    """Centres [m], shape (particles, 3)."""
    radius: Floats
    """[m], shape (particles,)."""
    id: NDArray[np.int64] | None = None
    type: NDArray[np.int64] | None = None
    velocity: Floats | None = None
    """[m/s], shape (particles, 3)."""
    density: Floats | None = None
    """[kg/m³], shape (particles,)."""
    mass: Floats | None = None
    """[kg], shape (particles,)."""

    def scaled(self, factor: float) -> Particles:
        """Lengths and velocities multiplied by a factor, densities divided by its cube."""
        factor = positive("scale", factor)
        if factor == 1.0:
            return self
        return replace(
            self,
            position=factor * self.position,
            radius=factor * self.radius,
            velocity=None if self.velocity is None else factor * self.velocity,
            density=None if self.density is None else self.density / factor**3,
        )

    def __len__(self) -> int:
        return len(self.radius)

    def __repr__(self) -> str:
        if not len(self):
            return "<Particles: none>"
        low, high = 2.0 * self.radius.min(), 2.0 * self.radius.max()
        return f"<Particles: {len(self)}, diameters {low:.4g} to {high:.4g} m>"


def particles(name: str, columns: dict[str, Floats]) -> Particles:
    """Particles from columns: x, y, z, radius, perhaps id, type, vx to vz, density and mass."""
    missing = [each for each in ("x", "y", "z", "radius") if each not in columns]
    if missing:
        raise FileFormatError(
            f"{name} has no column for {', '.join(missing)}; it has {', '.join(columns)}"
        )
    radius = columns["radius"]
    wrong = ~(radius > 0.0)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise FileFormatError(f"{name}: particle {i + 1} has a radius of {radius[i]:g}")
    for each, values in columns.items():
        if not np.isfinite(values).all():
            i = int(np.argmax(~np.isfinite(values)))
            raise FileFormatError(f"{name}: particle {i + 1} has {each} = {values[i]}")
    speeds = [columns.get(each) for each in ("vx", "vy", "vz")]
    velocity = None
    if all(each is not None for each in speeds):
        velocity = np.stack([each for each in speeds if each is not None], axis=1)
    numbers = {each: columns[each].astype(np.int64) for each in ("id", "type") if each in columns}
    return Particles(
        np.stack([columns["x"], columns["y"], columns["z"]], axis=1),
        radius,
        numbers.get("id"),
        numbers.get("type"),
        velocity,
        columns.get("density"),
        columns.get("mass"),
    )


def table(name: str, lines: list[tuple[int, list[str]]], width: int) -> Floats:
    """The first `width` numbers of each row; further ones are ignored. Shape (rows, width)."""
    rows = []
    for number, words in lines:
        if len(words) < width:
            raise FileFormatError(
                f"{name}, line {number}: {width} numbers were expected, got {len(words)}"
            )
        try:
            rows.append([float(word) for word in words[:width]])
        except ValueError:
            raise FileFormatError(
                f"{name}, line {number}: these are not all numbers: {' '.join(words)}"
            ) from None
    return np.array(rows, dtype=np.float64).reshape(-1, width)
