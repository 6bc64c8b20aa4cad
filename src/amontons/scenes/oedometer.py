"""Oedometer: a sample that is compressed between walls which do not give way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons.model.materials import Material
from amontons.model.pressed_wall import PressedWall
from amontons.model.shapes import Box, Plane
from amontons.model.signals import Schedule
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.open_box import WALLS as SIDES
from amontons.scenes.samples import WALLS, add_sample, sample_probe, side_for

FRACTION = 0.45
"""Of the sample before it is pressed."""

FIRST = 0.1
"""Share of the stress under which the sample comes to rest, and to which it is unloaded."""

SETTLED, LOADED, END = 0.02, 0.05, 0.08
"""When the stress begins to rise, has risen, and is back [s]."""


@dataclass(frozen=True)
class Oedometer(Scene):
    """Grains in a square box with smooth walls, under a lid that is loaded and unloaded."""

    grains: int = parameter(400, "about how many grains", low=20, high=1_000_000)
    diameter: float = parameter(2e-3, "mean of the grains", unit="m", low=1e-6, high=10.0)
    density: float = parameter(2650.0, "of the grains", unit="kg/m³", low=1e-3, high=1e6)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)
    compliance: float = parameter(
        2e-5, "depth of a contact per force; 0 is rigid", unit="m/N", low=0.0, high=1e6
    )
    stress: float = parameter(1e5, "largest on the lid", unit="Pa", low=1e-6, high=1e12)
    seed: int = parameter(0, "of sizes and places", low=0)

    name: ClassVar[str] = "oedometer"
    summary: ClassVar[str] = "a sample is compressed between walls that do not give way"
    counted: ClassVar[str] = "grains"
    advice: ClassVar[Advice] = Advice(
        time=END, step=1e-4, tolerance=1e-3, max_iterations=300, rate=1000.0
    )

    def build(self) -> World:
        world = World(gravity=(0.0, 0.0, 0.0))
        rough = Material(friction=self.friction, compliance=self.compliance)
        smooth = Material(friction=0.0)
        side = side_for(self.grains, self.diameter, FRACTION)
        for name, normal in (("floor", (0, 0, 1)), *SIDES):
            world.add_body(
                Plane(normal, 0.0 if name == "floor" else -0.5 * side), fixed=True,
                material=smooth, name=name, group=WALLS, mask=~WALLS & 0xFF,
            )  # fmt: skip
        mass = add_sample(
            world, np.full(3, side), diameter=self.diameter, fraction=FRACTION,
            density=self.density, material=rough, seed=self.seed,
        )  # fmt: skip
        thick = self.diameter
        lid = world.add_body(
            Box((side, side, thick)), mass=0.1 * mass, position=(0.0, 0.0, side + 0.51 * thick),
            material=smooth, name="lid", group=WALLS, mask=~WALLS & 0xFF,
        )  # fmt: skip
        low = FIRST * self.stress
        stages = [(SETTLED, low), (LOADED, self.stress), (END, low)]
        loading = Schedule(stages, smooth=False)
        PressedWall(lid, (0.0, 0.0, -1.0), loading, area=side**2, name="lid").add_to(world)
        world.add_probe(sample_probe(SETTLED))
        return world
