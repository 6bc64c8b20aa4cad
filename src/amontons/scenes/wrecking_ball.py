"""A wall and a ball that swings into it."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin
from typing import ClassVar

from amontons.errors import InputError
from amontons.model.joints import Rope
from amontons.model.materials import Material
from amontons.model.shapes import Box, Plane, Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.wall import brick_places


@dataclass(frozen=True)
class WreckingBall(Scene):
    """A brick wall along x, and a heavy ball on a rope above the middle of it, drawn aside."""

    courses: int = parameter(12, "bricks above one another", low=1, high=1000)
    length: int = parameter(14, "bricks in a course", low=1, high=1000)
    brick: tuple[float, float, float] = parameter(
        (0.4, 0.2, 0.2), "size along the wall, across it, upwards", unit="m", low=1e-2, high=10.0
    )
    ball_mass: float = parameter(1500.0, "of the ball", unit="kg", low=1e-3, high=1e9)
    ball_radius: float = parameter(0.35, "of the ball", unit="m", low=0.01, high=100.0)
    rope: float = parameter(4.0, "length of the rope", unit="m", low=0.1, high=1e3)
    angle: float = parameter(55.0, "of the rope at the start", unit="°", low=1.0, high=90.0)
    friction: float = parameter(0.6, "Coulomb's coefficient", low=0.0, high=100.0)

    name: ClassVar[str] = "wrecking_ball"
    summary: ClassVar[str] = "a ball on a rope breaks through a brick wall"
    advice: ClassVar[Advice] = Advice(time=3.0, step=4e-3, tolerance=1e-2)

    def check(self) -> None:
        if self.rope * sin(radians(self.angle)) < 1.1 * (self.ball_radius + self.brick[1]):
            raise InputError(
                f"with a rope of {self.rope:g} m at {self.angle:g}° the ball already touches "
                "the wall; take a longer rope or a larger angle"
            )

    def build(self) -> World:
        world = World()
        stone = Material(friction=self.friction)
        world.add_body(Plane(), fixed=True, material=stone, name="floor")
        places = brick_places(self.courses, self.length, self.brick)
        world.add_bodies(Box(self.brick), position=places, density=2000.0, material=stone)
        low = max(0.6 * self.courses * self.brick[2], 1.05 * self.ball_radius)
        anchor = (0.0, 0.0, low + self.rope)
        tilt = radians(self.angle)
        start = (0.0, -self.rope * sin(tilt), anchor[2] - self.rope * cos(tilt))
        ball = world.add_body(
            Sphere(self.ball_radius),
            mass=self.ball_mass,
            position=start,
            material=stone,
            name="ball",
        )
        world.add_joint(Rope(None, ball, point_a=anchor, point_b=start, name="rope"))
        return world
