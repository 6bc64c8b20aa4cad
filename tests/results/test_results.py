"""Recorded runs: what is read is what was; crashes, full disks and resumed runs."""

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
from amontons.results.layout import CHECKPOINT, ROWS, RUN_FILE
from amontons.results.truncation import cut_back
from amontons.scenes import BouncingBalls, Chain, PackedBed
from helpers.recordings import edited, same

SCENE = BouncingBalls(8, height=0.02)


def recorded(folder, duration=0.2, scene=SCENE, **options):
    """The simulation of a run, and what it was at each step."""
    run = begin(scene, folder, **options)
    seen = []
    with run.recorder:

        def on_step(report):
            run.recorder(report)
            seen.append((report.time, run.simulation.bodies.position.copy()))

        run.simulation.run(duration, on_step=on_step)
    return run.simulation, seen


# -- what is recorded -----------------------------------------------------------------------------


def test_frames_are_the_states_at_their_times(tmp_path):
    sim, seen = recorded(tmp_path, rate=50.0)
    with Results(tmp_path) as results:
        assert results.scene == "bouncing_balls"
        assert results.about["parameters"] == SCENE.values()
        assert results.version == am.__version__
        np.testing.assert_allclose(results.time, np.arange(11) / 50.0, atol=1e-12)
        states = dict(seen)
        for frame in list(results)[1:]:
            np.testing.assert_array_equal(frame.position, states[frame.time])
        np.testing.assert_array_equal(results[-1].twist, sim.bodies.twist.astype(np.float32))
        np.testing.assert_array_equal(results.position[2:4, 1], results.position[:][2:4, 1])
        assert np.asarray(results.position).shape == (11, 10, 3)
        assert results.bodies.names[:2] == ["floor", "walls"]
        np.testing.assert_array_equal(results.bodies.dynamic, sim.bodies.dynamic)


def test_readings_are_those_of_the_steps(tmp_path):
    sim, _ = recorded(tmp_path)
    with Results(tmp_path) as results:
        assert results.steps == len(sim.readings) == 50
        for name in ("time", "contacts", "kinetic_energy", "residual", "iterations", "converged"):
            np.testing.assert_array_equal(results.readings(name), getattr(sim.readings, name))
        np.testing.assert_array_equal(results.readings("solve"), sim.readings.seconds[:, 2])
        with pytest.raises(am.InputError, match="no reading 'heat'"):
            results.readings("heat")


def test_contacts_of_frames_with_many_and_with_few(tmp_path):
    run = begin(PackedBed(600, spacing=1.03), tmp_path, rate=200.0, contacts=True)
    seen = []
    with run.recorder:

        def on_step(report):
            run.recorder(report)
            seen.append(run.simulation.contacts)

        run.simulation.run(0.2, on_step=on_step)
    counts = [len(contacts) for contacts in seen]
    assert max(counts) > ROWS > min(counts)
    with Results(tmp_path) as results:
        assert results.frames == len(seen) + 1
        assert len(results.contacts(0)) == 0
        for number, contacts in enumerate(seen, start=1):
            found = results.contacts(number)
            np.testing.assert_array_equal(found.bodies, contacts.bodies)
            np.testing.assert_array_equal(found.points, contacts.points)
            np.testing.assert_array_equal(found.force, contacts.force)


def test_shapes_are_about_the_centres_of_mass(tmp_path):
    world = am.World()
    cone = am.Compound([(am.Box((1.0, 1.0, 1.0)), (2.0, 0.0, 0.0))])
    world.add_body(cone, mass=1.0)
    world.add_body(am.Plane(), fixed=True, position=(0.0, 0.0, -3.0))
    with Recorder(am.Simulation(world, step=1e-3), tmp_path):
        pass
    with Results(tmp_path) as results:
        box, plane = results.shapes
        np.testing.assert_allclose(box.vertices.mean(axis=0), 0.0, atol=1e-6)
        np.testing.assert_allclose(box.half, 0.5)
        assert (box.kind, plane.kind) == ("Compound", "Plane")
        assert results.scene == ""
        with pytest.raises(am.InputError, match="not made from a scene"):
            resume(tmp_path)


