"""Which simulation moves a world: handles of robots find theirs by it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import ReferenceType, WeakKeyDictionary, ref

from amontons.model.world import World

if TYPE_CHECKING:
    from amontons.simulation.simulation import Simulation

_MOVERS: WeakKeyDictionary[World, ReferenceType[Simulation]] = WeakKeyDictionary()


def moves(simulation: Simulation, world: World) -> None:
    """Note that a simulation moves a world from now on."""
    _MOVERS[world] = ref(simulation)


def mover_of(world: World) -> Simulation | None:
    """The simulation that was made of a world last, as long as it is there."""
    found = _MOVERS.get(world)
    return None if found is None else found()
