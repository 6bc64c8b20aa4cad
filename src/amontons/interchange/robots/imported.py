"""The result of importing a robot."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.interchange.file_scene import FileScene
from amontons.interchange.robots.left_out import LeftOut
from amontons.interchange.robots.mechanism import Actuator, Pose
from amontons.interchange.run_fields import RunOptions
from amontons.model.bodies import Body
from amontons.model.joints import Connection
from amontons.model.world import World

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Imported:
    """A robot in a world.

    The simulation that its scene makes moves this very world: `bodies`, `pose` and `joints` are
    those of the simulation.

    Parameters
    ----------
    world:
        With all of its bodies, joints and forces.
    name:
        The robot's own.
    bodies:
        By the names of links (URDF) or bodies (MJCF). Links that cannot move relative to each
        other share a body.
    joints:
        By name. A joint's angle or travel is zero in the initial configuration.
    configuration:
        The file's values of these zeros [rad or m], by joint.
    unsupported:
        What the file contains and the world does not; everything that is left out is listed.
    step:
        Length of a time step that the file asks for [s].
    """

    world: World
    name: str
    bodies: Mapping[str, Body]
    joints: dict[str, Connection]
    configuration: Mapping[str, float]
    unsupported: tuple[str, ...]
    step: float
    frames: Mapping[str, Pose]
    """Frames of links in those of their bodies, seen from the centre of mass."""
    actuators: Mapping[str, Actuator] = field(default_factory=dict)
    """What drives joints, by name: actuators (MJCF), or joints that have motors (URDF)."""
    simulated: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether the simulation of a scene moves its world."""

    def pose(self, link: str) -> tuple[Floats, Floats]:
        """Current position [m] and quaternion (w, x, y, z) of a link's own frame in the world."""
        body = self.bodies[link]
        now = Pose.of_quaternion(body.position, body.orientation).then(self.frames[link])
        return now.position, now.quaternion

    def scene(self, *, time: float = 3.0) -> FileScene:
        """The robot in its current pose, as a scene that can be run and saved.

        `scene().simulation()` moves the robot itself, whose handles follow; there can be one such
        simulation. `build()` returns a new copy of the world each time.
        """
        return RobotScene(
            self.world.copy(),
            name=self.name,
            summary=f"imported: {len(set(self.bodies.values()))} bodies, {len(self.joints)} joints",
            run=RunOptions(time=time, step=self.step),
            robot=self,
        )

    def with_velocities(self, twists: Mapping[str, Floats], left_out: LeftOut) -> Imported:
        """The same with velocities of links' frames (angular, then linear) and the final list."""
        for name, twist in twists.items():
            if name in self.bodies and np.isfinite(self.bodies[name].mass):
                body = self.bodies[name]
                arm = body.position - self.pose(name)[0]
                body.angular_velocity = twist[:3]
                body.velocity = twist[3:] + np.cross(twist[:3], arm)
        return dataclasses.replace(self, unsupported=tuple(left_out.lines()))

    def __repr__(self) -> str:
        return (
            f"<Imported {self.name!r}: {len(self.bodies)} links, {len(self.joints)} joints, "
            f"{len(self.unsupported)} things not carried over>"
        )


@dataclass(frozen=True, repr=False)
class RobotScene(FileScene):
    """A robot as a scene: `world` is its initial pose, and a simulation moves the robot itself."""

    robot: Imported = field(kw_only=True)

    def _world_to_move(self) -> World:
        if self.robot.simulated:
            raise InputError(
                f"a simulation moves the robot {self.name!r} already, and its handles can follow "
                "only one: go on with that simulation, load the file again, or simulate a copy: "
                "Simulation(scene.build(), step=...)"
            )
        object.__setattr__(self.robot, "simulated", True)
        return self.robot.world
