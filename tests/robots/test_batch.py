"""`Batch`: each world is a simulation by itself, bit for bit."""

import copy

import numpy as np
import pytest

import amontons as am
from amontons._jit import get_threads, max_threads, set_threads
from amontons.gym.ant import ant
from helpers.small_worlds import bouncing, cube, motor_and_limits, pendulum, stack


@pytest.fixture(scope="module")
def robot():
    return am.Robot.load(ant())


def alone(robot, ctrl, steps):
    """A simulation of the robot by itself, told so."""
    sim = am.Robot.load(ant())
    kept = sim.simulation()
    sim.ctrl = ctrl
    kept.advance(steps)
    return sim, kept


@pytest.mark.parametrize("world", [pendulum, cube, bouncing])
def test_worlds_have_the_bits_of_single_simulations(world):
    batch = am.Batch(world(), worlds=7, step=2e-3)
    push = np.random.default_rng(1).normal(0.0, 0.3, (7, 3))
    batch.velocity[:, -1] += push
    batch.step(150)
    for w in (0, 3, 6):
        sim = am.Simulation(world(), step=2e-3)
        sim.bodies.velocity[-1] += push[w]
        for _ in range(150):
            sim.step()
        assert batch.state(w).hash() == sim.state.hash()
    if world is bouncing:
        assert batch.staged_steps > 0
    assert batch.staged_steps < 0.5 * 7 * 150
    assert batch.steps.tolist() == [150] * 7
    assert batch.time == pytest.approx(0.3)


def test_a_robot_is_told_and_read_as_by_itself(robot):
    batch = am.Batch(robot, worlds=3)
    told = np.linspace(-0.9, 0.9, 3 * 8).reshape(3, 8)
    assert np.isnan(batch.ctrl).all()
    batch.ctrl = told
    batch.step(40)
    for w in range(3):
        single, sim = alone(robot, told[w], 40)
        assert batch.state(w).hash() == sim.state.hash()
        for name in ("q", "qd", "tau", "ctrl"):
            assert np.array_equal(getattr(batch, name)[w], getattr(single, name)), name
        for body in sim.bodies.id[1:]:
            on = sim.contacts.on(int(body)).force
            assert batch.contact_force[w, body] == pytest.approx(on, rel=1e-12, abs=1e-12)
    assert batch.contact_force[:, 1:].any()
    assert batch.energy.shape == (3,)


@pytest.mark.parametrize("world", [cube, stack])
def test_neither_threads_nor_neighbours_matter(world):
    usual, hashes = get_threads(), set()
    try:
        for threads, worlds in ((1, 1), (1, 9), (max_threads(), 9), (max_threads(), 40)):
            set_threads(threads)
            batch = am.Batch(world(), worlds=worlds, step=2e-3)
            batch.velocity[1:, 1] = 0.7
            batch.step(60)
            hashes.add(batch.state(0).hash())
    finally:
        set_threads(usual)
    assert len(hashes) == 1


def test_worlds_are_reset_by_a_mask(robot):
    batch = am.Batch(robot, worlds=4)
    start = batch.state(0).hash()
    batch.tell(np.full(8, 0.5), [True, True, False, False])
    batch.step(12)
    batch.reset([False, True, False, True])
    assert batch.state(1).hash() == batch.state(3).hash() == start
    assert batch.steps.tolist() == [12, 0, 12, 0]
    assert np.isnan(batch.ctrl[2]).all()
    assert batch.state(0).hash() != batch.state(2).hash()
    batch.reset()
    assert {batch.state(w).hash() for w in range(4)} == {start}


def test_a_robot_begins_elsewhere_as_it_does_by_itself(robot):
    batch = am.Batch(robot, worlds=3)
    q, qd = np.linspace(-0.2, 0.2, 24).reshape(3, 8), np.full(8, 0.3)
    batch.step(5)
    batch.reset([True, False, True], q=q, qd=qd)
    assert batch.q[[0, 2]] == pytest.approx(q[[0, 2]], abs=1e-12)
    assert batch.qd[[0, 2]] == pytest.approx(np.tile(qd, (2, 1)), abs=1e-12)
    single = am.Robot.load(ant())
    sim = single.simulation()
    single.reset(q[2], qd)
    batch.step(9)
    sim.advance(9)
    assert batch.state(2).hash() == sim.state.hash()


