"""A chain with a weight at its end."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import pi
from typing import ClassVar

import numpy as np

from amontons.model.forces import Drag
from amontons.model.joints import Spherical
from amontons.model.materials import Material
from amontons.model.shapes import Capsule, Plane, Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import turn_about


@dataclass(frozen=True)
class Chain(Scene):
    """Links in a level line, hung up at one end and with a ball at the other.

    A taut chain swings across fast: steps h with 12 h² F > m ℓ, for links of mass m and length ℓ
    under a force F, do not show that and damp it, and with it a little of the chain's own swing.
    """

    links: int = parameter(12, "how many links", low=1, high=10_000)
    link: float = parameter(0.2, "length of a link", unit="m", low=1e-3, high=10.0)
    ball_mass: float = parameter(10.0, "of the ball", unit="kg", low=1e-3, high=1e6)
    drag: float = parameter(
        0.02, "torque per turning speed of a link", unit="N m s", low=0.0, high=1e3
    )
    friction: float = parameter(0.4, "Coulomb's coefficient", low=0.0, high=100.0)

    name: ClassVar[str] = "chain"
    summary: ClassVar[str] = "a chain with a heavy ball at its end falls and swings"
    counted: ClassVar[str] = "links"
    advice: ClassVar[Advice] = Advice(time=4.0, step=2e-3, solver="auto", tolerance=1e-4)

    def build(self) -> World:
        world = World()
        steel = Material(friction=self.friction)
        world.add_body(Plane(), fixed=True, material=steel, name="floor")
        ball = 0.8 * self.link
        height = self.links * self.link + 3.0 * ball
        x = self.link * (np.arange(self.links) + 0.5)
        links = world.add_bodies(
            Capsule(0.12 * self.link, 0.6 * self.link),
            position=np.stack([x, np.zeros_like(x), np.full_like(x, height)], axis=1),
            orientation=turn_about((0.0, 1.0, 0.0), pi / 2),  # along x
            density=7800.0,
            material=steel,
        ).tolist()
        end = self.link * self.links
        weight = world.add_body(
            Sphere(ball),
            mass=self.ball_mass,
            position=(end + ball, 0.0, height),
            material=steel,
            name="ball",
        )
        ends = [None, *links, weight.id]
        for i, (a, b) in enumerate(pairwise(ends)):
            world.add_joint(Spherical(a, b, point=(i * self.link, 0.0, height)))
        if self.drag > 0.0:
            world.add_force(Drag(links, angular=self.drag))
        return world