def test_bad_arguments(tmp_path):
    recorded(tmp_path / "run", 0.01)
    with pytest.raises(am.InputError, match="already holds a run"):
        begin(SCENE, tmp_path / "run")
    with pytest.raises(am.InputError, match="rate"):
        begin(SCENE, tmp_path / "other", rate=0.0)
    with pytest.raises(am.InputError, match="holds no run"):
        Results(tmp_path)
    with pytest.raises(am.OutputError, match="cannot create the folder"):
        begin(SCENE, tmp_path / "run" / RUN_FILE / "inside")
    with Results(tmp_path / "run") as results:
        with pytest.raises(am.InputError, match="no contacts"):
            results.contacts(0)
        with pytest.raises(am.InputError, match="no frame 99"):
            results[99]
        with pytest.raises(IndexError):
            results.position[99]
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / RUN_FILE).write_text("not HDF5")
    with pytest.raises(am.FileFormatError, match="cannot be read as a run"):
        Results(tmp_path / "text")
    with h5py.File(tmp_path / "other.h5", "w", libver="latest") as file:
        file.attrs["format"] = "something else"
    with pytest.raises(am.FileFormatError, match="is not a run"):
        Results(tmp_path / "other.h5")


def test_a_closed_recorder_says_so(tmp_path):
    run = begin(SCENE, tmp_path)
    run.recorder.close()
    run.recorder.close()
    with pytest.raises(am.InputError, match="closed"):
        run.simulation.run(0.1, on_step=run.recorder)


# -- while it grows, and after --------------------------------------------------------------------


@pytest.mark.slow
def test_it_can_be_read_while_it_grows(tmp_path):
    run = begin(SCENE, tmp_path, rate=250.0)
    with run.recorder:
        run.simulation.run(0.05, on_step=run.recorder)
        script = f"from amontons.results import Results; print(Results({str(tmp_path)!r}).frames)"
        other = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        )
        assert int(other.stdout) == 14
        with Results(tmp_path) as results:
            run.simulation.run(0.05, on_step=run.recorder)
            results.refresh()
            assert results.frames == 27
            np.testing.assert_array_equal(results.position[-1], run.simulation.bodies.position)


@pytest.mark.slow
@pytest.mark.parametrize("scene", [SCENE, Chain(4)], ids=lambda scene: scene.name)
@pytest.mark.parametrize("stop", [0.05, 0.093])
def test_a_resumed_run_is_the_uninterrupted_one(tmp_path, scene, stop):
    recorded(tmp_path / "whole", 0.2, scene, contacts=True)
    recorded(tmp_path / "parts", stop, scene, contacts=True)
    run = resume(tmp_path / "parts", time=0.2)
    with run.recorder:
        run.simulation.run(run.left, on_step=run.recorder)
    same(tmp_path / "whole", tmp_path / "parts")


@pytest.mark.slow
def test_what_came_after_the_checkpoint_is_made_again(tmp_path):
    recorded(tmp_path / "whole", 0.2, contacts=True)
    run = begin(SCENE, tmp_path / "parts", contacts=True)
    run.simulation.run(0.06, on_step=run.recorder)
    run.recorder.checkpoint()
    run.simulation.run(0.06, on_step=run.recorder)
    run.recorder.abandon()  # as if it had crashed
    run = resume(tmp_path / "parts", time=0.2)
    assert run.simulation.time == pytest.approx(0.06)
    with run.recorder:
        run.simulation.run(run.left, on_step=run.recorder)
    same(tmp_path / "whole", tmp_path / "parts")


def test_an_interrupted_step_is_not_kept(tmp_path):
    recorded(tmp_path / "whole", 0.2, contacts=True)
    run = begin(SCENE, tmp_path / "parts", contacts=True)

    def on_step(report):
        run.recorder(report)
        if report.number == 20:
            run.recorder.checkpoint()
        if report.number == 30:
            run.simulation.bodies.position[:] += 1.0  # half of a new state
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), run.recorder:
        run.simulation.run(0.2, on_step=on_step)
    run = resume(tmp_path / "parts", time=0.2)
    assert run.simulation.steps == 20
    with run.recorder:
        run.simulation.run(run.left, on_step=run.recorder)
    same(tmp_path / "whole", tmp_path / "parts")