def test_some_worlds_take_steps_while_others_wait():
    batch = am.Batch(cube(), worlds=3, step=2e-3)
    batch.step(4, mask=np.array([False, True, False]))
    assert batch.steps.tolist() == [0, 4, 0]
    batch.step(0)
    assert batch.steps.tolist() == [0, 4, 0]


def test_states_go_in_and_out():
    batch = am.Batch(cube(), worlds=2, step=2e-3)
    batch.step(30, mask=[True, False])
    batch.set_state(1, batch.state(0))
    assert batch.state(1).hash() == batch.state(0).hash()
    sim = am.Simulation(cube(), step=2e-3)
    sim.state = batch.state(1)
    sim.step()
    batch.step()
    assert batch.state(1).hash() == sim.state.hash()
    elsewhere = batch.state(0)._replace(gravity=np.array([0.0, 0.0, -1.6]))
    with pytest.raises(am.InputError, match="one gravity"):
        batch.set_state(0, elsewhere)
    with pytest.raises(am.InputError, match="other bodies"):
        batch.set_state(0, am.Simulation(pendulum(), step=2e-3).state)


def test_forces_act_until_they_are_changed():
    batch = am.Batch(cube(), worlds=2, step=2e-3)
    batch.force[1, 1] = (0.0, 0.0, 30.0)
    batch.torque[0, 1, 2] = 0.01
    batch.step(25)
    sim = am.Simulation(cube(), step=2e-3)
    sim.bodies.force[1] = (0.0, 0.0, 30.0)
    sim.advance(25)
    assert np.array_equal(batch.position[1], sim.bodies.position)
    assert np.array_equal(batch.orientation[1], sim.bodies.orientation)
    assert batch.angular_velocity[0, 1, 2] > 0.0


def test_the_world_itself_stays_as_it_is():
    world = cube()
    before = world.bodies.position.copy()
    batch = am.Batch(world, worlds=2, step=2e-3)
    batch.step(20)
    assert np.array_equal(world.bodies.position, before)
    assert (batch.position[:, 1] != before[1]).any()


def test_a_world_that_runs_away_stops_and_the_others_go_on():
    batch = am.Batch(pendulum(), worlds=3, step=2e-3)
    batch.step(100)
    state = batch.state(1)
    nothing = {"supplied": 0.0, "peak": 0.0, "last": 1e9, "recent": np.zeros((10, 2))}
    batch.set_state(1, state._replace(watch=state.watch._replace(strikes=50, **nothing)))
    batch.step(5)
    assert batch.stopped.tolist() == [False, True, False]
    assert "energy comes from nowhere" in batch.reasons[1]
    assert batch.steps.tolist() == [105, 100, 105]
    batch.step(5)
    assert batch.steps.tolist() == [110, 100, 110]
    batch.reset(batch.stopped)
    assert not batch.stopped.any()
    assert not batch.reasons
    batch.step(5)
    assert batch.steps.tolist() == [115, 5, 115]


def sensing():
    """The ant with a sensor of each kind."""
    robot = am.Robot.load(ant())
    world, knee = robot.world, robot.imported.joints["knee 2"]
    turn = (0.5, 0.5, -0.5, 0.5)
    trunk = robot.base
    world.add_sensor(am.Imu(trunk, point=(0.1, 0.0, 0.2), orientation=turn, name="imu"))
    world.add_sensor(am.JointSensor(knee, name="knee"))
    world.add_sensor(am.ForceTorque(knee, name="load"))
    world.add_sensor(am.Touch(robot.bodies["shin 2"], name="foot"))
    return robot


def test_sensors_read_what_they_read_in_single_simulations():
    batch = am.Batch(sensing(), worlds=3)
    assert all(np.isnan(each).all() for each in batch.sensors.values())
    told = np.linspace(-0.9, 0.9, 3 * 8).reshape(3, 8)
    batch.ctrl = told
    singles = [sensing() for _ in range(3)]
    sims = [single.simulation() for single in singles]
    for single, ctrl in zip(singles, told, strict=True):
        single.ctrl = ctrl
    touched = 0.0
    for steps in (1, 1, 30, 7):
        batch.step(steps)
        for w, sim in enumerate(sims):
            for _ in range(steps):
                sim.step()
            for name, known in sim.sensors.items():
                scale = max(1e-9, np.abs(known).max())
                assert batch.sensors[name][w] == pytest.approx(known, rel=1e-9, abs=1e-9 * scale)
        touched += batch.sensors["foot"].sum()
    assert touched > 0.0
    kept = batch.state(1)
    assert np.array_equal(kept.sensors[:6], batch.sensors["imu"][1])
    batch.reset([True, False, False])
    assert np.isnan(batch.sensors["knee"][0]).all()
    batch.set_state(0, kept)
    assert np.array_equal(batch.sensors["knee"][0], batch.sensors["knee"][1])


