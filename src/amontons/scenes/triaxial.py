"""Triaxial test: a sample under a stress from all sides, and a ram that presses it down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons.model.materials import Material
from amontons.model.motion import Motion
from amontons.model.pressed_wall import PressedWall
from amontons.model.shapes import Box, Plane
from amontons.model.signals import Components, Schedule
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.samples import GRAINS, WALLS, add_sample, sample_probe, side_for

FRACTION, SLIMNESS = 0.45, 1.5
"""Of the sample before it is pressed, and its height by its width."""

WEIGHT = 0.1
"""Of a wall by that of the grains."""

SETTLED = 0.01
"""When the ram begins to come down [s]."""

LID, RAM = 4, 8
"""Groups of their own: the lid meets grains and the ram."""

SIDES = (
    ("left", (1.0, 0.0, 0.0)), ("right", (-1.0, 0.0, 0.0)),
    ("front", (0.0, 1.0, 0.0)), ("back", (0.0, -1.0, 0.0)),
)  # fmt: skip
"""Walls at the sides, and where each presses to."""


@dataclass(frozen=True)
class Triaxial(Scene):
    """Grains between six smooth walls, five of which press with a stress, and a ram above."""

    grains: int = parameter(500, "about how many grains", low=20, high=1_000_000)
    diameter: float = parameter(2e-3, "mean of the grains", unit="m", low=1e-6, high=10.0)
    density: float = parameter(2650.0, "of the grains", unit="kg/m³", low=1e-3, high=1e6)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)
    stress: float = parameter(1e5, "of all walls", unit="Pa", low=1e-6, high=1e12)
    rate: float = parameter(4.0, "of the ram by the sample's height", unit="1/s", low=0.0)
    seed: int = parameter(0, "of sizes and places", low=0)

    name: ClassVar[str] = "triaxial"
    summary: ClassVar[str] = "walls press on a sample from all sides, and a ram from above"
    counted: ClassVar[str] = "grains"
    advice: ClassVar[Advice] = Advice(
        time=0.07, step=1e-4, tolerance=1e-2, max_iterations=300, rate=1000.0
    )

    def build(self) -> World:
        world = World(gravity=(0.0, 0.0, 0.0))
        smooth = Material(friction=0.0)
        side = side_for(self.grains, self.diameter, FRACTION, SLIMNESS)
        height, thick = SLIMNESS * side, 2.0 * self.diameter
        world.add_body(Plane(), fixed=True, material=smooth, name="floor", group=WALLS, mask=GRAINS)
        mass = add_sample(
            world, np.array([side, side, height]), diameter=self.diameter, fraction=FRACTION,
            density=self.density, material=Material(friction=self.friction), seed=self.seed,
        )  # fmt: skip
        for name, inward in SIDES:
            across = [2.0 * side if each == 0.0 else thick for each in inward[:2]]
            wall = world.add_body(
                Box((across[0], across[1], 1.5 * height)),
                mass=WEIGHT * mass,
                position=(
                    *(-(0.5 * side + 0.51 * thick) * each for each in inward[:2]),
                    0.5 * height,
                ),
                material=smooth, name=name, group=WALLS, mask=GRAINS,
            )  # fmt: skip
            PressedWall(wall, inward, self.stress, area=side * height, name=name).add_to(world)
        plate = Box((2.0 * side, 2.0 * side, thick))
        top = height + 0.51 * thick
        lid = world.add_body(
            plate, mass=WEIGHT * mass, position=(0.0, 0.0, top), material=smooth, name="lid",
            group=LID, mask=GRAINS | RAM,
        )  # fmt: skip
        PressedWall(
            lid, (0.0, 0.0, -1.0), self.stress, area=side**2, name="lid"
        ).add_to(world)  # fmt: skip
        self._add_ram(world, plate, top + 1.02 * thick, self.rate * height)
        world.add_probe(sample_probe(SETTLED))
        return world

    def _add_ram(self, world: World, plate: Box, height: float, speed: float) -> None:
        """Add what comes down on the lid, at a speed [m/s], once the sample is at rest."""
        down = Schedule([(0.5 * SETTLED, 0.0), (SETTLED, -speed)])
        world.add_body(
            plate, motion=Motion(velocity=Components((0.0, 0.0, down))),
            position=(0.0, 0.0, height), material=Material(friction=0.0), name="ram",
            group=RAM, mask=LID,
        )  # fmt: skip
