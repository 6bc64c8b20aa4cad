"""A row of dominoes on a winding line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons.model.materials import Material
from amontons.model.shapes import Box, Plane
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter


@dataclass(frozen=True)
class Dominoes(Scene):
    """Dominoes along a wave; the first is pushed and the others follow."""

    dominoes: int = parameter(60, "how many dominoes", low=2, high=100_000)
    spacing: float = parameter(0.45, "distance of neighbours in heights", low=0.2, high=0.9)
    height: float = parameter(0.1, "of a domino", unit="m", low=1e-3, high=10.0)
    friction: float = parameter(0.4, "Coulomb's coefficient", low=0.0, high=100.0)
    push: float = parameter(3.0, "turning speed of the first", unit="rad/s", low=0.0, high=100.0)
    bend: float = parameter(0.6, "largest slope of the line", low=0.0, high=1.0)

    name: ClassVar[str] = "dominoes"
    summary: ClassVar[str] = "dominoes on a winding line knock each other over"
    counted: ClassVar[str] = "dominoes"
    advice: ClassVar[Advice] = Advice(time=4.0, step=2e-3, max_iterations=150)

    def build(self) -> World:
        world = World()
        wood = Material(friction=self.friction)
        world.add_body(Plane(), fixed=True, material=wood, name="floor")
        pitch, up = self.spacing * self.height, 0.5 * self.height
        # a curve of slope bend·sin(s/ℓ), walked with steps of one pitch
        slope = self.bend * np.sin(np.arange(self.dominoes) / 8.0)
        x = pitch * np.concatenate([[0.0], np.cumsum(np.cos(slope))[:-1]])
        y = pitch * np.concatenate([[0.0], np.cumsum(np.sin(slope))[:-1]])
        zero = np.zeros_like(slope)
        turning = np.zeros((self.dominoes, 3))
        turning[0] = [0.0, self.push, 0.0]  # about the far lower edge, on which it stands
        moving = np.cross(turning, [-0.5 * 0.15 * self.height, 0.0, up])
        world.add_bodies(
            Box((0.15 * self.height, 0.5 * self.height, self.height)),
            position=np.stack([x, y, zero + up], axis=1),
            orientation=np.stack([np.cos(slope / 2), zero, zero, np.sin(slope / 2)], axis=1),
            velocity=moving,
            angular_velocity=turning,
            density=600.0,
            material=wood,
        )
        return world
