"""How steps are taken where nobody says how: in one compiled call where that harms nobody."""

import math

import numpy as np
import pytest

import amontons as am
from amontons._jit import announcer
from amontons.gym.ant import ant
from amontons.simulation.compiled.many_steps import FIRST_STEPS, LONGEST_PAUSE
from amontons.simulation.compiled.many_worlds import Loop
from amontons.small_worlds import pointers
from helpers.small_worlds import WORLDS, both, bouncing, cube, motor_and_limits, pendulum


def usual(world):
    """A simulation of which nobody says how to take steps."""
    return am.Simulation(world(), step=2e-3)


@pytest.mark.parametrize("world", [pendulum, cube, bouncing])
def test_steps_are_compiled_ones_after_the_first_with_the_same_bits(world):
    both(world)[0].step()  # now everything is compiled
    sim, (_, slow) = usual(world), both(world)
    said = []
    for _ in range(150):
        sim.step()
        slow.step()
        said.append(sim.staged_because)
    assert sim.state.hash() == slow.state.hash()
    assert np.array_equal(sim.contacts.force, slow.contacts.force)
    assert all(reason is not None for reason in said[:FIRST_STEPS])
    assert said.count(None) > 60
    assert slow.staged_because == "compiled is False"


@pytest.mark.parametrize("missing", ["small_step", "put_in_memory", "small_run", ""])
def test_nothing_is_compiled_for_who_did_not_ask_for_it(monkeypatch, missing):
    both(pendulum)[0].step()
    usually = pointers.is_compiled

    def without(kernel, signature):
        return missing not in kernel.__name__ and usually(kernel, signature)

    monkeypatch.setattr(pointers, "is_compiled", without)
    sim, (fast, slow) = usual(pendulum), both(pendulum)
    compiled = len(announcer.compiled)
    for _ in range(2 * FIRST_STEPS):
        sim.step()
    assert len(announcer.compiled) == compiled
    for _ in range(2 * FIRST_STEPS):
        fast.step()
        slow.step()
    assert "amontons warmup" in sim.staged_because
    assert fast.staged_because is None  # who asks waits
    assert sim.state.hash() == slow.state.hash() == fast.state.hash()


def test_functions_of_time_are_not_asked_ahead():
    def leads(**how):
        """How far ahead of the run a motor is asked, at each call [steps], and the run."""
        found, runs = [], []

        def speed(t):
            found.append(t / 2e-3 - (runs[0].steps if runs else 0))
            return math.sin(t)

        world = am.World()
        rod = world.add_body(am.Capsule(0.02, 0.5), density=1e3, position=(0.25, 0.0, 0.0))
        motor = am.SpeedMotor(speed=speed)
        world.add_joint(am.Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0), motor=motor))
        runs.append(am.Simulation(world, step=2e-3, **how))
        runs[0].advance(3 * FIRST_STEPS)
        return found, runs[0]

    ahead, sim = leads()
    assert max(ahead) < 1.5
    assert "function of time" in sim.staged_because
    far, loop = leads(compiled=True)
    assert max(far) > 20.0
    assert loop.staged_because is None
    assert sim.state.hash() == loop.state.hash()


@pytest.mark.parametrize(
    ("change", "options", "why"),
    [
        (lambda world: world.add_force(am.Drag(linear=0.1)), {}, "has loads"),
        (lambda world: None, {"sleeping": am.Sleeping()}, "fall asleep"),
        (lambda world: None, {"solver": am.APGD()}, "solver of its own"),
        (lambda world: None, {"substeps": 2}, "parts"),
        (lambda world: world.bodies.surface_velocity.__setitem__(0, (0.1, 0, 0)), {}, "surfaces"),
    ],
)
def test_it_is_said_why_steps_are_staged(change, options, why):
    world = cube()
    change(world)
    sim = am.Simulation(world, step=2e-3, **options)
    for _ in range(FIRST_STEPS + 2):
        sim.step()
    assert why in sim.staged_because


