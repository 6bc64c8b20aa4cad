"""Parcels on a roller conveyor."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import ClassVar

import numpy as np

from amontons.model.materials import Material
from amontons.model.motion import Motion
from amontons.model.shapes import Box, Cylinder, Plane
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import turn_about


@dataclass(frozen=True)
class Conveyor(Scene):
    """Driven rollers that carry parcels along x and drop them at the end."""

    parcels: int = parameter(12, "how many parcels", low=1, high=10_000)
    rollers: int = parameter(40, "how many rollers", low=3, high=10_000)
    speed: float = parameter(1.0, "of the rollers' surface", unit="m/s", low=-20.0, high=20.0)
    width: float = parameter(0.8, "of the rollers", unit="m", low=0.3, high=100.0)
    height: float = parameter(0.8, "of the rollers' tops", unit="m", low=0.2, high=100.0)
    friction: float = parameter(0.6, "Coulomb's coefficient", low=0.0, high=100.0)
    seed: int = parameter(0, "of the parcels' sizes", low=0)

    name: ClassVar[str] = "conveyor"
    summary: ClassVar[str] = "driven rollers carry parcels along and drop them at the end"
    counted: ClassVar[str] = "parcels"
    advice: ClassVar[Advice] = Advice(time=5.0, step=4e-3, max_iterations=200)

    ROLLER: ClassVar[float] = 0.04
    PITCH: ClassVar[float] = 0.1

    def build(self) -> World:
        world = World()
        rubber = Material(friction=self.friction)
        world.add_body(Plane(), fixed=True, material=rubber, name="floor")
        x = self.PITCH * np.arange(self.rollers)
        axle = np.full_like(x, self.height - self.ROLLER)
        world.add_bodies(
            Cylinder(self.ROLLER, self.width),
            position=np.stack([x, np.zeros_like(x), axle], axis=1),
            orientation=turn_about((1.0, 0.0, 0.0), -pi / 2),  # axes along y
            motion=Motion(angular_velocity=(0.0, self.speed / self.ROLLER, 0.0)),
            material=rubber,
        )
        self._add_parcels(world, rubber)
        return world

    def _add_parcels(self, world: World, material: Material) -> None:
        """Parcels in a row at the beginning, as many as fit, and further layers above them."""
        rng = np.random.default_rng(self.seed)
        sizes = rng.uniform(0.18, 0.28, (self.parcels, 3)) * [1.0, 1.0, 0.7]
        places = max(1, int(0.6 * self.rollers * self.PITCH / 0.32))
        layer, place = np.divmod(np.arange(self.parcels), places)
        start = 0.1 if self.speed >= 0.0 else 0.4 * self.rollers * self.PITCH
        position = np.stack(
            [
                start + 0.32 * place,
                rng.uniform(-0.1, 0.1, self.parcels) * self.width,
                self.height + 0.002 + 0.22 * layer + 0.5 * sizes[:, 2],
            ],
            axis=1,
        )
        world.add_bodies(
            [Box(tuple(size)) for size in sizes.tolist()],
            position=position,
            density=150.0,
            material=material,
        )
