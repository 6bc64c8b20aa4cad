"""A ball that falls on a bed of grains and leaves a crater."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons.model.materials import Material
from amontons.model.shapes import Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.open_box import add_open_box
from amontons.scenes.placement import layers


@dataclass(frozen=True)
class Crater(Scene):
    """Grains that settle in a square box while a ball is on its way down to them."""

    grains: int = parameter(5000, "how many grains", low=1, high=10_000_000)
    grain: float = parameter(1e-3, "diameter of a grain", unit="m", low=1e-6, high=1.0)
    width: float = parameter(24.0, "of the box in grain diameters", low=4.0, high=1e4)
    diameter: float = parameter(8e-3, "of the ball", unit="m", low=1e-6, high=10.0)
    density: float = parameter(700.0, "of the ball", unit="kg/m³", low=1.0, high=3e4)
    grain_density: float = parameter(2500.0, "of the grains", unit="kg/m³", low=1.0, high=3e4)
    height: float = parameter(
        0.1, "of the ball above the loose grains", unit="m", low=1e-3, high=10
    )
    friction: float = parameter(0.3, "Coulomb's coefficient", low=0.0, high=100.0)
    seed: int = parameter(0, "of the small shifts that break the symmetry", low=0)

    name: ClassVar[str] = "crater"
    summary: ClassVar[str] = "a ball falls on a bed of grains and leaves a crater"
    counted: ClassVar[str] = "grains"
    advice: ClassVar[Advice] = Advice(time=0.25, step=5e-4, tolerance=1e-2, max_iterations=60)

    def build(self) -> World:
        world = self.bed()
        top = float(world.bodies.position[:, 2].max()) + 0.5 * self.grain
        self.add_ball(world, place=(0.0, 0.0, top + self.height + 0.5 * self.diameter))
        return world

    def bed(self) -> World:
        """The box and the loose grains in it, without the ball."""
        world, pitch, d = World(), 1.12 * self.grain, self.grain
        glass = Material(friction=self.friction)
        half = 0.5 * self.width * d
        add_open_box(world, half=half, material=glass)
        across = max(1, int(2.0 * half / pitch))
        place = layers(self.grains, across, pitch, 0.6 * d)
        place += np.random.default_rng(self.seed).uniform(-0.05 * d, 0.05 * d, place.shape)
        world.add_bodies(
            Sphere(0.5 * d), position=place, density=self.grain_density, material=glass
        )
        return world

    def add_ball(
        self, world: World, *, place: tuple[float, float, float], speed: float = 0.0
    ) -> None:
        """Add the ball with its centre at `place` [m], on its way down at `speed` [m/s]."""
        world.add_body(
            Sphere(0.5 * self.diameter),
            density=self.density,
            position=place,
            velocity=(0.0, 0.0, -speed),
            material=Material(friction=self.friction),
            name="ball",
        )
