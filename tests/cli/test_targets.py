"""Commands write over nothing that is not theirs, and print names as they are."""

import hashlib
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import amontons as am
from amontons.results import Results, begin, resume
from amontons.results.layout import CHECKPOINT, RUN_FILE, SCENE_FILE
from amontons.scenes import BouncingBalls
from helpers.command_line import run

SCENE = """
amontons: 1
bodies:
  - {shape: {kind: sphere, radius: 0.1}, mass: 1.0, position: [0, 0, 1], name: "[/x]"}
run: {time: 0.01, step: 0.001}
"""


def digest(folder):
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.is_file()
    }


@pytest.fixture
def scene(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / SCENE_FILE).write_text(SCENE)
    return folder / SCENE_FILE


@pytest.fixture
def recorded(tmp_path):
    made = begin(BouncingBalls(2, height=0.02), tmp_path / "run")
    with made.recorder:
        made.simulation.run(0.02, on_step=made.recorder)
    return tmp_path / "run"


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_run_never_replaces_its_own_scene(scene, force):
    before = digest(scene.parent)
    done = run("run", scene, "--out", scene.parent, *force)
    assert done.exit_code == 2
    assert ("is made from it" if force else "it is not empty") in done.stderr
    assert digest(scene.parent) == before


def test_run_takes_no_folder_that_is_not_empty_but_by_force(scene, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    np.savez(folder / CHECKPOINT, weights=np.ones(3))
    before = digest(folder)
    done = run("run", scene, "--out", folder)
    assert done.exit_code == 2
    assert "it is not empty (it holds checkpoint.npz)" in done.stderr
    assert digest(folder) == before
    with pytest.raises(am.InputError, match=r"holds a checkpoint\.npz, but not the run"):
        begin(BouncingBalls(2), folder)
    assert run("run", scene, "--out", folder, "--force").exit_code == 0
    assert run("run", scene, "--out", folder).exit_code == 2  # a run, now
    assert run("run", scene, "--out", folder, "--force").exit_code == 0


def test_a_page_replaces_no_file_of_the_run_and_none_of_yours(recorded, tmp_path):
    before = digest(recorded)
    for name in (RUN_FILE, CHECKPOINT):
        for force in ((), ("--force",)):
            done = run("view", recorded, "--no-open", "--out", recorded / name, *force)
            assert "is made from it" in done.stderr
            assert done.exit_code == 2
    assert digest(recorded) == before
    mine = tmp_path / "notes.html"
    mine.write_text("mine")
    assert "--force" in run("view", recorded, "--no-open", "--out", mine).stderr
    assert mine.read_text() == "mine"
    assert run("view", recorded, "--no-open", "--out", mine, "--force").exit_code == 0
    assert mine.read_text() != "mine"
    for _ in range(2):  # in the run's folder it is ours
        assert run("view", recorded, "--no-open").exit_code == 0


@pytest.mark.parametrize("command", [("export", "--format", "csv"), ("plot",)])
def test_exports_and_plots_replace_nothing_of_yours(recorded, tmp_path, command):
    out = tmp_path / "out"
    out.mkdir()
    mine = out / ("bodies.csv" if command[0] == "export" else "energy.png")
    mine.write_text("mine")
    done = run(command[0], recorded, *command[1:], "--out", out)
    assert done.exit_code == 2
    assert "it exists already" in done.stderr
    assert [path.name for path in out.iterdir()] == [mine.name]
    assert run(command[0], recorded, *command[1:], "--out", out, "--force").exit_code == 0
    assert mine.read_bytes() != b"mine"


def test_a_scene_file_is_replaced_by_force_alone(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("mine")
    done = run("scenes", "bouncing_balls", "--file", mine)
    assert (done.exit_code, mine.read_text()) == (2, "mine")
    assert run("scenes", "bouncing_balls", "--file", mine, "--force").exit_code == 0


def test_names_with_brackets_are_printed_as_they_are(scene, tmp_path):
    folder = tmp_path / "[/x] [bold]"
    done = run("run", scene, "--out", folder)
    assert done.exit_code == 0, done.stderr
    assert str(folder) in done.stdout
    done = run("view", folder, "--no-open")
    assert (done.exit_code, str(folder) in done.stdout) == (0, True)
    done = run("resume", folder, "--time", "0.02")
    assert (done.exit_code, str(folder) in done.stdout) == (0, True)


def test_a_scene_that_was_changed_since_is_not_gone_on_with(scene, tmp_path):
    assert run("run", scene, "--out", tmp_path / "run").exit_code == 0
    kept = tmp_path / "run" / SCENE_FILE
    text = kept.read_text()
    kept.write_text(text + "\n# changed\n")
    before = digest(tmp_path / "run")
    done = run("resume", tmp_path / "run", "--time", "0.02")
    assert done.exit_code == 2
    assert "has been changed since this run began" in done.stderr
    assert digest(tmp_path / "run") == before
    kept.write_text(text)
    assert run("resume", tmp_path / "run", "--time", "0.02").exit_code == 0


def test_a_checkpoint_that_is_ahead_of_the_file_is_refused(recorded):
    early = (recorded / RUN_FILE).read_bytes()
    longer = resume(recorded, time=0.05)
    with longer.recorder:
        longer.simulation.run(until=0.05, on_step=longer.recorder)
    (recorded / RUN_FILE).write_bytes(early)
    before = digest(recorded)
    with pytest.raises(am.InputError, match=r"which run\.h5 does not have: it goes from 0 to"):
        resume(recorded, time=0.1)
    assert digest(recorded) == before
    (recorded / CHECKPOINT).unlink()
    assert resume(recorded, time=0.1).simulation.steps == 0


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("sent", ["SIGTERM", "SIGHUP"])
def test_signals_end_a_run_with_a_checkpoint(tmp_path, sent):
    number = getattr(signal, sent)
    command = [
        sys.executable, "-c",
        f"import signal, amontons.cli; signal.signal(signal.{sent}, signal.SIG_DFL); "
        "amontons.cli.main()",
        "run", "bouncing_balls", "--bodies", "3", "--time", "10000", "--out", str(tmp_path / "run"),
        "--live",
    ]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        while b"live:" not in process.stderr.readline():
            assert process.poll() is None
        while _frames(tmp_path / "run") < 3:
            assert process.poll() is None
        process.send_signal(number)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 128 + number, err
    assert b"amontons resume" in err
    assert b"Traceback" not in err
    gone_on = resume(tmp_path / "run")
    with Results(tmp_path / "run") as results:
        assert gone_on.simulation.steps == results.steps > 0
    gone_on.recorder.close()


def _frames(folder):
    with Results(folder) as results:
        return results.frames
