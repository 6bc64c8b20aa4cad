"""Grains that run through a neck."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons.array_types import Floats
from amontons.model.materials import Material
from amontons.model.shapes import Plane, Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import disc_layers
from amontons.scenes.vessels import vessel


@dataclass(frozen=True)
class Hourglass(Scene):
    """Two funnels, mouth to mouth, and grains in the upper one."""

    grains: int = parameter(400, "how many grains", low=1, high=1_000_000)
    radius: float = parameter(0.02, "of a grain", unit="m", low=1e-4, high=10.0)
    neck: float = parameter(3.0, "radius of the neck in grain radii", low=1.5, high=30.0)
    bulb: float = parameter(14.0, "radius of the bulbs in grain radii", low=5.0, high=1e4)
    friction: float = parameter(0.2, "Coulomb's coefficient", low=0.0, high=100.0)
    seed: int = parameter(0, "of the small shifts that break the symmetry", low=0)

    name: ClassVar[str] = "hourglass"
    summary: ClassVar[str] = "grains run through the neck of an hourglass"
    counted: ClassVar[str] = "grains"
    advice: ClassVar[Advice] = Advice(time=3.0, step=2.5e-3, tolerance=5e-3)

    def check(self) -> None:
        self._ordered("neck", "bulb")

    def build(self) -> World:
        world = World()
        r = self.radius
        glass = Material(friction=self.friction)
        neck, bulb = self.neck * r, self.bulb * r
        slope = 1.2 * (bulb - neck)  # height of a funnel
        places = self._places(bulb, slope)
        top = float(places[:, 2].max()) + 2.0 * r
        profile = [(bulb, -2.0 * slope), (bulb, -slope), (neck, 0.0), (bulb, slope), (bulb, top)]
        world.add_body(Plane(offset=-2.0 * slope), fixed=True, material=glass, name="floor")
        world.add_body(
            vessel(profile, thickness=0.1 * bulb),
            fixed=True,
            placed_by="frame",
            material=glass,
            name="glass",
        )
        world.add_bodies(Sphere(r), position=places, density=2500.0, material=glass)
        return world

    def _places(self, bulb: float, slope: float) -> Floats:
        """Grains begin in the upper bulb's straight part [m], shape (grains, 3)."""
        r, inner = self.radius, bulb * np.cos(np.pi / 16)
        places = disc_layers(self.grains, inner - 1.3 * r, 2.2 * r, slope + 1.2 * r)
        rng = np.random.default_rng(self.seed)
        return np.asarray(places + rng.uniform(-0.05 * r, 0.05 * r, places.shape))
