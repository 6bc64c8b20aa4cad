"""Bonds in scene files: as a world has them, back again, and what is wrong with a file."""

from __future__ import annotations

import numpy as np
import pytest

import amontons as am
from amontons.interchange import load_scene, save_scene
from amontons.interchange.scene_fields import json_schema
from helpers.scene_files import again, assert_same_world

FILE = """\
amontons: 1
bodies:
  - {name: root, shape: {kind: sphere, radius: 0.05}, fixed: true}
  - shape: {kind: sphere, radius: 0.05}
    mass: 1
    grid: {count: [3, 1, 1], spacing: 0.1, start: [0.1, 0, 0]}
bonds:
  - {pairs: [[root, 1]], young: 1e9, shear: 4e8, radius: 0.02}
  - pairs: [[1, 2], [2, 3]]
    young: [1e9, 2e9]
    shear: 4e8
    radius: 0.02
    tensile: [1e6, .inf]
    damping: 1e-3
"""


def loaded(folder, text):
    path = folder / "beam.yaml"
    path.write_text(text)
    return load_scene(path).world


def test_bonds_of_a_file(tmp_path):
    bonds = loaded(tmp_path, FILE).bonds
    assert bonds.bodies.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert bonds.young.tolist() == [1e9, 1e9, 2e9]
    assert bonds.tensile.tolist() == [np.inf, 1e6, np.inf]
    assert bonds.damping.tolist() == [0.0, 1e-3, 1e-3]
    np.testing.assert_allclose(bonds.length, 0.1)


@pytest.mark.parametrize("ending", ["yaml", "toml"])
def test_bonds_come_back(tmp_path, ending):
    world = loaded(tmp_path, FILE)
    world.remove_bonds([1])
    world.add_bonds([(1, 2)], am.BeamBond(young=1e9, shear=4e8, radius=0.01, shear_strength=2e6))
    assert_same_world(world, again(world, tmp_path, ending))


def test_bonds_of_bodies_that_moved_cannot_be_written(tmp_path):
    world = loaded(tmp_path, FILE)
    world.bodies.position[3] += 1e-3
    with pytest.raises(am.InputError, match="whose bodies have moved since"):
        save_scene(world, tmp_path / "bent.yaml")


@pytest.mark.parametrize(
    ("what", "by", "field", "message"),
    [
        ("[[root, 1]]", "[[roots, 1]]", "bonds[0].pairs[0][0]", "did you mean 'root'"),
        ("[[root, 1]]", "[[root, 1, 2]]", "bonds[0]", "a pair names 3"),
        ("[[1, 2], [2, 3]]", "[[1, 2], [2, 9]]", "bonds[1]", "9"),
        ("[[1, 2], [2, 3]]", "[[1, 2], [2, 2]]", "bonds[1]", "bonds body 2 to itself"),
        ("[[1, 2], [2, 3]]", "[[1, 2], 3]", "bonds[1].pairs[1]", "in brackets"),
        ("[[1, 2], [2, 3]]", "7", "bonds[1].pairs", "pairs of bodies in brackets"),
        ("young: [1e9, 2e9]", "young: [1e9]", "bonds[1]", "1 values of young for 2 bonds"),
        ("young: [1e9, 2e9]", "young: -1", "bonds[1].young", "> 0"),
        ("    shear: 4e8\n", "", "bonds[1]", "lacks 'shear'"),
        ("tensile: [1e6, .inf]", "tensile: 0", "bonds[1].tensile", "> 0"),
        ("damping: 1e-3", "dampin: 1e-3", "bonds[1].dampin", "did you mean 'damping'"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, what, by, field, message):
    assert what in FILE
    with pytest.raises(am.InputError) as error:
        loaded(tmp_path, FILE.replace(what, by))
    assert message in str(error.value)
    assert field in str(error.value)
    assert "beam.yaml" in str(error.value)


def test_the_schema_knows_bonds():
    entry = json_schema()["properties"]["bonds"]["items"]
    assert set(entry["required"]) == {"pairs", "young", "shear", "radius"}
    assert set(entry["properties"]) >= {"tensile", "shear_strength", "damping"}
