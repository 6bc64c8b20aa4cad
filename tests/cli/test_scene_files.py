"""Scene files and robots on the command line: run, resume without the original, convert."""

import json

import numpy as np
import pytest

from amontons.interchange import load_scene
from amontons.results import Results, begin, resume
from amontons.scenes import SCENES
from helpers.command_line import run
from helpers.robot_files import ARM, write_robot
from helpers.scene_files import GOOD, assert_same_world


@pytest.fixture
def scene_file(tmp_path):
    path = tmp_path / "crane.yaml"
    path.write_text(GOOD)
    return path


def test_a_file_runs_and_keeps_a_copy(scene_file, tmp_path):
    result = run("run", scene_file, "--out", tmp_path / "out", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["scene"] == "crane"
    assert told["bodies"] == 15
    assert told["solver"] == "apgd"
    assert told["time"] == pytest.approx(0.1)
    assert_same_world(
        load_scene(scene_file).world, load_scene(tmp_path / "out" / "scene.yaml").world
    )


def test_what_the_file_says_about_output_holds_unless_told_otherwise(scene_file, tmp_path):
    scene_file.write_text(GOOD.replace("rate: 60", "rate: 20, contacts: true"))
    assert run("run", scene_file, "-o", tmp_path / "a").exit_code == 0
    assert run("run", scene_file, "-o", tmp_path / "b", "--frames", 100).exit_code == 0
    with Results(tmp_path / "a") as a, Results(tmp_path / "b") as b:
        assert (a.frames, b.frames) == (3, 11)
        assert len(a.contacts(2)) == 17


@pytest.mark.slow
def test_a_run_goes_on_without_its_file_bit_for_bit(tmp_path):
    path = tmp_path / "meshes.yaml"
    write_robot(tmp_path)  # for its mesh
    mesh = "{kind: mesh, file: wedge.stl, scale: 0.3}"
    path.write_text(
        GOOD.replace("{kind: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}", mesh)
    )
    whole = begin(load_scene(path), tmp_path / "whole")
    with whole.recorder:
        whole.simulation.run(0.1, on_step=whole.recorder)
    first = begin(load_scene(path), tmp_path / "parts")
    with first.recorder:
        first.simulation.run(0.05, on_step=first.recorder)
    path.unlink()
    (tmp_path / "wedge.stl").unlink()
    second = resume(tmp_path / "parts")
    assert second.simulation.steps == 10
    with second.recorder:
        second.simulation.run(second.left, on_step=second.recorder)
    for name in whole.simulation.bodies.columns.names:
        one, other = (run.simulation.bodies.columns[name] for run in (whole, second))
        assert one.tobytes() == other.tobytes(), name
    result = run("resume", tmp_path / "parts", "--time", 0.12, "--json")
    assert json.loads(result.stdout)["steps"] == 24


def test_built_in_scenes_are_written_as_files(tmp_path):
    for ending in ("yaml", "toml"):
        path = tmp_path / f"dominoes.{ending}"
        result = run("scenes", "dominoes", "--set", "dominoes=5", "--file", path)
        assert result.exit_code == 0, result.output
        assert str(path) in result.stderr
        assert_same_world(SCENES["dominoes"](5).build(), load_scene(path).world)


def test_the_schema_is_printed():
    told = json.loads(run("scenes", "--schema").stdout)
    assert told["title"] == "amontons scene"
    assert set(told["$defs"]) == {
        "shape", "joint", "motor", "signal", "force", "solver", "sizes",
    }  # fmt: skip


@pytest.mark.slow
def test_robots_run_and_become_files(tmp_path):
    pytest.importorskip("yourdfpy")
    pytest.importorskip("mujoco")
    urdf, mjcf = write_robot(tmp_path), tmp_path / "arm.xml"
    mjcf.write_text(ARM)
    for path, missing in ((urdf, "mimicking"), (mjcf, "several joints")):
        out = tmp_path / path.stem
        result = run("run", path, "--time", 0.02, "-o", out)
        assert result.exit_code == 0, result.output
        assert "not carried over" in result.stderr
        assert missing in result.stderr
        result = run("import", path, "-o", f"{out}.toml", "--json")
        told = json.loads(result.stdout)
        assert any(missing in line for line in told["unsupported"])
        assert_same_world(load_scene(out / "scene.yaml").world, load_scene(f"{out}.toml").world)
        again = run("run", f"{out}.toml", "--time", 0.02, "-o", f"{out}-again")
        assert again.exit_code == 0, again.output
        with Results(out) as one, Results(f"{out}-again") as other:
            assert np.array_equal(one[-1].position, other[-1].position)
