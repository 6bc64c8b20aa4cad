"""Direct shear: the upper half of a box slides over the lower one, under a pressed lid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from amontons.model.between import Between
from amontons.model.materials import Material
from amontons.model.motion import Motion
from amontons.model.pressed_wall import PressedWall
from amontons.model.probes import Probe
from amontons.model.shapes import Box
from amontons.model.signals import Components, Schedule
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.samples import GRAINS, WALLS, add_sample, ring_of_walls, side_for

FRACTION, SLIMNESS = 0.45, 0.7
"""Of the sample before it is pressed, and its height by its width."""

SETTLED = 0.015
"""When the upper half begins to move [s]."""


@dataclass(frozen=True)
class DirectShear(Scene):
    """A shear box: two rings of smooth walls, a rough floor, and a rough lid."""

    grains: int = parameter(700, "about how many grains", low=50, high=1_000_000)
    diameter: float = parameter(2e-3, "mean of the grains", unit="m", low=1e-6, high=10.0)
    density: float = parameter(2650.0, "of the grains", unit="kg/m³", low=1e-3, high=1e6)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)
    stress: float = parameter(1e5, "of the lid", unit="Pa", low=1e-6, high=1e12)
    speed: float = parameter(0.05, "of the upper half", unit="m/s", low=0.0, high=1e3)
    seed: int = parameter(0, "of sizes and places", low=0)

    name: ClassVar[str] = "direct_shear"
    summary: ClassVar[str] = "the upper half of a box is pushed over the lower one"
    counted: ClassVar[str] = "grains"
    advice: ClassVar[Advice] = Advice(
        time=0.075, step=1e-4, tolerance=1e-2, max_iterations=300, rate=1000.0
    )

    def build(self) -> World:
        world = World(gravity=(0.0, 0.0, 0.0))
        rough, smooth = Material(friction=self.friction), Material(friction=0.0)
        side = side_for(self.grains, self.diameter, FRACTION, SLIMNESS)
        size = side * np.array([1.0, 1.0, SLIMNESS])
        half, thick = 0.5 * size[2], 0.4 * side
        walls = {"group": WALLS, "mask": GRAINS}
        world.add_body(
            Box((2.0 * side, 2.0 * side, thick)), fixed=True, position=(0.0, 0.0, -0.5 * thick),
            material=rough, name="floor", **walls,
        )  # fmt: skip
        world.add_body(
            ring_of_walls(size, thick, half), fixed=True, placed_by="frame", material=smooth,
            name="lower", **walls,
        )  # fmt: skip
        forward = Schedule([(0.9 * SETTLED, 0.0), (SETTLED, self.speed)])
        upper = world.add_body(
            ring_of_walls(size, thick, 1.5 * half), placed_by="frame", position=(0.0, 0.0, half),
            motion=Motion(velocity=Components((forward, 0.0, 0.0))), material=smooth,
            name="upper", **walls,
        )  # fmt: skip
        mass = add_sample(
            world, size, diameter=self.diameter, fraction=FRACTION, density=self.density,
            material=rough, seed=self.seed,
        )  # fmt: skip
        lid = world.add_body(
            Box((side, side, self.diameter)), mass=0.1 * mass, material=smooth, name="lid",
            position=(0.0, 0.0, float(size[2]) + 0.51 * self.diameter), **walls,
        )  # fmt: skip
        PressedWall(
            lid, (0.0, 0.0, -1.0), self.stress, area=side**2, guide=upper, name="lid"
        ).add_to(world)  # fmt: skip
        self._probes(world, side)
        return world

    def _probes(self, world: World, side: float) -> None:
        times: dict[str, Any] = {"every": 5e-4, "since": SETTLED}
        area = side**2
        upper, lid = world.body("upper"), world.body("lid")
        world.add_probe(Probe("upper", ("position", "traction"), body=upper, area=area, **times))
        world.add_probe(Probe("lid", ("position", "traction"), body=lid, area=area, **times))
        between = Between((-0.5 * side, -0.5 * side, "floor"), (0.5 * side, 0.5 * side, "lid"))
        world.add_probe(
            Probe("sample", ("porosity", "stress", "coordination"), region=between, **times)
        )
