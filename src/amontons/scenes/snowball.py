"""Balls of sticky spheres that fall on an edge: snow, clay or something brittle."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt
from typing import ClassVar

import numpy as np

from amontons.array_types import Floats
from amontons.model.materials import Material
from amontons.model.shapes import Box, Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.open_box import add_open_box
from amontons.scenes.placement import face_centred, turn_about


@dataclass(frozen=True)
class Snowball(Scene):
    """Balls packed from equal spheres with cohesion, thrown down on the upper edge of a cube."""

    spheres: int = parameter(1000, "how many in a ball, about", low=1, high=10_000_000)
    radius: float = parameter(0.05, "of a sphere", unit="m", low=1e-4, high=10.0)
    density: float = parameter(2000.0, "of the spheres", unit="kg/m³", low=1.0, high=3e4)
    cohesion: float = parameter(4000.0, "of two spheres", unit="N", low=0.0, high=1e9)
    speed: float = parameter(10.0, "of the balls, downwards", unit="m/s", low=0.0, high=100.0)
    friction: float = parameter(1.0, "between spheres", low=0.0, high=100.0)
    wall_friction: float = parameter(0.1, "with the cube and the box", low=0.0, high=100.0)
    balls: int = parameter(1, "how many, one after the other", low=1, high=1000)

    name: ClassVar[str] = "snowball"
    summary: ClassVar[str] = "balls of sticky spheres break on an edge, or do not"
    counted: ClassVar[str] = "spheres"
    advice: ClassVar[Advice] = Advice(time=0.4, step=5e-4, tolerance=1e-2, max_iterations=100)

    @property
    def ball_radius(self) -> float:
        """Of a ball [m]: spheres fill π/√18 of a close packing."""
        return float(self.radius * (self.spheres * sqrt(18.0) / pi) ** (1.0 / 3.0))

    def build(self) -> World:
        world, R = World(), self.ball_radius
        smooth = Material(friction=self.wall_friction)
        sticky = Material(friction=self.friction, cohesion=self.cohesion)
        add_open_box(world, half=5.0 * R, material=smooth)
        side = 1.4 * R
        edge = side * sqrt(2.0)  # height of the cube's upper edge: it stands on the lower one
        world.add_body(
            Box((side, 10.0 * R, side)),
            fixed=True,
            position=(0.0, 0.0, 0.5 * edge),
            orientation=turn_about((0.0, 1.0, 0.0), pi / 4),
            material=smooth,
            name="edge",
        )
        ball = self.ball()
        for number in range(self.balls):
            middle = edge + (1.05 + 2.2 * number) * R + 2.0 * self.radius
            world.add_bodies(
                Sphere(self.radius),
                position=ball + np.array([0.0, 0.0, middle]),
                velocity=(0.0, 0.0, -self.speed),
                density=self.density,
                material=sticky,
            )
        return world

    def ball(self) -> Floats:
        """Centres of a ball's spheres about its middle [m]; neighbours touch."""
        R = self.ball_radius
        places = face_centred(2.0 * self.radius * (1.0 + 1e-9), (R, R, R))
        return np.asarray(places[np.linalg.norm(places, axis=1) <= R])
