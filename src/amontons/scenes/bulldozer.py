"""A bulldozer that pushes soil, as in paper 3, figure 9."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, hypot, radians, sin
from typing import ClassVar

import numpy as np

from amontons.model.bodies import Body
from amontons.model.joints import Fixed
from amontons.model.materials import Material
from amontons.model.shapes import Box, Compound, Ellipsoid, Part, Plane
from amontons.model.signals import Schedule
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import random_turns, turn_about
from amontons.scenes.tracks import Track


@dataclass(frozen=True)
class Bulldozer(Scene):
    """A chassis on two tracks with a curved blade, and a heap of cohesive ellipsoids in its way.

    The soil falls into its heap while the bulldozer comes along x.
    """

    grains: int = parameter(480, "how many ellipsoids the soil has", low=0, high=1_000_000)
    grain: float = parameter(
        0.124, "diameter of a sphere of a grain's volume", unit="m", low=0.005, high=0.5
    )
    cohesion: float = parameter(500.0, "of two grains", unit="N", low=0.0, high=1e6)
    soil_friction: float = parameter(0.2, "Coulomb's coefficient of soil", low=0.0, high=100.0)
    mass: float = parameter(5000.0, "of chassis and blade", unit="kg", low=500.0, high=1e5)
    turning: float = parameter(4.0, "speed of the sprockets", unit="rad/s", low=-10.0, high=10.0)
    seed: int = parameter(0, "of how the grains lie", low=0)

    name: ClassVar[str] = "bulldozer"
    summary: ClassVar[str] = "a bulldozer on tracks of jointed shoes pushes cohesive soil"
    counted: ClassVar[str] = "grains"
    advice: ClassVar[Advice] = Advice(
        time=5.0, step=1e-3, solver="apgd", tolerance=1e-4, max_iterations=300
    )

    TRACK: ClassVar[Track] = Track()
    GAUGE: ClassVar[float] = 1.6
    """Distance of the tracks' middles [m]."""
    BLADE: ClassVar[tuple[float, float, float]] = (2.3, 0.75, 200.0)
    """Width and height [m], and mass [kg], of the blade."""
    START: ClassVar[tuple[float, float]] = (0.2, 0.7)
    """When the sprockets begin to turn, and when they turn at their speed [s]."""
    SOIL: ClassVar[tuple[float, float, float]] = (4.6, 1.8, 1.2)
    """Where the soil begins, its width and its height before it falls [m]."""

    def build(self) -> World:
        world = World()
        ground = Material(friction=1.0)
        world.add_body(Plane(), fixed=True, material=ground, name="ground")
        chassis = self._add_chassis(world)
        for name, side in (("left", 0.5), ("right", -0.5)):
            self.TRACK.add(
                world,
                chassis,
                name=name,
                centre=(0.0, side * self.GAUGE),
                speed=self.sprocket_speed,
                shoe=ground,
                wheel=Material(friction=0.2),
            )
        self._add_blade(world, chassis)
        if self.grains:
            self._add_soil(world)
        return world

    @property
    def sprocket_speed(self) -> Schedule:
        """Speed of the sprockets [rad/s]: none at first, then rising evenly to what was asked."""
        begin, end = self.START
        return Schedule([(begin, 0.0), (end, self.turning)], smooth=False)

    def intended(self, time: float) -> float:
        """How far it comes [m] if the tracks do not slip."""
        begin, end = self.START
        turning = max(time - end, 0.0) + 0.5 * min(max(time - begin, 0.0), end - begin) ** 2 / (
            end - begin
        )
        return self.TRACK.advance(self.turning) * turning

    def _add_chassis(self, world: World) -> Body:
        hull = Part(Box((2.9, 1.0, 0.6)), (0.0, 0.0, 0.0))
        cab = Part(Box((1.0, 0.9, 0.7)), (-0.7, 0.0, 0.65))
        return world.add_body(
            Compound([hull, cab]),
            mass=self.mass - self.BLADE[2],
            position=(0.0, 0.0, self.TRACK.height + 0.45),
            material=Material(friction=0.2),
            name="chassis",
        )

    def _add_blade(self, world: World, chassis: Body) -> None:
        """Flat strips along an arc that is hollow to the front, and two arms that carry it."""
        wide, high, mass = self.BLADE
        foot = 0.5 * self.TRACK.wheelbase + self.TRACK.radius + 0.35
        hollow = 0.9  # radius [m]
        low = np.array([foot, 0.03])
        angles = [radians(200.0 - 10.0 * i) for i in range(6)]
        edge = np.array([[hollow * cos(each), hollow * sin(each)] for each in angles])
        scale = high / (edge[-1, 1] - edge[0, 1])
        points = low + scale * (edge - edge[0])
        parts = []
        for (x0, z0), (x1, z1) in zip(points[:-1].tolist(), points[1:].tolist(), strict=True):
            strip = Box((hypot(x1 - x0, z1 - z0) + 0.01, wide, 0.04))
            turn = turn_about((0.0, 1.0, 0.0), -atan2(z1 - z0, x1 - x0))
            parts.append(Part(strip, (0.5 * (x0 + x1), 0.0, 0.5 * (z0 + z1)), turn))
        for y in (-0.35, 0.35):
            parts.append(Part(Box((foot - 1.3, 0.1, 0.12)), (0.5 * (foot + 1.3), y, 0.55)))
        blade = world.add_body(
            Compound(parts),
            mass=mass,
            placed_by="frame",
            material=Material(friction=0.0),
            name="blade",
        )
        world.add_joint(Fixed(chassis, blade, point=(1.4, 0.0, 0.55)))

    def _add_soil(self, world: World) -> None:
        """Ellipsoids on a grid, turned every way."""
        rng = np.random.default_rng(self.seed)
        r = 0.5 * self.grain
        axes = (1.25 * r, r, 0.8 * r)
        start, width, height = self.SOIL
        pitch = 2.02 * axes[0]
        across, up = max(1, int(width / pitch)), max(1, int(height / pitch))
        row, rest = np.divmod(np.arange(self.grains), across * up)
        layer, column = np.divmod(rest, across)
        place = pitch * np.stack([row, column - 0.5 * (across - 1), layer], axis=1)
        world.add_bodies(
            Ellipsoid(axes),
            position=place + np.array([start, 0.0, 0.52 * pitch]),
            orientation=random_turns(rng, self.grains),
            density=2000.0,
            material=Material(friction=self.soil_friction, cohesion=self.cohesion),
        )
