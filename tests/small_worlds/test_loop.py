"""Many steps in one compiled call are the staged ones to the last bit."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.simulation.compiled import many_steps
from amontons.simulation.compiled.compiled_step import Compiled
from amontons.simulation.solve import step_solution
from amontons.simulation.state import WINDOW
from amontons.small_worlds import tables, worlds
from helpers.small_worlds import both, bouncing, cube, motor_and_limits, pendulum, stack


def alike(one, other):
    """Whether two simulations are in one state, and say the same of it."""
    assert one.state.hash() == other.state.hash()
    for name in ("bodies", "points", "normals", "gaps", "force"):
        assert np.array_equal(getattr(one.contacts, name), getattr(other.contacts, name)), name


@pytest.mark.parametrize("world", [pendulum, cube, stack, bouncing, motor_and_limits])
def test_a_loop_leads_where_single_staged_steps_lead(world):
    fast, slow = both(world)
    fast.advance(120)
    for _ in range(120):
        slow.step()
    alike(fast, slow)


def test_reports_are_those_of_single_staged_steps():
    fast, slow = both(bouncing)
    fast.advance(150)
    for _ in range(150):
        slow.step()
    assert len(fast.readings) == 150
    for one, other in zip(fast.readings.reports, slow.readings.reports, strict=True):
        for field in dataclasses.fields(one):
            if field.name != "seconds":
                assert np.array_equal(getattr(one, field.name), getattr(other, field.name))
        assert one.seconds.shape == other.seconds.shape
        assert one.seconds.sum() > 0.0


def test_a_run_ends_in_the_step_in_which_a_staged_run_ends():
    for duration in (0.1, 0.1 + 1e-3, 0.0):
        fast, slow = both(cube)
        fast.run(duration)
        slow.run(duration)
        assert fast.steps == slow.steps
        alike(fast, slow)


def test_a_run_that_somebody_watches_is_taken_step_by_step():
    fast, slow = both(cube)
    seen = []
    fast.run(0.05, on_step=lambda report: seen.append((report.number, fast.steps)))
    slow.run(0.05, strict=True)
    assert seen == [(n, n) for n in range(1, 26)]
    alike(fast, slow)


def test_what_is_changed_between_loops_counts():
    fast, slow = both(motor_and_limits)
    for n in range(6):
        for sim in (fast, slow):
            motor = next(iter(sim.joints))
            motor.command = None if n % 3 == 2 else 0.1 * n - 0.3
            sim.bodies.velocity[2] += (0.0, 0.1 * n, 0.0)
            sim.bodies.force[1] = (0.0, 0.0, 0.5 * n)
            if n == 3:
                sim.world.gravity = (0.0, 1.0, -5.0)
        fast.advance(17)
        for _ in range(17):
            slow.step()
        assert fast.state.hash() == slow.state.hash(), n
    assert np.array_equal(fast.joints.reaction_force, slow.joints.reaction_force)
    assert np.array_equal(fast.joints.speed, slow.joints.speed)


def test_stiff_servos_that_are_told_another_place_keep_the_watch_quiet():
    def world():
        made = am.World(gravity=(0.0, 0.0, 0.0))
        arm = made.add_body(am.Box((0.4, 0.05, 0.05)), density=500.0, position=(0.2, 0.0, 0.5))
        motor = am.PositionMotor(position=0.0, stiffness=2e3, damping=5.0, limit=1e6)
        hinge = {"point": (0.0, 0.0, 0.5), "axis": (0.0, 1.0, 0.0)}
        made.add_joint(am.Revolute(None, arm.id, motor=motor, **hinge))
        return made

    fast, slow = both(world)
    for turn in (1.0, -0.5, 0.7):
        for sim in (fast, slow):
            next(iter(sim.joints)).command = turn
        fast.advance(30)
        for _ in range(30):
            slow.step()
        assert fast.state.watch.supplied == slow.state.watch.supplied > 0.0
        assert fast.state.hash() == slow.state.hash()


def test_bodies_within_a_welded_piece_do_not_touch():
    def world():
        made = am.World()
        made.add_body(am.Plane(), fixed=True)
        ids = [
            made.add_body(am.Box((0.1, 0.1, 0.1)), density=1e3, position=(0.099 * i, 0.0, 0.06)).id
            for i in range(3)
        ]
        for a, b in ((0, 1), (1, 2)):
            made.add_joint(am.Fixed(ids[a], ids[b], point=(0.0, 0.0, 0.06)))
        made.add_body(am.Sphere(0.05), density=1e3, position=(0.1, 0.02, 0.2))
        return made

    fast, slow = both(world)
    fast.advance(100)
    for _ in range(100):
        slow.step()
    assert len(slow.contacts) > 4
    alike(fast, slow)


def test_a_joint_that_breaks_is_left_to_the_staged_step():
    def world():
        made = am.World()
        ball = made.add_body(am.Sphere(0.1), density=1e3, position=(0.0, 0.0, 1.0))
        weak = {"break_force": 60.0}
        made.add_joint(am.Revolute(None, ball.id, point=(0.5, 0.0, 1.0), axis=(0, 1, 0), **weak))
        return made

    fast, slow = both(world)
    fast.advance(300)
    for _ in range(300):
        slow.step()
    assert fast.state.broken.all()
    assert [note.step for note in fast.readings.notes] == [n.step for n in slow.readings.notes]
    assert fast.state.hash() == slow.state.hash()


def test_a_function_of_time_that_fails_stops_the_run_in_its_own_step():
    def world():
        made = am.World()
        arm = made.add_body(am.Box((0.4, 0.05, 0.05)), density=500.0, position=(0.2, 0.0, 0.5))

        def turn(t):
            return math.sin(t) if t < 0.05 else math.nan

        motor = am.PositionMotor(position=turn, limit=10.0)
        hinge = {"point": (0.0, 0.0, 0.5), "axis": (0.0, 1.0, 0.0)}
        made.add_joint(am.Revolute(None, arm.id, motor=motor, **hinge))
        return made

    fast, slow = both(world)
    for sim in (fast, slow):
        with pytest.raises(am.InputError, match="function of time"):
            sim.run(1.0)
    assert fast.steps == slow.steps > 20
    assert fast.state.hash() == slow.state.hash()
    assert isinstance(fast._last, Compiled)
    assert fast._last.state.steps == fast.steps - 1


def test_contacts_after_a_loop_that_ended_early_are_those_of_its_last_step(monkeypatch):
    fast, slow = both(cube)
    fast.advance(60)
    fast.bodies.position[1, 0] = np.nan
    monkeypatch.setattr(many_steps, "MOST_AT_ONCE", 7)
    for _ in range(60):
        slow.step()
    with pytest.raises(am.InputError, match="must be finite"):
        fast.advance(3)
    assert np.array_equal(fast.contacts.force, slow.contacts.force)


def test_more_contacts_than_there_is_room_for_make_room():
    def world():
        made = am.World()
        made.add_body(am.Plane(), fixed=True)
        places = [(0.1 * i, 0.1 * j, 0.06) for i in range(3) for j in range(3)]
        made.add_bodies(am.Box((0.099, 0.099, 0.1)), density=1e3, position=places)
        return made

    fast, slow = both(world)
    fast.advance(80)
    for _ in range(80):
        slow.step()
    assert len(slow.contacts) >= 36
    alike(fast, slow)


KINDS = (
    am.Sphere(0.11),
    am.Sphere(0.03),
    am.Box((0.2, 0.15, 0.1)),
    am.Capsule(0.06, 0.2),
    am.Compound([am.Part(am.Sphere(0.08), (0.1, 0, 0)), am.Part(am.Box((0.1, 0.1, 0.1)))]),
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.booleans(), st.booleans())
def test_detection_lists_the_contacts_of_the_detector(seed, count, balls, floor):
    """In their order, which decides sums and whose guesses are whose: so the states are one."""
    random = np.random.default_rng(seed)

    def world():
        made = am.World()
        if floor:
            made.add_body(am.Plane(), fixed=True)
        for _ in range(count):
            kind = KINDS[0] if balls else KINDS[random.integers(len(KINDS))]
            turn = random.normal(size=4)
            made.add_body(
                kind,
                density=1e3,
                position=random.uniform((-0.3, -0.3, 0.1), (0.3, 0.3, 0.6)),
                orientation=turn / np.linalg.norm(turn),
                velocity=random.normal(0.0, 2.0, 3),
                group=int(random.integers(1, 4)),
            )
        return made

    start = random.bit_generator.state
    sims = []
    for compiled in (True, False):
        random.bit_generator.state = start
        sims.append(am.Simulation(world(), step=1e-3, compiled=compiled, watch="off"))
    fast, slow = sims
    fast.advance(12)
    for _ in range(12):
        slow.step()
    alike(fast, slow)


def test_numbers_are_those_of_the_state():
    assert worlds.CARRIED == step_solution.CARRIED
    sim, _ = both(pendulum)
    room = worlds.room_for_worlds(1, 1, sim.state.joints, 1, 1)
    assert room.recent.shape[1:] == (WINDOW, 2)
    assert worlds.TIME == tables.RESULTS


def test_copies_of_a_simulation_find_their_kernels_anew():
    fast, slow = both(cube)
    fast.advance(10)
    assert fast._many._loop is not None
    assert pickle.loads(pickle.dumps(fast._many))._loop is None  # addresses are of this process
    copied = copy.deepcopy(fast)
    assert copied._many._loop is None
    copied.advance(10)
    for _ in range(20):
        slow.step()
    assert copied.state.hash() == slow.state.hash()
