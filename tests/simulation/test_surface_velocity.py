"""Belts: surfaces that run over bodies which stay where they are, against closed forms."""

import numpy as np
import pytest

import amontons as am

G, MU, BELT = 9.81, 0.4, 0.6


def belt_and_box(surface=(BELT, 0.0, 0.0), friction="exact", **belt):
    """A box that was put down on a belt, and its simulation."""
    stuff = am.Material(friction=MU)
    world = am.World(gravity=(0.0, 0.0, -G))
    world.add_body(am.Box((4.0, 1.0, 0.2)), fixed=True, material=stuff, name="belt",
                   position=(0.0, 0.0, -0.1), surface_velocity=surface, **belt)  # fmt: skip
    box = world.add_body(am.Box((0.4, 0.4, 0.1)), mass=2.0, position=(0.0, 0.0, 0.05),
                         material=stuff)  # fmt: skip
    return box, am.Simulation(world, step=1e-3, friction=friction)


@pytest.mark.slow
@pytest.mark.parametrize("friction", ["exact", "convex"])
def test_a_box_gets_to_the_speed_of_the_belt_as_mu_g_t(friction):
    box, sim = belt_and_box(friction=friction)
    for _ in range(100):
        sim.step()
    assert box.velocity[0] == pytest.approx(MU * G * sim.time, rel=0.01)
    for _ in range(200):
        sim.step()
    assert box.velocity[0] == pytest.approx(BELT, rel=1e-3)
    assert abs(box.velocity[1]) < 1e-6 * BELT
    # the belt gives twice what the box gets: F v t = 2 · ½mv²; friction takes the other half
    work = sim.state.energy.by_cause
    assert work.drives == pytest.approx(2.0 * BELT * BELT, rel=0.02)
    assert work.friction == pytest.approx(-BELT * BELT, rel=0.02)
    held = sim.state.energy.held
    assert work.total == pytest.approx(held, abs=1e-9 * abs(work.drives) + 1e-9 * abs(held))
