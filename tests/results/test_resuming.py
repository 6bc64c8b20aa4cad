"""Recordings of scripts: killed and run again, they are those of unbroken runs, bit for bit."""

import hashlib
import os
import signal
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

import amontons as am
from amontons.results import Recorder, Results, begin, resume
from amontons.results.layout import CHECKPOINT, LOCK_FILE, RUN_FILE
from amontons.scenes import BouncingBalls
from helpers.command_line import run as command
from helpers.recordings import same

SCRIPT = """
import signal
import sys
import amontons as am

# where tests run in the background of a shell, their children would ignore Ctrl-C
signal.signal(signal.SIGINT, signal.default_int_handler)

world = am.World()
rubber = am.Material(friction=0.6, restitution=0.5, rolling_friction=1e-3)
world.add_body(am.Plane(), fixed=True, material=rubber)
arm = world.add_body(am.Box((0.4, 0.05, 0.05)), mass=0.5, position=(0.2, 0, 0.3), name="arm")
motor = am.SpeedMotor(speed=4.0, limit=5.0)
world.add_joint(am.Revolute(None, arm, point=(0, 0, 0.3), axis=(0, 1, 0), motor=motor))
places = [(0.15 * i, 0.12 * (i % 2), 0.1 + 0.2 * i) for i in range(6)]
world.add_bodies(am.Sphere(0.06), position=places, density=500.0, material=rubber)
sim = am.Simulation(world, step=2e-3)
with am.Recorder(sim, sys.argv[1], contacts=True, checkpoint_every=0.05, resume=True) as recorder:
    print("begun", sim.steps, flush=True)
    sim.run(until=float(sys.argv[2]), on_step=recorder)
print("done", sim.steps, flush=True)
"""


def script(folder, until):
    return [sys.executable, "-c", SCRIPT, str(folder), str(until)]


