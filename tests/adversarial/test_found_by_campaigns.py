"""Inputs that long campaigns found: each led to a traceback or to pages of an error once."""

import re

import numpy as np
import pytest

import amontons as am
from amontons.simulation.checkpoints.checks import checksum
from helpers.robot_files import write_robot


@pytest.mark.parametrize("count", [1, 2])
def test_inertias_too_small_to_divide_by(count):
    world = am.World()
    with pytest.raises(am.InputError, match=r"inertia of .* too small to divide by"):
        world.add_bodies(am.Box.cube(1e-3), position=np.eye(3)[:count], density=1e-305)
    with pytest.raises(am.InputError, match="too small to divide by"):
        world.add_body(am.Sphere(1.0), mass=1.0, inertia=(1e-310, 1e-310, 1e-310))
    world.add_body(am.Sphere(1e-9), mass=1e-280)
    am.Simulation(world, step=1e-3).step()


def test_what_a_library_says_of_a_damaged_archive_is_cut_short(tmp_path):
    path = tmp_path / "p.npz"
    am.ConeProblem.from_matrix(np.eye(3), -np.ones(3), friction=0.5).save(path)
    content = bytearray(path.read_bytes())
    place = content.index(b"kind.npy")
    content[place : place + 2] = b"\xff\xfe"  # not the name in the directory
    header = content.index(b"PK\x03\x04", place - 60)
    content[header + 26 : header + 28] = (5000).to_bytes(2, "little")  # a name of pages
    path.write_bytes(content + bytes(5000))
    with pytest.raises(am.FileFormatError) as said:
        am.ConeProblem.load(path)
    assert len(str(said.value)) < 1000


def test_a_joint_s_friction_in_a_robot_file_that_is_no_number(tmp_path):
    pytest.importorskip("yourdfpy")
    path = write_robot(tmp_path)
    text, changed = re.subn(r'friction="[^"]*"', 'friction="0x10"', path.read_text(), count=1)
    assert changed
    path.write_text(text)
    with pytest.raises(am.FileFormatError, match=r"friction of joint \w+ is '0x10'"):
        am.load_urdf(path)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("bodies.inertia", np.ones((1, 3, 3)), "inertia of a body has a principal moment"),
        ("bodies.inertia", np.triu(np.ones((1, 3, 3))), "inertia of a body is not symmetric"),
        ("bodies.inertia", np.full((1, 3, 3), np.inf), "no mass or no inertia"),
        ("joints.command", [-1e270], "told a number beyond"),
        ("joints.command", [np.inf], "told a number beyond"),
    ],
)
def test_checkpoints_with_numbers_that_no_run_has(tmp_path, name, value, words):
    def simulation():
        world = am.World()
        wheel = world.add_body(am.Box.cube(0.1), mass=1.0)
        motor = am.SpeedMotor(speed=1.0)
        world.add_joint(am.Revolute(None, wheel, point=(0, 0, 0), axis=(0, 0, 1), motor=motor))
        return am.Simulation(world, step=1e-3)

    path = tmp_path / "checkpoint.npz"
    simulation().save(path)
    with np.load(path) as archive:
        arrays = {key: archive[key] for key in archive.files if key != "checksum"}
    changed = np.resize(value, arrays[name].shape)
    assert arrays[name].dtype == changed.dtype
    arrays[name] = changed
    np.savez(path, checksum=np.array(checksum(arrays)), **arrays)
    with pytest.raises(am.FileFormatError, match=words):
        simulation().restore(path)
