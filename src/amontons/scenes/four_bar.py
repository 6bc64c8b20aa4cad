"""The four-bar linkage."""

from __future__ import annotations

from dataclasses import dataclass
from math import acos, atan2, cos, hypot, pi, radians, sin
from typing import ClassVar

from amontons.errors import InputError
from amontons.model.bodies import Body
from amontons.model.joints import Revolute, SpeedMotor
from amontons.model.shapes import Box
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import turn_about

Point = tuple[float, float]


@dataclass(frozen=True)
class FourBar(Scene):
    """A crank that a motor turns, a coupler and a rocker, in the plane y = 0."""

    crank: float = parameter(0.4, "length of the crank", unit="m", low=1e-3, high=100.0)
    coupler: float = parameter(1.2, "length of the coupler", unit="m", low=1e-3, high=100.0)
    rocker: float = parameter(0.9, "length of the rocker", unit="m", low=1e-3, high=100.0)
    ground: float = parameter(1.1, "distance of the fixed bearings", unit="m", low=1e-3, high=100.0)
    angle: float = parameter(60.0, "of the crank at the start", unit="°", low=-360.0, high=360.0)
    turns: float = parameter(40.0, "turning speed of the crank", unit="1/min", low=-1e3, high=1e3)

    name: ClassVar[str] = "four_bar"
    summary: ClassVar[str] = "a motor turns the crank of a four-bar linkage"
    advice: ClassVar[Advice] = Advice(time=3.0, step=4e-3, solver="auto", tolerance=1e-6)

    def check(self) -> None:
        """Grashof: the crank goes round if it is shortest and two sides outweigh the others."""
        sides = sorted((self.crank, self.coupler, self.rocker, self.ground))
        if sides[0] != self.crank or sides[0] + sides[3] > sides[1] + sides[2]:
            raise InputError(
                f"a crank of {self.crank:g} m cannot turn all the way round between bars of "
                f"{self.coupler:g}, {self.rocker:g} and {self.ground:g} m: it must be the "
                "shortest, and with the longest no longer than the other two (Grashof)"
            )

    def build(self) -> World:
        world = World()
        base, far = (0.0, 1.0), (self.ground, 1.0)
        tip = (
            base[0] + self.crank * cos(radians(self.angle)),
            base[1] + self.crank * sin(radians(self.angle)),
        )
        joint = self._elbow(tip, far)
        crank = self._bar(world, "crank", base, tip, -1.0)
        coupler = self._bar(world, "coupler", tip, joint, 0.0)
        rocker = self._bar(world, "rocker", far, joint, 1.0)
        # the crank's angle counts about y, from z to x: against the usual sense in the x z plane
        motor = SpeedMotor(speed=-2.0 * pi * self.turns / 60.0)
        self._hinge(world, None, crank, base, motor)
        self._hinge(world, crank, coupler, tip)
        self._hinge(world, coupler, rocker, joint)
        self._hinge(world, None, rocker, far)
        return world

    def _elbow(self, tip: Point, far: Point) -> Point:
        """Where coupler and rocker meet: the upper crossing of two circles."""
        dx, dz = far[0] - tip[0], far[1] - tip[1]
        d = hypot(dx, dz)
        inner = acos((self.coupler**2 + d**2 - self.rocker**2) / (2.0 * self.coupler * d))
        along = atan2(dz, dx) + inner
        return tip[0] + self.coupler * cos(along), tip[1] + self.coupler * sin(along)

    def _bar(self, world: World, name: str, start: Point, end: Point, layer: float) -> Body:
        thick = 0.04
        dx, dz = end[0] - start[0], end[1] - start[1]
        return world.add_body(
            Box((hypot(dx, dz) + thick, 0.8 * thick, thick)),
            density=2700.0,
            position=(start[0] + 0.5 * dx, layer * thick, start[1] + 0.5 * dz),
            orientation=turn_about((0.0, 1.0, 0.0), -atan2(dz, dx)),
            name=name,
            mask=0,
        )

    def _hinge(
        self, world: World, a: Body | None, b: Body, at: Point, motor: SpeedMotor | None = None
    ) -> None:
        point = (at[0], 0.0, at[1])
        world.add_joint(Revolute(a, b, point=point, axis=(0.0, 1.0, 0.0), motor=motor))
