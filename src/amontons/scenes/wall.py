"""A wall of bricks in running bond."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from amontons.array_types import Floats
from amontons.model.materials import Material
from amontons.model.shapes import Box, Plane
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter


@dataclass(frozen=True)
class Wall(Scene):
    """Courses of bricks on a floor, every other one shifted by half a brick."""

    courses: int = parameter(25, "bricks above one another", low=1, high=10_000)
    length: int = parameter(30, "bricks in a course", low=1, high=10_000)
    brick: tuple[float, float, float] = parameter(
        (0.4, 0.2, 0.2), "size along the wall, across it, upwards", unit="m", low=1e-3, high=1e3
    )
    density: float = parameter(2000.0, "of the bricks", unit="kg/m³", low=1e-3, high=1e6)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)
    joint: float = parameter(0.0, "gap between neighbours in a course", unit="m", low=0.0, high=1e3)

    name: ClassVar[str] = "wall"
    summary: ClassVar[str] = "750 bricks in running bond stand still (the wall of paper 1)"
    counted: ClassVar[str] = ""
    advice: ClassVar[Advice] = Advice(time=1.0, step=5e-3, tolerance=1e-3)

    def build(self) -> World:
        world = World()
        material = Material(friction=self.friction)
        world.add_body(Plane(), fixed=True, material=material, name="floor")
        world.add_bodies(
            Box(self.brick),
            position=brick_places(self.courses, self.length, self.brick, self.joint),
            density=self.density,
            material=material,
        )
        return world


def brick_places(
    courses: int, length: int, brick: tuple[float, float, float], joint: float = 0.0
) -> Floats:
    """Centres of the bricks of a wall along x [m], shape (courses · length, 3)."""
    along, _, up = brick
    course, number = np.divmod(np.arange(courses * length), length)
    place = np.zeros((courses * length, 3))
    place[:, 0] = (number - 0.5 * length + 0.5 * (course % 2)) * (along + joint)
    place[:, 2] = (course + 0.5) * up
    return place


def wall(*parameters: Any, **named: Any) -> World:
    """The world of a `Wall` with these parameters."""
    return Wall(*parameters, **named).build()
