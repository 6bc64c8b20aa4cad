"""Scene files: worlds that are read from YAML or TOML, run, and written."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from amontons.dynamics.masses import Masses
from amontons.errors import InputError
from amontons.interchange.context import Names
from amontons.interchange.reading import read_scene
from amontons.interchange.run_fields import OUTPUT, RUN, SOLVER, Output, RunOptions
from amontons.interchange.scene_fields import VERSION
from amontons.interchange.source import read_source
from amontons.interchange.text import to_toml, to_yaml
from amontons.interchange.writing import world_data
from amontons.model.world import World
from amontons.ranks.communicator import Communicator
from amontons.scenes import Advice, Scene
from amontons.simulation.rules import SolverChoice
from amontons.simulation.simulation import Simulation
from amontons.simulation.step_size import AutomaticStep
from amontons.solvers import SOLVERS, Solver
from amontons.storage.writing import replacing

WRITERS = {".yaml": to_yaml, ".yml": to_yaml, ".toml": to_toml}


@dataclass(frozen=True)
class FileScene:
    """A world and how to run it, as a scene file describes it.

    Parameters
    ----------
    world:
        Bodies, joints and forces at the start.
    name, summary:
        Its name, and what there is to see.
    run:
        Time, step and solver.
    output:
        What a run records.
    """

    world: World
    name: str = "scene"
    summary: str = ""
    run: RunOptions = field(default_factory=RunOptions)
    output: Output = field(default_factory=Output)

    def build(self) -> World:
        """A new world in its initial state, always the same."""
        return self.world.copy()

    @property
    def advice(self) -> Advice:
        """Time, step and solver in the words of `amontons run`."""
        step, solver = self.run.step, self.run.solver or SolverChoice.of(None).many
        return Advice(
            time=self.run.time,
            step=self._longest(step) if isinstance(step, AutomaticStep) else step,
            solver=SOLVER.classes[type(solver)],
            tolerance=solver.tolerance,
            max_iterations=solver.max_iterations,
            rate=self.output.rate,
        )

    def _longest(self, step: AutomaticStep) -> float:
        world = self.world
        at_rest = np.zeros((len(world.bodies), 6))
        return step.largest or step.choose(at_rest, world.gravity, Masses.of(world))

    def simulation(
        self, settings: Advice | None = None, *, ranks: Communicator | None = None
    ) -> Simulation:
        """A simulation of it; given settings replace those of the file."""
        settings, run = settings or self.advice, self.run
        return Simulation(
            self._world_to_move(),
            step=run.step if settings.step == self.advice.step else settings.step,
            solver=self._solver(settings),
            friction=settings.friction or run.friction,
            substeps=run.substeps,
            sleeping=run.sleeping,
            near=run.near,
            recovery_speed=run.recovery_speed,
            bounce_speed=run.bounce_speed,
            watch=run.watch,
            ranks=ranks,
        )

    def _world_to_move(self) -> World:
        """The world for a simulation: a new copy."""
        return self.build()

    def _solver(self, settings: Advice) -> Solver | None:
        own, usual = self.run.solver, self.advice
        asked = settings.solver, settings.tolerance, settings.max_iterations
        if asked == (usual.solver, usual.tolerance, usual.max_iterations):
            return own  # None is the simulation's default, which depends on the scene's size
        if own is None or SOLVERS.get(settings.solver) is not type(own):
            return settings.make_solver()
        return dataclasses.replace(
            own, tolerance=settings.tolerance, max_iterations=settings.max_iterations
        )

    def values(self) -> dict[str, Any]:
        """A file has no parameters."""
        return {}

    def __repr__(self) -> str:
        return f"<FileScene {self.name!r}: {self.world!r}>"


def load_scene(path: str | os.PathLike[str], values: Mapping[str, Any] | None = None) -> FileScene:
    """Read a scene file (YAML or TOML); errors name the line and the field.

    `values` replace those of the file, by place: `{"materials.sand.friction": 0.4}`.
    """
    source = read_source(Path(path))
    if values:
        source = source.with_values(values)
    world, given = read_scene(source)
    return FileScene(world, **{"name": source.path.stem, **given})


def save_scene(scene: World | Scene | FileScene, path: str | os.PathLike[str]) -> None:
    """Write a world or a scene as a file, YAML or TOML by the end of its name.

    `load_scene` gives the same world again, bit for bit. What a file cannot express, such as a
    Python function as the law of a motor, raises an `InputError` that names it.
    """
    path = Path(path)
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise InputError(
            f"{path} cannot be a scene file: its name must end in {', '.join(WRITERS)}"
        )
    text = writer(scene_data(scene))
    with replacing(path) as stream:
        stream.write(text.encode())


def scene_data(scene: World | Scene | FileScene) -> dict[str, Any]:
    """A world or a scene as plain data."""
    if isinstance(scene, World):
        return {"amontons": VERSION, **world_data(scene)}
    if isinstance(scene, Scene):
        scene = file_scene(scene)
    data: dict[str, Any] = {"amontons": VERSION, "name": scene.name}
    if scene.summary:
        data["summary"] = scene.summary
    data |= world_data(scene.world)
    for name, record, value in (("run", RUN, scene.run), ("output", OUTPUT, scene.output)):
        section = record.write(value, Names())
        if section:
            data[name] = section
    return data


def file_scene(scene: Scene) -> FileScene:
    """A built-in scene as one that can be written to a file."""
    advice = scene.advice
    run = RunOptions(time=advice.time, step=advice.step, solver=advice.make_solver())
    output = Output(rate=advice.rate)
    return FileScene(scene.build(), name=scene.name, summary=scene.summary, run=run, output=output)
