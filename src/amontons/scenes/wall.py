"""A wall of bricks in running bond."""

from __future__ import annotations

import numpy as np

from amontons.model.materials import Material
from amontons.model.shapes import Box, Plane
from amontons.model.world import World


def wall(
    courses: int = 25,
    length: int = 30,
    *,
    brick: tuple[float, float, float] = (0.4, 0.2, 0.2),
    density: float = 2000.0,
    friction: float = 0.5,
    joint: float = 0.0,
) -> World:
    """Courses of bricks on a floor, every other one shifted by half a brick.

    Parameters
    ----------
    courses, length:
        Bricks above and beside one another: 25 × 30 are the 750 of paper 1.
    brick:
        Size of a brick along the wall, across it and upwards [m].
    density:
        Of the bricks [kg/m³].
    joint:
        Gap between neighbours in a course [m].
    """
    world = World()
    material = Material(friction=friction)
    world.add_body(Plane(), fixed=True, material=material, name="floor")
    along, _, up = brick
    course, number = np.divmod(np.arange(courses * length), length)
    place = np.zeros((courses * length, 3))
    place[:, 0] = (number - 0.5 * length + 0.5 * (course % 2)) * (along + joint)
    place[:, 2] = (course + 0.5) * up
    world.add_bodies(Box(brick), position=place, density=density, material=material)
    return world
