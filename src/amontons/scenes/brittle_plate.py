"""A plate of bonded grains that a ball falls on: it breaks, or it holds."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np
from scipy.spatial import cKDTree

from amontons.array_types import Floats
from amontons.model.bonds import BeamBond
from amontons.model.materials import Material
from amontons.model.shapes import Box, Plane, Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import face_centred


@dataclass(frozen=True)
class BrittlePlate(Scene):
    """Two layers of equal spheres, bonded to all their neighbours, on a support at two ends."""

    across: int = parameter(24, "spheres along a side of the plate", low=6, high=1000)
    radius: float = parameter(5e-3, "of a sphere", unit="m", low=1e-6, high=10.0)
    density: float = parameter(2500.0, "of the spheres", unit="kg/m³", low=1.0, high=3e4)
    young: float = parameter(1e9, "modulus of the bonds", unit="Pa", low=1.0, high=1e13)
    tensile: float = parameter(5e6, "strength of the bonds", unit="Pa", low=1.0, high=1e13)
    speed: float = parameter(5.0, "of the ball, downwards", unit="m/s", low=0.0, high=1e3)
    friction: float = parameter(0.4, "Coulomb's coefficient", low=0.0, high=100.0)

    name: ClassVar[str] = "brittle_plate"
    summary: ClassVar[str] = "a ball breaks a plate of bonded grains"
    counted: ClassVar[str] = "across"
    advice: ClassVar[Advice] = Advice(time=0.15, step=2e-4, tolerance=1e-3, max_iterations=200)

    @property
    def side(self) -> float:
        """Of the plate [m]."""
        return 2.0 * self.radius * self.across

    def build(self) -> World:
        world, r, side = World(), self.radius, self.side
        steel = Material(friction=self.friction)
        world.add_body(Plane(), fixed=True, material=steel, name="ground")
        high = 0.3 * side
        for name, end in (("left", -1.0), ("right", 1.0)):
            world.add_body(
                Box((0.1 * side, 1.1 * side, high)), fixed=True, material=steel, name=name,
                position=(0.45 * end * side, 0.0, 0.5 * high),
            )  # fmt: skip
        places = self.places() + np.array([0.0, 0.0, high + r])
        ids = world.add_bodies(Sphere(r), position=places, density=self.density, material=steel)
        near = cKDTree(places).query_pairs(2.01 * r, output_type="ndarray")
        glue = BeamBond(
            young=self.young, shear=0.4 * self.young, radius=0.5 * r, tensile=self.tensile,
            shear_strength=self.tensile,
        )  # fmt: skip
        world.add_bonds(ids[near[np.lexsort(near.T[::-1])]], glue)
        ball = 5.0 * r
        top = float(places[:, 2].max()) + r
        world.add_body(
            Sphere(ball), density=7800.0, material=steel, name="ball",
            position=(0.0, 0.0, top + 1.2 * ball), velocity=(0.0, 0.0, -self.speed),
        )  # fmt: skip
        return world

    def places(self) -> Floats:
        """Centres of the spheres [m], the lower layer at z = 0."""
        half = 0.5 * self.across
        places = face_centred(1.0, (half, half, 0.9))
        places = places[(places[:, 2] > -0.1) & (places[:, 2] < 1.1 / sqrt(2.0))]
        return np.asarray(2.0 * self.radius * places)
