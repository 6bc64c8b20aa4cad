"""Resuming a run: checked against the simulation, restored, and cut back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from amontons.errors import AmontonsError, InputError
from amontons.results.layout import CHECKPOINT, NAME_LENGTH, RUN_FILE
from amontons.results.reader import Results
from amontons.results.run_file import RunFile
from amontons.results.truncation import cut_back
from amontons.simulation.checkpoints.checkpoint import clock_of
from amontons.simulation.simulation import Simulation

SAME_PLACE = 1e-9
"""Fraction of a scene's extent by which initial positions may differ, by rounding."""


def reopened(
    simulation: Simulation,
    folder: Path,
    *,
    rate: float | None,
    contacts: bool | None,
    about: Mapping[str, Any] | None,
) -> RunFile:
    """Restore a simulation from the last checkpoint, and cut the file back to it.

    If they do not belong together, neither the simulation nor the file is changed.
    """
    with Results(folder) as results:
        told = results.about if about is None else dict(about)
        _check_options(results, folder, rate, contacts)
        _check_bodies(results, folder, simulation)
        _check_start(results, folder, simulation)
        if (folder / CHECKPOINT).exists():
            _check_checkpoint(results, folder)
    if (folder / CHECKPOINT).exists():
        simulation.restore(folder / CHECKPOINT)
    return cut_back(folder / RUN_FILE, simulation.steps, told)


def require_free(folder: Path, *names: str) -> None:
    """Raise if a folder already holds files of a run, or others of these names."""
    if (folder / RUN_FILE).exists():
        raise InputError(_taken(folder))
    for name in (CHECKPOINT, *names):
        if os.path.lexists(folder / name):
            raise InputError(
                f"{folder} holds a {name}, but not the run that it belongs to; it is not "
                "overwritten: move it away, or choose another folder"
            )


def _taken(folder: Path) -> str:
    """The error for a folder that holds a run, or another file of that name."""
    try:
        with Results(folder) as results:
            scene = results.scene
    except AmontonsError as reason:
        return f"{reason}; choose another folder"
    way = (
        f"`amontons resume {folder}`" if scene else "Recorder(..., resume=True) in the same script"
    )
    return f"{folder} already holds a run: continue it ({way}), or choose another folder"


def _check_options(
    results: Results, folder: Path, rate: float | None, contacts: bool | None
) -> None:
    if rate is not None and rate != results.rate:
        raise InputError(
            f"the run in {folder} has {results.rate:g} frames per second, not {rate:g}; give "
            f"rate={results.rate:g}, or choose another folder"
        )
    if contacts is not None and contacts != results.has_contacts:
        there, here = ("has", "not ") if results.has_contacts else ("does not have", "")
        raise InputError(
            f"the run in {folder} {there} contacts, but they are {here}to be recorded now; give "
            f"contacts={results.has_contacts}, or choose another folder"
        )


def _check_bodies(results: Results, folder: Path, simulation: Simulation) -> None:
    """Raise if the bodies are not those of the file, and say how they differ."""
    bodies, world = simulation.bodies, simulation.world
    theirs = results[0].bodies if results.frames else results.bodies  # those of the start
    what = f"{folder} holds a run of other bodies"
    advice = "build the same world, or choose another folder"
    if len(theirs) != len(bodies) or (theirs.id != bodies.id).any():
        raise InputError(
            f"{what}: it has {len(theirs)}, this simulation has {len(bodies)}; {advice}"
        )
    names = [world.name_of(int(each)) for each in bodies.id]
    for mine, name in zip(names, theirs.names, strict=True):
        if mine.encode()[:NAME_LENGTH].decode(errors="replace") != name:
            raise InputError(f"{what}: {mine!r} is called {name!r} there; {advice}")
    for column in ("shape", "mass", "fixed", "kinematic"):
        here, there = getattr(bodies, column), getattr(theirs, column)
        differ = here != there
        if differ.any():
            i = int(np.argmax(differ))
            how = f"{column} of {names[i]} is {there[i]} there and {here[i]} here"
            if column == "shape":  # a number, which says nothing
                how = f"{names[i]} has another shape there"
            raise InputError(f"{what}: {how}; {advice}")


def _check_checkpoint(results: Results, folder: Path) -> None:
    """Raise if the file ends before the checkpoint, since the steps in between would be lost."""
    step, moment = clock_of(folder / CHECKPOINT)
    first = results[0].step if results.frames else 0
    numbers = results.readings("number")
    if step != first and step not in numbers:
        last = int(numbers[-1]) if numbers.size else first
        raise InputError(
            f"{folder / CHECKPOINT} is of step {step}, which {results.path.name} does not have: it "
            f"goes from {first} to {last}; put the file back that belongs to the checkpoint, or "
            f"remove the checkpoint to go on from the start"
        )
    times = results.readings("time")[numbers == step] if step != first else results.time[:1]
    if not (times == moment).all():
        raise InputError(
            f"{folder / CHECKPOINT} was written at {moment:g} s, and step {step} of "
            f"{results.path.name} ended at {times[0]:g} s: they are of two runs; put the file back "
            "that belongs to the other, or remove the checkpoint to go on from the start"
        )


def _check_start(results: Results, folder: Path, simulation: Simulation) -> None:
    """Raise if the run began in another state than the simulation is in."""
    if not results.frames:
        return
    first, bodies = results[0], simulation.bodies
    advice = "take the same steps before recording as the original script, or choose another folder"
    if first.step != simulation.steps:
        raise InputError(
            f"the run in {folder} began after {first.step} steps, but this simulation has taken "
            f"{simulation.steps}; {advice}"
        )
    apart = np.abs(bodies.position - first.position).max(axis=1, initial=0.0)
    moving = first.position[first.bodies.dynamic]
    extent = float(np.ptp(moving, axis=0).max()) if len(moving) else 0.0  # sources begin with none
    size = float(simulation.model.masses.typical_size)
    elsewhere = apart > SAME_PLACE * max(extent, size)
    if elsewhere.any():
        i = int(np.argmax(elsewhere))
        raise InputError(
            f"{folder} holds a run of another scene: {first.bodies.names[i]} begins at "
            f"{first.position[i].tolist()} there and at {bodies.position[i].tolist()} here [m]; "
            f"build the same world (and seed what is random), or choose another folder"
        )
