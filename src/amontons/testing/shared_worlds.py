"""Small worlds that several processes share, one for each thing that could tell them apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from amontons.model.materials import Material
from amontons.model.shapes import Box, Sphere
from amontons.model.world import World
from amontons.scenes.brittle_plate import BrittlePlate
from amontons.scenes.bulldozer import Bulldozer
from amontons.scenes.drum import Drum
from amontons.scenes.open_box import add_open_box
from amontons.scenes.packed_bed import packed_bed
from amontons.scenes.snowball import Snowball


class SharedWorld(NamedTuple):
    """A world, and how long its steps are."""

    make: Callable[[], World]
    step: float  # [s]


def bed(spheres: int = 400) -> World:
    """A bed whose spheres all move at random, so close that they touch from the first step on."""
    world, rng = packed_bed(spheres=spheres, spacing=1.004), np.random.default_rng(1)
    moving = ~world.bodies.fixed
    world.bodies.velocity[moving] = rng.uniform(-0.3, 0.3, (int(moving.sum()), 3))
    return world


def under_slab() -> World:
    """A slab that slides over a bed: it touches bodies of all processes."""
    world = bed()
    spheres = ~world.bodies.fixed
    top = float(world.bodies.position[spheres, 2].max()) + 0.15
    width = 0.9 * float(np.ptp(world.bodies.position[spheres, 0]))
    world.add_body(
        Box((width, width, 0.2)), position=(0.0, 0.0, top + 0.1), mass=300.0,
        material=Material(friction=0.5), velocity=(0.3, 0.0, -0.1), name="slab",
    )  # fmt: skip
    return world


def of_many_sizes() -> World:
    """Spheres of radii from 1 to 100 mm in a box, the largest ones among the smallest."""
    world, rng = World(), np.random.default_rng(2)
    stone = Material(friction=0.5)
    half = 0.2
    add_open_box(world, half=half, material=stone)
    for x, y in ((-0.095, -0.095), (0.095, 0.095)):
        world.add_body(Sphere(0.1), density=2500.0, position=(x, y, 0.1005), material=stone)
    for radius, count, height in ((0.03, 30, 0.25), (0.01, 150, 0.5), (0.001, 400, 0.65)):
        pitch = 2.2 * max(radius, 0.004)
        side = int(2.0 * (half - radius) / pitch)
        cell = np.stack([np.arange(count) % side, np.arange(count) // side % side], axis=1)
        place = np.column_stack([pitch * cell - half + 1.1 * radius, np.zeros(count)])
        place[:, 2] = height + pitch * (np.arange(count) // side**2)
        place[:, :2] += rng.uniform(0.0, 0.05 * radius, (count, 2))
        world.add_bodies(
            Sphere(radius), position=place, density=2500.0, material=stone,
            velocity=np.tile((0.0, 0.0, -2.0), (count, 1)),
        )  # fmt: skip
    return world


def in_drum() -> World:
    """A drum of balls that resist rolling and spinning: six rows a contact, and a motion."""
    world = Drum(balls=400).build()
    steel = next(each for each in world.materials.list if each.friction > 0.0)
    rolling = Material(friction=0.5, rolling_friction=5e-4, spinning_friction=5e-4)
    world.set_contact(steel, steel, rolling)
    moving = world.bodies.mass < np.inf
    world.bodies.velocity[moving] = (0.0, 0.0, -2.0)
    return world


def snow() -> World:
    """A snowball that sticks together and bursts on the edge of a cube."""
    return Snowball(spheres=400).build()


def soil() -> World:
    """A bulldozer, whose tracks are chains of joints, on soil that sticks."""
    return Bulldozer(grains=300).build()


def plate() -> World:
    """A plate of bonded spheres that a ball breaks: bonds across borders."""
    return BrittlePlate(across=14).build()


def on_rough_floor() -> World:
    """Balls that bounce on fixed ones as large, and give way a little: these find contacts too."""
    world, rng = World(), np.random.default_rng(3)
    rubber = Material(friction=0.4, restitution=0.6, compliance=1e-7)
    spots = np.stack(np.meshgrid(np.arange(12), np.arange(12), indexing="ij"), axis=-1)
    floor = np.column_stack([0.2 * spots.reshape(-1, 2), np.zeros(144)])
    for place in floor:
        world.add_body(Sphere(0.1), position=place, fixed=True, material=rubber)
    for layer in (1, 2):
        shift = rng.uniform((-0.03, -0.03, 0.0), (0.03, 0.03, 0.001), floor.shape)
        world.add_bodies(
            Sphere(0.1), position=floor + shift + np.array([0.0, 0.0, 0.23 * layer]),
            mass=1.0, material=rubber, velocity=rng.uniform(-2.0, 0.0, floor.shape),
        )  # fmt: skip
    return world


SHARED_WORLDS = {
    "packed bed": SharedWorld(bed, 2e-3),
    "moving slab": SharedWorld(under_slab, 2e-3),
    "bulldozer": SharedWorld(soil, 1e-3),
    "sizes 1 to 100": SharedWorld(of_many_sizes, 5e-4),
    "drum with rolling friction": SharedWorld(in_drum, 1e-3),
    "sticky snowball": SharedWorld(snow, 1e-3),
    "brittle plate": SharedWorld(plate, 2e-4),
    "rough floor": SharedWorld(on_rough_floor, 2e-3),
}
"""Worlds by name, each with the length of a step."""