def killed(folder, sent=signal.SIGKILL):
    """Run the script, end it once it has recorded something, and say at which step it had begun."""
    with subprocess.Popen(
        script(folder, 1000.0),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        word, steps = process.stdout.readline().split()
        enough = int(steps) * 2e-3 + 0.5
        while last_frame(folder)[1] < enough and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(sent)
    assert word == "begun"
    assert process.returncode != 0
    return int(steps)


def last_frame(folder):
    with Results(folder) as results:
        return results.frames, float(results.time[-1])


@pytest.mark.slow
def test_a_script_that_is_killed_twice_and_run_again_is_the_unbroken_run(tmp_path):
    assert killed(tmp_path / "parts") == 0
    frames, _ = last_frame(tmp_path / "parts")
    assert frames > 3
    went_on_at = killed(tmp_path / "parts", signal.SIGINT)
    assert went_on_at > 0
    _, reached = last_frame(tmp_path / "parts")
    until = round(reached + 0.1, 3)
    for folder in ("parts", "whole"):
        ended = subprocess.run(
            script(tmp_path / folder, until), capture_output=True, text=True, check=True
        )
        assert ended.stdout.splitlines()[-1] == f"done {round(until / 2e-3)}"
    assert not ended.stderr
    same(tmp_path / "whole", tmp_path / "parts")
    states = []
    for folder in ("whole", "parts"):
        with np.load(tmp_path / folder / CHECKPOINT) as state:
            states.append({name: state[name].tobytes() for name in state.files})
    assert states[0] == states[1]
    assert sorted(os.listdir(tmp_path / "parts")) == [CHECKPOINT, RUN_FILE]


@pytest.mark.slow
def test_a_checkpoint_that_a_kill_cut_short_is_cleared_away(tmp_path):
    """Only that: a page that somebody else is writing into the folder stays."""
    folder = tmp_path / "run"
    killing = "import os, numpy; numpy.savez = lambda stream, **_: os._exit(9)"
    with Recorder(simulation(), folder):
        pass
    arguments = [sys.executable, "-c", killing + SCRIPT, str(tmp_path / "cut"), "1.0"]
    died = subprocess.run(arguments, check=False)
    assert died.returncode == 9
    (left,) = (tmp_path / "cut").glob(".*.tmp")
    left.rename(folder / left.name)
    (folder / ".view.html.0123.tmp").touch()
    with Recorder(simulation(), folder, resume=True):
        assert not (folder / left.name).exists()
    assert sorted(os.listdir(folder)) == [".view.html.0123.tmp", CHECKPOINT, RUN_FILE]


# -- the same in this process ---------------------------------------------------------------------


def simulation(
    *, mass=1.0, balls=3, radius=None, every_radius=0.1, friction=0.5, height=0.5, name="ball",
    step=2e-3,
):  # fmt: skip
    radius = radius or every_radius
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    rough = am.Material(friction=friction)
    world.add_body(am.Sphere(radius), mass=mass, position=(0, 0, height), material=rough, name=name)
    for i in range(1, balls):
        world.add_body(
            am.Sphere(every_radius), mass=1.0, position=(0.5 * i, 0, 0.4), velocity=(-1, 0, 0)
        )
    return am.Simulation(world, step=step)


def recorded(folder, until, sim=None, **options):
    sim = sim or simulation()
    with Recorder(sim, folder, **options) as recorder:
        sim.run(until=until, on_step=recorder)
    return sim


@pytest.mark.slow
def test_it_begins_where_there_is_nothing_and_goes_on_where_there_is(tmp_path):
    recorded(tmp_path / "whole", 0.4, contacts=True, rate=100.0)
    first = recorded(tmp_path / "parts", 0.15, resume=True, contacts=True, rate=100.0)
    assert first.steps == 75
    about = {"why": "a test"}
    second = recorded(tmp_path / "parts", 0.3, resume=True, about=about)
    assert len(second.readings) == 75  # those since
    third = recorded(tmp_path / "parts", 0.4, resume=True)
    assert third.steps == 200
    same(tmp_path / "whole", tmp_path / "parts")
    with Results(tmp_path / "parts") as results:
        assert results.about == about
        assert results.rate == 100.0


def test_a_run_that_is_over_takes_no_step_more(tmp_path):
    # ten steps of 0.1 s make 0.9999999999999999 s
    assert recorded(tmp_path, 1.0, simulation(step=0.1)).time < 1.0
    again = recorded(tmp_path, 1.0, simulation(step=0.1), resume=True)
    assert again.steps == 10
    assert recorded(tmp_path, 0.5, simulation(step=0.1), resume=True).steps == 10
    with Results(tmp_path) as results:
        assert results.steps == 10


def test_the_command_line_resumes_a_run_that_is_over_and_takes_no_step(tmp_path):
    run = begin(BouncingBalls(2, height=0.02), tmp_path)
    with run.recorder:
        run.simulation.run(0.1, on_step=run.recorder)
    before = run.simulation.steps
    assert (
        command("resume", tmp_path, "--time", repr(run.simulation.time * (1 + 1e-14))).exit_code
        == 0
    )
    with Results(tmp_path) as results:
        assert results.steps == before


def test_run_takes_a_duration_or_until():
    sim = simulation()
    for wrong in ({}, {"duration": 0.1, "until": 0.1}):
        with pytest.raises(am.InputError, match="either a duration or until"):
            sim.run(**wrong)
    with pytest.raises(am.InputError, match="until"):
        sim.run(until=np.nan)
    sim.run(until=0.01)
    sim.run(until=0.004)
    assert sim.steps == 5


def digest(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mass": 2.0}, r"other bodies: mass of ball is 1\.0 there and 2\.0 here"),
        ({"balls": 4}, "other bodies: it has 4, this simulation has 5"),
        ({"balls": 2}, "other bodies: it has 4, this simulation has 3"),
        ({"name": "bowl"}, "other bodies: 'bowl' is called 'ball' there"),
        ({"height": 0.6}, r"another scene: ball begins at \[.*, 0\.5\] there and at \[.*, 0\.6\]"),
        ({"radius": 0.09}, "other bodies: body 2 has another shape there"),
        ({"every_radius": 0.09}, "another scene: its shapes, materials or motions differ"),
        ({"friction": 0.4}, "another scene: its shapes, materials or motions differ"),
    ],
)  # fmt: skip
def test_a_run_of_another_scene_is_refused_and_nothing_changes(tmp_path, change, words):
    recorded(tmp_path, 0.1)
    before, other = digest(tmp_path), simulation(**change)
    with pytest.raises(am.InputError, match=words):
        Recorder(other, tmp_path, resume=True)
    assert digest(tmp_path) == before
    assert other.steps == 0
    assert recorded(tmp_path, 0.2, resume=True).steps == 100


