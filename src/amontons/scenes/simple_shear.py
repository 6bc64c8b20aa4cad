"""Simple shear in a cell that repeats itself: the friction of a flow, μ(I)."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

from amontons.model.cell import CellStage
from amontons.model.probes import Probe
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.periodic_sample import periodic_world

SETTLED = 0.02
"""When the shear begins [s]."""


@dataclass(frozen=True)
class SimpleShear(Scene):
    """Grains in a cell that is sheared at an inertial number, under a stress along y."""

    grains: int = parameter(343, "how many grains", low=27, high=1_000_000)
    diameter: float = parameter(2e-3, "mean of the grains", unit="m", low=1e-6, high=10.0)
    density: float = parameter(2650.0, "of the grains", unit="kg/m³", low=1e-3, high=1e6)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)
    stress: float = parameter(1e5, "along y", unit="Pa", low=1e-6, high=1e12)
    inertial: float = parameter(0.05, "inertial number γ̇ d √(ρ/σ)", low=0.0, high=10.0)
    seed: int = parameter(0, "of sizes and places", low=0)

    name: ClassVar[str] = "simple_shear"
    summary: ClassVar[str] = "a sample without walls is sheared at a given inertial number"
    counted: ClassVar[str] = "grains"
    advice: ClassVar[Advice] = Advice(
        time=0.06, step=1e-4, tolerance=1e-2, max_iterations=300, rate=1000.0
    )

    @property
    def shear_rate(self) -> float:
        """∂v_x/∂y that gives the inertial number [1/s]."""
        return self.inertial / (self.diameter * sqrt(self.density / self.stress))

    def build(self) -> World:
        across = (None, self.stress, None)
        shear = CellStage(SETTLED, shear_rate=self.shear_rate, stress=across)
        world = periodic_world(
            self.grains, shear, stress=self.stress, diameter=self.diameter, density=self.density,
            friction=self.friction, seed=self.seed,
        )  # fmt: skip
        world.add_probe(
            Probe(
                "sample",
                ("shear", "size", "stress", "solid_fraction", "coordination", "temperature"),
                every=2e-4,
                since=SETTLED,
            )
        )
        return world
