"""A castle of wet sand: liquid bridges hold it up, and without them it falls apart."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from amontons.array_types import Floats
from amontons.model.materials import Material
from amontons.model.shapes import Plane, Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import face_centred

WATER = 0.072
"""Surface tension [N/m]."""


@dataclass(frozen=True)
class Sandcastle(Scene):
    """A square wall with four towers and a keep, of equal grains that touch; the ground is dry."""

    across: int = parameter(16, "grains along a side of the castle", low=6, high=1000)
    diameter: float = parameter(1e-3, "of the grains", unit="m", low=1e-6, high=1.0)
    density: float = parameter(2500.0, "of the grains", unit="kg/m³", low=1.0, high=3e4)
    friction: float = parameter(0.4, "Coulomb's coefficient", low=0.0, high=100.0)
    water: float = parameter(
        4e-4, "volume of a bridge by the cube of the radius; 0 is dry", low=0.0, high=1e-2
    )

    name: ClassVar[str] = "sandcastle"
    summary: ClassVar[str] = "a castle of wet grains stands, of dry ones it falls apart"
    counted: ClassVar[str] = "across"
    advice: ClassVar[Advice] = Advice(time=0.1, step=2e-4, tolerance=1e-2, max_iterations=100)

    def build(self) -> World:
        world = World()
        world.add_body(
            Plane(), fixed=True, material=Material(friction=self.friction), name="ground"
        )
        wet = {"surface_tension": WATER, "bridge_ratio": self.water} if self.water > 0.0 else {}
        world.add_bodies(
            Sphere(0.5 * self.diameter), position=self.places(), density=self.density,
            material=Material(friction=self.friction, **wet),
        )  # fmt: skip
        return world

    def places(self) -> Floats:
        """Centres of the grains [m], on a close packing that is cut to the castle's shape."""
        half = 0.5 * self.across
        grid = face_centred(1.0, (half, half, half))  # in diameters
        layer = 1.0 / sqrt(2.0)
        grid[:, 2] -= grid[:, 2].min()
        x, y, z = np.abs(grid).T
        out = np.maximum(x, y)
        wall = (out > 0.7 * half) & (z < 0.5 * half)
        towers = (np.minimum(x, y) > 0.6 * half) & (z < 0.9 * half)
        keep = (out < 0.3 * half) & (z < 1.2 * half)
        ground = z < 1.5 * layer
        chosen = grid[wall | towers | keep | ground]
        return np.asarray(self.diameter * (chosen + np.array([0.0, 0.0, 0.5])))
