"""Pebbles in the core of a reactor, which drains through a cone."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi
from typing import ClassVar

import numpy as np

from amontons.array_types import Floats
from amontons.model.materials import Material
from amontons.model.shapes import Plane, Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.vessels import vessel

SEGMENTS = 32


@dataclass(frozen=True)
class PebbleBed(Scene):
    """Loose layers of pebbles in a cylinder on a cone with a hole, and a floor below."""

    pebbles: int = parameter(2000, "how many pebbles", low=1, high=10_000_000)
    radius: float = parameter(0.03, "of a pebble", unit="m", low=1e-4, high=10.0)
    core: float = parameter(10.0, "radius of the core in pebble radii", low=5.0, high=1e3)
    outlet: float = parameter(6.0, "radius of the hole in pebble radii", low=3.0, high=1e3)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)
    plugged: int = parameter(0, "1: a plug closes the hole, 0: it is open", low=0, high=1)
    seed: int = parameter(0, "of the small shifts that break the symmetry", low=0)

    name: ClassVar[str] = "pebble_bed"
    summary: ClassVar[str] = "pebbles run out of the core of a reactor through a cone"
    counted: ClassVar[str] = "pebbles"
    advice: ClassVar[Advice] = Advice(time=2.0, step=4e-3, tolerance=1e-2, max_iterations=60)

    def check(self) -> None:
        self._ordered("outlet", "core")

    @property
    def cone(self) -> float:
        """Height of the cone [m]: it rises at 45° from the hole, at z = 0."""
        return (self.core - self.outlet) * self.radius

    def build(self) -> World:
        world, r = World(), self.radius
        graphite = Material(friction=self.friction)
        places = self._places()
        R, hole, top = self.core * r, self.outlet * r, float(places[:, 2].max()) + 6.0 * r
        profile = [(hole, 0.0), (R, self.cone), (R, top)]
        if self.cone == 0.0:
            profile = [(R, 0.0), (R, top)]
        world.add_body(
            vessel(profile, thickness=0.15 * R, segments=SEGMENTS),
            fixed=True,
            placed_by="frame",
            material=graphite,
            name="core",
        )
        floor = Plane(offset=-2.0 * R)
        world.add_body(floor, fixed=True, material=graphite, name="floor")
        if self.plugged:
            world.add_body(Plane(), fixed=True, material=graphite, name="plug")
        world.add_bodies(Sphere(r), position=places, density=1750.0, material=graphite)
        return world

    def _places(self) -> Floats:
        """Loose layers in cone and cylinder [m], shape (pebbles, 3)."""
        r, pitch = self.radius, 2.05 * self.radius
        inscribed = cos(pi / SEGMENTS)
        reach = int(self.core * r / pitch) + 1
        axis = pitch * np.arange(-reach, reach + 1)
        x, y = (each.ravel() for each in np.meshgrid(axis, axis, indexing="ij"))
        away = np.hypot(x, y)
        found: list[Floats] = []
        z = 1.1 * r
        while sum(map(len, found)) < self.pebbles:
            sloping = self.outlet * r + z - 1.5 * r  # 45°: the cone is √2 r away, and a bit
            room = min(sloping, (self.core - 1.1) * r) * inscribed
            inside = away <= max(room, 0.0)
            found.append(np.stack([x[inside], y[inside], np.full(inside.sum(), z)], axis=1))
            z += pitch
        places = np.concatenate(found)[: self.pebbles]
        rng = np.random.default_rng(self.seed)
        return np.asarray(places + rng.uniform(-0.02 * r, 0.02 * r, places.shape))
