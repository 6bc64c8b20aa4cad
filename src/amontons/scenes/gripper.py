"""A radial gripper: a cone between three jaws opens them, springs close them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, hypot, pi, sin, tau
from typing import ClassVar

from amontons.model.bodies import Body
from amontons.model.forces import LinearSpring
from amontons.model.joints import PositionMotor, Prismatic
from amontons.model.materials import Material
from amontons.model.shapes import Box, Compound, Cone, Cylinder, Part, Plane, Sphere
from amontons.model.signals import Schedule
from amontons.model.world import World
from amontons.scenes.base import Advice, Scene, parameter
from amontons.scenes.placement import turn_about

UP = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Gripper(Scene):
    """A gripper takes a part, carries it along x, puts it down and lets go.

    Heights within the gripper count from the balls with which the jaws run on the cone.
    """

    jaws: int = parameter(3, "how many jaws", low=2, high=6)
    squeeze: float = parameter(80.0, "force of a jaw's spring", unit="N", low=1.0, high=1e4)
    carry: float = parameter(0.4, "how far the part is carried in x", unit="m", low=-2.0, high=2.0)
    lift: float = parameter(0.2, "of the part", unit="m", low=0.0, high=2.0)
    mass: float = parameter(1.0, "of the part", unit="kg", low=1e-3, high=100.0)
    friction: float = parameter(0.5, "Coulomb's coefficient", low=0.0, high=100.0)

    name: ClassVar[str] = "gripper"
    summary: ClassVar[str] = "a radial gripper with a conical cam takes a part and puts it down"
    counted: ClassVar[str] = "jaws"
    advice: ClassVar[Advice] = Advice(time=5.0, step=2e-3, solver="auto", tolerance=1e-6)

    PART: ClassVar[tuple[float, float]] = (0.05, 0.08)
    """Radius and height of the part [m]."""
    BELOW: ClassVar[float] = 0.125
    """From the balls down to the middle of a part in the jaws [m]."""
    CONE: ClassVar[tuple[float, float]] = (0.06, 0.12)
    """Radius and height of the cone, tip down [m]."""
    TIP: ClassVar[float] = 0.08
    """How far the cone's tip is below the balls where the jaws are open [m]."""
    BALL: ClassVar[float] = 0.01
    ABOVE: ClassVar[float] = 0.12
    """How far above the part the gripper begins [m]."""

    def build(self) -> World:
        world = World()
        rubber = Material(friction=self.friction)
        world.add_body(Plane(), fixed=True, material=rubber, name="floor")
        world.add_body(
            Cylinder(*self.PART),
            mass=self.mass,
            position=(0.0, 0.0, 0.5 * self.PART[1]),
            material=rubber,
            name="part",
        )
        head = self._add_carriage(world)
        self._add_cone(world, head)
        for number in range(self.jaws):
            self._add_jaw(world, head, number, rubber)
        return world

    # -- what happens when ------------------------------------------------------------------------

    @property
    def height(self) -> float:
        """Of the balls at the start [m]."""
        return 0.5 * self.PART[1] + self.BELOW + self.ABOVE

    def along(self) -> Callable[[float], float]:
        """The way of the carriage along x [m] over time."""
        return Schedule([(2.0, 0.0), (3.0, self.carry)])

    def upward(self) -> Callable[[float], float]:
        """The way of the head upwards [m] over time."""
        down, up = -self.ABOVE, self.lift - self.ABOVE
        times = (0.1, 0.7, 1.3, 2.0, 3.0, 3.6, 4.2, 4.8)
        heights = (0.0, down, down, up, up, down, down, 0.0)
        return Schedule(list(zip(times, heights, strict=True)))

    def wedge(self) -> Callable[[float], float]:
        """The way of the cone upwards in the head [m] over time: up closes the jaws."""
        return Schedule([(0.7, 0.0), (1.2, 0.04), (3.7, 0.04), (4.2, 0.0)])

    # -- what it is made of -----------------------------------------------------------------------

    def _add_carriage(self, world: World) -> Body:
        """A carriage on a rail along x, and a head that goes up and down in it."""
        top = self.height + 0.2
        slide = world.add_body(
            Box((0.12, 0.12, 0.06)), mass=10.0, position=(0.0, 0.0, top + 0.3), mask=0, name="slide"
        )
        head = world.add_body(
            Compound(
                [
                    Part(Cylinder(0.13, 0.02), (0.0, 0.0, 0.0)),
                    Part(Cylinder(0.02, 0.3), (0.0, 0.0, 0.16)),
                ]
            ),
            mass=6.0,
            position=(0.0, 0.0, self.height + 0.11),
            placed_by="frame",
            mask=0,
            name="head",
        )
        at = (0.0, 0.0, top)
        world.add_joint(
            Prismatic(
                None, slide, point=at, axis=(1, 0, 0), motor=PositionMotor(position=self.along())
            )
        )
        world.add_joint(
            Prismatic(slide, head, point=at, axis=UP, motor=PositionMotor(position=self.upward()))
        )
        return head

    def _add_cone(self, world: World, head: Body) -> None:
        radius, height = self.CONE
        place = (0.0, 0.0, self.height - self.TIP + 0.75 * height)
        cone = world.add_body(
            Cone(radius, height),
            mass=0.5,
            position=place,
            orientation=turn_about((1.0, 0.0, 0.0), pi),  # tip down
            material=Material(friction=0.05),
            name="cone",
        )
        world.add_joint(
            Prismatic(head, cone, point=place, axis=UP, motor=PositionMotor(position=self.wedge()))
        )

    def _add_jaw(self, world: World, head: Body, number: int, material: Material) -> None:
        """A ball that runs on the cone, an arm outwards and a finger down; along x, then turned."""
        radius, height = self.CONE
        slope = radius / height
        ball = slope * self.TIP + self.BALL * hypot(1.0, slope)
        pad = self.PART[0] + 0.012
        arm = pad + 0.01 - ball
        shape = Compound(
            [
                Part(Sphere(self.BALL), (ball, 0.0, 0.0)),
                Part(Box((arm, 0.016, 0.012)), (ball + 0.5 * arm, 0.0, 0.0)),
                Part(Box((0.012, 0.024, 0.15)), (pad + 0.006, 0.0, -0.07)),
            ]
        )
        angle = tau * number / self.jaws
        out = (cos(angle), sin(angle), 0.0)
        jaw = world.add_body(
            shape,
            mass=0.3,
            position=(0.0, 0.0, self.height),
            orientation=turn_about(UP, angle),
            placed_by="frame",
            material=material,
            name=f"jaw {number + 1}",
        )
        near, far = ((r * out[0], r * out[1], self.height) for r in (pad, pad + 0.2))
        world.add_joint(Prismatic(head, jaw, point=near, axis=out, limits=(-0.03, 0.03)))
        stiffness = 500.0
        world.add_force(
            LinearSpring(
                head,
                jaw,
                point_a=far,
                point_b=near,
                stiffness=stiffness,
                damping=20.0,
                length=0.2 + self.squeeze / stiffness,
            )
        )
