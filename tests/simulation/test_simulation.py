"""Simulations as they are used: running, stopping, errors in the middle, readings, changes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import amontons as am
from amontons.problem.operators import BodyOperator
from amontons.scenes import Ragdolls
from amontons.simulation.reports.stopwatch import STAGES

G = 9.81
BALL = am.Sphere(0.1)


def heap(count=6):
    """A few balls that fall onto a floor and onto each other."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    place = [(0.12 * (i % 2), 0.07 * (i % 3), 0.1 + 0.19 * i) for i in range(count)]
    world.add_bodies(BALL, position=place, mass=1.0, velocity=(0.0, 0.1, 0.0))
    return world


def state_of(sim):
    """Everything of a run that must not change behind its back."""
    columns = sim.bodies.columns
    arrays = {name: columns[name].copy() for name in columns.names}
    return {**arrays, "clock": np.array([sim.time, sim.steps, sim.dissipated, len(sim.readings)])}


def assert_same(one, two):
    for name, value in one.items():
        assert np.array_equal(value, two[name]), name


# -- running --------------------------------------------------------------------------------------


def test_run_takes_as_many_steps_as_fit():
    sim = am.Simulation(heap(), step=1e-2)
    readings = sim.run(0.1)
    assert readings is sim.readings
    assert (sim.steps, len(readings)) == (10, 10)
    assert sim.time == pytest.approx(0.1)
    assert readings.time == pytest.approx(0.01 * np.arange(1, 11))
    assert readings.number.tolist() == list(range(1, 11))
    sim.run(0.025)  # goes on to the end of the step
    assert sim.steps == 13
    sim.run(0.0)
    assert sim.steps == 13
    assert "13 steps" in repr(sim)


def test_on_step_sees_every_report_and_may_stop():
    sim = am.Simulation(heap(), step=1e-2)
    seen = []

    def watch(report):
        seen.append(report)
        return report.number == 4

    sim.run(1.0, on_step=watch)
    assert sim.steps == len(seen) == 4
    assert seen[-1] is sim.readings[-1]


def test_on_step_that_raises_leaves_the_state_after_the_step():
    sim, twin = am.Simulation(heap(), step=1e-2), am.Simulation(heap(), step=1e-2)

    def fail(report):
        if report.number == 3:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        sim.run(1.0, on_step=fail)
    assert sim.steps == len(sim.readings) == 3
    sim.run(0.05)
    twin.run(0.08)
    assert_same(state_of(sim), state_of(twin))


def test_progress_shows_time_contacts_and_residual(capsys):
    am.Simulation(heap(), step=1e-2).run(0.05, progress=True)
    shown = capsys.readouterr().out
    assert "of 0.05 s" in shown
    assert "contacts" in shown


def test_substeps_are_steps_of_their_own():
    sim = am.Simulation(heap(), step=1e-2, substeps=4)
    twin = am.Simulation(heap(), step=2.5e-3)
    report = sim.step()
    for _ in range(4):
        twin.step()
    assert report.step == 2.5e-3
    assert report.number == 4
    assert_same(state_of(sim), state_of(twin))


def test_an_empty_world_says_so():
    sim = am.Simulation(am.World(), step=1e-2)
    with pytest.raises(am.InputError, match="the world is empty"):
        sim.step()
    sim.world.add_body(BALL, mass=1.0)
    sim.step()
    assert sim.bodies.velocity[0, 2] == pytest.approx(-0.01 * G)
    sim.world.remove_bodies(0)
    with pytest.raises(am.InputError, match="the world is empty"):
        sim.step()


