"""Scenes that tests, benchmarks and docs share: they build, start without overlaps, and step."""

from __future__ import annotations

import numpy as np
import pytest

import amontons as am
from amontons import scenes

SMALL = {
    "packed_bed": lambda: scenes.packed_bed(60),
    "plates": lambda: scenes.plates(5),
    "wall": lambda: scenes.wall(4, 5),
    "wall with joints": lambda: scenes.wall(3, 3, joint=0.01),
}


def test_every_scene_is_here():
    functions = {name for name in scenes.SCENES if callable(getattr(scenes, name))}
    assert {name.split(" ")[0] for name in SMALL} == functions


@pytest.mark.slow
@pytest.mark.parametrize("make", SMALL.values(), ids=SMALL.keys())
def test_scenes_start_without_overlaps_and_step(make):
    world = make()
    sim = am.Simulation(world, step=2e-3)
    first = sim.step()
    assert first.penetration <= 1e-12
    assert first.notes == ()
    readings = sim.run(0.02)
    assert readings.penetration.max() < 1e-4
    assert (np.diff(readings.energy) < 1e-3).all()


def test_packed_bed_is_inside_its_box_and_its_seed_counts():
    one, two, other = (scenes.packed_bed(200, seed=seed) for seed in (0, 0, 1))
    assert np.array_equal(one.bodies.position, two.bodies.position)
    assert not np.array_equal(one.bodies.position, other.bodies.position)
    walls, balls = one.bodies.position[1:5], one.bodies.position[5:]
    half = np.abs(walls).max()
    assert len(balls) == 200
    assert np.abs(balls[:, :2]).max() < half - 0.15
    assert balls[:, 2].min() > 0.15
    assert [one.body(name).id for name in ("floor", "left", "right", "front", "back")] == [
        *range(5)
    ]


def test_plates_carry_a_block():
    world = scenes.plates(7, load=500.0, mass=2.0)
    assert len(world.bodies) == 9
    assert world.body("block").mass == 500.0
    assert world.body("plate 6").mass == 2.0
    assert world.body("block").position[2] == pytest.approx(0.7 + 0.5)


def test_wall_is_in_running_bond():
    world = scenes.wall(3, 4, density=1000.0)
    bricks = world.bodies.position[1:].reshape(3, 4, 3)
    assert world.bodies.mass[1:] == pytest.approx(16.0)
    assert np.diff(bricks[0, :, 0]) == pytest.approx(0.4)
    assert bricks[1, 0, 0] - bricks[0, 0, 0] == pytest.approx(0.2)
    assert bricks[2] == pytest.approx(bricks[0] + [0, 0, 0.4])


@pytest.mark.parametrize("load", [1000.0, 10_000.0])
def test_plates_stand_under_a_load_of_tonnes(load):
    """The start of the demanding case: 20 plates of a kilogram each, defaults, 5 ms."""
    sim = am.Simulation(scenes.plates(20, load=load), step=5e-3)
    start = sim.bodies.position[-1].copy()
    sim.run(0.25)
    moved = sim.bodies.position[-1] - start
    assert -moved[2] < 1e-3
    assert np.hypot(*moved[:2]) < 1e-4
