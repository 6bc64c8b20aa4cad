"""A turning drum, half full of balls."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, radians
from typing import ClassVar

import numpy as np

from amontons.array_types import Floats
from amontons.model.materials import Material
from amontons.model.motion import Motion
from amontons.model.probes import Probe
from amontons.model.shapes import Box, Compound, Part, Plane, Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import turn_about
from amontons.scenes.vessels import vessel

SEGMENTS = 24


@dataclass(frozen=True)
class Drum(Scene):
    """A drum that turns about the y axis, with lifters inside and flat walls at its ends."""

    balls: int = parameter(400, "how many balls", low=1, high=1_000_000)
    radius: float = parameter(0.05, "of a ball", unit="m", low=1e-4, high=10.0)
    width: float = parameter(0.5, "of the drum", unit="m", low=1e-3, high=1e3)
    turns: float = parameter(20.0, "turning speed", unit="1/min", low=-600.0, high=600.0)
    lifters: int = parameter(6, "bars inside that lift the balls", low=0, high=24)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)
    seed: int = parameter(0, "of the small shifts that break the symmetry", low=0)

    name: ClassVar[str] = "drum"
    summary: ClassVar[str] = "a turning drum lifts balls and lets them fall"
    counted: ClassVar[str] = "balls"
    advice: ClassVar[Advice] = Advice(time=4.0, step=4e-3, tolerance=5e-3)

    def check(self) -> None:
        self._ordered("radius", "width")

    @property
    def drum_radius(self) -> float:
        """Such that the balls at their start fill about half of the drum [m]."""
        pitch = 2.2 * self.radius
        rows = max(1, int((self.width - 2.0 * self.radius) / pitch) + 1)
        return float(max(1.05 * pitch * (self.balls / rows) ** 0.5, 4.0 * pitch))

    def build(self) -> World:
        world = World()
        steel = Material(friction=self.friction)
        world.add_body(
            self._shell(),
            motion=Motion(angular_velocity=(0.0, 2.0 * pi * self.turns / 60.0, 0.0)),
            orientation=turn_about((1.0, 0.0, 0.0), -pi / 2),  # the shell's z is the drum's y
            material=steel,
            name="drum",
        )
        smooth = Material(friction=0.0)
        for name, side in (("front", -1.0), ("back", 1.0)):
            place = (0.0, 0.5 * side * self.width, 0.0)
            world.add_body(
                Plane((0.0, -side, 0.0)), fixed=True, position=place, material=smooth, name=name
            )
        world.add_bodies(
            Sphere(self.radius), position=self._places(), density=2500.0, material=steel
        )
        reach, half = self.drum_radius, 0.5 * self.width
        inside = ((-reach, -half, -reach), (reach, half, reach))
        world.add_probe(Probe("drum", ("lean_angle", "bodies"), region=inside, every=0.02))
        return world

    def _shell(self) -> Compound:
        R, w = self.drum_radius, self.width
        ends = [(R, -0.5 * w), (R, 0.5 * w)]
        parts = list(vessel(ends, thickness=0.05 * R, segments=SEGMENTS).parts)
        reach = 1.5 * self.radius
        bar = Box((reach, self.radius, w))
        middle = R * cos(pi / SEGMENTS) - 0.5 * reach
        for i in range(self.lifters):
            angle = 360.0 * i / self.lifters + 180.0 / SEGMENTS
            turn = turn_about((0.0, 0.0, 1.0), radians(angle))
            spot = middle * np.array([cos(radians(angle)), np.sin(radians(angle)), 0.0])
            parts.append(Part(bar, tuple(spot.tolist()), turn))
        return Compound(parts)

    def _places(self) -> Floats:
        """Balls on upright layers within the lifters' circle [m], shape (balls, 3)."""
        pitch, shift = 2.2 * self.radius, 0.05 * self.radius
        inside = self.drum_radius * cos(pi / SEGMENTS) - 3.0 * self.radius
        reach = int(inside / pitch)
        axis = pitch * np.arange(-reach, reach + 1)
        rows = max(1, int((self.width - 2.2 * self.radius) / pitch) + 1)
        y = pitch * (np.arange(rows) - 0.5 * (rows - 1))
        z, x, y = (each.ravel() for each in np.meshgrid(axis, axis, y, indexing="ij"))
        room = np.hypot(x, z) <= inside
        places = np.stack([x[room], y[room], z[room]], axis=1)[: self.balls]
        rng = np.random.default_rng(self.seed)
        return np.asarray(places + rng.uniform(-shift, shift, places.shape))
