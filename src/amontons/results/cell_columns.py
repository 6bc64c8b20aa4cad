"""The cell that repeats itself, as columns of a run's steps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from amontons.array_types import Floats
from amontons.frames import FrameCell
from amontons.simulation.simulation import Simulation

CELL = "cell:"
"""What the names of such columns begin with."""

ENTRIES = (("xx", 0, 0), ("yy", 1, 1), ("zz", 2, 2), ("xy", 0, 1))
"""Of its edges and of the gradient that can be other than zero."""

UNITS = {
    **{f"{CELL}edge_{name}": "m" for name, _, _ in ENTRIES},
    **{f"{CELL}rate_{name}": "1/s" for name, _, _ in ENTRIES},
    **{f"{CELL}origin_{axis}": "m" for axis in "xyz"},
    **{f"{CELL}periodic_{axis}": "" for axis in "xyz"},
}
"""The columns of a run with a cell, and their units: one edge a column of `edge`."""


def cell_values(simulation: Simulation) -> list[float]:
    """The numbers after a step, in the order of `UNITS`; none where there is no cell."""
    cell, state = simulation.world.cell, simulation.cell
    if cell is None:
        return []
    edges = [float(state.edges[i, j]) for _, i, j in ENTRIES]
    rates = [float(state.gradient[i, j]) for _, i, j in ENTRIES]
    return [*edges, *rates, *cell.origin, *(float(each) for each in cell.periodic)]


def cell_after(readings: Mapping[str, Floats], row: int) -> FrameCell:
    """The cell after a step, from that row of the readings of its columns."""

    def square(kind: str) -> Floats:
        found = np.zeros((3, 3))
        for name, i, j in ENTRIES:
            found[i, j] = readings[f"{CELL}{kind}_{name}"][row]
        return found

    origin = np.array([readings[f"{CELL}origin_{axis}"][row] for axis in "xyz"])
    periodic = np.array([readings[f"{CELL}periodic_{axis}"][row] for axis in "xyz"]) != 0.0
    return FrameCell(square("edge"), square("rate"), origin, periodic)
