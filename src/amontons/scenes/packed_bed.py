"""Spheres that fall into a square box."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from amontons.model.materials import Material
from amontons.model.shapes import Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.open_box import add_open_box


@dataclass(frozen=True)
class PackedBed(Scene):
    """Loose layers of spheres above the floor of a box with an open top."""

    spheres: int = parameter(4000, "how many spheres", low=1, high=10_000_000)
    radius: float = parameter(0.15, "of a sphere", unit="m", low=1e-4, high=1e3)
    mass: float = parameter(1.0, "of a sphere", unit="kg", low=1e-9, high=1e9)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)
    spacing: float = parameter(1.15, "distance of neighbours in diameters", low=1.0, high=10.0)
    depth: float = parameter(2.5, "layers for each sphere along a side", low=0.01, high=1000.0)
    seed: int = parameter(0, "of the small shifts that break the symmetry", low=0)

    name: ClassVar[str] = "packed_bed"
    summary: ClassVar[str] = "thousands of spheres fall into a box and come to rest"
    counted: ClassVar[str] = "spheres"
    advice: ClassVar[Advice] = Advice(time=2.0, step=5e-3, tolerance=1e-2, max_iterations=100)

    def build(self) -> World:
        world = World()
        material = Material(friction=self.friction)
        pitch = 2.0 * self.radius * self.spacing
        side = max(2, round((self.spheres / self.depth) ** (1.0 / 3.0)))
        half = 0.5 * side * pitch
        add_open_box(world, half=half, material=material)
        number = np.arange(self.spheres)
        layer, rest = np.divmod(number, side * side)
        row, column = np.divmod(rest, side)
        place = pitch * np.stack([column, row, layer], axis=1)
        place += [0.5 * pitch - half, 0.5 * pitch - half, 1.2 * self.radius]
        shift = 0.4 * (self.spacing - 1.0) * self.radius
        place += np.random.default_rng(self.seed).uniform(-shift, shift, place.shape)
        world.add_bodies(Sphere(self.radius), position=place, mass=self.mass, material=material)
        return world


def packed_bed(*parameters: Any, **named: Any) -> World:
    """The world of a `PackedBed` with these parameters."""
    return PackedBed(*parameters, **named).build()
