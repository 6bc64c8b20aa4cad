"""A tracked vehicle that drives over loose slabs, as in paper 1, figure 2."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians
from typing import ClassVar

import numpy as np

from amontons.model.materials import Material
from amontons.model.shapes import Box, Compound, Part, Plane
from amontons.model.signals import Schedule
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import turn_about
from amontons.scenes.tracks import Track


@dataclass(frozen=True)
class TrackedVehicle(Scene):
    """A hull on two tracks, and slabs in two layers on the way along x."""

    slabs: int = parameter(24, "how many slabs", low=0, high=10_000)
    thickness: float = parameter(0.06, "of a slab", unit="m", low=0.01, high=0.15)
    mass: float = parameter(800.0, "of the hull", unit="kg", low=50.0, high=1e5)
    turning: float = parameter(4.0, "speed of the sprockets", unit="rad/s", low=-10.0, high=10.0)
    friction: float = parameter(0.8, "Coulomb's coefficient", low=0.0, high=100.0)
    seed: int = parameter(0, "of how the slabs lie", low=0)

    name: ClassVar[str] = "tracked_vehicle"
    summary: ClassVar[str] = "a vehicle on two tracks of jointed shoes crosses loose slabs"
    counted: ClassVar[str] = "slabs"
    advice: ClassVar[Advice] = Advice(
        time=6.0, step=8e-3, solver="spectral-gradient", tolerance=1e-3, max_iterations=50
    )

    TRACK: ClassVar[Track] = Track(
        teeth=10, straight=6, pitch=0.2, width=0.35, rollers=2, shoe_mass=8.0, wheel_mass=15.0
    )
    GAUGE: ClassVar[float] = 1.2
    SLAB: ClassVar[tuple[float, float]] = (1.0, 0.75)
    """Length and width of a slab [m]."""

    def build(self) -> World:
        world = World()
        rubber = Material(friction=self.friction)
        world.add_body(Plane(), fixed=True, material=rubber, name="ground")
        hull = world.add_body(
            Compound([Part(Box((1.5, 0.7, 0.4))), Part(Box((0.6, 0.6, 0.3)), (-0.1, 0.0, 0.35))]),
            mass=self.mass,
            position=(0.0, 0.0, self.TRACK.height + 0.25),
            material=Material(friction=0.3),
            name="hull",
        )
        for name, side in (("left", 0.5), ("right", -0.5)):
            self.TRACK.add(
                world,
                hull,
                name=name,
                centre=(0.0, side * self.GAUGE),
                speed=self.sprocket_speed,
                shoe=rubber,
                wheel=Material(friction=0.2),
            )
        if self.slabs:
            self._add_slabs(world, rubber)
        return world

    @property
    def sprocket_speed(self) -> Schedule:
        """Speed of the sprockets over time [rad/s]: it rises from none."""
        return Schedule([(0.2, 0.0), (1.0, self.turning)])

    def intended(self, time: float) -> float:
        """How far it comes on level ground [m] if the tracks do not slip."""
        u = min(max((time - 0.2) / 0.8, 0.0), 1.0)
        rising = 0.8 * (u**3 - 0.5 * u**4)  # integral of 3u² − 2u³
        return self.TRACK.advance(self.turning) * (rising + max(time - 1.0, 0.0))

    def _add_slabs(self, world: World, material: Material) -> None:
        """Two out of three in pairs on the ground, askew; the rest on top, left and right."""
        rng = np.random.default_rng(self.seed)
        long, wide = self.SLAB
        lower = -(-2 * self.slabs // 3)
        row, column = np.divmod(np.arange(lower), 2)
        ground = np.stack([row, column - 0.5, np.full(lower, 0.5)], axis=1)
        number = np.arange(self.slabs - lower)
        upper = np.stack(
            [number + 0.5, 0.35 - 0.7 * (number % 2), np.full(number.size, 1.5)], axis=1
        )
        place = np.concatenate([ground, upper]) * [1.18 * long, 1.35 * wide, self.thickness]
        turns = rng.uniform(-1.0, 1.0, self.slabs) * radians(8.0)
        world.add_bodies(
            Box((long, wide, self.thickness)),
            position=place + np.array([2.4, 0.0, 0.0]),
            orientation=[turn_about((0.0, 0.0, 1.0), float(each)) for each in turns],
            density=2400.0,
            material=material,
        )
