"""A packaging device: cams push products out of a magazine and into a box."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, pi, radians, sin, tau
from typing import ClassVar

from amontons.model.bodies import Body
from amontons.model.forces import LinearSpring
from amontons.model.joints import Gear, Prismatic, Revolute, SpeedMotor
from amontons.model.materials import Material
from amontons.model.shapes import Box, Compound, Cylinder, Part, Plane
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import turn_about

Point = tuple[float, float, float]

UP: Point = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Cam:
    """A round disc that turns about an axis beside its middle, and the pusher that runs on it.

    The pusher's flat back stands at radius + throw·cos(φ) from the axis, where φ is the angle from
    the direction of pushing to the disc's middle.
    """

    name: str
    push: tuple[float, float]
    """Direction in which it pushes, in the plane x y."""
    radius: float
    throw: float
    """From the axis to the middle of the disc [m]."""
    lead: float
    """φ at the start [rad]."""
    low: float
    """The pusher goes back no farther than where cos(φ) is this."""

    @property
    def heading(self) -> float:
        """Angle of the direction in which it pushes, from x [rad]."""
        return atan2(self.push[1], self.push[0])

    @property
    def stroke(self) -> float:
        """How far the pusher goes [m]."""
        return self.throw * (1.0 - self.low)

    def stand(self, angle: float) -> float:
        """Distance of the pusher's back from the axis [m], for an angle of the shaft [rad]."""
        return self.radius + self.throw * max(cos(self.lead + angle), self.low)


