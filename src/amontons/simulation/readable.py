"""What can be read from a simulation at once, and how it is looked at."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats
from amontons.dynamics.bonds.readings import BondReadings
from amontons.dynamics.energy_ledger import Work
from amontons.simulation.cell.cell_state import CellState
from amontons.simulation.compiled.many_steps import ManySteps
from amontons.simulation.model import Model
from amontons.simulation.reports.sensing import by_name
from amontons.simulation.state import State

VIEWER = "amontons.viewer"  # is built on simulations, and so loaded when it is asked for


class Readable:
    """A run as far as its state tells of it; `Simulation` is one."""

    _state: State
    _ids: NDArray[np.int64]
    _many: ManySteps

    @property
    def model(self) -> Model:
        """The current model: everything that steps do not change."""
        raise NotImplementedError

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._state.time

    @property
    def steps(self) -> int:
        """Steps taken."""
        return self._state.steps

    @property
    def staged_because(self) -> str | None:
        """Why the last step was taken stage by stage; None where it was one compiled call."""
        return self._many.reason

    @property
    def bonds(self) -> BondReadings:
        """Bonds: forces and stresses in them, and which are broken."""
        return BondReadings(self.model.bonds, self._state.bonds, self._ids)

    @property
    def cell(self) -> CellState:
        """The current cell: `sim.cell.lengths`, `.volume`, `.tilt`, `.images`."""
        return self._state.cell

    @property
    def sensors(self) -> dict[str, Floats]:
        """Readings of each sensor in the last step, by its name; NaN before the first step."""
        return by_name(self.model.sensors, self._state.sensors)

    @property
    def work(self) -> Work:
        """Energy supplied to bodies and springs so far, by cause [J]; negative where extracted."""
        return self._state.energy.by_cause

    @property
    def dissipated(self) -> float:
        """Energy dissipated so far by friction, impacts, dampers and drag [J]."""
        return self.work.dissipated

    def view(self, *, height: int = 480) -> Any:
        """A viewer of the current state: notebooks display it, elsewhere call `open()`."""
        return importlib.import_module(VIEWER).view(self, height=height)

    def render(self, **look: Any) -> Any:
        """A picture of the current state; see :func:`amontons.viewer.render`."""
        return importlib.import_module(VIEWER).render(self, **look)
