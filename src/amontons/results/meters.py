"""What sources, sinks and flow meters have counted, as rows of a run's file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.results.layout import METER, NAME_LENGTH
from amontons.simulation.simulation import Simulation


def meter_rows(simulation: Simulation) -> NDArray[Any]:
    """The current counts: a row for each source, sink and meter and each material counted by it.

    One that has counted no body yet has a row for material 0.
    """
    found = []
    for name, reading in simulation.meters.items():
        counted = reading.count_by_material + reading.back_by_material
        for material in np.flatnonzero(counted).tolist() or [0]:
            row = np.zeros((), dtype=METER)
            row["step"], row["time"] = simulation.steps, simulation.time
            row["kind"], row["name"] = reading.kind.encode(), name.encode()[:NAME_LENGTH]
            row["material"] = material
            row["count"] = reading.count_by_material[material]
            row["mass"] = reading.mass_by_material[material]
            row["momentum"] = reading.momentum_by_material[material]
            row["count_back"] = reading.back_by_material[material]
            row["mass_back"] = reading.mass_back_by_material[material]
            found.append(row)
    return np.array(found, dtype=METER)
