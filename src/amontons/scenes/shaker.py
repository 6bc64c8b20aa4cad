"""A shaken box in which large balls rise through small ones."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt
from typing import ClassVar

import numpy as np

from amontons.model.materials import Material
from amontons.model.motion import Motion
from amontons.model.shapes import Sphere
from amontons.model.signals import Components, Wave
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.open_box import add_open_box
from amontons.scenes.placement import layers

GRAVITY = 9.81


@dataclass(frozen=True)
class Shaker(Scene):
    """Steel balls of two sizes, the large ones at the bottom, in a box that goes up and down."""

    balls: int = parameter(600, "how many small balls", low=1, high=1_000_000)
    large: int = parameter(9, "how many large balls", low=1, high=10_000)
    radius: float = parameter(0.005, "of a small ball", unit="m", low=1e-4, high=1.0)
    ratio: float = parameter(2.5, "of the radii, large to small", low=1.0, high=20.0)
    amplitude: float = parameter(2.0, "of the shaking in small radii", low=0.01, high=100.0)
    strength: float = parameter(4.0, "largest acceleration, in gravities", low=0.0, high=100.0)
    friction: float = parameter(0.3, "Coulomb's coefficient", low=0.0, high=100.0)
    seed: int = parameter(0, "of the small shifts that break the symmetry", low=0)

    name: ClassVar[str] = "shaker"
    summary: ClassVar[str] = "large balls rise through small ones in a shaken box (Brazil nuts)"
    counted: ClassVar[str] = "balls"
    advice: ClassVar[Advice] = Advice(time=3.0, step=1e-3, tolerance=5e-3, max_iterations=100)

    @property
    def frequency(self) -> float:
        """Of the shaking [1/s]: strength · g = amplitude · ω²."""
        return sqrt(self.strength * GRAVITY / (self.amplitude * self.radius)) / (2.0 * pi)

    def build(self) -> World:
        world, r = World(), self.radius
        steel = Material(friction=self.friction)
        pitch, R = 2.1 * r, self.ratio * r
        row = max(1, round(self.large**0.5 + 0.49))  # large balls along a side
        across = max(round((0.7 * self.balls) ** (1.0 / 3.0)), int(row * 2.1 * R / pitch) + 1)
        speed = self.amplitude * r * 2.0 * pi * self.frequency
        omega = 2.0 * pi * self.frequency
        shaking = Motion(velocity=Components((0.0, 0.0, Wave(amplitude=speed, rate=omega))))
        add_open_box(world, half=0.5 * (across * pitch + 0.2 * r), material=steel, motion=shaking)
        rng = np.random.default_rng(self.seed)
        heavy = layers(self.large, row, 2.1 * R, 1.05 * R)
        top = float(heavy[:, 2].max()) + R
        light = layers(self.balls, across, pitch, top + 1.1 * r)
        for shape, places in ((Sphere(R), heavy), (Sphere(r), light)):
            shifted = places + rng.uniform(-0.04 * r, 0.04 * r, places.shape)
            world.add_bodies(shape, position=shifted, density=7800.0, material=steel)
        return world
