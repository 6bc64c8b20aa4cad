"""Notes: what a run has to say is structured, summed up, kept in its file, and can end it."""

import json

import h5py
import numpy as np
import pytest

import amontons as am
from amontons.results import begin, resume
from amontons.scenes import BouncingBalls
from amontons.simulation.reports.notes import Note, percent, summaries
from helpers.command_line import run
from helpers.recordings import downgraded

BALL = am.Sphere(0.1)


def bullet(substeps=1):
    """A ball that moves twice its half thickness in each step, over a floor."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True, name="floor")
    world.add_body(BALL, mass=1.0, position=(0, 0, 9.0), velocity=(20.0, 0, 0), name="bullet")
    return am.Simulation(world, step=1e-2 * substeps, substeps=substeps)


def stuck(friction=0.5):
    """Balls in a heap and a solver that is not given enough iterations."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True, name="floor")
    for i in range(6):
        world.add_body(BALL, mass=1.0, position=(0.15 * (i % 2), 0, 0.1 + 0.16 * i), name=f"b{i}")
    return am.Simulation(world, step=1e-2, solver=am.Jacobi(tolerance=1e-14, max_iterations=1))


def test_a_note_says_who_when_how_much_and_what_to_do():
    (note,) = bullet().step().notes
    assert note == Note(
        kind="travel",
        message="bullet moved 0.2 m in one step, 2 times its half thickness of 0.1 m: contacts may "
        "be missed; use a step below 5 ms, now it is 10 ms",
        step=1,
        time=0.01,
        bodies=("bullet",),
        value=pytest.approx(2.0, rel=1e-3),
    )
    assert str(note).startswith("step 1 (t = 0.01 s): bullet moved 0.2 m")


def test_no_convergence_names_the_bodies_and_the_tolerance():
    sim = stuck()
    readings = sim.run(0.3)
    notes = [note for note in readings.notes if note.kind == "convergence"]
    assert len(notes) == np.count_nonzero(~readings.converged) > 0
    for note in notes:
        assert "1.0e-14 was asked for" in str(note)
        assert len(note.bodies) == 2
        assert set(note.bodies) <= {"floor", *(f"b{i}" for i in range(6))}
        assert note.value == readings[note.step - 1].residual


def test_a_run_is_summed_up_kind_by_kind():
    sim = bullet()
    readings = sim.run(0.1)
    (found,) = readings.note_summaries
    assert (found.kind, found.steps, found.share) == ("travel", 10, 1.0)
    assert (found.first, found.last) == pytest.approx((0.01, 0.1))
    assert found.worst.value == max(note.value for note in readings.notes)
    assert "in 10 steps (100 %), from 0.01 s to 0.1 s; the worst: step" in readings.summary()
    assert "bodies moved farther than their half thickness in 100 %" in repr(readings)
    calm = am.Simulation(am.World(gravity=(0, 0, 0)), step=1e-2)
    calm.world.add_body(BALL, mass=1.0)
    assert calm.readings.summary() == "no steps yet"
    assert calm.run(0.05).summary() == "5 steps to 0.05 s, nothing to note"


def test_shares_are_never_rounded_to_none_or_all():
    assert [percent(s) for s in (1e-5, 0.5, 0.9999, 1.0)] == [
        "less than 0.1 %", "50 %", "almost all", "100 %",
    ]  # fmt: skip
    assert summaries([], 5) == []


def test_notes_of_all_substeps_reach_the_one_who_looks_on():
    sim, seen = bullet(substeps=3), []
    sim.run(0.03, on_step=lambda report: seen.extend(report.notes))
    assert [note.step for note in seen] == [1, 2, 3]
    assert seen == sim.readings.notes


def test_the_file_has_the_notes(tmp_path):
    sim = bullet()
    with am.Recorder(sim, tmp_path / "run") as recorder:
        sim.run(0.1, on_step=recorder)
    with am.Results(tmp_path / "run") as results:
        assert results.notes == sim.readings.notes
        assert results.note_summaries == sim.readings.note_summaries
        assert "bodies moved farther than their half thickness in 100 %" in repr(results)


