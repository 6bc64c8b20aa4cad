"""Joints that all but contradict each other: bodies stay where they are, others see no change."""

import numpy as np
import pytest

import amontons as am
from amontons.dynamics.joints.law import NO_ROWS
from amontons.simulation.solve.singular import surges


@pytest.mark.parametrize("shape", [am.Sphere(0.1), am.Box.cube(1.0)])
def test_a_body_on_two_rods_in_line_hangs_still(shape):
    """They hold it across to second order alone: it used to be shot away at 1e6 m/s."""
    world = am.World()
    body = world.add_body(shape, mass=1.0)
    world.add_joint(am.Distance(None, body, point_a=(-2.0, 0.0, 0.0), point_b=(0.0, 0.0, 0.0)))
    world.add_joint(am.Distance(None, body, point_a=(2.0, 0.0, 0.0), point_b=(0.0, 0.0, 0.0)))
    sim = am.Simulation(world, step=5e-3)
    for _ in range(60):
        assert not sim.step().notes
        assert np.abs(sim.bodies.velocity).max() < 2.0 * 9.81 * 5e-3
        assert np.abs(sim.bodies.position).max() < 3.0 * 9.81 * 5e-3**2  # it swings by steps


def test_a_motor_from_rest_is_believed():
    """It brings in energy, too, but no other than with rows that give."""
    world = am.World(gravity=(0.0, 0.0, 0.0))
    body = world.add_body(am.Box.cube(1.0), mass=1.0)
    motor = am.SpeedMotor(speed=10.0)
    world.add_joint(
        am.Revolute(None, body, point=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), motor=motor)
    )
    sim = am.Simulation(world, step=5e-3)
    sim.step()
    np.testing.assert_allclose(sim.bodies.angular_velocity, [[0, 0, 10.0]], rtol=1e-12, atol=1e-12)


def test_without_joints_nothing_surges():
    assert not surges(NO_ROWS, 1.0, 1e9)
