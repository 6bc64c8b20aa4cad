"""Bonds that broke, as rows of a run's file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.results.layout import BROKEN
from amontons.simulation.simulation import Simulation


def broken_rows(simulation: Simulation, since: float) -> NDArray[Any]:
    """A row for each bond that broke after that time [s]."""
    bonds = simulation.bonds
    found = np.flatnonzero(bonds.broken & (bonds.broken_at > since))
    rows = np.zeros(found.size, dtype=BROKEN)
    if found.size:
        rows["step"], rows["time"] = simulation.steps, bonds.broken_at[found]
        rows["bond"], rows["bodies"] = bonds.ids[found], bonds.bodies[found]
        rows["by"] = np.char.encode(bonds.broken_by[found])
        rows["under"] = bonds.broken_under[found]
    return rows
