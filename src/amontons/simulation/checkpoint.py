"""Checkpoints: the whole state of a simulation in one file, from which it goes on bit for bit.

A checkpoint holds numbers only. What cannot be written down (shapes, functions of time, the solver)
comes from the script that made the scene: run it again, then restore.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from amontons.collision.contacts import ContactSet
from amontons.errors import FileFormatError, InputError
from amontons.model.world import World
from amontons.problem.files import replacing, require_file

if TYPE_CHECKING:
    from amontons.simulation.simulation import Simulation

Arrays = dict[str, NDArray[Any]]

FORMAT = "amontons checkpoint"
VERSION = 1


def save(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """Write a checkpoint; an older one of that name stays until the new one is whole."""
    with replacing(Path(path)) as stream:
        np.savez(stream, **_state(simulation))  # type: ignore[arg-type]


def restore(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """Put a simulation into the state of a checkpoint; nothing changes if it does not fit."""
    path = Path(path)
    require_file(path)
    try:
        with np.load(path, allow_pickle=False) as archive:
            state = {key: archive[key] for key in archive.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as reason:
        raise FileFormatError(f"{path} cannot be read as a checkpoint: {reason}") from None
    if str(state.get("format")) != FORMAT:
        raise FileFormatError(f"{path} is no checkpoint of a simulation")
    if int(state["version"]) != VERSION:
        raise FileFormatError(
            f"{path} is a checkpoint of version {int(state['version'])}; this release reads "
            f"version {VERSION}"
        )
    if str(state["scene"]) != fingerprint(simulation.world):
        raise InputError(
            f"{path} is a checkpoint of another scene: its shapes, materials or motions differ; "
            "build the same world first"
        )
    missing = sorted(set(_state(simulation)) - set(state))
    if missing:
        raise FileFormatError(f"{path} lacks {', '.join(missing)}")
    _put_back(simulation, state)


def fingerprint(world: World) -> str:
    """A hash of what a checkpoint does not hold: shapes, materials and motions."""
    said = [f"{type(s).__name__} {[b.tolist() for b in s.bounds]}" for s in world.shapes]
    said += [repr(origin) for origin in world.origins]
    said += [repr(material) for material in world.materials.list]
    said.append(f"{len(world.motions)} motions")
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:20]


def _state(simulation: Simulation) -> Arrays:
    world, columns = simulation.world, simulation.bodies.columns
    state: Arrays = {
        "format": np.array(FORMAT),
        "version": np.array(VERSION),
        "scene": np.array(fingerprint(world)),
        "clock": np.array([simulation.time, simulation.dissipated]),
        "counts": np.array([simulation.steps, world.next_id, *simulation.lookout.level]),
        "gravity": world.gravity,
    }
    state |= {f"bodies.{name}": columns[name] for name in columns.names}
    state |= {f"joints.{name}": value for name, value in simulation.joints.state().items()}
    state |= {f"loads.{name}": value for name, value in simulation.loads.state().items()}
    contacts, values = simulation.memory.contents(len(simulation.bodies))
    state |= {f"contacts.{name}": value for name, value in vars(contacts).items()}
    state["contacts.values"] = values
    return state


def _put_back(simulation: Simulation, state: Arrays) -> None:
    world, columns = simulation.world, simulation.bodies.columns
    ids = state["bodies.id"]
    gone = np.setdiff1d(simulation.bodies.id, ids)
    world.remove_bodies(gone.tolist())
    columns.keep(np.zeros(len(columns), dtype=bool))
    columns.append(ids.size, {name: state[f"bodies.{name}"] for name in columns.names})
    steps, world.next_id, *level = state["counts"].tolist()
    world.gravity = state["gravity"]
    world.version += 1
    simulation.prepare()
    simulation.joints.restore(_part(state, "joints"))
    simulation.loads.restore(_part(state, "loads"))
    held = _part(state, "contacts")
    values = held.pop("values")
    simulation.memory.store(ContactSet(**held), values)
    simulation.time, simulation.dissipated = state["clock"].tolist()
    simulation.steps = steps
    simulation.lookout.level = (level[0], level[1])


def _part(state: Arrays, name: str) -> Arrays:
    return {
        key.removeprefix(f"{name}."): value
        for key, value in state.items()
        if key.startswith(f"{name}.")
    }
