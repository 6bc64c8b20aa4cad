"""Friction of joints that grows with the force across them, against closed forms."""

import math

import numpy as np
import pytest

import amontons as am

G, MASS, H = 9.81, 2.0, 1e-3


def slider(angle, coefficient, **joint):
    """A cube that slides along an axis which falls by an angle."""
    world = am.World()
    cube = world.add_body(am.Box.cube(0.1), mass=MASS)
    axis = (math.cos(angle), 0.0, -math.sin(angle))
    world.add_joint(
        am.Prismatic(None, cube, point=(0, 0, 0), axis=axis, load_friction=coefficient, **joint)
    )
    return am.Simulation(world, step=H)


@pytest.mark.parametrize(("angle", "coefficient"), [(0.5, 0.3), (0.9, 0.5), (1.2, 1.0)])
def test_a_slider_on_a_slope_slides_as_a_block_does(angle, coefficient):
    sim = slider(angle, coefficient)
    sim.run(1.0)
    a = G * (math.sin(angle) - coefficient * math.cos(angle))
    # in the first step nothing is known of the load
    assert sim.joints.speed[0] == pytest.approx(a * sim.time, abs=2.0 * coefficient * G * H)
    heat = coefficient * MASS * G * math.cos(angle) * sim.joints.travel[0]
    assert sim.dissipated == pytest.approx(heat, rel=5e-3)


def test_it_holds_below_the_angle_of_friction_beside_dry_friction():
    sim = slider(0.4, 0.5)
    sim.run(1.0)
    assert abs(sim.joints.speed[0]) < 1e-9
    dry = 0.3  # newtons more
    moving = slider(0.5, 0.3, friction=dry)
    moving.run(1.0)
    a = G * (math.sin(0.5) - 0.3 * math.cos(0.5)) - dry / MASS
    assert moving.joints.speed[0] == pytest.approx(a, abs=6e-3)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_wheel_in_its_bearing_stops_after_the_time_of_the_formula(compiled):
    """I ω' = −μ r m g: it stands after ω I / (μ r m g)."""
    world = am.World()
    wheel = world.add_body(
        am.Cylinder(0.2, 0.05), mass=MASS, orientation=(math.sqrt(0.5), math.sqrt(0.5), 0, 0)
    )
    rub, axis = 0.1 * 0.01, (0.0, 1.0, 0.0)
    world.add_joint(am.Revolute(None, wheel, point=(0, 0, 0), axis=axis, load_friction=rub))
    sim = am.Simulation(world, step=H, compiled=compiled)
    wheel.angular_velocity = (0.0, 5.0, 0.0)
    inertia = 0.5 * MASS * 0.2**2
    stop = 5.0 * inertia / (rub * MASS * G)
    sim.run(0.5 * stop)
    assert sim.joints.speed[0] == pytest.approx(2.5, rel=2e-3)
    sim.run(0.6 * stop)
    assert abs(sim.joints.speed[0]) < 1e-9
    assert sim.dissipated == pytest.approx(0.5 * inertia * 25.0, rel=2e-3)
    work = sum(sim.work)
    assert work == pytest.approx(sim.readings.energy[-1], abs=1e-9)


def test_thrust_along_the_axis_does_not_rub():
    world = am.World()  # the axis is upright
    top = world.add_body(am.Sphere(0.1), mass=MASS, angular_velocity=(0, 0, 3.0))
    world.add_joint(am.Revolute(None, top, point=(0, 0, 0), axis=(0, 0, 1.0), load_friction=0.05))
    sim = am.Simulation(world, step=H)
    sim.run(0.5)
    assert sim.joints.speed[0] == pytest.approx(3.0, rel=1e-9)
    assert np.linalg.norm(sim.joints.reaction_force[0]) == pytest.approx(MASS * G)


def test_it_must_not_be_negative():
    with pytest.raises(am.InputError, match="load_friction"):
        slider(0.5, -0.1)