def test_other_frames_and_another_start_are_refused(tmp_path):
    recorded(tmp_path, 0.1)
    with pytest.raises(am.InputError, match=r"has 60 frames per second, not 50; give rate=60"):
        Recorder(simulation(), tmp_path, rate=50.0, resume=True)
    with pytest.raises(am.InputError, match=r"does not have contacts, .*give contacts=False"):
        Recorder(simulation(), tmp_path, contacts=True, resume=True)
    late = simulation()
    late.step()
    with pytest.raises(am.InputError, match="began after 0 steps, but this simulation has taken 1"):
        Recorder(late, tmp_path, resume=True)


def test_a_file_that_is_not_a_run_is_refused(tmp_path):
    (tmp_path / RUN_FILE).write_text("not HDF5")
    for again in (True, False):
        with pytest.raises(am.AmontonsError, match="cannot be read as a run"):
            Recorder(simulation(), tmp_path, resume=again)
    (tmp_path / RUN_FILE).unlink()
    with h5py.File(tmp_path / RUN_FILE, "w") as file:
        file["x"] = 1
    with pytest.raises(am.FileFormatError, match="an HDF5 file without checksums"):
        Recorder(simulation(), tmp_path, resume=True)
    assert (tmp_path / RUN_FILE).exists()
    assert not (tmp_path / LOCK_FILE).exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs locks on files")
def test_one_recorder_at_a_time(tmp_path):
    first = Recorder(simulation(), tmp_path)
    with pytest.raises(am.InputError, match="another recorder of this process"):
        Recorder(simulation(), tmp_path, resume=True)
    first.close()
    with subprocess.Popen(
        script(tmp_path / "busy", 1000.0), stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        words = rf"busy is being written by process {process.pid}; wait until that run is over"
        with pytest.raises(am.InputError, match=words):
            Recorder(simulation(), tmp_path / "busy", resume=True)
        process.kill()
    recorded(tmp_path, 0.1, resume=True)  # closed, so it is free


@pytest.mark.skipif(os.name != "posix", reason="needs locks on files")
def test_resume_of_a_scene_that_still_runs_is_refused(tmp_path):
    run = begin(BouncingBalls(2), tmp_path)
    with pytest.raises(am.InputError, match="being written"):
        resume(tmp_path)
    run.recorder.abandon()
    resume(tmp_path).recorder.close()


def test_messages_say_how_to_go_on(tmp_path):
    recorded(tmp_path, 0.02)
    with pytest.raises(
        am.InputError, match=r"already holds a run.*Recorder\(\.\.\., resume=True\)"
    ):
        Recorder(simulation(), tmp_path)
    with pytest.raises(am.InputError, match=r"by a script: run that script again.*resume=True"):
        resume(tmp_path)
    assert "resume=True" in command("resume", tmp_path).stderr


@pytest.mark.parametrize("again", [True, False])
def test_a_checkpoint_without_its_run_is_neither_taken_nor_replaced(tmp_path, again):
    recorded(tmp_path, 0.1)
    (tmp_path / RUN_FILE).unlink()
    before, sim = digest(tmp_path), simulation()
    with pytest.raises(am.InputError, match=r"holds a checkpoint\.npz, but not the run"):
        Recorder(sim, tmp_path, resume=again)
    assert sim.steps == 0
    assert digest(tmp_path) == before


def test_a_checkpoint_of_another_time_is_refused(tmp_path):
    """It has the right number of steps, but another run's length of a step."""
    with Recorder(simulation(), tmp_path / "one") as recorder:
        recorder.simulation.run(0.05, on_step=recorder)
    other = simulation(step=1e-3)
    for _ in range(recorder.simulation.steps):
        other.step()
    other.save(tmp_path / "one" / "checkpoint.npz")
    before = digest(tmp_path / "one")
    with pytest.raises(am.InputError, match="they are of two runs"):
        Recorder(simulation(), tmp_path / "one", resume=True)
    assert digest(tmp_path / "one") == before
