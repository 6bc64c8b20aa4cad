"""A campaign against everything that reads a user's file: a clear error, or a result.

Every input is a sound file with one fault, made from a seed. Neither a hang (20 s) nor a crash,
nor an exception other than the package's own, nor more than 6 GB. Of files that a run goes on from,
no other state than that of the sound ones either. `AMONTONS_CAMPAIGN=300` tries 300 inputs of each.
"""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import amontons as am
from amontons.interchange.text import to_toml
from amontons.interchange.yaml_text import parse_yaml
from amontons.results.layout import CHECKPOINT, SCENE_FILE
from helpers.damage_inputs import CAMPAIGN, attack
from helpers.damaged_readers import make_run
from helpers.robot_files import ARM, write_robot
from helpers.scene_files import GOOD

pytest.importorskip("resource", reason="limits on memory are set by it")

CUBE = """\
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
f 1 4 3
"""

STL = """\
solid wedge
{}endsolid wedge
"""
FACET = """\
facet normal 0 0 0
 outer loop
  vertex {}
  vertex {}
  vertex {}
 endloop
endfacet
"""
CORNERS = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


def small_problem():
    rng = np.random.default_rng(3)
    J = rng.normal(size=(12, 9))
    return am.ConeProblem.from_matrix(J @ J.T, rng.normal(size=12), friction=0.4, name="small")


def cohesive_problem():
    rng = np.random.default_rng(4)
    J = rng.normal(size=(12, 9))
    return am.ConeProblem.from_matrix(
        J @ J.T, rng.normal(size=12), friction=0.4, cohesion=np.full(4, 0.1)
    )


def saved(problem, path):
    problem.save(path)
    return path


def written(text, path):
    path.write_text(text)
    return path


def binary_stl(folder):
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.Trimesh([list(map(float, corner.split())) for corner in CORNERS], FACES)
    mesh.export(folder / "wedge.stl")
    return folder / "wedge.stl"


def ascii_stl(folder):
    facets = "".join(FACET.format(*(CORNERS[i] for i in face)) for face in FACES)
    return written(STL.format(facets), folder / "wedge.stl")


def toml_scene(folder):
    text = to_toml(parse_yaml(GOOD, "good.yaml")[0])
    assert tomllib.loads(text)
    return written(text, folder / "good.toml")


INPUTS = {
    "npz": ("problem", lambda folder: saved(small_problem(), folder / "p.npz")),
    "npz, version 2": ("problem", lambda folder: saved(cohesive_problem(), folder / "p.npz")),
    "fclib": ("problem", lambda folder: saved(small_problem(), folder / "p.hdf5")),
    "yaml": ("scene", lambda folder: written(GOOD, folder / "good.yaml")),
    "toml": ("scene", toml_scene),
    "urdf": ("urdf", write_robot),
    "mjcf": ("mjcf", lambda folder: written(ARM, folder / "arm.xml")),
    "binary stl": ("mesh", binary_stl),
    "ascii stl": ("mesh", ascii_stl),
    "obj": ("mesh", lambda folder: written(CUBE, folder / "wedge.obj")),
    "checkpoint": ("checkpoint", lambda folder: make_run(folder) / CHECKPOINT),
    "checkpoint, sums made to fit": (
        "crafted checkpoint",
        lambda folder: make_run(folder) / CHECKPOINT,
    ),
    "scene of a run": ("kept scene", lambda folder: make_run(folder) / SCENE_FILE),
}

NEEDS = {"urdf": "yourdfpy", "mjcf": "mujoco", "mesh": "trimesh"}


def campaign(what, folder: Path, seeds):
    kind, make = INPUTS[what]
    if kind in NEEDS:
        pytest.importorskip(NEEDS[kind])
    return attack(kind, make(folder), folder, seeds)


@pytest.mark.slow
@pytest.mark.parametrize("what", INPUTS)
def test_damage_leads_to_a_clear_error_or_a_result(what, tmp_path):
    outcome = campaign(what, tmp_path, range(12))
    assert outcome.inputs == 12
    assert not outcome.failures


@pytest.mark.skipif(not CAMPAIGN, reason="AMONTONS_CAMPAIGN does not say how many inputs to try")
@pytest.mark.parametrize("what", INPUTS)
def test_long_campaign(what, tmp_path, capsys):
    outcome = campaign(what, tmp_path, range(1000, 1000 + CAMPAIGN))
    with capsys.disabled():
        print(f"\n{what}: {outcome.inputs} inputs, {outcome.read} read, rest refused, "
              f"{len(outcome.failures)} failures")  # fmt: skip
    assert outcome.inputs == CAMPAIGN
    assert not outcome.failures
