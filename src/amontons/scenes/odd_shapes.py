"""Shapes that are not convex, and hook into one another."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import pi
from typing import ClassVar

import numpy as np

from amontons.model.materials import Material
from amontons.model.shapes import Box, Capsule, Compound, ConvexHull, Part, Shape
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import layers, random_turns, turn_about
from amontons.scenes.tray import add_tray
from amontons.scenes.vessels import vessel


@dataclass(frozen=True)
class OddShapes(Scene):
    """Jacks, brackets, cups and rings fall into a tray; each is a compound of convex parts."""

    bodies: int = parameter(60, "how many bodies", low=1, high=100_000)
    size: float = parameter(0.2, "largest extent of a body", unit="m", low=1e-2, high=10.0)
    density: float = parameter(1000.0, "of the bodies", unit="kg/m³", low=1.0, high=1e5)
    friction: float = parameter(0.4, "Coulomb's coefficient", low=0.0, high=100.0)
    seed: int = parameter(0, "of shapes and orientations", low=0)

    name: ClassVar[str] = "odd_shapes"
    summary: ClassVar[str] = "jacks, brackets, cups and rings make a heap"
    counted: ClassVar[str] = "bodies"
    advice: ClassVar[Advice] = Advice(time=2.5, step=4e-3, solver="apgd", max_iterations=200)

    def build(self) -> World:
        world = World()
        plastic = Material(friction=self.friction)
        rng = np.random.default_rng(self.seed)
        pitch = 1.05 * self.size
        across = max(2, round((0.8 * self.bodies) ** (1.0 / 3.0)))
        add_tray(world, half=0.75 * across * pitch, height=1.5 * self.size, material=plastic)
        kinds = self.kinds()
        world.add_bodies(
            [kinds[i] for i in rng.integers(len(kinds), size=self.bodies)],
            position=layers(self.bodies, across, pitch, 0.7 * self.size),
            orientation=random_turns(rng, self.bodies),
            density=self.density,
            material=plastic,
        )
        return world

    def kinds(self) -> list[Shape]:
        """One of each, within a ball of the given size."""
        return [self._jack(), self._bracket(), self._cup(), ring(0.3 * self.size, 0.1 * self.size)]

    def _jack(self) -> Shape:
        """Three rods at right angles."""
        rod = Capsule(0.09 * self.size, 0.78 * self.size)
        turns = (
            (1.0, 0.0, 0.0, 0.0),
            turn_about((1.0, 0.0, 0.0), pi / 2),
            turn_about((0.0, 1.0, 0.0), pi / 2),
        )
        return Compound([Part(rod, (0.0, 0.0, 0.0), turn) for turn in turns])

    def _bracket(self) -> Shape:
        """A U of three plates."""
        s = self.size
        foot, side = Box((0.6 * s, 0.3 * s, 0.12 * s)), Box((0.12 * s, 0.3 * s, 0.48 * s))
        return Compound(
            [
                Part(foot, (0.0, 0.0, 0.0)),
                Part(side, (0.24 * s, 0.0, 0.3 * s)),
                Part(side, (-0.24 * s, 0.0, 0.3 * s)),
            ]
        )

    def _cup(self) -> Shape:
        """A round wall of eight pieces, and a floor."""
        s = self.size
        wall = vessel([(0.22 * s, 0.0), (0.28 * s, 0.5 * s)], thickness=0.08 * s, segments=8)
        return Compound([Part(wall), Part(Box((0.36 * s, 0.36 * s, 0.08 * s)), (0.0, 0.0, 0.0))])


def ring(radius: float, thickness: float, around: int = 12, across: int = 6) -> Compound:
    """A torus about z, cut into convex wedges.

    `radius` is that of its middle circle, `thickness` that of its rod [m], at the corners of
    `around` cuts, each with as many corners as `across` says.
    """
    turn, v = 2.0 * pi * np.arange(around) / around, 2.0 * pi * np.arange(across) / across
    out, up = radius + thickness * np.cos(v), thickness * np.sin(v)
    cuts = [np.stack([out * np.cos(u), out * np.sin(u), up], axis=1) for u in turn]
    return Compound(
        [
            Part(ConvexHull(np.concatenate([first, second])))
            for first, second in pairwise([*cuts, cuts[0]])
        ]
    )
