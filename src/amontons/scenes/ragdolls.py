"""Jointed dolls that fall into a heap."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, tau
from typing import ClassVar

import numpy as np

from amontons.algebra.rotations import quaternion_product, rotation_matrices
from amontons.array_types import Floats
from amontons.model.bodies import Body
from amontons.model.forces import Bushing
from amontons.model.joints import Joint, Revolute, Spherical
from amontons.model.materials import Material
from amontons.model.shapes import Box, Capsule, Shape, Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import turn_about
from amontons.scenes.tray import add_tray

Point = tuple[float, float, float]

LIMBS: tuple[tuple[str, Shape, Point, float], ...] = (
    ("trunk", Box((0.22, 0.34, 0.56)), (0.0, 0.0, 0.0), 30.0),
    ("head", Sphere(0.11), (0.0, 0.0, 0.41), 5.0),
    *(
        limb
        for side, y in (("left", 0.25), ("right", -0.25))
        for limb in (
            (f"{side} upper arm", Capsule(0.045, 0.2), (0.0, y, 0.1), 2.5),
            (f"{side} forearm", Capsule(0.04, 0.2), (0.0, y, -0.19), 1.8),
        )
    ),
    *(
        limb
        for side, y in (("left", 0.1), ("right", -0.1))
        for limb in (
            (f"{side} thigh", Capsule(0.07, 0.26), (0.0, y, -0.5), 8.0),
            (f"{side} shin", Capsule(0.055, 0.28), (0.0, y, -0.92), 4.0),
        )
    ),
)
"""What a doll is made of, standing: name, shape, centre [m] from the trunk's, mass [kg]."""

JOINTS: tuple[tuple[int, int, Point, str], ...] = (
    (0, 1, (0.0, 0.0, 0.29), "ball"),
    (0, 2, (0.0, 0.2, 0.23), "ball"),
    (2, 3, (0.0, 0.25, -0.045), "elbow"),
    (0, 4, (0.0, -0.2, 0.23), "ball"),
    (4, 5, (0.0, -0.25, -0.045), "elbow"),
    (0, 6, (0.0, 0.1, -0.29), "ball"),
    (6, 7, (0.0, 0.1, -0.71), "knee"),
    (0, 8, (0.0, -0.1, -0.29), "ball"),
    (8, 9, (0.0, -0.1, -0.71), "knee"),
)
"""Limbs that are joined, where [m] from the trunk's centre, and how."""


@dataclass(frozen=True)
class Ragdolls(Scene):
    """Dolls of ten limbs with ball joints, elbows and knees, lying one above the other."""

    dolls: int = parameter(8, "how many dolls", low=1, high=10_000)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)
    torque: float = parameter(2.0, "friction of elbows and knees", unit="N m", low=0.0, high=1e3)
    damping: float = parameter(1.0, "of necks, shoulders and hips", unit="N m s", low=0.0, high=1e3)
    seed: int = parameter(0, "of how they are turned", low=0)

    name: ClassVar[str] = "ragdolls"
    summary: ClassVar[str] = "jointed dolls fall into a heap"
    counted: ClassVar[str] = "dolls"
    advice: ClassVar[Advice] = Advice(time=3.0, step=2e-3, solver="auto", tolerance=1e-5)

    WALL: ClassVar[float] = 0.5
    """Height of the tray's walls [m]."""
    PITCH: ClassVar[float] = 0.45
    """From doll to doll before they fall, upwards [m]."""

    def build(self) -> World:
        world = World()
        cloth = Material(friction=self.friction)
        add_tray(world, half=1.1, height=self.WALL, material=cloth)
        rng = np.random.default_rng(self.seed)
        heading = rng.uniform(0.0, tau, self.dolls)
        shift = rng.uniform(-0.2, 0.2, (self.dolls, 2))
        lying = np.array(turn_about((0.0, 1.0, 0.0), pi / 2))
        for number in range(self.dolls):
            yaw = np.array(turn_about((0.0, 0.0, 1.0), float(heading[number])))
            place = np.append(shift[number], self.WALL + 0.3 + number * self.PITCH)
            self._add_doll(world, number + 1, place, quaternion_product(yaw, lying), cloth)
        return world

    def _add_doll(
        self, world: World, number: int, place: Floats, turn: Floats, material: Material
    ) -> None:
        matrix = rotation_matrices(turn[None])[0]
        limbs = [
            world.add_body(
                shape,
                mass=mass,
                position=place + matrix @ np.array(centre),
                orientation=turn,
                material=material,
                name=f"doll {number} {name}",
            )
            for name, shape, centre, mass in LIMBS
        ]
        for a, b, point, how in JOINTS:
            at: Point = tuple((place + matrix @ np.array(point)).tolist())
            world.add_joint(self._joint(limbs[a], limbs[b], at, matrix[:, 1], how))
            if how == "ball" and self.damping > 0.0:
                world.add_force(Bushing(limbs[a], limbs[b], point=at, angular_damping=self.damping))

    def _joint(self, a: Body, b: Body, point: Point, axis: Floats, how: str) -> Joint:
        """Elbows bend forwards, knees backwards; both up to 140°."""
        if how == "ball":
            return Spherical(a, b, point=point)
        bend = 140.0 / 180.0 * pi
        limits = (-bend, 0.02) if how == "elbow" else (-0.02, bend)
        return Revolute(
            a, b, point=point, axis=tuple(axis.tolist()), limits=limits, friction=self.torque
        )