def test_bodies_that_nothing_can_push_have_no_contacts():
    """A paddle may go through the floor: that is no overlap to report."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_body(BALL, position=(0.0, 0.0, 0.05), motion=am.Motion(velocity=(0.0, 0.0, -0.1)))
    world.add_body(BALL, position=(0.0, 0.0, -0.05), motion=am.Motion(velocity=(0.0, 0.0, 0.0)))
    report = am.Simulation(world, step=0.01).step()
    assert (report.contacts, report.penetration) == (0, 0.0)


def test_a_world_where_nothing_moves_is_fine():
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_body(BALL, fixed=True, position=(0.0, 0.0, 0.05))
    report = am.Simulation(world, step=1e-2).step()
    assert (report.contacts, report.awake, report.kinetic_energy) == (0, 0, 0.0)
    assert report.converged


REFUSED = {
    "no world": ({"world": None}, "needs an amontons.World"),
    "zero step": ({"step": 0.0}, "step is 0"),
    "nan step": ({"step": math.nan}, "step is nan"),
    "text step": ({"step": "fast"}, "step must be a number"),
    "no solver": ({"solver": "apgd"}, "solver must be one such as"),
    "a class": ({"solver": am.APGD}, "solver must be one such as"),
    "other friction": ({"friction": "none"}, "'convex' or 'exact'"),
    "no substeps": ({"substeps": 0}, "substeps must be a whole number"),
    "half a substep": ({"substeps": 1.5}, "substeps must be a whole number"),
    "true substeps": ({"substeps": True}, "substeps must be a whole number"),
    "sleeping": ({"sleeping": True}, "sleeping must be an amontons.Sleeping"),
    "negative near": ({"near": -0.1}, "near is -0.1"),
    "no near": ({"near": 0.0}, "near is 0"),
    "nan recovery": ({"recovery_speed": math.nan}, "recovery_speed is nan"),
    "negative bounce": ({"bounce_speed": -1.0}, "bounce_speed is -1"),
}


@pytest.mark.parametrize(("options", "match"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_settings(options, match):
    given = {"world": heap(), "step": 1e-2} | options
    with pytest.raises(am.InputError, match=match):
        am.Simulation(given.pop("world"), **given)


def test_bad_durations():
    sim = am.Simulation(heap(), step=1e-2)
    for duration in (-1.0, math.nan, math.inf, "long"):
        with pytest.raises(am.InputError, match="duration"):
            sim.run(duration)


# -- what goes wrong in the middle ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["position", "velocity", "angular_velocity", "force", "torque"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_nan_between_steps_names_the_body(name, value):
    world = heap()
    world.add_body(BALL, mass=1.0, position=(3.0, 0.0, 1.0), name="pebble")
    sim = am.Simulation(world, step=1e-2)
    sim.step()
    array = getattr(sim.bodies, name)
    sound = array[-1].copy()
    array[-1, 1] = value
    before = state_of(sim)
    what = "velocity" if "velocity" in name else name
    with pytest.raises(am.InputError, match=f"the {what} of pebble is .*must be finite"):
        sim.step()
    after = state_of(sim)
    for column, old in before.items():
        assert np.array_equal(old, after[column], equal_nan=old.dtype == float), column
    array[-1] = sound
    sim.step()
    assert sim.steps == 2


def test_orientations_that_are_no_rotations():
    sim = am.Simulation(heap(), step=1e-2)
    sim.bodies.orientation[2] = (2.0, 0.0, 0.0, 0.0)
    with pytest.raises(am.InputError, match="the orientation of body 2 has length 2"):
        sim.step()
    sim.bodies.orientation[2] = (math.nan, 0.0, 0.0, 0.0)
    with pytest.raises(am.InputError, match="the orientation of body 2 is"):
        sim.step()


def test_gravity_that_is_not_finite():
    sim = am.Simulation(heap(), step=1e-2)
    sim.world.gravity[2] = math.nan
    before = state_of(sim)
    with pytest.raises(am.InputError, match="gravity is"):
        sim.step()
    assert_same(before, state_of(sim))


def raising(kind, fails):
    """Something in a world whose function of time raises where `fails` says so."""

    def function(time, value):
        if fails["now"]:
            raise ZeroDivisionError("mine")
        return value

    if kind == "force":
        return am.AppliedForce(1, lambda t: function(t, (1.0, 0.0, 0.0)))
    if kind == "user":
        return am.Force(1, lambda state: function(state.time, np.zeros((1, 6))))
    motor = am.SpeedMotor(speed=lambda t: function(t, 1.0))
    return am.Revolute(None, 1, point=(0, 0, 0), axis=(0, 0, 1), motor=motor)


@pytest.mark.parametrize("kind", ["force", "user", "motor", "motion"])
def test_functions_that_raise_leave_everything_as_it_was(kind):
    """Even thirty times over: the run goes on as if nothing had happened."""
    sims = []
    fails = {"now": False}
    for _ in range(2):
        world = heap()
        if kind == "motion":

            def speed(time):
                if fails["now"]:
                    raise ZeroDivisionError("mine")
                return (0.0, 0.0, 0.5)

            world.add_body(BALL, position=(0.0, 0.0, -0.2), motion=am.Motion(velocity=speed))
        else:
            world.add_force(raising(kind, fails)) if kind != "motor" else world.add_joint(
                raising(kind, fails)
            )
        sims.append(am.Simulation(world, step=1e-2))
    sim, twin = sims
    sim.run(0.1)
    twin.run(0.1)
    before, fails["now"] = state_of(sim), True
    for _ in range(30):
        with pytest.raises(ZeroDivisionError, match="mine"):
            sim.step()
    assert_same(before, state_of(sim))
    fails["now"] = False
    sim.run(0.3)
    twin.run(0.3)
    assert_same(state_of(sim), state_of(twin))


def test_a_potential_that_raises_leaves_everything_as_it_was():
    """It is asked for after the step; the step must not be half done then."""
    world = heap()
    fails = {"now": False}

    def potential(state):
        if fails["now"]:
            raise ZeroDivisionError("mine")
        return 0.0

    world.add_force(am.Force(1, lambda state: np.zeros((1, 6)), potential))
    sim = am.Simulation(world, step=1e-2)
    sim.step()
    before, fails["now"] = state_of(sim), True
    with pytest.raises(ZeroDivisionError):
        sim.step()
    assert_same(before, state_of(sim))


def test_a_substep_that_raises_takes_the_whole_step_back():
    world = heap()
    calls = []

    def push(time):
        calls.append(time)
        if len(calls) == 7:
            raise ZeroDivisionError("mine")
        return (1.0, 0.0, 0.0)

    world.add_force(am.AppliedForce(1, push))
    sim = am.Simulation(world, step=1e-2, substeps=4)
    sim.step()
    before = state_of(sim)
    with pytest.raises(ZeroDivisionError):
        sim.step()
    assert_same(before, state_of(sim))


def test_a_joint_added_while_a_body_is_nan_is_bound_once_it_is_sound():
    sim = am.Simulation(heap(), step=1e-2)
    sim.step()
    place = sim.bodies.position[1].copy()
    sim.bodies.position[1] = math.nan
    sim.world.add_joint(am.Spherical(None, 1, point=place))
    with pytest.raises(am.InputError, match="position of body 1"):
        sim.step()
    sim.bodies.position[1] = place
    sim.step()
    assert sim.joints.position_error[0] < 1e-6


# -- reports --------------------------------------------------------------------------------------


def test_a_solver_that_does_not_converge_is_told_of_and_the_run_goes_on():
    solver = am.Jacobi(tolerance=1e-14, max_iterations=1)
    sim = am.Simulation(heap(), step=1e-2, solver=solver)
    readings = sim.run(0.3)
    assert sim.steps == 30
    assert not readings.converged.all()
    stuck = int(np.argmin(readings.converged))
    assert readings[stuck].status is am.Status.ITERATION_LIMIT
    assert "did not converge" in str(readings[stuck].notes[0])
    assert readings.notes[0].time == pytest.approx(readings[stuck].time)
    assert "the solver did not converge in" in repr(readings)
    assert np.isfinite(sim.bodies.position).all()


def test_a_step_that_is_too_large_is_told_of():
    world = heap(2)
    world.add_body(BALL, mass=1.0, position=(5.0, 0.0, 9.0), velocity=(20.0, 0, 0), name="bullet")
    report = am.Simulation(world, step=1e-2).step()
    (note,) = report.notes
    assert str(note) == (
        "step 1 (t = 0.01 s): bullet moved 0.2 m in one step, 2 times its half thickness of 0.1 m: "
        "contacts may be missed; use a step below 5 ms, now it is 10 ms"
    )
    assert (note.kind, note.step, note.bodies) == ("travel", 1, ("bullet",))
    assert am.Simulation(world, step=1e-3).step().notes == ()


def test_readings_are_arrays_one_entry_a_step():
    sim = am.Simulation(heap(), step=1e-2)
    assert "no steps yet" in repr(sim.readings)
    readings = sim.run(0.2)
    assert readings.momentum.shape == readings.angular_momentum.shape == (20, 3)
    assert readings.seconds.shape == (20, len(STAGES))
    assert (readings.seconds >= 0.0).all()
    for name in ("time", "step", "iterations", "residual", "penetration", "kinetic_energy"):
        assert getattr(readings, name).shape == (20,)
        assert name in dir(readings)
    assert (readings.energy == readings.kinetic_energy + readings.potential_energy).all()
    assert readings.awake.tolist() == [6] * 20
    with pytest.raises(AttributeError, match="there is no reading 'colour'; there are number"):
        _ = readings.colour
    readings.clear()
    assert len(readings) == 0
    sim.step()
    assert readings.number.tolist() == [21]


def test_momentum_grows_by_the_weight():
    world = am.World()
    world.add_bodies(BALL, position=[(0, 0, 0), (1, 0, 0)], mass=[1.0, 3.0])
    readings = am.Simulation(world, step=1e-2).run(0.1)
    assert readings.momentum[-1] == pytest.approx([0.0, 0.0, -4.0 * G * 0.1])
    # about the origin: x × p of the ball at 1 m
    assert readings.angular_momentum[-1] == pytest.approx([0.0, 3.0 * G * 0.1, 0.0])


def test_a_step_makes_the_problem_that_the_checked_constructors_make():
    simulation = am.Simulation(Ragdolls(1).build(), step=8e-3, solver=am.APGD(max_iterations=20))
    for _ in range(120):
        simulation.step()
    problem = simulation.problem()
    held, runs = problem.operator.arrays, problem.sets.runs
    assert {type(run) for run in runs} >= {am.CoulombCone, am.Free, am.Interval}
    checked = [type(run)(**vars(run)) for run in runs]
    operator = BodyOperator(
        inverse_mass=held.inverse_mass,
        inverse_inertia=held.inverse_inertia[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3),
        bodies_a=held.body[:, 0],
        bodies_b=held.body[:, 1],
        arms_a=held.arms[0::2],
        arms_b=held.arms[1::2],
        jacobian=held.jacobian,
    )
    lengths = problem.lengths[problem.sets.block_order]
    again = am.ConeProblem(operator, problem.given_linear, checked, lengths=lengths)
    for one, other in ((held, operator.arrays), (problem.sets.arrays, again.sets.arrays)):
        for mine, theirs in zip(one, other, strict=True):
            assert np.array_equal(mine, theirs)
    assert np.array_equal(problem.linear, again.linear)
    assert problem.linear_norm == again.linear_norm


def test_friction_force_is_what_is_across_the_normal():
    """A block that slides downhill: friction is a vector uphill of size μ N, on body B."""
    slope, mu = math.radians(30.0), 0.2
    world = am.World(gravity=(9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope)))
    rough = am.Material(friction=mu)
    floor = world.add_body(am.Plane(), fixed=True, material=rough)
    block = world.add_body(
        am.Box((0.4, 0.4, 0.1)), mass=2.0, position=(0, 0, 0.05), velocity=(1, 0, 0), material=rough
    )
    sim = am.Simulation(world, step=1e-3, friction="exact")
    sim.run(0.05)
    contacts = sim.contacts
    assert contacts.friction_force.shape == (len(contacts), 3)
    assert (contacts.bodies == (floor.id, block.id)).all()
    weight = 2.0 * 9.81 * math.cos(slope)
    assert contacts.friction_force.sum(axis=0) == pytest.approx(
        (-mu * weight, 0, 0), rel=1e-4, abs=1e-4
    )
    across = np.einsum("ci,ci->c", contacts.friction_force, contacts.normals)
    assert np.abs(across).max() < 1e-12 * weight
    np.testing.assert_allclose(
        contacts.tangential_force, np.linalg.norm(contacts.friction_force, axis=1), rtol=1e-14
    )
    whole = contacts.friction_force + contacts.normal_force[:, None] * contacts.normals
    np.testing.assert_allclose(whole, contacts.force, rtol=0, atol=1e-12 * weight)
