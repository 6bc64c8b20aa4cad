"""A state that follows its world, where bodies, joints or sensors were added or removed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats
from amontons.dynamics.joints.tables import JointState
from amontons.errors import InputError
from amontons.model.bodies import Bodies
from amontons.model.world import World
from amontons.simulation.model import body_state
from amontons.simulation.sleep.waking import wake
from amontons.simulation.state import State

Ids = NDArray[np.int64]


def followed(
    state: State, world: World, joints: JointState, sensors: Floats, old_ids: Ids, disturbed: Ids
) -> State:
    """What a state of bodies with other ids becomes; those that are disturbed are woken."""
    bodies: Bodies = world.bodies
    disturbed = np.append(disturbed, state.bonds.ends_of_changes(world.bonds))
    woken = wake(body_state(bodies), np.isin(bodies.id, disturbed))
    bodies.columns["asleep"][:], bodies.columns["still"][:] = woken.asleep, woken.still
    return state._replace(
        gravity=world.gravity,
        bodies=body_state(bodies),
        joints=joints,
        bonds=state.bonds.followed(world.bonds),
        contacts=state.contacts.renumbered(old_ids, bodies.id),
        watch=state.watch._replace(changed=True),
        rest=state.rest.renumbered(old_ids, bodies.id),
        cell=state.cell.renumbered(old_ids, bodies.id, world.cell),
        sensors=sensors,
        flows=state.flows.sized(len(world.flows), len(world.materials.list)),
    )


def require_alike(here: State, given: State) -> None:
    """Raise unless a state is one of the same bodies, joints, bonds and sensors."""
    if not np.array_equal(here.bodies.id, given.bodies.id):
        raise InputError(
            f"this is a state of other bodies: it has {given.bodies.id.size} of them, and the "
            f"simulation {here.bodies.id.size}"
        )
    if [each.shape for each in here.joints] != [each.shape for each in given.joints]:
        raise InputError("this is a state of other joints: it has more of them, or fewer")
    if not np.array_equal(here.bonds.id, given.bonds.id):
        raise InputError("this is a state of other bonds: it has more of them, or fewer")
    if here.sensors.shape != given.sensors.shape:
        raise InputError("this is a state of other sensors")
