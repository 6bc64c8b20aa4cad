"""Compiled steps are the staged ones to the last bit, and hand over what they do not cover."""

import dataclasses

import numpy as np
import pytest

import amontons as am
from amontons.simulation.compiled.compiled_step import Compiled
from amontons.simulation.solve import overlaps, singular, step_solution
from amontons.small_worlds import kernel
from helpers.small_worlds import WORLDS, both, bouncing, cube, motor_and_limits, stack


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_a_thousand_steps_have_the_bits_of_the_staged_ones(name):
    fast, slow = both(WORLDS[name])
    many, _ = both(WORLDS[name])
    many.advance(1000)
    taken = 0
    for _ in range(1000):
        fast.step()
        slow.step()
        taken += isinstance(fast._last, Compiled)
    assert many.state.hash() == fast.state.hash() == slow.state.hash()
    assert taken > 500  # it is not that all of them were staged


def test_reports_contacts_and_problem_are_those_of_the_staged_step():
    fast, slow = both(stack)
    for _ in range(20):
        one, other = fast.step(), slow.step()
    assert isinstance(fast._last, Compiled)
    for field in dataclasses.fields(one):
        if field.name != "seconds":
            assert np.array_equal(getattr(one, field.name), getattr(other, field.name)), field.name
    for name in ("bodies", "points", "normals", "gaps", "force"):
        assert np.array_equal(getattr(fast.contacts, name), getattr(slow.contacts, name))
    assert np.array_equal(fast.problem().linear, slow.problem().linear)


def test_contacts_of_a_step_stay_those_of_its_start_whatever_is_changed_since():
    fast, slow = both(cube)
    for sim in (fast, slow):
        sim.run(0.1)
        sim.world.gravity = (0.0, 0.0, -1.0)
        sim.bodies.force[1] = (0.0, 0.0, 50.0)
    assert len(slow.contacts) == 4
    assert np.array_equal(fast.contacts.force, slow.contacts.force)


@pytest.mark.parametrize(
    "change",
    [
        lambda world: world.add_force(am.AppliedForce(1, (0.0, 0.0, 1.0))),
        lambda world: world.add_force(am.Drag(linear=0.1)),
        lambda world: world.add_sensor(am.Imu(1, name="imu")),
        lambda world: world.bodies.surface_velocity.__setitem__(0, (0.1, 0.0, 0.0)),
    ],
)
def test_worlds_that_are_not_covered_are_taken_stage_by_stage(change):
    world = cube()
    change(world)
    sim = am.Simulation(world, step=2e-3, compiled=True)
    sim.step()
    assert not isinstance(sim._last, Compiled)


def test_bodies_in_a_cell_are_taken_stage_by_stage():
    def world():
        made = am.World(gravity=(0.0, 0.0, 0.0), cell=am.Cell((1.0, 1.0, 1.0)))
        made.add_body(am.Sphere(0.1), density=1e3, position=(0.2, 0.5, 0.5), velocity=(1, 0, 0))
        made.add_body(am.Sphere(0.1), density=1e3, position=(0.6, 0.5, 0.5), velocity=(-2, 0, 0))
        return made

    fast, slow = both(world, step=5e-3)
    for _ in range(40):
        fast.step()
        slow.step()
        assert not isinstance(fast._last, Compiled)
    assert fast.state.hash() == slow.state.hash()


def test_flows_and_their_books_go_on_between_compiled_steps():
    def world():
        made = am.World()
        box = am.Box((0.4, 0.4, 0.2))
        made.add_source(am.Source(box, 0.05, rate=10.0, name="hopper", density=1e3, seed=1))
        return made

    fast, slow = both(world, step=5e-3)
    taken = 0
    for _ in range(60):
        fast.step()
        slow.step()
        taken += isinstance(fast._last, Compiled)
    assert taken > 10
    assert len(fast.bodies) == len(slow.bodies) > 2
    assert fast.state.hash() == slow.state.hash()


def test_what_motors_are_told_holds_in_compiled_steps():
    sims = both(motor_and_limits)
    taken = 0
    for n in range(200):
        for sim in sims:
            if n % 40 == 20:  # a position, another, and then the motor's own law again
                motor = next(iter(sim.joints))
                motor.command = None if n % 120 == 100 else 0.004 * n - 0.3
            sim.step()
        taken += isinstance(sims[0]._last, Compiled)
        assert sims[0].state.hash() == sims[1].state.hash(), n
    assert taken > 100


def test_a_solver_of_the_users_own_is_used():
    sim = am.Simulation(cube(), step=2e-3, solver=am.APGD(), compiled=True)
    sim.step()
    assert not isinstance(sim._last, Compiled)


def test_impacts_with_restitution_are_handed_over():
    fast, slow = both(bouncing)
    kinds = set()
    for _ in range(150):
        fast.step()
        slow.step()
        kinds.add(type(fast._last).__name__)
    assert kinds == {"Compiled", "StepSolution"}
    assert fast.state.hash() == slow.state.hash()


def test_numbers_are_those_of_the_staged_step():
    assert (kernel.SLIGHT, kernel.MENDED) == (overlaps.SLIGHT, overlaps.MENDED)
    assert kernel.PARTING == step_solution.PARTING
    assert kernel.SURGE == singular.SURGE
