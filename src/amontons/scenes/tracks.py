"""Crawler tracks: a closed chain of shoes about a toothed sprocket, an idler and rollers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi, sin, tau
from typing import ClassVar

import numpy as np

from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.model.bodies import Body
from amontons.model.joints import Revolute, SpeedMotor
from amontons.model.materials import Material
from amontons.model.shapes import Box, Compound, ConvexHull, Cylinder, Part
from amontons.model.world import World
from amontons.scenes.placement import turn_about

ACROSS = turn_about((1.0, 0.0, 0.0), -pi / 2)
"""Turns a cylinder's axis from z to y."""


@dataclass(frozen=True, kw_only=True)
class Track:
    """One track in the plane x z, which runs along x about two wheels of the same pitch circle.

    Its pins lie on two half circles and two straight runs. Each shoe has a lug on its inner side,
    midway between its pins; the sprocket's teeth push the lugs, and rollers run on both sides of
    them.
    """

    teeth: int = 14
    """Of the sprocket, an even number: as many shoes would go round it."""
    straight: int = 18
    """Shoes of one straight run."""
    pitch: float = 0.17
    """From pin to pin [m]."""
    width: float = 0.4
    """Of a shoe [m]."""
    rollers: int = 4
    """Between sprocket and idler."""
    shoe_mass: float = 20.0
    wheel_mass: float = 25.0
    """Of a shoe, and of sprocket, idler and each roller [kg]."""

    PLATE: ClassVar[float] = 0.2
    """Thickness of a shoe's plate, in pitches."""
    LUG: ClassVar[tuple[float, float]] = (0.3, 0.3)
    """Length of a lug along the track, and its height, in pitches."""
    PLAY: ClassVar[float] = 1e-5
    """How far a shoe tilts on its pin out of the track's plane [rad/(N m)].

    Along and across the pin is rigid. A chain that could not tilt at all would be a stiff beam
    sideways, which costs first-order solvers five times the iterations.
    """
    SLACK: ClassVar[float] = 0.06
    """Radius that the idler lacks, in pitches: the chain goes round it a little loosely."""

    def __post_init__(self) -> None:
        if self.teeth < 6 or self.teeth % 2:
            raise InputError(f"teeth is {self.teeth}; a sprocket has an even number, 6 or more")

    @property
    def shoes(self) -> int:
        """How many there are."""
        return self.teeth + 2 * self.straight

    @property
    def radius(self) -> float:
        """Of the circle that the pins go round on [m]."""
        return self.pitch / (2.0 * sin(pi / self.teeth))

    @property
    def wheelbase(self) -> float:
        """From the sprocket's axis to the idler's [m]."""
        return self.straight * self.pitch

    @property
    def height(self) -> float:
        """Of the wheels' axes above the ground [m]."""
        return self.radius + 0.5 * self.PLATE * self.pitch

    def advance(self, speed: float) -> float:
        """How fast the chain runs [m/s] where the sprocket turns at `speed` [rad/s]."""
        return self.teeth * self.pitch * speed / tau

    def pins(self) -> Floats:
        """Places of the pins about the middle of the two wheels, x and z [m], shape (shoes, 2).

        They follow one another as the upper run goes forward, from the rear of the upper run on.
        """
        half = 0.5 * self.wheelbase
        run = np.linspace(-half, half, self.straight, endpoint=False)
        turn = pi / 2 - tau / self.teeth * np.arange(self.teeth // 2)
        arc = self.radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        upper = np.stack([run, np.full_like(run, self.radius)], axis=1)
        front = arc + np.array([half, 0.0])
        return np.concatenate([upper, front, -upper, -front])

    # -- into the world ---------------------------------------------------------------------------

    def add(
        self,
        world: World,
        chassis: Body,
        *,
        name: str,
        centre: tuple[float, float],
        speed: float | Callable[[float], float],
        shoe: Material,
        wheel: Material,
        torque: float = np.inf,
    ) -> list[int]:
        """Hang a track on a chassis, with its lower run on the ground; returns the shoes' ids.

        `centre` is the track's middle in the plane x y [m], `speed` the sprocket's [rad/s], forward
        if positive, `torque` the largest of its motor [N m].
        """
        x, y = centre
        middle = np.array([x, y, self.height])
        axle: tuple[float, float, float] = (0.0, 1.0, 0.0)
        half = 0.5 * self.wheelbase
        motor = SpeedMotor(speed=speed, limit=torque)
        places = [(-half, "sprocket"), (half, "idler")]
        between = np.linspace(-half, half, self.rollers + 2)[1:-1]
        places += [(float(at), f"roller {i + 1}") for i, at in enumerate(between)]
        for at, what in places:
            shape, up = self._wheel(what)
            place = tuple((middle + np.array([at, 0.0, up])).tolist())
            body = world.add_body(
                shape, mass=self.wheel_mass, position=place, material=wheel, name=f"{name} {what}"
            )
            drive = motor if what == "sprocket" else None
            world.add_joint(Revolute(chassis, body, point=place, axis=axle, motor=drive))
        return self._add_shoes(world, middle, shoe)

    def _add_shoes(self, world: World, middle: Floats, material: Material) -> list[int]:
        pins = self.pins()
        ahead = np.roll(pins, -1, axis=0)
        way = ahead - pins
        angle = -np.arctan2(way[:, 1], way[:, 0])  # about y, from x towards −z
        at = middle + np.insert(0.5 * (pins + ahead), 1, 0.0, axis=1)
        shoes = world.add_bodies(
            self._shoe(),
            mass=self.shoe_mass,
            position=at,
            orientation=[turn_about((0.0, 1.0, 0.0), float(each)) for each in angle],
            placed_by="frame",
            material=material,
        ).tolist()
        points = middle + np.insert(pins, 1, 0.0, axis=1)
        for number, point in enumerate(points.tolist()):
            world.add_joint(
                Revolute(
                    shoes[number - 1],
                    shoes[number],
                    point=point,
                    axis=(0.0, 1.0, 0.0),
                    angular_compliance=self.PLAY,
                    angular_damping=1e-3 / self.PLAY,
                )
            )
        return [int(each) for each in shoes]

    # -- shapes -----------------------------------------------------------------------------------

    def _shoe(self) -> Compound:
        """A plate and a lug that points inwards, which is −z; the frame is midway between pins."""
        p = self.pitch
        plate, (long, high) = self.PLATE * p, (each * p for each in self.LUG)
        wide, inner = 0.5 * 0.2 * self.width, -0.5 * plate
        corners = [
            (x, y, z)
            for y in (-wide, wide)
            for x, z in (
                (0.5 * long, inner), (-0.5 * long, inner),
                (0.3 * long, inner - high), (-0.3 * long, inner - high),
            )
        ]  # fmt: skip
        return Compound([Part(Box((0.94 * p, self.width, plate))), Part(ConvexHull(corners))])

    def _wheel(self, what: str) -> tuple[Compound, float]:
        """A wheel with its axis along y, and how far above the sprocket's axis it is [m]."""
        inner = self.radius * cos(pi / self.teeth) - 0.5 * self.PLATE * self.pitch
        if what == "sprocket":
            return self._sprocket(inner), 0.0
        if what == "idler":
            return self._halves(inner - self.SLACK * self.pitch), 0.0
        depth = self.radius - 0.5 * self.PLATE * self.pitch  # of the floor that rollers run on
        apart = self.wheelbase / (self.rollers + 1)
        beside = (apart**2 + depth**2 - inner**2) / (2.0 * (depth + inner))  # touches the sprocket
        radius = min(0.6 * inner, 0.45 * apart, 0.95 * beside)
        return self._halves(radius), radius - depth

    def _halves(self, radius: float) -> Compound:
        """Two discs with room for the lugs between them."""
        disc = Cylinder(radius, 0.3 * self.width)
        away = 0.31 * self.width
        return Compound([Part(disc, (0.0, y, 0.0), ACROSS) for y in (-away, away)])

    def _sprocket(self, inner: float) -> Compound:
        """Two discs that the plates lie on, and teeth between them, at the pins of the shoes."""
        long, high = (each * self.pitch for each in self.LUG)
        hub = inner - 1.25 * high
        tip = 0.97 * inner
        # what two lugs leave free, at the foot of the teeth and at their tips
        foot = 0.5 * (hub * tau / self.teeth - 0.6 * long) * 0.85
        end = 0.5 * (tip * tau / self.teeth - long) * 0.6
        wide = 0.5 * 0.2 * self.width
        outline = ((hub * 0.9, foot), (hub * 0.9, -foot), (tip, end), (tip, -end))
        tooth = ConvexHull([(x, y, z) for y in (-wide, wide) for x, z in outline])
        parts = [Part(Cylinder(hub, 2.0 * wide), (0.0, 0.0, 0.0), ACROSS)]
        for number in range(self.teeth):
            turn = turn_about((0.0, 1.0, 0.0), pi / 2 + tau / self.teeth * number)
            parts.append(Part(tooth, (0.0, 0.0, 0.0), turn))
        return Compound([*parts, *self._halves(inner - 0.01 * self.pitch).parts])
