"""`amontons scenes`, `run`, `resume`, `plot`, `export` and `view`."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from amontons.results import Results, resume
from amontons.scenes import SCENES
from helpers.command_line import run, said

SMALL = ("bouncing_balls", "--bodies", 6, "--set", "height=0.02", "--time", 0.1)


SLIDE = """\
amontons: 1
run: {{time: 0.1, step: 0.01, friction: {friction}}}
bodies:
  - {{name: floor, shape: {{kind: plane}}, fixed: true}}
  - {{shape: {{kind: box, size: [0.2, 0.2, 0.2]}}, mass: 1, position: [0, 0, 0.1]}}
"""


def refused(result, *words):
    """Assert that a result is a usage error of one paragraph which says all of `words`."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert len(said(result.stderr)) == 1, result.stderr
    for word in words:
        assert str(word) in result.stderr
    assert "Traceback" not in result.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A finished run."""
    path = tmp_path_factory.mktemp("runs") / "one"
    result = run("run", *SMALL, "--contacts", "-o", path)
    assert result.exit_code == 0, result.output
    return path


# -- scenes ---------------------------------------------------------------------------------------


def test_scenes_are_listed():
    result = run("scenes")
    assert result.exit_code == 0
    for name, kind in SCENES.items():
        assert name in result.stdout
        assert kind.summary[:30] in result.stdout
    assert set(json.loads(run("scenes", "--json").stdout)) == set(SCENES)


def test_parameters_of_a_scene_are_shown():
    result = run("scenes", "drum")
    for each in SCENES["drum"].parameters():
        assert each.name in result.stdout
        assert each.help in result.stdout
    told = json.loads(run("scenes", "drum", "--json").stdout)
    assert told["bodies_parameter"] == "balls"
    assert [each["name"] for each in told["parameters"]][:2] == ["balls", "radius"]
    refused(run("scenes", "nothing"), "no scene 'nothing'", "drum")


# -- run ------------------------------------------------------------------------------------------


def test_a_run_says_what_it_did_and_what_to_do_next(tmp_path):
    result = run("run", *SMALL, "-o", tmp_path / "a")
    assert result.exit_code == 0, result.output
    for words in ("6 moving bodies", "0.1 s in 25 steps", "7 frames", "every step converged"):
        assert words in result.stdout
    assert f"amontons view {tmp_path / 'a'}" in " ".join(result.stdout.split())
    assert f"amontons plot {tmp_path / 'a'}" in " ".join(result.stdout.split())


def test_json_and_options_arrive(tmp_path):
    arguments = (
        *SMALL, "--step", 0.005, "--solver", "gauss-seidel", "--tolerance", 1e-2, "-n", 77,
        "--seed", 5, "--frames", 20, "--threads", 1, "--json", "-o", tmp_path / "b",
    )  # fmt: skip
    result = run("run", *arguments)
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert (report["steps"], report["frames"], report["bodies"]) == (20, 3, 6)
    assert report["finished"]
    assert report["time"] == pytest.approx(0.1)
    with Results(tmp_path / "b") as results:
        assert results.about["parameters"]["seed"] == 5
        assert results.about["settings"] == {
            "time": 0.1, "step": 0.005, "solver": "gauss-seidel", "tolerance": 1e-2,
            "max_iterations": 77, "friction": None,
        }  # fmt: skip
        energy = results.readings("kinetic_energy") + results.readings("potential_energy")
        assert report["energy"] == [energy[0], energy[-1]]


@pytest.mark.parametrize("law", ["convex", "exact"])
def test_the_law_of_friction_is_chosen_and_kept(law, tmp_path):
    scene = tmp_path / "slide.yaml"
    scene.write_text(SLIDE.format(friction="convex" if law == "exact" else "exact"))
    for word, out in ((SMALL[0], tmp_path / "built-in"), (scene, tmp_path / "file")):
        result = run("run", word, "--time", 0.02, "--friction", law, "-o", out)
        assert result.exit_code == 0, result.output
        with Results(out) as results:
            assert results.about["settings"]["friction"] == law
        again = resume(out, time=0.03)
        assert again.simulation.solvers.many.exact == (law == "exact")
        again.recorder.close()


def test_a_finer_tolerance_is_met(tmp_path):
    result = run("run", *SMALL[:-1], 0.2, "--tolerance", 1e-7, "--json", "-o", tmp_path / "f")
    report = json.loads(result.stdout)
    assert report["unconverged_steps"] == 0
    assert report["largest_residual"] <= 1e-7
    assert report["most_contacts"] > 0


def test_folders_are_numbered_and_never_overwritten(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    for name in ("bouncing_balls", "bouncing_balls-2"):
        assert run("run", *SMALL[:-1], 0.01).exit_code == 0
        assert (tmp_path / name / "run.h5").exists()
    refused(run("run", *SMALL, "-o", folder), folder, "already holds a run", "amontons resume")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing",), ("no scene 'nothing'", "bouncing_balls")),
        (("drum", "--set", "radius"), ("NAME=VALUE", "'radius'")),
        (("drum", "--set", "size=3"), ("no parameter 'size'", "radius")),
        (("drum", "--set", "radius=big"), ("radius must be a number", "'big'")),
        (("drum", "--set", "radius=-1"), ("radius is -1 m", "0.0001 to 10")),
        (("drum", "--bodies", "0"), ("balls is 0", "1 to")),
        (("drum", "--bodies", "5", "--set", "balls=6"), ("--bodies and --set balls",)),
        (("wall", "--bodies", "5"), ("does not take --bodies", "courses")),
        (("chain", "--seed", "5"), ("does not take --seed", "links")),
        (("drum", "--time", "-1"), ("--time is -1", "positive")),
        (("drum", "--step", "nan"), ("--step is nan",)),
        (("drum", "--tolerance", "0"), ("--tolerance is 0",)),
        (("drum", "--solver", "newton"), ("'newton'", "apgd", "gauss-seidel")),
        (("drum", "--max-iterations", "-1"), ("max_iterations",)),
        (("drum", "--friction", "none"), ("friction must be convex or exact", "'none'")),
        (("drum", "--frames", "0"), ("rate is 0",)),
        (("drum", "--threads", "0"), ("threads",)),
        (("four_bar", "--set", "crank=2"), ("Grashof",)),
    ],
)
def test_bad_arguments(tmp_path, arguments, words):
    refused(run("run", *arguments, "-o", tmp_path / "x"), *words)
    assert not (tmp_path / "x" / "run.h5").exists()


# -- resume ---------------------------------------------------------------------------------------


def test_resume_goes_on_and_lasts_longer(tmp_path, folder):
    assert run("run", *SMALL[:-1], 0.06, "--contacts", "-o", tmp_path / "r").exit_code == 0
    result = run("resume", tmp_path / "r", "--time", 0.1, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["steps"] == 25
    with Results(folder) as whole, Results(tmp_path / "r") as parts:
        np.testing.assert_array_equal(whole.position[:], parts.position[:])
    refused(run("resume", tmp_path), "holds no run")
    refused(run("resume", tmp_path / "r", "--time", 0), "--time is 0")


@pytest.mark.slow
def test_ctrl_c_leaves_a_run_that_goes_on(tmp_path):
    command = [sys.executable, "-m", "amontons", "run", *map(str, SMALL[:-1]), "1000"]
    with subprocess.Popen(
        [*command, "-o", str(tmp_path / "c"), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not (tmp_path / "c" / "checkpoint.npz").exists():
            time.sleep(0.02)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    report = json.loads(stdout)
    assert not report["finished"]
    assert "amontons resume" in stderr
    until = report["time"] + 0.04
    result = run("resume", tmp_path / "c", "--time", until, "--json")
    assert json.loads(result.stdout)["time"] == pytest.approx(until, abs=1e-9)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs pseudo-terminals")
def test_progress_is_shown_on_a_terminal(tmp_path):
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "amontons", "run", *map(str, SMALL[:-1]), "1"]
    with subprocess.Popen(
        [*command, "-o", str(tmp_path / "p"), "--json"], stdout=subprocess.PIPE, stderr=theirs
    ) as process:
        os.close(theirs)
        shown = ""
        while True:
            try:
                shown += os.read(ours, 4096).decode(errors="replace")
            except OSError:
                break
        process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 0
    for words in ("of 1 s", "contacts", "iterations", "residual", "to go"):
        assert words in shown


# -- plot, export, view ---------------------------------------------------------------------------


@pytest.mark.slow
def test_plots_are_written(folder, tmp_path):
    result = run("plot", folder, "-o", tmp_path)
    assert result.exit_code == 0, result.output
    for name in ("energy", "contacts", "effort", "stages"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    refused(run("plot", tmp_path), "holds no run")


def test_exports_are_written(folder, tmp_path):
    for format, name in (("csv", "bodies.csv"), ("vtkhdf", "contacts.vtkhdf"), ("gltf", "run.glb")):
        result = run("export", folder, "--format", format, "-o", tmp_path, "--every", 2)
        assert result.exit_code == 0, result.output
        assert (tmp_path / name).stat().st_size > 100
        assert name in result.stdout
    refused(run("export", folder, "--format", "stl"), "'stl'", "vtkhdf")
    refused(run("export", folder, "--format", "csv", "--every", 0), "--every")


def test_view_writes_one_page(folder, tmp_path):
    result = run("view", folder, "-o", tmp_path / "page.html", "--no-open")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    refused(run("view", tmp_path, "--no-open"), "holds no run")
    refused(run("view", folder, "--every", 0, "--no-open"), "--every")
