"""`FlowState`: what sources, sinks and meters have counted, and what sources still owe.

Masses are sums of two numbers each, of which the second holds what rounding took from the first:
a sum of up to 2⁵⁰ or so masses that are alike is exact, so that what came in less what went out is
what is there, to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


class FlowState(NamedTuple):
    """One row per source, sink and meter in the order of the world, one column per material."""

    number: Counts  # bodies that came, went, or passed forwards, (flows, materials)
    mass: Floats  # of these [kg], in two parts, (flows, materials, 2)
    momentum: Floats  # of these along a meter's normal [kg m/s], (flows, materials)
    number_back: Counts  # bodies that passed a meter backwards, (flows, materials)
    mass_back: Floats  # of these [kg], in two parts, (flows, materials, 2)
    due: Floats  # mass that a source owes [kg], (flows,)
    drawn: Counts  # bodies that a source has drawn, (flows,)
    waiting: NDArray[np.bool_]  # whether a source found no room, (flows,)

    @classmethod
    def none(cls, flows: int = 0, materials: int = 0) -> FlowState:
        """That of so many before anything came."""
        table = (flows, materials)
        return cls(
            number=np.zeros(table, dtype=np.int64),
            mass=np.zeros((*table, 2)),
            momentum=np.zeros(table),
            number_back=np.zeros(table, dtype=np.int64),
            mass_back=np.zeros((*table, 2)),
            due=np.zeros(flows),
            drawn=np.zeros(flows, dtype=np.int64),
            waiting=np.zeros(flows, dtype=bool),
        )

    def sized(self, flows: int, materials: int) -> FlowState:
        """The same with room for so many."""
        if self.number.shape == (flows, materials):
            return self
        larger = FlowState.none(flows, materials)
        rows, columns = np.minimum(self.number.shape, (flows, materials))
        for old, new in zip(self, larger, strict=True):
            part = (slice(rows), slice(columns))[: min(new.ndim, 2)]
            new[part] = old[part]
        return larger


def add_exactly(total: Floats, masses: Floats) -> Floats:
    """A sum in two parts with more masses in it, shape (2,); Knuth's TwoSum keeps the rest."""
    high, low = total.tolist()
    for mass in masses.tolist():
        new = high + mass
        part = new - high
        low += (high - (new - part)) + (mass - part)
        high = new
    return np.array([high, low])


def tally(count: Counts, mass: Floats, flow: int, material: Counts, masses: Floats) -> None:
    """Enter bodies of these materials and masses into a row of the books."""
    for number in np.unique(material).tolist():
        mine = masses[material == number]
        count[flow, number] += len(mine)
        mass[flow, number] = add_exactly(mass[flow, number], mine)
