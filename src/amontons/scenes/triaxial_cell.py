"""Triaxial test in a cell that repeats itself: there are no walls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amontons.model.cell import CellStage
from amontons.model.probes import Probe
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.periodic_sample import periodic_world

SETTLED = 0.02
"""When the sample is at rest under its stress, and the cell begins to shorten [s]."""


@dataclass(frozen=True)
class TriaxialCell(Scene):
    """Grains in a cell that holds a stress, and then shortens along z at a given rate."""

    grains: int = parameter(343, "how many grains", low=27, high=1_000_000)
    diameter: float = parameter(2e-3, "mean of the grains", unit="m", low=1e-6, high=10.0)
    density: float = parameter(2650.0, "of the grains", unit="kg/m³", low=1e-3, high=1e6)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)
    stress: float = parameter(1e5, "all around, then along x and y", unit="Pa", low=1e-6)
    rate: float = parameter(4.0, "of shortening along z", unit="1/s", low=0.0)
    seed: int = parameter(0, "of sizes and places", low=0)

    name: ClassVar[str] = "triaxial_cell"
    summary: ClassVar[str] = "a sample without walls is compressed along one axis"
    counted: ClassVar[str] = "grains"
    advice: ClassVar[Advice] = Advice(
        time=0.08, step=1e-4, tolerance=1e-2, max_iterations=300, rate=1000.0
    )

    def build(self) -> World:
        across = (self.stress, self.stress, None)
        loading = CellStage(SETTLED, strain_rate=(0.0, 0.0, -self.rate), stress=across)
        world = periodic_world(
            self.grains, loading, stress=self.stress, diameter=self.diameter, density=self.density,
            friction=self.friction, seed=self.seed,
        )  # fmt: skip
        world.add_probe(
            Probe(
                "sample",
                ("size", "stress", "porosity", "void_ratio", "coordination", "fabric"),
                every=5e-4,
                since=SETTLED,
            )
        )
        return world
