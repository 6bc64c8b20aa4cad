"""Scenes in which bodies stick together: what holds a castle, and what breaks a plate."""

import numpy as np
import pytest

import amontons as am
from amontons.scenes import BrittlePlate, Sandcastle


def run(scene, duration):
    """The scene's simulation after so many seconds, run as advised."""
    sim = am.Simulation(scene.build(), step=scene.advice.step, solver=scene.advice.make_solver())
    sim.run(duration)
    assert np.isfinite(sim.bodies.position).all()
    return sim


def test_a_castle_is_as_wide_as_asked_and_stands_on_the_ground():
    scene = Sandcastle(10)
    places = scene.places()
    assert np.ptp(places[:, 0]) + scene.diameter == pytest.approx(10e-3, rel=0.15)
    assert places[:, 2].min() == pytest.approx(0.5 * scene.diameter)


@pytest.mark.slow
def test_a_wet_castle_stands_and_a_dry_one_falls():
    height = {}
    for water in (0.0, 4e-4):
        scene = Sandcastle(8, water=water)
        sim = run(scene, 0.06)
        top = scene.places()[:, 2].max()
        height[water] = sim.bodies.position[1:, 2].max() / top
    assert height[4e-4] > 0.95
    assert height[0.0] < 0.8


@pytest.mark.slow
def test_a_plate_holds_a_light_blow_and_breaks_under_a_hard_one():
    soft = run(BrittlePlate(8, speed=0.02, tensile=1e9), 0.01)
    assert not soft.bonds.broken.any()
    hard = run(BrittlePlate(8, speed=20.0), 0.01)
    assert hard.bonds.broken.mean() > 0.02
    assert not hard.bonds.broken.all()
