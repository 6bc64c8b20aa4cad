"""A heavy slab on a bed of spheres in a shaft: the pressure test of paper 3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons.errors import InputError
from amontons.model.materials import Material
from amontons.model.shapes import Box, Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.open_box import add_open_box
from amontons.scenes.placement import layers

LOOSE = 1.1
"""Distance of neighbours at the start, in diameters."""


@dataclass(frozen=True)
class PressedBed(Scene):
    """Loose layers of spheres in a square shaft, and on top of them a slab that fills it."""

    spheres: int = parameter(4000, "how many spheres", low=1, high=10_000_000)
    slab_mass: float = parameter(1000.0, "of the slab", unit="kg", low=1e-6, high=1e12)
    width: float = parameter(3.0, "of the shaft", unit="m", low=1e-3, high=1e4)
    radius: float = parameter(0.15, "of a sphere", unit="m", low=1e-4, high=1e3)
    mass: float = parameter(1.0, "of a sphere", unit="kg", low=1e-9, high=1e9)
    friction: float = parameter(0.1, "Coulomb's coefficient", low=0.0, high=100.0)
    seed: int = parameter(0, "of the small shifts that break the symmetry", low=0)

    name: ClassVar[str] = "pressed_bed"
    summary: ClassVar[str] = (
        "a heavy slab presses on a bed of spheres (the pressure test of paper 3)"
    )
    counted: ClassVar[str] = "spheres"
    advice: ClassVar[Advice] = Advice(time=3.0, step=1e-2, tolerance=1e-3, max_iterations=100)

    def check(self) -> None:
        if self.width < 2.0 * LOOSE * self.radius:
            raise InputError(
                f"a shaft {self.width:g} m wide has no room for spheres of radius {self.radius:g} m"
            )

    def build(self) -> World:
        # the rougher of two counts, so that the slab slides along the walls without friction
        world = World(rules={"friction": "maximum", "static_friction": "maximum"})
        rough, smooth = Material(friction=self.friction), Material(friction=0.0)
        add_open_box(world, half=0.5 * self.width, material=smooth)
        across = int(self.width / (2.0 * LOOSE * self.radius))
        pitch = self.width / across
        place = layers(self.spheres, across, pitch, bottom=1.2 * self.radius)
        shift = 0.4 * (0.5 * pitch - self.radius)
        place += np.random.default_rng(self.seed).uniform(-shift, shift, place.shape)
        world.add_bodies(Sphere(self.radius), position=place, mass=self.mass, material=rough)
        side, thickness = 0.99 * self.width, 2.0 * self.radius
        world.add_body(
            Box((side, side, thickness)),
            mass=self.slab_mass,
            position=(0.0, 0.0, float(place[:, 2].max()) + 2.0 * self.radius + shift),
            material=smooth,
            name="slab",
        )
        return world
