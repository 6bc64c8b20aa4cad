"""Runs of scenes: begun, interrupted, and gone on with, bit for bit."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amontons.errors import FileFormatError, InputError, OutputError
from amontons.interchange.file_scene import FileScene, load_scene, save_scene
from amontons.results.layout import RUN_FILE, SCENE_FILE
from amontons.results.reader import Results
from amontons.results.recorder import Recorder
from amontons.scenes import Advice, Scene, find_scene
from amontons.simulation.simulation import Simulation


@dataclass(frozen=True, repr=False)
class RecordedRun:
    """A simulation of a scene and the recorder that writes it down."""

    scene: Scene | FileScene
    settings: Advice
    simulation: Simulation
    recorder: Recorder

    @property
    def left(self) -> float:
        """Simulated time that is still to come [s]."""
        return max(0.0, self.settings.time - self.simulation.time)

    def __repr__(self) -> str:
        return (
            f"<RecordedRun: {self.scene!r}, at {self.simulation.time:.4g} of "
            f"{self.settings.time:g} s, in {self.recorder.folder}>"
        )


def begin(
    scene: Scene | FileScene,
    folder: str | os.PathLike[str],
    *,
    settings: Advice | None = None,
    rate: float = 60.0,
    contacts: bool = False,
    checkpoint_every: float = 20.0,
) -> RecordedRun:
    """Begin a run of a scene in a new folder; `settings` are by default those it advises.

    Of a scene file the folder keeps a copy, so that the run can go on without the original.
    """
    settings = settings or scene.advice
    simulation = _simulation(scene, settings)
    if isinstance(scene, FileScene):
        _keep_copy(scene, Path(folder))
    recorder = Recorder(
        simulation,
        folder,
        rate=rate,
        contacts=contacts,
        about=_about(scene, settings),
        checkpoint_every=checkpoint_every,
    )
    return RecordedRun(scene, settings, simulation, recorder)


def resume(
    folder: str | os.PathLike[str], *, time: float | None = None, checkpoint_every: float = 20.0
) -> RecordedRun:
    """Go on with a run from its last checkpoint, to its own end or to another `time` [s]."""
    folder = Path(folder)
    with Results(folder) as results:
        scene, settings = _described(results)
    if time is not None:
        settings = dataclasses.replace(settings, time=time)
    simulation = _simulation(scene, settings)
    recorder = Recorder(
        simulation, folder, about=_about(scene, settings), checkpoint_every=checkpoint_every,
        resume=True,
    )  # fmt: skip
    return RecordedRun(scene, settings, simulation, recorder)


def _keep_copy(scene: FileScene, folder: Path) -> None:
    if (folder / RUN_FILE).exists():
        return  # the recorder will say that this folder is taken
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as reason:
        raise OutputError(f"cannot create the folder {folder}: {reason.strerror}") from None
    save_scene(scene, folder / SCENE_FILE)


def _simulation(scene: Scene | FileScene, settings: Advice) -> Simulation:
    if isinstance(scene, FileScene):
        return scene.simulation(settings)
    return Simulation(scene.build(), step=settings.step, solver=settings.make_solver())


def _about(scene: Scene | FileScene, settings: Advice) -> dict[str, Any]:
    about: dict[str, Any] = {
        "scene": scene.name,
        "parameters": scene.values(),
        "settings": dataclasses.asdict(settings),
    }
    return about | ({"file": SCENE_FILE} if isinstance(scene, FileScene) else {})


def _described(results: Results) -> tuple[Scene | FileScene, Advice]:
    about = results.about
    if not results.scene:
        raise InputError(
            f"{results.path} was not made from a scene but by a script: run that script again, "
            "with Recorder(simulation, folder, resume=True)"
        )
    try:
        if "file" in about:
            return load_scene(results.path.parent / SCENE_FILE), Advice(**about["settings"])
        return find_scene(results.scene)(**about["parameters"]), Advice(**about["settings"])
    except (KeyError, TypeError) as reason:
        raise FileFormatError(
            f"{results.path} was made by version {results.version}, whose scene "
            f"{results.scene} was different: {reason}"
        ) from None
