"""Rolling and spinning friction without a unit, against closed forms."""

import numpy as np
import pytest

import amontons as am
from amontons.simulation.solve.turning import reduced_radii

G, MU = 9.81, 0.2


def rolled(slope, radius=0.1, **material):
    """Speed and time of a ball that was let go on a slope of this angle [rad]."""
    stuff = am.Material(friction=0.9, **material)
    world = am.World(gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    world.add_body(am.Plane(), fixed=True, material=stuff)
    ball = world.add_body(
        am.Sphere(radius), density=1000.0, position=(0, 0, radius), material=stuff
    )
    sim = am.Simulation(world, step=1e-3, solver=am.APGD(tolerance=1e-9, max_iterations=2000))
    for _ in range(60):
        sim.step()
    return ball.velocity[0], sim.time


@pytest.mark.parametrize("radius", [0.02, 0.5])
def test_a_ball_stays_on_a_slope_up_to_its_resistance(radius):
    speed, time = rolled(np.arctan(0.95 * MU), radius, rolling_resistance=MU)
    assert abs(speed) < 1e-4 * G * time


@pytest.mark.parametrize("radius", [0.02, 0.5])
def test_on_a_steeper_slope_it_rolls_as_slowly_as_it_should(radius):
    slope = np.arctan(2.0 * MU)
    speed, time = rolled(slope, radius, rolling_resistance=MU)
    wanted = 5 / 7 * G * (np.sin(slope) - MU * np.cos(slope))
    assert speed / time == pytest.approx(wanted, rel=0.01)


def test_a_length_and_a_resistance_add_up():
    slope = np.arctan(0.4)
    both = rolled(slope, 0.1, rolling_resistance=0.1, rolling_friction=0.01)
    one = rolled(slope, 0.1, rolling_resistance=0.2)
    assert both == pytest.approx(one, rel=1e-6)


def test_reduced_radii_of_two_balls_and_of_a_ball_on_a_plane():
    world = am.World()
    stuff = am.Material(rolling_resistance=0.1, spinning_resistance=0.3)
    world.add_body(am.Plane(), fixed=True, material=stuff, position=(5, 5, 0))
    world.add_body(am.Sphere(0.1), mass=1.0, position=(0, 0, 0.1), material=stuff)
    world.add_body(am.Sphere(0.3), mass=1.0, position=(0.4, 0, 0.1), material=stuff)
    sim = am.Simulation(world, step=1e-3, solver=am.APGD(tolerance=1e-3, max_iterations=10))
    sim.step()
    terms = sim._last.terms
    sizes = dict(
        zip(
            map(tuple, terms.contacts.bodies.tolist()),
            reduced_radii(terms, sim.model.masses.driven).tolist(),
            strict=True,
        )
    )
    assert sizes[0, 1] == pytest.approx(0.1)
    assert sizes[1, 2] == pytest.approx(0.1 * 0.3 / 0.4)
    np.testing.assert_allclose(terms.rolling, 0.1 * np.array(list(sizes.values())))
    np.testing.assert_allclose(terms.spinning, 0.3 * np.array(list(sizes.values())))


def test_a_negative_resistance_is_refused():
    with pytest.raises(am.InputError, match="rolling_resistance"):
        am.Material(rolling_resistance=-0.1)


def test_rolling_friction_longer_than_the_body_is_warned_of():
    """A coefficient without a unit in place of a length is the usual slip."""
    for length, warned in ((0.9e-3, False), (0.1, True)):
        felt = am.Material(rolling_friction=length)
        world = am.World()
        world.add_body(am.Plane(), fixed=True, material=felt)
        world.add_spheres([1e-3, 2e-3], position=[(0, 0, 1e-3), (1, 0, 2e-3)], density=1e3,
                          material=felt)  # fmt: skip
        if warned:
            with pytest.warns(am.ProblemWarning, match=r"0\.1 m, but .* 0\.001 m .* 1 bodies more"):
                am.Simulation(world, step=1e-3)
        else:
            am.Simulation(world, step=1e-3)  # warnings are errors here
