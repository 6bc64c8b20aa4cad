"""A robot that walks on six legs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import acos, atan2, cos, hypot, pi, sin
from typing import ClassVar

from amontons.errors import InputError
from amontons.model.bodies import Body
from amontons.model.joints import PositionMotor, Revolute
from amontons.model.materials import Material
from amontons.model.shapes import Box, Capsule, Plane
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import turn_about

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Leg:
    """A hip, a thigh and a shin that end in a foot, each moved by a servo.

    The hip turns about the upright, the other two in the plane of the leg.
    """

    name: str
    hip: Point
    """In the axes of the trunk [m]."""
    side: float
    """1 for left, −1 for right."""
    first: bool
    """Whether it is one of the three legs that begin on the ground."""

    HIP: ClassVar[float] = 0.06
    THIGH: ClassVar[float] = 0.15
    SHIN: ClassVar[float] = 0.20
    FOOT: ClassVar[float] = 0.015
    """Lengths, and the radius of the foot [m]."""

    def angles(self, foot: Point) -> Point:
        """Yaw of the leg, elevation of the thigh and of the shin [rad] that bring the foot there.

        The foot is its ball's centre, from the hip along axes of the trunk [m].
        """
        x, y, z = foot
        yaw = atan2(-self.side * x, self.side * y)
        out = hypot(x, y) - self.HIP
        reach = hypot(out, z)
        inner = (self.THIGH**2 + reach**2 - self.SHIN**2) / (2.0 * self.THIGH * reach)
        if abs(inner) > 1.0:
            raise InputError(f"the foot of the {self.name} leg cannot reach {foot}: it is too far")
        thigh = atan2(z, out) + acos(inner)
        shin = atan2(z - self.THIGH * sin(thigh), out - self.THIGH * cos(thigh))
        return yaw, thigh, shin


@dataclass(frozen=True)
class WalkingRobot(Scene):
    """Six legs of three servos each, which walk along x with three feet on the ground at a time."""

    stride: float = parameter(0.16, "of a leg", unit="m", low=0.0, high=0.2)
    period: float = parameter(1.0, "of a leg's cycle", unit="s", low=0.2, high=100.0)
    lift: float = parameter(0.04, "of a foot", unit="m", low=0.0, high=0.06)
    height: float = parameter(0.14, "of the hips", unit="m", low=0.08, high=0.2)
    trunk: float = parameter(12.0, "mass of the trunk", unit="kg", low=0.1, high=1e3)
    stiffness: float = parameter(2000.0, "of a servo", unit="N m/rad", low=1.0, high=1e9)
    torque: float = parameter(60.0, "largest of a servo", unit="N m", low=1e-3, high=1e6)
    friction: float = parameter(0.8, "Coulomb's coefficient", low=0.0, high=100.0)

    name: ClassVar[str] = "walking_robot"
    summary: ClassVar[str] = "a robot walks on six legs"
    advice: ClassVar[Advice] = Advice(time=5.0, step=2e-3, solver="auto", tolerance=1e-6)

    START: ClassVar[float] = 1.0
    """Time in which strides grow to their full length [s]."""
    REACH: ClassVar[float] = 0.21
    """From a hip outwards to a foot [m]."""

    def build(self) -> World:
        world = World()
        rubber = Material(friction=self.friction)
        world.add_body(Plane(), fixed=True, material=rubber, name="floor")
        trunk = world.add_body(
            Box((0.52, 0.2, 0.08)), mass=self.trunk, position=(0.0, 0.0, self.height), name="trunk"
        )
        for leg in self.legs():
            self._add_leg(world, trunk, leg, rubber)
        return world

    def legs(self) -> list[Leg]:
        """Front, middle and rear legs, left and right; neighbours step in turn."""
        return [
            Leg(f"{end} {name}", (x, 0.1 * side, 0.0), side, first=(name == "left") == outer)
            for end, x, outer in (
                ("front", 0.22, True), ("middle", 0.0, False), ("rear", -0.22, True),
            )
            for name, side in (("left", 1.0), ("right", -1.0))
        ]  # fmt: skip

    # -- how it walks -----------------------------------------------------------------------------

    def swing(self, time: float, first: bool) -> tuple[float, float]:
        """How far a foot is before and above its place of rest [m]."""
        share = min(time / self.START, 1.0)
        growth = share * share * (3.0 - 2.0 * share)
        phase = (time / self.period + (0.0 if first else 0.5)) % 1.0
        stride = growth * self.stride
        if phase < 0.5:  # on the ground, going back at an even speed
            return stride * (0.5 - 2.0 * phase), 0.0
        u = 2.0 * phase - 1.0  # in the air; its speed at both ends is that of the ground
        ahead = stride * (u - 0.5 - sin(2.0 * pi * u) / pi)
        return ahead, growth * self.lift * sin(pi * u) ** 2

    def intended(self, time: float) -> float:
        """How far the trunk should have come [m]: what the feet on the ground went back."""
        half, way, now = 0.5 * self.period, 0.0, 0.0
        number = 0
        while now < time:
            end = min((number + 1) * half, time)
            inside = 1e-9 * half  # the foot that is on the ground from now to the end
            first = number % 2 == 0
            way += self.swing(now + inside, first)[0] - self.swing(end - inside, first)[0]
            now, number = end, number + 1
        return way

    def _foot(self, leg: Leg, time: float) -> Point:
        ahead, up = self.swing(time, leg.first)
        return ahead, leg.side * self.REACH, up + leg.FOOT - self.height

    # -- what it is made of -----------------------------------------------------------------------

    def _add_leg(self, world: World, trunk: Body, leg: Leg, material: Material) -> None:
        """All limbs straight out, then bent to where the foot rests."""
        rest = (0.0, leg.side * self.REACH, leg.FOOT - self.height)
        _, thigh, shin = leg.angles(rest)
        x, y, z = leg.hip
        points = [(x, y, z + self.height)]
        for length, elevation in ((leg.HIP, 0.0), (leg.THIGH, thigh), (leg.SHIN, shin)):
            _, y, z = points[-1]
            points.append((x, y + leg.side * length * cos(elevation), z + length * sin(elevation)))
        axes: list[Point] = [(0.0, 0.0, 1.0), (leg.side, 0.0, 0.0), (leg.side, 0.0, 0.0)]
        upper = trunk
        for number, limb in enumerate(("hip", "thigh", "shin")):
            mass, radius = ((0.4, 0.02), (0.6, 0.018), (0.5, leg.FOOT))[number]
            lower = _limb(
                world,
                f"{leg.name} {limb}",
                points[number],
                points[number + 1],
                radius=radius,
                mass=mass,
                material=material,
            )
            motor = PositionMotor(
                position=partial(self._angle, leg, number, leg.angles(rest)),
                stiffness=self.stiffness,
                damping=0.02 * self.stiffness,
                limit=self.torque,
            )
            world.add_joint(
                Revolute(upper, lower, point=points[number], axis=axes[number], motor=motor)
            )
            upper = lower

    def _angle(self, leg: Leg, number: int, rest: Point, time: float) -> float:
        """Angle of a servo [rad], zero at rest; a shin's counts from its thigh."""
        bent = leg.angles(self._foot(leg, time))
        turned = [now - then for now, then in zip(bent, rest, strict=True)]
        return turned[2] - turned[1] if number == 2 else turned[number]


def _limb(
    world: World,
    name: str,
    start: Point,
    end: Point,
    *,
    radius: float,
    mass: float,
    material: Material,
) -> Body:
    """A capsule from point to point, in a plane x = constant; only shins touch the floor."""
    dy, dz = end[1] - start[1], end[2] - start[2]
    return world.add_body(
        Capsule(radius, hypot(dy, dz)),
        mass=mass,
        position=(start[0], start[1] + 0.5 * dy, start[2] + 0.5 * dz),
        orientation=turn_about((1.0, 0.0, 0.0), atan2(-dy, dz)),
        material=material,
        mask=0xFFFFFFFF if name.endswith("shin") else 0,
        name=name,
    )
