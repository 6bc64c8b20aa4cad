"""A silo that discharges through a hole in its flat floor."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin
from typing import ClassVar

from amontons.errors import InputError
from amontons.generators.pack import pack
from amontons.model.flows import FlowMeter, Sink
from amontons.model.materials import Material
from amontons.model.probes import Probe
from amontons.model.shapes import Cylinder, Part, Plane
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.samples import SPREAD, grain_sizes
from amontons.scenes.vessels import vessel

FRACTION, SEGMENTS = 0.45, 24


@dataclass(frozen=True)
class Silo(Scene):
    """A round silo with a flat floor, and a round hole in its middle that is open."""

    grains: int = parameter(2000, "about how many grains", low=20, high=10_000_000)
    diameter: float = parameter(5e-3, "mean of the grains", unit="m", low=1e-6, high=10.0)
    width: float = parameter(16.0, "of the silo in diameters", low=6.0, high=1e3)
    orifice: float = parameter(6.0, "width of the hole in diameters", low=2.0, high=1e3)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)
    seed: int = parameter(0, "of sizes and places", low=0)

    name: ClassVar[str] = "silo"
    summary: ClassVar[str] = "grains run out of a silo through a hole in its floor"
    counted: ClassVar[str] = "grains"
    advice: ClassVar[Advice] = Advice(time=1.0, step=1e-3, tolerance=1e-2, max_iterations=100)

    def check(self) -> None:
        self._ordered("orifice", "width")
        if self.depth < 2.0 * self.diameter:
            raise InputError(
                f"{self.grains} grains do not make two layers in a silo {self.width:g} diameters "
                "wide; take more grains, or a narrower silo"
            )

    @property
    def depth(self) -> float:
        """To which it is filled at first [m]."""
        volume = self.grains * pi / 6.0 * self.diameter**3 * (1.0 + SPREAD**2) / FRACTION
        return volume / (pi * self.inner**2)

    @property
    def inner(self) -> float:
        """Radius of the largest circle in it, whose wall has corners [m]."""
        return 0.5 * self.width * self.diameter * cos(pi / SEGMENTS)

    @property
    def hole(self) -> float:
        """Width of a round hole of the same area as the one there is, which has corners [m]."""
        corners = self.orifice * self.diameter
        return float(corners * (SEGMENTS / (2.0 * pi) * sin(2.0 * pi / SEGMENTS)) ** 0.5)

    def build(self) -> World:
        world, d = World(), self.diameter
        steel = Material(friction=self.friction)
        radius, hole = 0.5 * self.width * d, 0.5 * self.orifice * d
        inner, height = self.inner, self.depth
        profiles = {
            "wall": ([(radius, -d), (radius, height + 2.0 * d)], d),
            "floor": ([(hole, -d), (hole, 0.0)], radius - hole),
        }
        for name, (profile, thickness) in profiles.items():
            world.add_body(
                vessel(profile, thickness=thickness, segments=SEGMENTS), fixed=True,
                placed_by="frame", material=steel, name=name,
            )  # fmt: skip
        region = Part(Cylinder(inner, height), (0.0, 0.0, 0.5 * height))
        found = pack(region, grain_sizes(d), fraction=FRACTION, seed=self.seed)
        world.add_spheres(found.radius, position=found.position, density=2500.0, material=steel)
        far = 4.0 * radius
        world.add_meter(FlowMeter(Plane((0.0, 0.0, -1.0), d), name="hole"))
        world.add_sink(Sink(((-far, -far, -far), (far, far, -4.0 * d)), name="below"))
        inside = ((-far, -far, 0.0), (far, far, 2.0 * height + far))
        world.add_probe(Probe("silo", ("bodies",), region=inside, every=0.01))
        return world