def test_a_file_of_an_older_release_has_no_notes_and_can_go_on(tmp_path):
    first = begin(BouncingBalls(4, height=0.02), tmp_path)
    with first.recorder:
        first.simulation.run(0.05, on_step=first.recorder)
    downgraded(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5", "r+", libver="latest") as file:
        del file["notes"]
    with am.Results(tmp_path) as results:
        assert results.notes == []
    second = resume(tmp_path, time=0.1)
    with second.recorder:
        second.simulation.run(second.left, on_step=second.recorder)
    with am.Results(tmp_path) as results:
        assert results.notes == []


def test_a_resumed_run_keeps_the_notes_up_to_where_it_goes_on(tmp_path):
    def noted(folder, *ends):
        """Notes of a run with a step that is too long, in parts that end at these times [s]."""
        scene = BouncingBalls(4, height=0.5)
        for end in ends:
            settings = scene.advice.__class__(**{**vars(scene.advice), "time": end, "step": 0.05})
            part = resume(folder, time=end) if folder.exists() else begin(
                scene, folder, settings=settings
            )  # fmt: skip
            with part.recorder:
                part.simulation.run(part.left, on_step=part.recorder)
        with am.Results(folder) as results:
            return results.notes

    whole, parts = noted(tmp_path / "whole", 1.0), noted(tmp_path / "parts", 0.5, 1.0)
    assert whole == parts
    assert len({note.step for note in whole}) > 3


# -- strict ---------------------------------------------------------------------------------------


def test_a_strict_run_ends_after_the_first_step_with_a_note():
    sim, seen = bullet(), []
    with pytest.raises(am.StrictError, match=r"step 1 \(t = 0.01 s\): bullet moved 0.2 m"):
        sim.run(0.1, strict=True, on_step=lambda report: seen.append(report.number))
    assert sim.steps == len(sim.readings) == 1
    assert seen == [1]
    assert isinstance(am.StrictError(), am.SimulationError)


def test_a_strict_run_goes_on_where_a_joint_breaks_that_may():
    world = am.World()
    bob = world.add_body(BALL, mass=1.0, position=(0, 0, -0.3), name="bob")
    world.add_joint(am.Spherical(None, bob, point=(0, 0, 0), break_force=1.0))
    sim = am.Simulation(world, step=1e-2)
    readings = sim.run(0.1, strict=True)
    assert [note.kind for note in readings.notes] == ["broken joint"]
    assert ", a Spherical between the world and bob" in str(readings.notes[0])
    assert "joint 0 broke under a force of" in str(readings.notes[0])


FILE = """
amontons: 1
bodies:
  - {name: floor, shape: {kind: plane}, fixed: true}
  - name: bullet
    shape: {kind: sphere, radius: 0.1}
    mass: 1.0
    position: [0, 0, 9]
    velocity: [20, 0, 0]
run: {time: 0.1, step: 0.01}
"""


@pytest.mark.slow
def test_the_command_line_says_it_loudly_and_a_strict_run_fails(tmp_path):
    scene, folder = tmp_path / "fast.yaml", tmp_path / "one"
    scene.write_text(FILE)
    result = run("run", scene, "-o", folder)
    assert result.exit_code == 0, result.output
    loud = "note: bodies moved farther than their half thickness in 10 steps (100 %), from 0.01 s"
    assert loud in result.stderr
    assert "bullet moved" in result.stderr
    for command in (("plot", folder, "-o", tmp_path / "plots"), ("view", folder, "--no-open")):
        assert loud in run(*command).stderr
    told = json.loads(run("run", scene, "-o", tmp_path / "two", "--json").stdout)
    (note,) = told["notes"]
    assert (note["kind"], note["steps"], note["worst"]["bodies"]) == ("travel", 10, ["bullet"])
    assert (told["finished"], told["trouble"]) == (True, None)

    strict = run("run", scene, "-o", tmp_path / "three", "--strict", "--json")
    assert strict.exit_code == 3
    told = json.loads(strict.stdout)
    assert (told["steps"], told["finished"]) == (1, False)
    assert "step 1 (t = 0.01 s): bullet moved 0.2 m" in told["trouble"]
    assert "stopped: at 0.01 of 0.1 s: step 1" in strict.stderr
    with am.Results(tmp_path / "three") as results:
        assert (results.steps, len(results.notes)) == (1, 1)
    again = run("resume", tmp_path / "three", "--strict")
    assert again.exit_code == 3
    assert run("resume", tmp_path / "three").exit_code == 0
    with am.Results(tmp_path / "three") as results:
        assert results.steps == 10
