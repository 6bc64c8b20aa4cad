"""`Model`, `State` and `step`: a step is a function of values, and changes none of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.scenes import BouncingBalls, Chain, Ragdolls, WalkingRobot
from amontons.simulation.state import BodyState, State


def world():
    """Something of everything: contacts, a joint that breaks, a motor, a spring, a driven plate."""
    world = am.World()
    rubber = am.Material(friction=0.6, restitution=0.4, rolling_friction=1e-3)
    world.add_body(am.Plane(), fixed=True, material=rubber)
    places = [(0.3 * i, 0.02 * i, 0.2 + 0.15 * i) for i in range(5)]
    balls = world.add_bodies(am.Sphere(0.1), position=places, mass=1.0, material=rubber)
    arm = world.add_body(am.Box((0.5, 0.1, 0.1)), mass=2.0, position=(0, 2.0, 1.0))
    motor = am.SpeedMotor(speed=3.0, limit=20.0)
    world.add_joint(am.Revolute(None, arm, point=(0, 2.0, 1.0), axis=(0, 1, 0), motor=motor))
    world.add_joint(am.Fixed(balls[0], balls[1], point=(0.15, 0.01, 0.3), break_force=50.0))
    ends = {"point_a": places[2], "point_b": places[3]}
    world.add_joint(am.LinearSpring(balls[2], balls[3], **ends, stiffness=200.0, length=0.3))
    lift = am.Motion(velocity=lambda t: (0.0, 0.0, 0.2 * np.sin(3 * t)))
    world.add_body(am.Box((1.0, 1.0, 0.1)), position=(3.0, 0, 0.5), motion=lift)
    world.add_force(am.AppliedForce(balls[4], lambda t: (np.sin(t), 0, 0), point=(1.2, 0.1, 0.8)))
    return world


def stepped(model, state, count, **options):
    for _ in range(count):
        state, report = am.step(model, state, 2e-3, **options)
    return state, report


def test_a_step_changes_neither_the_state_nor_the_world():
    mine = world()
    model, state = am.prepare(mine)
    before, columns = state.hash(), {name: mine.bodies.columns[name].copy() for name in ("twist",)}
    for _ in range(60):
        after, _ = am.step(model, state, 2e-3)
        again, _ = am.step(model, state, 2e-3)
        assert after.equals(again)  # a function: the same twice
        assert state.hash() == before
        state, before = after, after.hash()
    assert state.steps == 60
    assert state.time == pytest.approx(0.12)
    np.testing.assert_array_equal(mine.bodies.twist, columns["twist"])


@pytest.mark.parametrize("rules", [am.Rules(), am.Rules(sleeping=am.Sleeping(speed=0.1))])
def test_a_simulation_is_steps_one_after_the_other(rules):
    sim = am.Simulation(world(), step=2e-3, sleeping=rules.sleeping)
    model, state = am.prepare(world())
    state, report = stepped(model, state, 80, rules=rules)
    sim.run(0.16)
    assert sim.state.equals(state)
    assert sim.readings[-1].kinetic_energy == report.kinetic_energy
    assert report.contacts == sim.readings[-1].contacts


def test_substeps_that_fail_leave_the_state_as_it_was():
    mine = world()
    calls = []

    def fails(state):
        calls.append(state.time)
        if len(calls) == 7:
            raise RuntimeError("the third substep")
        return np.zeros((len(state.position), 6))

    sim = am.Simulation(mine, step=4e-3, substeps=4)
    sim.run(0.02)
    mine.add_force(am.Force(None, function=fails))
    sim.step()
    before = sim.state.copy()
    with pytest.raises(RuntimeError, match="third"):
        sim.step()
    assert sim.state.equals(before)
    sim.step()
    assert sim.steps == before.steps + 4


@pytest.mark.parametrize(
    "scene", [BouncingBalls(8), Chain(4), WalkingRobot(), Ragdolls(2)], ids=lambda scene: scene.name
)
def test_a_simulation_goes_back_to_a_state_that_was_kept(scene):
    sim = am.Simulation(scene.build(), step=scene.advice.step, solver=scene.advice.make_solver())
    for _ in range(20):
        sim.step()
    kept = sim.state.copy()
    live = sim.bodies.position
    for _ in range(10):
        sim.step()
    there = sim.state.hash()
    assert there != kept.hash()
    sim.state = kept
    assert sim.state.equals(kept)
    assert sim.bodies.position is live  # what users hold goes on being that of the bodies
    for _ in range(10):
        sim.step()
    assert sim.state.hash() == there


def test_states_are_named_arrays_that_come_back():
    model, state = am.prepare(world())
    state, _ = stepped(model, state, 30)
    arrays = state.arrays()
    assert arrays["bodies.position"].shape == (len(state.bodies.id), 3)
    assert {"time", "gravity", "joints.broken", "contacts.keys", "energy.work"} <= set(arrays)
    assert all(isinstance(array, np.ndarray) for array in arrays.values())
    back = State.from_arrays(arrays)
    assert back.equals(state)
    assert type(back.steps) is int
    assert type(back.time) is float
    assert not any(
        np.shares_memory(mine, theirs)
        for mine, theirs in zip(back.bodies, state.bodies, strict=True)
    )
    del arrays["bodies.twist"], arrays["watch.peak"]
    with pytest.raises(am.InputError, match=r"bodies\.twist, watch\.peak"):
        State.from_arrays(arrays)


def test_every_bit_counts_in_the_hash():
    """And nothing else does: arrays in other memory hash alike."""
    model, state = am.prepare(world())
    state, _ = stepped(model, state, 3)
    seen = {state.hash()}
    arrays = state.arrays()
    for name, array in arrays.items():
        if not array.size:
            continue
        changed = np.array(array)
        flat = changed.reshape(-1)
        flat[-1] = ~flat[-1] if array.dtype == bool else np.nextafter(flat[-1], 7) if (
            array.dtype == float
        ) else flat[-1] + array.dtype.type(1)  # fmt: skip
        if np.isnan(flat[-1] if array.dtype == float else 0.0):
            flat[-1] = 0.0
        seen.add(State.from_arrays(arrays | {name: changed}).hash())
    assert len(seen) == 1 + sum(array.size > 0 for array in arrays.values())
    strided = state._replace(
        bodies=state.bodies._replace(position=np.asfortranarray(state.bodies.position))
    )
    assert strided.hash() == state.hash()
    assert state.hash() in repr(state)


@settings(max_examples=30, deadline=None)
@given(st.sets(st.integers(0, 7)))
def test_a_slice_has_some_bodies_and_what_is_between_them(kept):
    model, state = am.prepare(world())
    for _ in range(40):
        state, _ = am.step(model, state, 5e-3)
    rows = np.array(sorted(kept), dtype=np.int64)
    part = state.take(rows, model.joints)
    np.testing.assert_array_equal(part.bodies.id, state.bodies.id[rows])
    np.testing.assert_array_equal(part.bodies.twist, state.bodies.twist[rows])
    assert part.rest.seen.shape == (len(rows), 13)
    inside = np.isin(state.contacts.bodies, rows).all(axis=1)
    np.testing.assert_array_equal(part.contacts.values, state.contacts.values[inside])
    np.testing.assert_array_equal(rows[part.contacts.bodies], state.contacts.bodies[inside])
    held = [set(pair) - {-1} <= kept for pair in model.joints.bodies.tolist()]
    np.testing.assert_array_equal(part.joints.broken, state.joints.broken[held])
    np.testing.assert_array_equal(
        part.joints.reaction_force, state.joints.reaction_force[np.array(held, bool)]
    )
    assert len(part.contacts.first) == len(rows) + 1
    assert isinstance(part.bodies, BodyState)


def test_all_bodies_are_the_whole():
    model, state = am.prepare(world())
    state, _ = stepped(model, state, 10)
    assert state.take(np.ones(len(state.bodies.id), bool), model.joints).equals(state)


@pytest.mark.parametrize("rows", [[2, 1], [1, 1], [0, 99], [-1, 2], [[0, 1]]])
def test_rows_that_are_none_are_refused(rows):
    model, state = am.prepare(world())
    with pytest.raises(am.InputError, match="rows"):
        state.take(rows, model.joints)


def test_states_of_others_are_refused():
    sim = am.Simulation(world(), step=2e-3)
    _, other = am.prepare(BouncingBalls(5).build())
    before = sim.state.copy()
    with pytest.raises(am.InputError, match="other bodies"):
        sim.state = other
    less = world()
    less.remove_joint(less.joints[0])
    _, other = am.prepare(less)
    with pytest.raises(am.InputError, match="other joints"):
        sim.state = other
    assert sim.state.equals(before)


@pytest.mark.parametrize("h", [0.0, -1e-3, np.nan, np.inf])
def test_a_step_must_have_a_length(h):
    model, state = am.prepare(world())
    with pytest.raises(am.InputError, match="h "):
        am.step(model, state, h)


def test_hashes_do_not_depend_on_the_number_of_threads():
    hashes, threads = [], am.get_threads()
    try:
        for count in (1, am.max_threads()):
            am.set_threads(count)
            sim = am.Simulation(world(), step=2e-3)
            sim.run(0.05)
            hashes.append(sim.state.hash())
    finally:
        am.set_threads(threads)
    assert hashes[0] == hashes[1]
