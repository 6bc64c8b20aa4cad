"""Runs of scenes: started, interrupted and resumed, bit for bit."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amontons.checks import positive
from amontons.errors import FileFormatError, InputError
from amontons.interchange.file_scene import FileScene, load_scene, save_scene
from amontons.ranks.communicator import Communicator
from amontons.results.claim import FolderClaim
from amontons.results.layout import CHECKPOINT, RUN_FILE, SCENE_FILE
from amontons.results.reader import Results
from amontons.results.recorder import Recorder
from amontons.results.resuming import require_free
from amontons.scenes import Advice, Scene, find_scene
from amontons.simulation.simulation import Simulation
from amontons.storage.reading import require_file


@dataclass(frozen=True, repr=False)
class RecordedRun:
    """A simulation of a scene, and its recorder."""

    scene: Scene | FileScene
    settings: Advice
    simulation: Simulation
    recorder: Recorder

    @property
    def left(self) -> float:
        """Remaining simulated time [s]."""
        return max(0.0, self.settings.time - self.simulation.time)

    def __repr__(self) -> str:
        return (
            f"<RecordedRun: {self.scene!r}, at {self.simulation.time:.4g} of "
            f"{self.settings.time:g} s, in {self.recorder.folder}>"
        )


@dataclass(frozen=True)
class FollowedRun:
    """A simulation that this process shares with others, one of which records it."""

    settings: Advice
    simulation: Simulation


def begin(
    scene: Scene | FileScene,
    folder: str | os.PathLike[str],
    *,
    settings: Advice | None = None,
    rate: float = 60.0,
    contacts: bool = False,
    checkpoint_every: float = 20.0,
    force: bool = False,
    resume: bool = False,
    ranks: Communicator | None = None,
) -> RecordedRun:
    """Start a run of a scene in a new folder; `settings` are by default those that it advises.

    The folder keeps a copy of a scene file, so that the run can be resumed without the original.
    Nothing in the folder is overwritten, unless `force` allows replacing a run, a checkpoint or a
    scene in it. With `resume`, the same run is resumed if the folder holds it. Of processes that
    share a run (`ranks`), the leading one starts it, and the others :func:`follow`.
    """
    folder, settings = Path(folder), settings or scene.advice
    simulation = _simulation(scene, settings, ranks)
    claim = FolderClaim(folder)
    with claim.kept():
        there = resume and (folder / RUN_FILE).exists()
        kept = (SCENE_FILE,) if isinstance(scene, FileScene) else ()
        if force:
            for name in (RUN_FILE, CHECKPOINT, *kept):
                (folder / name).unlink(missing_ok=True)
        if there:
            _require_same(folder, _about(scene, settings, folder))
        else:
            require_free(folder, *(() if resume else kept))
            if isinstance(scene, FileScene):
                save_scene(scene, folder / SCENE_FILE)
        recorder = Recorder(
            simulation,
            folder,
            rate=rate,
            contacts=contacts,
            about=_about(scene, settings, folder),
            checkpoint_every=checkpoint_every,
            resume=resume,
            claim=claim,
        )
    return RecordedRun(scene, settings, simulation, recorder)


def _require_same(folder: Path, about: dict[str, Any]) -> None:
    """Raise if a folder holds a run of another scene, or with other parameters or settings."""
    with Results(folder) as results:
        told = results.about
    for key, value in json.loads(json.dumps(about)).items():
        if told.get(key) != value:
            raise InputError(
                f"{folder} holds a run whose {key} is {told.get(key)}, not {value}; choose another "
                "folder"
            )


def follow(scene: Scene | FileScene, settings: Advice, ranks: Communicator) -> FollowedRun:
    """A run that another process starts and records."""
    return FollowedRun(settings, _simulation(scene, settings, ranks))


def follow_resumed(
    folder: str | os.PathLike[str], ranks: Communicator, *, time: float | None = None
) -> FollowedRun:
    """A run that another process resumes and records, once this call has returned."""
    folder = Path(folder)
    with Results(folder) as results:
        scene, settings = _described(results)
    if time is not None:
        settings = dataclasses.replace(settings, time=time)
    simulation = _simulation(scene, settings, ranks)
    if (folder / CHECKPOINT).exists():
        simulation.restore(folder / CHECKPOINT)
    return FollowedRun(settings, simulation)


def resume(
    folder: str | os.PathLike[str],
    *,
    time: float | None = None,
    checkpoint_every: float = 20.0,
    ranks: Communicator | None = None,
) -> RecordedRun:
    """Resume a run from its last checkpoint, to its own end or to another `time` [s].

    It may have been recorded by any number of processes.
    """
    folder = Path(folder)
    Results(folder).close()  # raises a clear error if there is no run
    claim = FolderClaim(folder)
    with claim.kept():
        with Results(folder) as results:
            scene, settings = _described(results)
        if time is not None:
            settings = dataclasses.replace(settings, time=time)
        simulation = _simulation(scene, settings, ranks)
        recorder = Recorder(
            simulation, folder, about=_about(scene, settings, folder),
            checkpoint_every=checkpoint_every, resume=True, claim=claim,
        )  # fmt: skip
    return RecordedRun(scene, settings, simulation, recorder)


def _simulation(
    scene: Scene | FileScene, settings: Advice, ranks: Communicator | None
) -> Simulation:
    if isinstance(scene, FileScene):
        return scene.simulation(settings, ranks=ranks)
    chosen: dict[str, Any] = {} if settings.friction is None else {"friction": settings.friction}
    chosen |= {"solver": settings.make_solver(), "ranks": ranks}
    return Simulation(scene.build(), step=settings.step, **chosen)


def _about(scene: Scene | FileScene, settings: Advice, folder: Path) -> dict[str, Any]:
    about: dict[str, Any] = {
        "scene": scene.name,
        "parameters": scene.values(),
        "settings": dataclasses.asdict(settings),
    }
    if isinstance(scene, FileScene):
        about |= {"file": SCENE_FILE, "file_sha256": _hash(folder / SCENE_FILE)}
    return about


def _hash(path: Path) -> str:
    """Of a file's content."""
    require_file(path, "scene")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _described(results: Results) -> tuple[Scene | FileScene, Advice]:
    about = results.about
    if not results.scene:
        raise InputError(
            f"{results.path} was not made from a scene but by a script: run that script again, "
            "with Recorder(simulation, folder, resume=True)"
        )
    try:
        settings = Advice(**about["settings"])
        settings.make_solver()
        for name in ("time", "step"):
            positive(name, getattr(settings, name))
        if "file" in about:
            return _kept_scene(results.path.parent, about.get("file_sha256")), settings
        return find_scene(results.scene)(**about["parameters"]), settings
    except (KeyError, TypeError, AttributeError) as reason:
        raise FileFormatError(
            f"{results.path} was made by version {results.version}, whose scene "
            f"{results.scene} was different: {reason}"
        ) from None


def _kept_scene(folder: Path, told: object) -> FileScene:
    """The scene file of a run, which must not have changed since its start."""
    path = folder / SCENE_FILE
    if told is not None and _hash(path) != told:
        raise InputError(
            f"{path} has been changed since this run began, and a run goes on with the scene that "
            f"it began with: put it back, or run the changed scene in a new folder"
        )
    return load_scene(path)
