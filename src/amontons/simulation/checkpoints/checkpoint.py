"""Checkpoints: the whole state of a simulation in one file, from which it goes on bit for bit.

A checkpoint holds numbers only. What cannot be written down (functions of time, the solver) and
what need not be (shapes that were there from the start) comes from the script that made the scene:
run it again, then restore. Shapes and materials that came later are in it (`inventory`).
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from amontons.dynamics.bonds.model import BondState
from amontons.errors import FileFormatError, InputError
from amontons.simulation.checkpoints.checks import checksum, faults, wrong_shapes, wrong_types
from amontons.simulation.checkpoints.inventory import Belongings, inventory_arrays, inventory_from
from amontons.simulation.state import State
from amontons.storage.reading import DAMAGE, ZIP_START, brief, require_file
from amontons.storage.writing import replacing

if TYPE_CHECKING:
    from amontons.simulation.simulation import Simulation

Arrays = dict[str, NDArray[Any]]
Ids = NDArray[np.int64]

FORMAT = "amontons checkpoint"
VERSION = 8


def save(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """Write a checkpoint; an older one of that name stays until the new one is whole."""
    arrays = _arrays(simulation)
    with replacing(Path(path)) as stream:
        np.savez(stream, checksum=np.array(checksum(arrays)), **arrays)  # type: ignore[arg-type]


def restore(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """Put a simulation into the state of a checkpoint; nothing changes if it does not fit."""
    path = Path(path)
    arrays = _read(path)
    own = _arrays(simulation)
    missing = sorted(set(own) - set(arrays))
    if missing:
        raise FileFormatError(f"{path} lacks {', '.join(missing)}")
    _require_none(path, wrong_types(arrays, own))
    _require_none(path, wrong_shapes(arrays))
    try:
        inventory = inventory_from(arrays, simulation.world, simulation.begun)
    except InputError as reason:
        raise InputError(f"{path} is a checkpoint of another scene: {reason}") from None
    gone = np.setdiff1d(simulation.bodies.id, arrays["bodies.id"])
    for what, fits in (
        ("bodies", _bodies_fit(simulation, arrays)),
        ("joints", _joints_fit(simulation, arrays, gone)),
        ("loads", _loads_fit(simulation, arrays, gone)),
        ("bonds", _bonds_fit(simulation, arrays, gone)),
        ("cell", arrays["cell.edges"].shape == simulation.state.cell.edges.shape),
    ):
        if not fits:
            raise InputError(
                f"{path} is a checkpoint of another scene: its {what} are others; build the same "
                "world first"
            )
    _require_none(path, faults(arrays, own, inventory, len(simulation.world.motions)))
    _put_back(simulation, arrays, gone, inventory)


def _require_none(path: Path, found: Iterator[str]) -> None:
    """Raise with the first fault that was found, if any."""
    for fault in found:
        raise FileFormatError(f"{path} is not a state that a run can go on from: {fault}")


def clock_of(path: str | os.PathLike[str]) -> tuple[int, float]:
    """Steps that had been taken when a checkpoint was written, and the simulated time [s]."""
    state = _read(Path(path))
    for name, kinds in (("steps", "iu"), ("time", "f")):
        if name not in state or state[name].shape != () or state[name].dtype.kind not in kinds:
            raise FileFormatError(f"{path} does not say when it was written: no {name}")
    return int(state["steps"]), float(state["time"])


def _read(path: Path) -> Arrays:
    """All arrays of a checkpoint of this version."""
    require_file(path, "checkpoint")
    with path.open("rb") as stream:  # numpy would leave a damaged file open
        if stream.read(len(ZIP_START)) != ZIP_START:
            raise FileFormatError(f"{path} is not a checkpoint of a simulation")
        stream.seek(0)
        try:
            with np.load(stream, allow_pickle=False) as archive:
                state = {key: archive[key] for key in archive.files}
        except DAMAGE as reason:
            raise FileFormatError(
                f"{path} cannot be read as a checkpoint: {brief(reason)}"
            ) from None
    odd = [key for key, value in state.items() if not isinstance(value, np.ndarray)]
    if odd:
        raise FileFormatError(f"{path} cannot be read as a checkpoint: {odd[0]!r} is no array")
    if str(state.get("format")) != FORMAT:
        raise FileFormatError(f"{path} is not a checkpoint of a simulation")
    if str(state.get("version")) != str(VERSION):
        raise FileFormatError(
            f"{path} is a checkpoint of version {str(state.get('version'))[:20]}; this release "
            f"reads version {VERSION}"
        )
    if "shapes.digest" not in state or "bodies.id" not in state:
        raise FileFormatError(f"{path} lacks its shapes or its bodies")
    told = str(state.pop("checksum", None))
    if told != checksum(state):
        raise FileFormatError(
            f"{path} is damaged: it does not match its checksum; put back a copy, or remove it to "
            "begin from the start"
        )
    return state


def _arrays(simulation: Simulation) -> Arrays:
    """The state, and what it stands on: ids to come, what was made of bodies, bonds and loads."""
    world, columns, model = simulation.world, simulation.bodies.columns, simulation.model
    return {
        "format": np.array(FORMAT),
        "version": np.array(VERSION),
        "next_id": np.array(world.next_id),
        **inventory_arrays(world, simulation.begun),
        "joints.id": model.joints.ids,
        **{f"joints.bound.{name}": array for name, array in model.joints.bound().items()},
        **{f"loads.{name}": array for name, array in simulation.loads.state().items()},
        **{f"bodies.{name}": columns[name] for name in columns.names},
        **{f"bonds.made.{name}": array for name, array in world.bonds.arrays().items()},
        **simulation.state.arrays(),
    }


def _bodies_fit(simulation: Simulation, state: Arrays) -> bool:
    columns, count = simulation.bodies.columns, state["bodies.id"].size
    return all(
        state[f"bodies.{name}"].shape == (count, *columns[name].shape[1:])
        and np.can_cast(state[f"bodies.{name}"].dtype, columns[name].dtype)
        for name in columns.names
    )


def _joints_fit(simulation: Simulation, state: Arrays, gone: Ids) -> bool:
    """Whether the joints that are left without bodies that are gone are those of the file."""
    trial = copy.copy(simulation.joints)  # remove() gives the copy a model of its own
    trial.remove(trial.joints_of(gone.tolist()))
    mine, theirs = trial.saved(), _part(state, "joints")
    same = all(theirs[name].shape == value.shape for name, value in mine.items())
    return same and np.array_equal(mine["id"], theirs["id"])


def _loads_fit(simulation: Simulation, state: Arrays, gone: Ids) -> bool:
    left = [load for load in simulation.loads.loads if not np.isin(gone, load.ids or ()).any()]
    return state["loads.arms"].shape == (len(left), 3)


def _bonds_fit(simulation: Simulation, state: Arrays, gone: Ids) -> bool:
    """Whether the bonds that are left without bodies that are gone are those of the file."""
    bonds = copy.deepcopy(simulation.world.bonds)
    bonds.without_bodies(gone)
    made = {f"bonds.made.{name}": array for name, array in bonds.arrays().items()}
    wanted = {
        f"bonds.{k}": v.shape for k, v in BondState.fresh(bonds.id, bonds.bodies)._asdict().items()
    }
    return all(np.array_equal(state[name], mine) for name, mine in made.items()) and all(
        state[name].shape == shape for name, shape in wanted.items()
    )


def _put_back(simulation: Simulation, arrays: Arrays, gone: Ids, inventory: Belongings) -> None:
    """Put a simulation into a state that fits its scene."""
    world, columns = simulation.world, simulation.bodies.columns
    world.remove_bodies(gone.tolist())
    inventory.put(world)
    columns.put({name: arrays[f"bodies.{name}"] for name in columns.names})
    world.next_id = int(arrays["next_id"])
    world.version += 1
    simulation.follow_world()
    simulation.joints.restore(_part(arrays, "joints"))
    simulation.loads.restore(_part(arrays, "loads"))
    simulation.state = State.from_arrays(arrays)


def _part(state: Arrays, name: str) -> Arrays:
    return {
        key.removeprefix(f"{name}."): value
        for key, value in state.items()
        if key.startswith(f"{name}.")
    }
