"""A stack of light plates under a heavy block: the mass ratio ruins first-order methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from amontons.model.materials import Material
from amontons.model.shapes import Box, Plane
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter


@dataclass(frozen=True)
class Plates(Scene):
    """Square plates on a floor, the last body being the block on top of them: a cube."""

    count: int = parameter(20, "how many plates", low=1, high=100_000)
    load: float = parameter(1000.0, "mass of the block", unit="kg", low=1e-9, high=1e12)
    mass: float = parameter(1.0, "of a plate", unit="kg", low=1e-9, high=1e12)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)
    side: float = parameter(1.0, "of a plate and of the block", unit="m", low=1e-3, high=1e3)
    thickness: float = parameter(0.1, "of a plate", unit="m", low=1e-4, high=1e3)

    name: ClassVar[str] = "plates"
    summary: ClassVar[str] = "a stack of light plates carries a heavy block"
    counted: ClassVar[str] = "count"
    advice: ClassVar[Advice] = Advice(time=1.0, step=5e-3, solver="auto", tolerance=1e-4)

    def build(self) -> World:
        world = World()
        material = Material(friction=self.friction)
        world.add_body(Plane(), fixed=True, material=material, name="floor")
        for i in range(self.count):
            world.add_body(
                Box((self.side, self.side, self.thickness)),
                mass=self.mass,
                position=(0.0, 0.0, (i + 0.5) * self.thickness),
                material=material,
                name=f"plate {i}",
            )
        world.add_body(
            Box.cube(self.side),
            mass=self.load,
            position=(0.0, 0.0, self.count * self.thickness + 0.5 * self.side),
            material=material,
            name="block",
        )
        return world


def plates(*parameters: Any, **named: Any) -> World:
    """The world of `Plates` with these parameters."""
    return Plates(*parameters, **named).build()