@dataclass(frozen=True)
class Packaging(Scene):
    """Two cams on geared shafts and a magazine of products above a table.

    At every turn the first cam pushes the lowest product out of the magazine, along x; the second
    then pushes it off the table, along y, into a box.
    """

    products: int = parameter(5, "how many products", low=1, high=100)
    turns: float = parameter(60.0, "turning speed of the cams", unit="1/min", low=1.0, high=300.0)
    stiffness: float = parameter(300.0, "of a pusher's spring", unit="N/m", low=1.0, high=1e6)
    friction: float = parameter(0.3, "Coulomb's coefficient", low=0.0, high=100.0)

    name: ClassVar[str] = "packaging"
    summary: ClassVar[str] = "cams push products out of a magazine and into a box"
    counted: ClassVar[str] = "products"
    advice: ClassVar[Advice] = Advice(time=6.0, step=1e-3, solver="auto", tolerance=1e-6)

    PRODUCT: ClassVar[tuple[float, float, float]] = (0.08, 0.1, 0.03)
    TABLE: ClassVar[float] = 0.3
    """Height of the table [m]."""
    FEED: ClassVar[Cam] = Cam("feed", (1.0, 0.0), 0.1, 0.0575, pi, -0.6)
    EJECT: ClassVar[Cam] = Cam("eject", (0.0, 1.0), 0.13, 0.08, radians(180.0 - 114.0), -0.4)
    REACH: ClassVar[float] = 0.16
    """From a pusher's face to its back [m]."""
    GREASED: ClassVar[Material] = Material(friction=0.02)

    def build(self) -> World:
        world = World()
        card = Material(friction=self.friction)
        world.add_body(Plane(), fixed=True, material=card, name="floor")
        self._add_frame(world, card)
        long, _, high = self.PRODUCT
        for number in range(self.products):
            world.add_body(
                Box(self.PRODUCT),
                density=400.0,
                position=(0.0, 0.0, self.TABLE + (number + 0.5) * high),
                material=card,
                name=f"product {number + 1}",
            )
        # a pusher's face at its farthest back: just behind the product that it will push
        feed = self._add_cam(world, self.FEED, face=(-0.5 * long - 0.005, 0.0), width=0.09)
        station = self.FEED.stroke - 0.005
        eject = self._add_cam(world, self.EJECT, face=(station, -0.056), width=0.06)
        (first, at), (second, other) = feed, eject
        world.add_joint(
            Gear(first, second, point_a=at, point_b=other, axis_a=UP, axis_b=UP, ratio=1.0)
        )
        return world

    # -- what stands still ------------------------------------------------------------------------

    def _add_frame(self, world: World, material: Material) -> None:
        """The table, the magazine's walls with a slot below, and the box."""
        long, wide, high = self.PRODUCT
        z, tall = self.TABLE, (self.products + 1) * high
        slot = 1.25 * high
        gap, thick = 0.0015, 0.01
        front, side = 0.5 * long + gap + 0.5 * thick, 0.5 * wide + gap + 0.5 * thick
        wall = Box((thick, wide, tall))
        cheek = Box((long, thick, tall + slot))
        table = Box((0.6, 0.11, 0.02))
        frame = Compound(
            [
                Part(table, (0.0, 0.0, z - 0.01)),
                Part(wall, (front, 0.0, z + slot + 0.5 * tall)),
                Part(wall, (-front, 0.0, z + slot + 0.5 * tall)),
                Part(cheek, (0.0, side, z + 0.5 * (tall + slot))),
                Part(cheek, (0.0, -side, z + 0.5 * (tall + slot))),
                *_open_box((0.09, 0.2), (0.2, 0.24), 0.12),
            ]
        )
        world.add_body(frame, fixed=True, placed_by="frame", material=material, name="frame")

    # -- what moves -------------------------------------------------------------------------------

    def _add_cam(
        self, world: World, cam: Cam, *, face: tuple[float, float], width: float
    ) -> tuple[Body, Point]:
        """A cam on its shaft and its pusher; `face` is where it pushes, farthest back [m]."""
        level = self.TABLE + 0.4 * self.PRODUCT[2]
        back = cam.stand(pi - cam.lead)
        ahead = cam.stand(0.0) - back  # of its farthest back, at the start
        shaft = _moved(face, cam.push, -back - self.REACH, level)
        disc = self._add_disc(world, cam, shaft)
        pusher = self._add_pusher(world, cam, _moved(face, cam.push, ahead, level + 1e-3), width)
        self._guide(world, cam, pusher, stop=-ahead)
        return disc, shaft

    def _add_disc(self, world: World, cam: Cam, shaft: Point) -> Body:
        angle = cam.lead + cam.heading
        disc = world.add_body(
            Cylinder(cam.radius, 0.02),
            density=7800.0,
            position=_moved(shaft[:2], (cos(angle), sin(angle)), cam.throw, shaft[2]),
            material=self.GREASED,
            name=f"{cam.name} cam",
        )
        motor = SpeedMotor(speed=tau * self.turns / 60.0, limit=50.0) if cam is self.FEED else None
        world.add_joint(Revolute(None, disc, point=shaft, axis=UP, motor=motor))
        return disc

    def _add_pusher(self, world: World, cam: Cam, face: Point, width: float) -> Body:
        """A block that pushes, and a bar at its back for the cam; its face is the origin."""
        low = 0.8 * self.PRODUCT[2]
        return world.add_body(
            Compound(
                [
                    Part(Box((0.12, width, low)), (-0.06, 0.0, 0.0)),
                    Part(Box((0.02, 0.03, low)), (-0.13, 0.0, 0.0)),
                    Part(Box((0.02, 0.26, low)), (0.01 - self.REACH, 0.0, 0.0)),
                ]
            ),
            mass=0.5,
            position=face,
            orientation=turn_about(UP, cam.heading),
            placed_by="frame",
            material=self.GREASED,
            name=f"{cam.name} pusher",
        )

    def _guide(self, world: World, cam: Cam, pusher: Body, stop: float) -> None:
        """A slide along which a spring pushes the pusher back, as far as its stop."""
        x, y, z = pusher.position.tolist()
        axis = (*cam.push, 0.0)
        far = _moved((x, y), cam.push, 0.5, z)
        world.add_joint(
            Prismatic(None, pusher, point=(x, y, z), axis=axis, limits=(stop - 1e-4, 0.2))
        )
        world.add_force(
            LinearSpring(
                None,
                pusher,
                point_a=far,
                point_b=(x, y, z),
                stiffness=self.stiffness,
                damping=1.0,
                length=0.5 - stop + 10.0 / self.stiffness,
            )
        )


def _moved(
    start: tuple[float, float], along: tuple[float, float], way: float, height: float
) -> Point:
    """A point some way along a direction in the plane x y, at a height [m]."""
    return start[0] + way * along[0], start[1] + way * along[1], height


def _open_box(centre: tuple[float, float], size: tuple[float, float], height: float) -> list[Part]:
    """Four walls on the floor about a rectangle [m]."""
    (x, y), (long, wide), thick = centre, size, 0.01
    up = 0.5 * height
    along, across = Box((long, thick, height)), Box((thick, wide, height))
    return [
        Part(along, (x, y - 0.5 * wide, up)),
        Part(along, (x, y + 0.5 * wide, up)),
        Part(across, (x - 0.5 * long, y, up)),
        Part(across, (x + 0.5 * long, y, up)),
    ]
