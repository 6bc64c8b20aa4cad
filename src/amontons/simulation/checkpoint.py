"""Checkpoints: the whole state of a simulation in one file, from which it goes on bit for bit.

A checkpoint holds numbers only. What cannot be written down (shapes, functions of time, the solver)
comes from the script that made the scene: run it again, then restore.
"""

from __future__ import annotations

import copy
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from amontons.collision.contacts import ContactSet
from amontons.errors import FileFormatError, InputError
from amontons.model.materials import PAIRED
from amontons.model.world import World
from amontons.simulation.margins import MarginLevel
from amontons.storage.reading import DAMAGE, ZIP_START, require_file
from amontons.storage.writing import replacing

if TYPE_CHECKING:
    from amontons.simulation.simulation import Simulation

Arrays = dict[str, NDArray[Any]]
Ids = NDArray[np.int64]

FORMAT = "amontons checkpoint"
VERSION = 2


def save(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """Write a checkpoint; an older one of that name stays until the new one is whole."""
    _take_in(simulation)
    with replacing(Path(path)) as stream:
        np.savez(stream, **_state(simulation))  # type: ignore[arg-type]


def restore(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """Put a simulation into the state of a checkpoint; nothing changes if it does not fit."""
    path = Path(path)
    state = _read(path)
    if str(state["scene"]) != fingerprint(simulation.world):
        raise InputError(
            f"{path} is a checkpoint of another scene: its shapes, materials or motions differ; "
            "build the same world first"
        )
    _take_in(simulation)
    missing = sorted(set(_state(simulation)) - set(state))
    if missing:
        raise FileFormatError(f"{path} lacks {', '.join(missing)}")
    gone = np.setdiff1d(simulation.bodies.id, state["bodies.id"])
    for what, fits in (
        ("bodies", _bodies_fit(simulation, state)),
        ("joints", _joints_fit(simulation, state, gone)),
        ("loads", _loads_fit(simulation, state, gone)),
    ):
        if not fits:
            raise InputError(
                f"{path} is a checkpoint of another scene: its {what} are others; build the same "
                "world first"
            )
    put_back(simulation, state)


def fingerprint(world: World) -> str:
    """A hash of what a checkpoint does not hold: shapes, materials and motions."""
    said = [f"{type(s).__name__} {[b.tolist() for b in s.bounds]}" for s in world.shapes]
    said += [repr(origin) for origin in world.origins]
    said += [repr(material) for material in world.materials.list]
    table = world.materials.table
    said += [repr(getattr(table, name).tolist()) for name in PAIRED]
    said.append(f"{len(world.motions)} motions")
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:20]


def _take_in(simulation: Simulation) -> None:
    """Have the simulation follow its world, where that has changed since the last step."""
    if simulation.world.version != simulation._version:
        simulation.prepare()


def _read(path: Path) -> Arrays:
    """All arrays of a checkpoint of this version."""
    require_file(path, "checkpoint")
    with path.open("rb") as stream:  # numpy would leave a damaged file open
        if stream.read(len(ZIP_START)) != ZIP_START:
            raise FileFormatError(f"{path} is no checkpoint of a simulation")
        stream.seek(0)
        try:
            with np.load(stream, allow_pickle=False) as archive:
                state = {key: archive[key] for key in archive.files}
        except DAMAGE as reason:
            raise FileFormatError(f"{path} cannot be read as a checkpoint: {reason}") from None
    if str(state.get("format")) != FORMAT:
        raise FileFormatError(f"{path} is no checkpoint of a simulation")
    if str(state.get("version")) != str(VERSION):
        raise FileFormatError(
            f"{path} is a checkpoint of version {state.get('version')}; this release reads "
            f"version {VERSION}"
        )
    if "scene" not in state or "bodies.id" not in state:
        raise FileFormatError(f"{path} lacks its scene or its bodies")
    return state


def _state(simulation: Simulation) -> Arrays:
    world, columns = simulation.world, simulation.bodies.columns
    state: Arrays = {
        "format": np.array(FORMAT),
        "version": np.array(VERSION),
        "scene": np.array(fingerprint(world)),
        "clock": np.array([simulation.time]),
        "energy": simulation.energy_book.state(),
        "counts": np.array([simulation.steps, world.next_id, *simulation.margin_level]),
        "gravity": world.gravity,
        "energies": simulation.energy_watch.state(),
        "before.seen": simulation.surroundings.seen,
        "before.gravity": simulation.surroundings.gravity,
    }
    state |= {f"bodies.{name}": columns[name] for name in columns.names}
    state |= {f"joints.{name}": value for name, value in simulation.joints.state().items()}
    state |= {f"loads.{name}": value for name, value in simulation.loads.state().items()}
    contacts, values = simulation.memory.contents(len(simulation.bodies))
    state |= {f"contacts.{name}": value for name, value in vars(contacts).items()}
    state["contacts.values"] = values
    return state


def _bodies_fit(simulation: Simulation, state: Arrays) -> bool:
    columns, count = simulation.bodies.columns, state["bodies.id"].size
    return all(
        state[f"bodies.{name}"].shape == (count, *columns[name].shape[1:])
        and np.can_cast(state[f"bodies.{name}"].dtype, columns[name].dtype)
        for name in columns.names
    )


def _joints_fit(simulation: Simulation, state: Arrays, gone: Ids) -> bool:
    """Whether the joints that are left without bodies that are gone are those of the file."""
    trial = copy.copy(simulation.joints)  # remove() gives the copy tables of its own
    trial.remove(trial.joints_of(gone.tolist()))
    mine, theirs = trial.state(), _part(state, "joints")
    same = all(theirs[name].shape == value.shape for name, value in mine.items())
    return same and np.array_equal(mine["id"], theirs["id"])


def _loads_fit(simulation: Simulation, state: Arrays, gone: Ids) -> bool:
    left = [load for load in simulation.loads.loads if not np.isin(gone, load.ids or ()).any()]
    return state["loads.arms"].shape == (len(left), 3)


def snapshot(simulation: Simulation) -> Arrays:
    """The state of a simulation, to be put back by :func:`put_back`."""
    _take_in(simulation)
    return {name: value.copy() for name, value in _state(simulation).items()}


def put_back(simulation: Simulation, state: Arrays) -> None:
    """Put a simulation into a state that fits its scene."""
    gone = np.setdiff1d(simulation.bodies.id, state["bodies.id"])
    world, columns = simulation.world, simulation.bodies.columns
    world.remove_bodies(gone.tolist())
    columns.put({name: state[f"bodies.{name}"] for name in columns.names})
    steps, world.next_id, *level = state["counts"].tolist()
    world.gravity = state["gravity"]
    world.version += 1
    simulation.margin_level = MarginLevel(*level)
    simulation.prepare()
    simulation.surroundings.seen = state["before.seen"]
    simulation.surroundings.gravity = state["before.gravity"]
    simulation.joints.restore(_part(state, "joints"))
    simulation.joints.measure(simulation.bodies.position, simulation.bodies.orientation)
    simulation.loads.restore(_part(state, "loads"))
    held = _part(state, "contacts")
    values = held.pop("values")
    simulation.memory.store(ContactSet(**held), values)
    (simulation.time,) = state["clock"].tolist()
    simulation.energy_book.restore(state["energy"])
    simulation.steps = steps
    simulation.energy_watch.restore(state["energies"])
    simulation._last = None


def _part(state: Arrays, name: str) -> Arrays:
    return {
        key.removeprefix(f"{name}."): value
        for key, value in state.items()
        if key.startswith(f"{name}.")
    }
