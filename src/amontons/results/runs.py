"""Runs of scenes: begun, interrupted, and gone on with, bit for bit."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amontons.errors import FileFormatError, InputError
from amontons.results.layout import CHECKPOINT, RUN_FILE
from amontons.results.reader import Results
from amontons.results.recorder import Recorder
from amontons.results.truncation import cut_back
from amontons.scenes import Advice, Scene, find_scene
from amontons.simulation.simulation import Simulation


@dataclass(frozen=True, repr=False)
class Run:
    """A simulation of a scene and the recorder that writes it down."""

    scene: Scene
    settings: Advice
    simulation: Simulation
    recorder: Recorder

    @property
    def left(self) -> float:
        """Simulated time that is still to come [s]."""
        return max(0.0, self.settings.time - self.simulation.time)

    def __repr__(self) -> str:
        return (
            f"<Run: {self.scene!r}, at {self.simulation.time:.4g} of {self.settings.time:g} s, in "
            f"{self.recorder.folder}>"
        )


def begin(
    scene: Scene,
    folder: str | os.PathLike[str],
    *,
    settings: Advice | None = None,
    rate: float = 60.0,
    contacts: bool = False,
    checkpoint_every: float = 20.0,
) -> Run:
    """Begin a run of a scene in a new folder; `settings` are by default those it advises."""
    settings = settings or scene.advice
    simulation = _simulation(scene, settings)
    recorder = Recorder(
        simulation,
        folder,
        rate=rate,
        contacts=contacts,
        about=_about(scene, settings),
        checkpoint_every=checkpoint_every,
    )
    return Run(scene, settings, simulation, recorder)


def resume(
    folder: str | os.PathLike[str], *, time: float | None = None, checkpoint_every: float = 20.0
) -> Run:
    """Go on with a run from its last checkpoint, to its own end or to another `time` [s]."""
    folder = Path(folder)
    with Results(folder) as results:
        scene, settings = _described(results)
    if time is not None:
        settings = dataclasses.replace(settings, time=time)
    simulation = _simulation(scene, settings)
    if (folder / CHECKPOINT).exists():
        simulation.restore(folder / CHECKPOINT)
    file = cut_back(folder / RUN_FILE, simulation.steps, _about(scene, settings))
    recorder = Recorder.going_on(simulation, file, checkpoint_every=checkpoint_every)
    return Run(scene, settings, simulation, recorder)


def _simulation(scene: Scene, settings: Advice) -> Simulation:
    return Simulation(scene.build(), step=settings.step, solver=settings.make_solver())


def _about(scene: Scene, settings: Advice) -> dict[str, Any]:
    return {
        "scene": scene.name,
        "parameters": scene.values(),
        "settings": dataclasses.asdict(settings),
    }


def _described(results: Results) -> tuple[Scene, Advice]:
    about = results.about
    if not results.scene:
        raise InputError(
            f"{results.path} was not made from a scene: build its world again and use "
            "Simulation.restore"
        )
    try:
        return find_scene(results.scene)(**about["parameters"]), Advice(**about["settings"])
    except (KeyError, TypeError) as reason:
        raise FileFormatError(
            f"{results.path} was made by version {results.version}, whose scene "
            f"{results.scene} is another: {reason}"
        ) from None
