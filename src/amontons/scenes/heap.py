"""A heap: a tube full of grains is lifted, and what stays has an angle of repose."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import ClassVar

from amontons.errors import InputError
from amontons.generators.pack import pack
from amontons.model.flows import Sink
from amontons.model.materials import Material
from amontons.model.motion import Motion
from amontons.model.probes import Probe
from amontons.model.shapes import Cylinder, Part
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.samples import SPREAD, grain_sizes
from amontons.scenes.vessels import vessel

FRACTION, SEGMENTS = 0.45, 24


@dataclass(frozen=True)
class Heap(Scene):
    """A rough round plate, on it a tube full of grains; what falls off the plate is gone."""

    grains: int = parameter(900, "about how many grains", low=20, high=1_000_000)
    diameter: float = parameter(5e-3, "mean of the grains", unit="m", low=1e-6, high=10.0)
    plate: float = parameter(8.0, "radius of the plate in diameters", low=3.0, high=1e3)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)
    rolling: float = parameter(0.1, "coefficient of rolling friction", low=0.0, high=10.0)
    lifting: float = parameter(0.05, "speed of the tube", unit="m/s", low=1e-6, high=100.0)
    seed: int = parameter(0, "of sizes and places", low=0)

    name: ClassVar[str] = "heap"
    summary: ClassVar[str] = "a tube is lifted, and its grains make a heap on a plate"
    counted: ClassVar[str] = "grains"
    advice: ClassVar[Advice] = Advice(time=1.5, step=2e-3, tolerance=1e-2, max_iterations=200)

    def check(self) -> None:
        if self.depth < 2.0 * self.diameter:
            raise InputError(
                f"{self.grains} grains do not make two layers on a plate of {self.plate:g} "
                "diameters; take more grains, or a smaller plate"
            )

    @property
    def depth(self) -> float:
        """To which the tube is filled at first [m]."""
        volume = self.grains * pi / 6.0 * self.diameter**3 * (1.0 + SPREAD**2) / FRACTION
        return volume / (pi * (self.plate * self.diameter) ** 2)

    def build(self) -> World:
        world, d = World(), self.diameter
        grain = Material(friction=self.friction, rolling_resistance=self.rolling)
        rough = Material(friction=1.0, rolling_resistance=self.rolling)
        plate = self.plate * d
        world.add_body(
            Cylinder(plate, d), fixed=True, position=(0.0, 0.0, -0.5 * d), material=rough,
            name="plate",
        )  # fmt: skip
        height = self.depth
        world.add_body(
            vessel([(1.02 * plate, 0.1 * d), (1.02 * plate, height + d)], thickness=d,
                   segments=SEGMENTS),
            placed_by="frame", motion=Motion(velocity=(0.0, 0.0, self.lifting)),
            material=Material(friction=0.0), name="tube",
        )  # fmt: skip
        region = Part(Cylinder(0.99 * plate, height), (0.0, 0.0, 0.5 * height + 0.01 * d))
        found = pack(region, grain_sizes(d), fraction=FRACTION, seed=self.seed)
        world.add_spheres(found.radius, position=found.position, density=2500.0, material=grain)
        wide = 100.0 * plate
        world.add_sink(Sink(((-wide, -wide, -wide), (wide, wide, -2.0 * d)), name="fallen off"))
        on_plate = ((-2.0 * plate, -2.0 * plate, 0.0), (2.0 * plate, 2.0 * plate, wide))
        world.add_probe(
            Probe("heap", ("repose_angle", "bodies"), region=on_plate, every=0.02)
        )  # fmt: skip
        return world
