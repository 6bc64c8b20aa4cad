"""A bowl of balls, stirred by blades."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin
from typing import ClassVar

import numpy as np

from amontons.model.materials import Material
from amontons.model.motion import Motion
from amontons.model.shapes import Box, Compound, Cylinder, Part, Plane, Sphere
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import disc_layers
from amontons.scenes.vessels import vessel

SEGMENTS = 24


@dataclass(frozen=True)
class Mixer(Scene):
    """A round bowl with a shaft that carries blades through the balls."""

    balls: int = parameter(400, "how many balls", low=1, high=1_000_000)
    radius: float = parameter(0.03, "of a ball", unit="m", low=1e-4, high=10.0)
    bowl: float = parameter(12.0, "radius of the bowl in ball radii", low=6.0, high=1e4)
    blades: int = parameter(3, "blades on the shaft", low=1, high=12)
    turns: float = parameter(60.0, "turning speed", unit="1/min", low=-600.0, high=600.0)
    friction: float = parameter(0.3, "Coulomb's coefficient", low=0.0, high=100.0)
    seed: int = parameter(0, "of the small shifts that break the symmetry", low=0)

    name: ClassVar[str] = "mixer"
    summary: ClassVar[str] = "turning blades stir a bowl of balls"
    counted: ClassVar[str] = "balls"
    advice: ClassVar[Advice] = Advice(time=4.0, step=2.5e-3, tolerance=5e-3)

    def build(self) -> World:
        world = World()
        steel = Material(friction=self.friction)
        r, R = self.radius, self.bowl * self.radius
        inner = R * cos(pi / SEGMENTS)
        above = 4.5 * r  # of the blades, where the balls begin
        places = disc_layers(self.balls, inner - 1.2 * r, 2.2 * r, above + 1.2 * r)
        rng = np.random.default_rng(self.seed)
        places += rng.uniform(-0.05 * r, 0.05 * r, places.shape)
        world.add_body(Plane(), fixed=True, material=steel, name="floor")
        wall = vessel(
            [(R, 0.0), (R, float(places[:, 2].max()) + r)], thickness=0.06 * R, segments=SEGMENTS
        )
        world.add_body(wall, fixed=True, placed_by="frame", material=steel, name="bowl")
        world.add_body(
            stirrer(
                blades=self.blades,
                reach=inner - 2.5 * r,
                size=(0.5 * r, 3.0 * r),
                middle=2.2 * r,
            ),
            motion=Motion(angular_velocity=(0.0, 0.0, 2.0 * pi * self.turns / 60.0)),
            placed_by="frame",
            material=steel,
            name="stirrer",
        )
        world.add_bodies(Sphere(r), position=places, density=2000.0, material=steel)
        return world


def stirrer(
    *, blades: int, reach: float, size: tuple[float, float], middle: float, tilt: float = 0.0
) -> Compound:
    """Blades on a shaft about the z axis.

    Parameters
    ----------
    reach:
        Of a blade from the axis [m].
    size:
        Thickness and height of a blade [m].
    middle:
        Height of the blades' middle [m].
    tilt:
        Of the blades about their own length [rad]; a negative one pushes down what it meets when
        it turns counter-clockwise.
    """
    thickness, height = size
    shaft = Cylinder(2.0 * thickness, 4.0 / 3.0 * height)
    parts = [Part(shaft, (0.0, 0.0, middle))]
    for i in range(blades):
        angle = 2.0 * pi * i / blades
        out = 0.5 * reach
        place = (out * cos(angle), out * sin(angle), middle)
        parts.append(Part(Box((reach, thickness, height)), place, blade_turn(angle, tilt)))
    return Compound(parts)


def blade_turn(angle: float, tilt: float) -> tuple[float, float, float, float]:
    """The unit quaternion (w, x, y, z) of a tilt about x and then a turn about z [rad]."""
    c, s, a, b = cos(0.5 * angle), sin(0.5 * angle), cos(0.5 * tilt), sin(0.5 * tilt)
    return (c * a, c * b, s * b, s * a)
