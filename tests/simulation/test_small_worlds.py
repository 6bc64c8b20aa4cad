"""Short cuts of small worlds give what the long way gives."""

import numpy as np
import pytest

import amontons as am
from amontons.dynamics.joints.readings import JointReadings
from amontons.scenes import FourBar
from amontons.simulation.model import prepare


def meets(world):
    model, state = prepare(world)
    return not model.joined(state).nobody_meets


def test_nothing_is_detected_where_no_two_bodies_can_meet():
    world = am.World()
    first = world.add_body(am.Sphere(0.1), density=1000.0)
    assert not meets(world)
    second = world.add_body(am.Sphere(0.1), density=1000.0, position=(0.5, 0.0, 0.0))
    assert meets(world)
    world.add_joint(am.Spherical(first, second, point=(0.25, 0.0, 0.0)))
    assert not meets(world)
    world.add_joint(am.Spherical(first, second, point=(0.25, 0.1, 0.0)))
    assert not meets(world)
    world.add_body(am.Plane(), fixed=True)
    assert meets(world)


def test_bodies_that_only_hold_still_do_not_meet():
    world = am.World()
    for x in (0.0, 0.1):
        world.add_body(am.Sphere(0.1), fixed=True, position=(x, 0.0, 0.0))
    assert not meets(world)


def test_those_that_cannot_meet_collide_once_another_comes():
    world = am.World()
    world.add_body(am.Sphere(0.1), density=1000.0, position=(0.0, 0.0, 0.1))
    sim = am.Simulation(world, step=1e-3)
    sim.step()
    assert len(sim.contacts) == 0
    world.add_body(am.Plane(), fixed=True)
    sim.run(0.1)
    assert sim.readings[-1].contacts == 1
    assert world.bodies.position[0, 2] == pytest.approx(0.1, abs=1e-3)


def test_largest_error_of_joints_is_that_of_the_rows():
    sim = am.Simulation(FourBar().build(), step=2e-3)
    for _ in range(5):
        report = sim.step()
    joints = JointReadings(sim.model.joints, sim.state.joints, sim.joints.measured)
    largest = max(joints.position_error.max(), joints.angle_error.max())
    assert report.joint_error == pytest.approx(largest, rel=1e-12)
    assert np.isfinite(largest)
    assert largest > 0.0
