"""Penetration: a cone is pushed into a bed of grains."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, radians, tan
from typing import ClassVar

import numpy as np

from amontons.model.between import Between
from amontons.model.materials import Material
from amontons.model.motion import Motion
from amontons.model.probes import Probe
from amontons.model.shapes import Compound, Cone, Cylinder, Part
from amontons.model.signals import Components, Schedule
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.open_box import add_open_box
from amontons.scenes.samples import add_sample, side_for

FRACTION, SLIMNESS = 0.45, 0.8
"""Of the bed before it settles, and its height by its width."""

SETTLED = 0.3
"""When the cone begins to come down [s]."""


@dataclass(frozen=True)
class Penetration(Scene):
    """A cone on a rod above a bed of grains in a box, which comes down at a given speed."""

    grains: int = parameter(1500, "about how many grains", low=20, high=1_000_000)
    diameter: float = parameter(5e-3, "mean of the grains", unit="m", low=1e-6, high=10.0)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)
    cone: float = parameter(3.0, "width of the cone in diameters", low=1.0, high=100.0)
    opening: float = parameter(60.0, "angle of the cone's tip", unit="degree", low=10.0, high=170.0)
    speed: float = parameter(0.05, "of the cone", unit="m/s", low=1e-9, high=100.0)
    seed: int = parameter(0, "of sizes and places", low=0)

    name: ClassVar[str] = "penetration"
    summary: ClassVar[str] = "a cone is pushed into a bed of grains"
    counted: ClassVar[str] = "grains"
    advice: ClassVar[Advice] = Advice(time=1.0, step=2e-3, tolerance=1e-2, max_iterations=200)

    def build(self) -> World:
        world, d = World(), self.diameter
        rough, smooth = Material(friction=self.friction), Material(friction=0.0)
        side = side_for(self.grains, d, FRACTION, SLIMNESS)
        add_open_box(world, half=0.5 * side, material=smooth)
        size = side * np.array([1.0, 1.0, SLIMNESS])
        add_sample(
            world, size, diameter=d, fraction=FRACTION, density=2500.0, material=rough,
            seed=self.seed,
        )  # fmt: skip
        radius = 0.5 * self.cone * d
        tip = radius / tan(radians(0.5 * self.opening))
        rod = float(size[2])
        upside_down = (0.0, 1.0, 0.0, 0.0)
        shape = Compound(
            [
                Part(Cone(radius, tip), (0.0, 0.0, 0.75 * tip), upside_down),
                Part(Cylinder(0.9 * radius, rod), (0.0, 0.0, tip + 0.5 * rod)),
            ]
        )  # its frame has the tip at its origin
        down = Schedule([(0.95 * SETTLED, 0.0), (SETTLED, -self.speed)])
        cone = world.add_body(
            shape, placed_by="frame", position=(0.0, 0.0, float(size[2])), material=rough,
            motion=Motion(velocity=Components((0.0, 0.0, down))), name="cone",
        )  # fmt: skip
        world.add_probe(
            Probe(
                "cone", ("position", "force", "traction"), body=cone, area=pi * radius**2,
                every=5e-3, since=SETTLED,
            )
        )  # fmt: skip
        half = 0.5 * side
        bed = Between((-half, -half, "floor"), (half, half, 0.5 * float(size[2])))
        world.add_probe(
            Probe("bed", ("porosity", "coordination", "stress"), region=bed, every=5e-3,
                  since=SETTLED)
        )  # fmt: skip
        return world
