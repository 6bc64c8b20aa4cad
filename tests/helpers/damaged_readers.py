"""What campaigns do with a damaged input: read it as users do, and use it a little."""

import contextlib
import functools
import shutil
from pathlib import Path

import numpy as np

import amontons as am
from amontons.results import begin, resume
from amontons.results.layout import CHECKPOINT, RUN_FILE, SCENE_FILE
from amontons.simulation.checkpoints.checks import checksum
from helpers.scene_files import GOOD


def problem(path):
    """An archive or FCLIB file: a solve follows, as what was read must be fit for one."""
    found = am.ConeProblem.load(path)
    if found.rows < 3000:
        am.APGD(max_iterations=5).solve(found)


def scene(path):
    """A scene file, with a simulation of it and one step."""
    _one_step(am.load_scene(path).world)


def urdf(path):
    _one_step(am.load_urdf(path).world)


def mjcf(path):
    _one_step(am.load_mjcf(path).world)


def mesh(path):
    am.TriangleMesh.load(path)


def _one_step(world):
    am.Simulation(world, step=1e-3).step()


class SilentDifferenceError(Exception):
    """A run went on from damaged files, and went elsewhere."""


def make_run(folder):
    """A run of a scene file that was stopped half-way: its folder."""
    (folder / "scene").mkdir(exist_ok=True)
    source = folder / "scene" / "good.yaml"
    source.write_text(GOOD)
    begun = begin(am.load_scene(source), folder / "stopped", rate=100.0)
    with begun.recorder:
        for _ in range(4):
            begun.recorder(begun.simulation.step())
    return folder / "stopped"


def go_on(stopped, name, damaged):
    """The state that a run goes on to with one of its files replaced by a damaged one."""
    folder = Path(damaged).with_suffix(".run")
    shutil.copytree(stopped, folder)
    try:
        shutil.copy(damaged, folder / name)
        with contextlib.closing(resume(folder).recorder) as recorder:
            for _ in range(2):
                recorder(recorder.simulation.step())
            return recorder.simulation.state.hash()
    finally:
        shutil.rmtree(folder)


@functools.cache
def _truth(stopped):
    return go_on(stopped, RUN_FILE, stopped / RUN_FILE)


def checkpoint(path):
    """A run's `checkpoint.npz`: it goes on as it would have, or says what is wrong."""
    _compare(path, CHECKPOINT)


def kept_scene(path):
    """A run's `scene.yaml`, likewise."""
    _compare(path, SCENE_FILE)


def _compare(path, name):
    path = Path(path)
    stopped = path.parent if path.parent.name == "stopped" else path.parent / "stopped"
    if go_on(stopped, name, path) != _truth(stopped):
        raise SilentDifferenceError("the run goes on to another state")


def crafted_checkpoint(path):
    """A checkpoint whose checksum was made to fit: any state may follow, but no crash."""
    path = Path(path)
    stopped = path.parent if path.parent.name == "stopped" else path.parent / "stopped"
    with contextlib.suppress(Exception), np.load(path, allow_pickle=False) as archive:
        arrays = {key: archive[key] for key in archive.files}
        arrays.pop("checksum", None)
        np.savez(path, checksum=np.array(checksum(arrays)), **arrays)
    go_on(stopped, CHECKPOINT, path)


READERS = {
    "problem": problem,
    "scene": scene,
    "urdf": urdf,
    "mjcf": mjcf,
    "mesh": mesh,
    "checkpoint": checkpoint,
    "crafted checkpoint": crafted_checkpoint,
    "kept scene": kept_scene,
}