def test_copies_of_a_batch_take_steps_of_their_own(robot):
    batch = am.Batch(robot, worlds=2)
    batch.tell(np.full(8, 0.3))
    batch.step(5)
    copied = copy.deepcopy(batch)
    copied.step(5)
    assert copied.steps.tolist() == [10, 10]
    assert batch.steps.tolist() == [5, 5]
    batch.step(5)
    assert copied.state(1).hash() == batch.state(1).hash()


def test_notes_say_in_which_world():
    def overlapping():
        made = am.World()
        made.add_body(am.Plane(), fixed=True)
        made.add_body(am.Sphere(0.1), density=1e3, position=(0.0, 0.0, 0.5))
        return made

    batch = am.Batch(overlapping(), worlds=2, step=2e-3)
    batch.position[1, 1, 2] = 0.05
    batch.step(3)
    assert {w for w, _ in batch.notes} == {1}
    assert "overlapped from the start" in str(batch.notes[0][1])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda world: world.add_force(am.Drag(linear=0.1)), "it is large, or has loads"),
        (
            lambda world: world.add_sensor(
                am.RangeFan(1, directions=[(1.0, 0.0, 0.0)], reach=1.0, name="eye")
            ),
            "sensors that look",
        ),
        (
            lambda world: world.add_source(
                am.Source(am.Box((1, 1, 1)), 0.05, rate=1.0, name="hopper", density=1e3, seed=1)
            ),
            "sources",
        ),
    ],
)
def test_worlds_that_no_loop_can_step_are_refused(change, why):
    world = cube()
    change(world)
    with pytest.raises(am.InputError, match=f"a batch cannot have this world.*{why}"):
        am.Batch(world, worlds=2, step=2e-3)


@pytest.mark.parametrize("name", ["position", "velocity", "orientation", "force"])
def test_nothing_is_lost_where_a_world_cannot_take_its_step(name):
    batch, twin = (am.Batch(cube(), worlds=4, step=1e-3) for _ in range(2))
    for each in (batch, twin):
        each.step(20)
    good = getattr(batch, name)[2, 1].copy()
    getattr(batch, name)[2, 1] = np.nan
    with pytest.raises(am.InputError, match=f"world 2 of the batch: the {name} of"):
        batch.step(5)
    assert (batch.steps == 20).all()
    batch.step(5, mask=[True, False, False, True])  # who does not step is not in the way
    getattr(batch, name)[2, 1] = good
    batch.step(5, mask=[False, True, True, False])
    twin.step(5)
    for w in range(4):
        assert batch.state(w).hash() == twin.state(w).hash()


def test_bad_input_is_named(robot):
    with pytest.raises(am.InputError, match="a batch needs an amontons"):
        am.Batch("world", worlds=2)
    with pytest.raises(am.InputError, match="needs a step"):
        am.Batch(cube(), worlds=2)
    with pytest.raises(am.InputError, match="worlds"):
        am.Batch(cube(), worlds=0, step=1e-3)
    with pytest.raises(am.InputError, match="function of time"):
        am.Batch(motor_and_limits(), worlds=2, step=1e-3)
    with pytest.raises(am.InputError, match="fixed length"):
        am.Batch(cube(), worlds=2, step=1e-3, substeps=2)
    with pytest.raises(am.InputError, match="solver of its own"):
        am.Batch(cube(), worlds=2, step=1e-3, solver=am.APGD())
    batch = am.Batch(cube(), worlds=2, step=1e-3)
    with pytest.raises(am.InputError, match="make the batch of an am"):
        _ = batch.q
    with pytest.raises(am.InputError, match="mask must be 2 booleans"):
        batch.step(1, mask=[True])
    with pytest.raises(am.InputError, match="there are 2 worlds"):
        batch.state(2)
    batch.position[1, 1] = np.nan
    with pytest.raises(am.InputError, match="world 1 of the batch: the position of"):
        batch.step()
    walking = am.Batch(robot, worlds=2)
    with pytest.raises(am.InputError, match=r"ctrl must have shape \(2, 8\) or \(8,\)"):
        walking.ctrl = np.zeros(3)
    with pytest.raises(am.InputError, match="ctrl"):
        walking.ctrl = np.full(8, np.inf)
