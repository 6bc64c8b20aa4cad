"""A pile of every convex shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons.model.materials import Material
from amontons.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Shape, Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import layers, random_turns
from amontons.scenes.tray import add_tray


@dataclass(frozen=True)
class MixedPile(Scene):
    """Spheres, boxes, capsules, cylinders and ellipsoids, turned every way, above a tray."""

    bodies: int = parameter(250, "how many bodies", low=1, high=1_000_000)
    size: float = parameter(0.2, "largest extent of a body", unit="m", low=1e-3, high=1e3)
    density: float = parameter(1500.0, "of the bodies", unit="kg/m³", low=1e-3, high=1e6)
    friction: float = parameter(0.4, "Coulomb's coefficient", low=0.0, high=100.0)
    seed: int = parameter(0, "of shapes and orientations", low=0)

    name: ClassVar[str] = "mixed_pile"
    summary: ClassVar[str] = "spheres, boxes, capsules, cylinders and ellipsoids make a pile"
    counted: ClassVar[str] = "bodies"
    advice: ClassVar[Advice] = Advice(time=3.0, step=4e-3, max_iterations=150)

    def build(self) -> World:
        world = World()
        rng = np.random.default_rng(self.seed)
        stone = Material(friction=self.friction)
        pitch = 1.02 * self.size
        across = max(2, round((0.5 * self.bodies) ** (1.0 / 3.0)))
        add_tray(world, half=0.7 * across * pitch, height=1.5 * self.size, material=stone)
        kinds = self._kinds()
        world.add_bodies(
            [kinds[i] for i in rng.integers(len(kinds), size=self.bodies)],
            position=layers(self.bodies, across, pitch, self.size),
            orientation=random_turns(rng, self.bodies),
            density=self.density,
            material=stone,
        )
        return world

    def _kinds(self) -> list[Shape]:
        """Shapes within a ball of the given size, whichever way they turn."""
        s = self.size
        return [
            Sphere(0.4 * s),
            Box((0.6 * s, 0.5 * s, 0.5 * s)),
            Capsule(0.22 * s, 0.5 * s),
            Cylinder(0.3 * s, 0.7 * s),
            Ellipsoid((0.5 * s, 0.35 * s, 0.25 * s)),
        ]
