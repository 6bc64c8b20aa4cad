"""How much bodies move about their common motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.measure.regions import MeasuredRegion
from amontons.measure.sample import Sample, Source, sample_of
from amontons.model.between import Between
from amontons.model.regions import Region

Floats = NDArray[np.float64]


def granular_temperature(source: Source, region: Region | Between | None = None) -> float:
    """Mean square of the fluctuating velocity along an axis, Σ m ‖δv‖² / 3 Σ m [m²/s²].

    δv is relative to the mean of the bodies whose centres are in the region, by mass.
    """
    sample = sample_of(source, region)
    mass, relative = fluctuations(sample, sample.region(region))
    return float(np.einsum("b,bi,bi->", mass, relative, relative) / (3.0 * mass.sum()))


def fluctuations(sample: Sample, region: MeasuredRegion) -> tuple[Floats, Floats]:
    """Masses [kg] of bodies in a region, and velocities relative to their mean [m/s]."""
    inside = region.inside(sample.position)
    if not inside.any():
        raise InputError("there is no body's centre in the region, so its mean speed is unknown")
    mass, velocity = sample.mass[inside], sample.velocity[inside]
    if sample.cell is not None:
        velocity = sample.cell.fluctuation(sample.position[inside], velocity)
    return mass, velocity - mass @ velocity / mass.sum()