def test_without_a_checkpoint_a_run_begins_again(tmp_path):
    recorded(tmp_path / "whole", 0.1)
    recorded(tmp_path / "parts", 0.05)
    (tmp_path / "parts" / CHECKPOINT).unlink()
    run = resume(tmp_path / "parts", time=0.1)
    assert run.simulation.steps == 0
    with run.recorder:
        run.simulation.run(run.left, on_step=run.recorder)
    same(tmp_path / "whole", tmp_path / "parts", contacts=False)


def test_a_scene_of_another_version_is_named(tmp_path):
    recorded(tmp_path, 0.01)
    edited(tmp_path / RUN_FILE, lambda file, about: about["parameters"].update(colour=3))
    with pytest.raises(am.FileFormatError, match=r"bouncing_balls was different.*colour"):
        resume(tmp_path)


KILLED = """
import sys
from amontons.results import begin
from amontons.scenes import BouncingBalls
run = begin(BouncingBalls(8, height=0.02), sys.argv[1], contacts=True, checkpoint_every=0.05)
with run.recorder:
    print("begun", flush=True)
    run.simulation.run(1000.0, on_step=run.recorder)
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.0, 0.11, 0.3, 0.52])
def test_killed_at_any_moment_it_opens_and_goes_on(tmp_path, after):
    command = [sys.executable, "-c", KILLED, str(tmp_path / "killed")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
    with Results(tmp_path / "killed") as results:
        assert results.frames >= 1
        assert np.isfinite(results.position[:]).all()
        reached = float(results.time[-1])
    run = resume(tmp_path / "killed", time=reached + 0.05)
    with run.recorder:
        run.simulation.run(run.left, on_step=run.recorder)
    recorded(tmp_path / "whole", reached + 0.05, contacts=True)
    same(tmp_path / "whole", tmp_path / "killed")


# -- a full disk ----------------------------------------------------------------------------------


def test_a_disk_that_is_nearly_full_is_noticed_before_anything_is_written(tmp_path, monkeypatch):
    run = begin(SCENE, tmp_path)
    run.simulation.run(0.05, on_step=run.recorder)
    nothing = type("Usage", (), {"free": 1000})
    monkeypatch.setattr("amontons.results.run_file.shutil.disk_usage", lambda path: nothing)
    with pytest.raises(am.OutputError, match=r"disk is full.*can still be read"), run.recorder:
        run.simulation.run(0.05, on_step=run.recorder)
    monkeypatch.undo()
    with Results(tmp_path) as results:
        assert results.frames == 4
    assert resume(tmp_path).simulation.steps == 0


LIMITED = """
import resource, signal, sys
import amontons as am
from amontons.results import begin
from amontons.scenes import BouncingBalls
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
run = begin(BouncingBalls(30, height=0.02), sys.argv[1], rate=400.0)
resource.setrlimit(resource.RLIMIT_FSIZE, (220_000, 220_000))
try:
    with run.recorder:
        run.simulation.run(100.0, on_step=run.recorder)
except am.OutputError as reason:
    print(reason, flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs limits on file sizes")
def test_a_write_that_fails_is_an_output_error_and_the_file_is_readable(tmp_path):
    command = [sys.executable, "-c", LIMITED, str(tmp_path / "run")]
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, env=dict(os.environ)
    )
    assert "can still be read" in ended.stdout, ended.stderr
    with Results(tmp_path / "run") as results:
        assert results.frames > 20
        assert np.isfinite(results.position[:]).all()


def test_files_are_written_for_the_oldest_hdf5_that_reads_them(tmp_path, monkeypatch):
    """Newest features by default would lock out all but the newest HDF5; so the range is fixed."""
    asked = []
    usual = h5py.File.__init__

    def opened(self, name, mode="r", *arguments, **options):
        if mode != "r":
            asked.append(options.get("libver"))
        usual(self, name, mode, *arguments, **options)

    monkeypatch.setattr(h5py.File, "__init__", opened)
    recorded(tmp_path, 0.05)
    with resume(tmp_path, time=0.1).recorder:
        pass
    cut_back(tmp_path / RUN_FILE, 3, {}).close()
    assert len(asked) >= 4
    assert set(asked) == {("v110", "v110")}
    head = (tmp_path / RUN_FILE).read_bytes()[:9]
    assert head == b"\x89HDF\r\n\x1a\n\x03"  # the superblock of HDF5 1.10