def test_attempts_that_fail_again_and_again_become_rare(monkeypatch):
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    for i in range(2):  # they overlap by half, and are parted slowly
        world.add_body(am.Box((0.1, 0.1, 0.1)), density=1e3, position=(0.05 * i, 0.0, 0.05))
    attempts = []
    run = Loop.run
    monkeypatch.setattr(Loop, "run", lambda *given: attempts.append(run(*given)))
    sim = am.Simulation(world, step=1e-4, compiled=True)
    for _ in range(3 * LONGEST_PAUSE):
        sim.step()
    assert sim.staged_because == "bodies overlap and are parted"
    assert 3 < len(attempts) < 12


def test_what_was_read_in_a_step_stays_as_it_was():
    """A list of readings is what a first script collects."""
    read = []
    for sim in both(pendulum):
        seen = []
        for _ in range(30):
            sim.step()
            joints, state = sim.joints, sim.state
            seen.append((joints.angle, joints.speed, joints.reaction_force, joints.values))
            seen[-1] += (state.joints.force, state.energy.work, state.watch.recent)
        read.append(seen)
    for one, other in zip(*read, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            assert np.array_equal(mine, theirs)


def test_whatever_is_written_between_steps_counts():
    sims = both(motor_and_limits)
    for n in range(60):
        for sim in sims:
            if n == 10:
                sim.bodies.velocity[1] += (0.0, 0.0, 0.3)
            if n == 20:
                sim.bodies.force[2] = (0.0, 0.0, 40.0)
            if n == 30:
                sim.world.gravity = (0.0, 0.0, -3.0)
            if n == 35:
                sim.world.gravity[2] = -5.0
            if n == 40:
                next(iter(sim.joints)).command = 0.2
            if n == 45:
                sim.forget_contacts()
            if n == 50:
                sim.state = sim.state.copy()
            sim.step()
        assert sims[0].state.hash() == sims[1].state.hash(), n
    assert sims[0].staged_because is None


def test_a_robot_that_is_told_and_read_in_each_step_goes_the_same_way():
    ends = []
    for compiled in (None, True, False):
        robot = am.Robot.load(ant())
        sim = robot.simulation(compiled=compiled)
        said = []
        for k in range(FIRST_STEPS + 40):
            robot.ctrl = 0.4 * np.sin(0.1 * k + np.arange(8)) - 0.02 * robot.q - 0.01 * robot.qd
            sim.step()
            said.append(np.concatenate([robot.q, robot.qd, robot.tau, robot.ctrl]))
        ends.append((sim.state.hash(), np.array(said)))
    assert ends[0][0] == ends[1][0] == ends[2][0]
    assert np.array_equal(ends[0][1], ends[2][1])


def test_contacts_after_a_step_that_failed_are_those_of_the_last():
    fast, slow = both(cube)
    for _ in range(60):
        fast.step()
        slow.step()
    fast.bodies.force[1, 0] = np.nan
    for _ in range(2):
        with pytest.raises(am.InputError, match="must be finite"):
            fast.step()
    assert fast.steps == 60
    assert np.array_equal(fast.contacts.force, slow.contacts.force)


def test_a_world_without_bodies_is_refused_as_by_stages():
    world = pendulum()
    sim = am.Simulation(world, step=2e-3, compiled=True)
    sim.step()
    world.remove_bodies(0)
    with pytest.raises(am.InputError, match="the world is empty"):
        sim.step()


def test_only_true_false_and_none_are_taken():
    with pytest.raises(am.InputError, match="compiled must be True, False or None"):
        am.Simulation(cube(), step=1e-3, compiled="always")


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_a_thousand_steps_by_default_have_the_bits_of_the_staged_ones(name):
    sim, (_, slow) = usual(WORLDS[name]), both(WORLDS[name])
    for _ in range(1000):
        sim.step()
        slow.step()
    assert sim.state.hash() == slow.state.hash()
