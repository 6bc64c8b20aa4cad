"""A bowl of balls, stirred by blades."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi
from typing import ClassVar

import numpy as np

from amontons.model.materials import Material
from amontons.model.motion import Motion
from amontons.model.shapes import Box, Compound, Cylinder, Part, Plane, Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene
from amontons.scenes.parameters import parameter
from amontons.scenes.placement import disc_layers, turn_about
from amontons.scenes.vessels import vessel

SEGMENTS = 24


@dataclass(frozen=True)
class Mixer(Scene):
    """A round bowl with a shaft that carries blades through the balls."""

    balls: int = parameter(400, "how many balls", low=1, high=1_000_000)
    radius: float = parameter(0.03, "of a ball", unit="m", low=1e-4, high=10.0)
    bowl: float = parameter(12.0, "radius of the bowl in ball radii", low=6.0, high=1e4)
    blades: int = parameter(3, "blades on the shaft", low=1, high=12)
    turns: float = parameter(60.0, "turning speed", unit="1/min", low=-600.0, high=600.0)
    friction: float = parameter(0.3, "Coulomb's coefficient", low=0.0, high=100.0)
    seed: int = parameter(0, "of the small shifts that break the symmetry", low=0)

    name: ClassVar[str] = "mixer"
    summary: ClassVar[str] = "turning blades stir a bowl of balls"
    counted: ClassVar[str] = "balls"
    advice: ClassVar[Advice] = Advice(time=4.0, step=2.5e-3, tolerance=5e-3)

    def build(self) -> World:
        world = World()
        steel = Material(friction=self.friction)
        r, R = self.radius, self.bowl * self.radius
        inner = R * cos(pi / SEGMENTS)
        above = 4.5 * r  # of the blades, where the balls begin
        places = disc_layers(self.balls, inner - 1.2 * r, 2.2 * r, above + 1.2 * r)
        rng = np.random.default_rng(self.seed)
        places += rng.uniform(-0.05 * r, 0.05 * r, places.shape)
        world.add_body(Plane(), fixed=True, material=steel, name="floor")
        wall = vessel(
            [(R, 0.0), (R, float(places[:, 2].max()) + r)], thickness=0.06 * R, segments=SEGMENTS
        )
        world.add_body(wall, fixed=True, placed_by="frame", material=steel, name="bowl")
        world.add_body(
            self._stirrer(inner),
            motion=Motion(angular_velocity=(0.0, 0.0, 2.0 * pi * self.turns / 60.0)),
            placed_by="frame",
            material=steel,
            name="stirrer",
        )
        world.add_bodies(Sphere(r), position=places, density=2000.0, material=steel)
        return world

    def _stirrer(self, inner: float) -> Compound:
        """Blades from the shaft nearly to the wall, leaning back, and the shaft below them."""
        r = self.radius
        reach = inner - 2.5 * r
        blade = Box((reach, 0.5 * r, 3.0 * r))
        parts = [Part(Cylinder(r, 4.0 * r), (0.0, 0.0, 2.2 * r))]
        for i in range(self.blades):
            angle = 2.0 * pi * i / self.blades
            turn = turn_about((0.0, 0.0, 1.0), angle)
            place = (0.5 * reach * np.cos(angle), 0.5 * reach * np.sin(angle), 2.2 * r)
            parts.append(Part(blade, place, turn))
        return Compound(parts)
