"""`MeterReading`: counts of a source, a sink or a flow meter, by material."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons.model.flows import Flows
from amontons.simulation.flows.flow_state import FlowState

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MeterReading:
    """Totals since the start; `by_material` arrays go by the numbers of materials."""

    kind: str
    """Source, sink or meter."""
    count_by_material: Counts
    """Bodies that were added, removed, or passed forwards."""
    mass_by_material: Floats
    """Of these [kg]."""
    momentum_by_material: Floats
    """Of these, along a meter's normal [kg m/s]; zero for sources and sinks."""
    back_by_material: Counts
    """Bodies that passed a meter backwards."""
    mass_back_by_material: Floats
    """Of these [kg]."""
    waiting: bool
    """Whether a source found no room in the last step."""

    @property
    def count(self) -> int:
        """Bodies that were added, removed, or passed forwards."""
        return int(self.count_by_material.sum())

    @property
    def mass(self) -> float:
        """Of these [kg]."""
        return float(self.mass_by_material.sum())

    @property
    def net_mass(self) -> float:
        """Forwards less backwards [kg]."""
        return self.mass - float(self.mass_back_by_material.sum())

    @property
    def speed(self) -> float:
        """Mean velocity, by mass, of those that passed forwards, along the normal [m/s]."""
        return float(self.momentum_by_material.sum()) / self.mass if self.count else np.nan

    def __repr__(self) -> str:
        return f"<MeterReading: {self.kind}, {self.count} bodies, {self.mass:.6g} kg>"


def meter_readings(flows: Flows, state: FlowState) -> dict[str, MeterReading]:
    """Readings by name, in the order of the world."""
    return {
        name: MeterReading(
            flows.kind_of(i),
            state.number[i].copy(),
            state.mass[i].sum(axis=1),
            state.momentum[i].copy(),
            state.number_back[i].copy(),
            state.mass_back[i].sum(axis=1),
            bool(state.waiting[i]),
        )
        for i, name in enumerate(flows.names)
    }
