"""A car with suspension that drives over rubble."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import ClassVar

import numpy as np

from amontons.model.bodies import Body
from amontons.model.forces import LinearSpring
from amontons.model.joints import Prismatic, Revolute, SpeedMotor
from amontons.model.materials import Material
from amontons.model.shapes import Box, Cylinder, Plane
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import random_turns, turn_about

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Vehicle(Scene):
    """Chassis, four hubs on springs, four driven wheels, and stones on the way along x."""

    stones: int = parameter(80, "how many stones", low=0, high=100_000)
    stone: float = parameter(0.25, "largest extent of a stone", unit="m", low=1e-3, high=1.0)
    mass: float = parameter(400.0, "of the chassis", unit="kg", low=1.0, high=1e5)
    speed: float = parameter(3.0, "that the wheels are driven at", unit="m/s", low=-30.0, high=30.0)
    torque: float = parameter(200.0, "largest of a motor", unit="N m", low=1e-6, high=1e5)
    stiffness: float = parameter(2e4, "of a spring", unit="N/m", low=1.0, high=1e8)
    damping: float = parameter(1.5e3, "of a shock absorber", unit="N s/m", low=0.0, high=1e7)
    friction: float = parameter(0.8, "Coulomb's coefficient", low=0.0, high=100.0)
    seed: int = parameter(0, "of where the stones lie", low=0)

    name: ClassVar[str] = "vehicle"
    summary: ClassVar[str] = "a car with springs and driven wheels crosses rubble"
    counted: ClassVar[str] = "stones"
    advice: ClassVar[Advice] = Advice(
        time=4.0, step=4e-3, solver="auto", tolerance=1e-4, max_iterations=2000
    )

    WHEEL: ClassVar[float] = 0.3
    BASE: ClassVar[tuple[float, float]] = (1.5, 1.0)
    """Distances of the axles, and of the wheels on an axle [m]."""

    def build(self) -> World:
        world = World()
        rubber = Material(friction=self.friction)
        world.add_body(Plane(), fixed=True, material=rubber, name="floor")
        chassis = world.add_body(
            Box((2.2, 0.6, 0.25)),
            mass=self.mass,
            position=(0.0, 0.0, self.WHEEL + 0.2),
            material=rubber,
            name="chassis",
        )
        for end, x in (("front", 0.5), ("rear", -0.5)):
            for side, y in (("left", 0.5), ("right", -0.5)):
                place = (x * self.BASE[0], y * self.BASE[1], self.WHEEL + 1e-3)
                self._add_wheel(world, chassis, f"{end} {side}", place, rubber)
        if self.stones:
            self._add_rubble(world, rubber)
        return world

    def _add_wheel(
        self, world: World, chassis: Body, name: str, place: Point, material: Material
    ) -> None:
        """A hub that slides up and down in the chassis on a spring, and a wheel on it."""
        hub = world.add_body(Box.cube(0.1), mass=12.0, position=place, mask=0, name=f"{name} hub")
        wheel = world.add_body(
            Cylinder(self.WHEEL, 0.2),
            mass=18.0,
            position=place,
            orientation=turn_about((1.0, 0.0, 0.0), -pi / 2),  # axle along y
            material=material,
            name=f"{name} wheel",
        )
        up = (0.0, 0.0, 1.0)
        world.add_joint(Prismatic(chassis, hub, point=place, axis=up, limits=(-0.15, 0.15)))
        top = (place[0], place[1], place[2] + 0.4)
        sag = self.mass * 9.81 / 4.0 / self.stiffness
        spring = LinearSpring(
            chassis, hub, point_a=top, point_b=place,
            stiffness=self.stiffness, damping=self.damping, length=0.4 + sag,
        )  # fmt: skip
        world.add_force(spring)
        motor = SpeedMotor(speed=self.speed / self.WHEEL, limit=self.torque)
        world.add_joint(Revolute(hub, wheel, point=place, axis=(0.0, 1.0, 0.0), motor=motor))

    def _add_rubble(self, world: World, material: Material) -> None:
        """Stones on a strip in front of the car, each on a place of its own."""
        rng = np.random.default_rng(self.seed)
        pitch = 1.8 * self.stone
        across = max(1, int(2.0 / pitch))
        row, column = np.divmod(np.arange(self.stones), across)
        place = np.stack(
            [
                1.6 + pitch * row,
                pitch * (column - 0.5 * (across - 1)),
                np.full(self.stones, 0.55 * self.stone),
            ],
            axis=1,
        )
        place[:, :2] += rng.uniform(-0.35, 0.35, (self.stones, 2)) * self.stone
        sizes = rng.uniform(0.3, 0.55, (self.stones, 3)) * self.stone
        world.add_bodies(
            [Box(tuple(size)) for size in sizes.tolist()],
            position=place,
            orientation=random_turns(rng, self.stones),
            density=2500.0,
            material=material,
        )
