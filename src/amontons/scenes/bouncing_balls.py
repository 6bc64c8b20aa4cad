"""Balls of all sizes that bounce in a tray."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons.model.materials import Material
from amontons.model.shapes import Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import layers
from amontons.scenes.tray import add_tray


@dataclass(frozen=True)
class BouncingBalls(Scene):
    """Layers of balls above a tray; large ones and small ones bounce alike."""

    balls: int = parameter(120, "how many balls", low=1, high=1_000_000)
    smallest: float = parameter(0.05, "smallest radius", unit="m", low=1e-3, high=10.0)
    largest: float = parameter(0.14, "largest radius", unit="m", low=1e-3, high=10.0)
    restitution: float = parameter(0.8, "share of speed that comes back", low=0.0, high=1.0)
    friction: float = parameter(0.3, "Coulomb's coefficient", low=0.0, high=100.0)
    height: float = parameter(1.0, "of the lowest balls", unit="m", low=0.01, high=1e3)
    seed: int = parameter(0, "of sizes and speeds", low=0)

    name: ClassVar[str] = "bouncing_balls"
    summary: ClassVar[str] = "balls of all sizes fall into a tray and bounce until they rest"
    counted: ClassVar[str] = "balls"
    advice: ClassVar[Advice] = Advice(time=3.0, step=4e-3, max_iterations=100)

    def check(self) -> None:
        self._ordered("smallest", "largest")

    def build(self) -> World:
        world = World()
        rng = np.random.default_rng(self.seed)
        rubber = Material(friction=self.friction, restitution=self.restitution)
        pitch = 2.2 * self.largest
        across = max(2, round((0.8 * self.balls) ** (1.0 / 3.0)))
        add_tray(world, half=0.75 * across * pitch, height=8.0 * self.largest, material=rubber)
        place = layers(self.balls, across, pitch, self.height + self.largest)
        radii = rng.choice(np.linspace(self.smallest, self.largest, 7), self.balls)
        world.add_bodies(
            [Sphere(float(radius)) for radius in radii],
            position=place,
            velocity=rng.uniform(-0.7, 0.7, place.shape) * [1.0, 1.0, 0.2],
            density=1000.0,
            material=rubber,
        )
        return world
