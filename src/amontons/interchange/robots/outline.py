"""A world as trees of bodies, which is how files of robots describe it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from amontons.errors import InputError
from amontons.interchange.robots.imported import Imported
from amontons.interchange.robots.left_out import LeftOut
from amontons.interchange.robots.mechanism import Actuator, Pose
from amontons.model.bodies import Body
from amontons.model.forces import Bushing, TorsionSpring
from amontons.model.joints import Connection, Fixed, Prismatic, Revolute, Rope, Spherical
from amontons.model.world import World
from amontons.simulation.movers import mover_of

TREE_JOINTS = (Revolute, Prismatic, Spherical, Fixed)
"""What a body may hang on in a file."""


@runtime_checkable
class FromFile(Protocol):
    """What was made of an imported robot, such as `amontons.Robot`."""

    @property
    def imported(self) -> Imported:
        """The robot as it was read."""


Exportable = World | Imported | FromFile


@dataclass(eq=False)
class RobotBody:
    """A body of a tree, and what it hangs on."""

    body: Body
    name: str
    joint: Connection | None = None
    """Between the body and its parent; None: it is free, or fixed in the world."""
    joint_name: str = ""
    ref: float = 0.0
    """The file's value of the joint where it was added [rad or m]."""
    springs: list[Connection] = field(default_factory=list)
    """That act on the joint's coordinate."""
    children: list[RobotBody] = field(default_factory=list)

    @property
    def pose(self) -> Pose:
        """Of its centre of mass and axes in the world."""
        return Pose.of_quaternion(self.body.position, self.body.orientation)

    @property
    def moves(self) -> bool:
        """Whether it has a mass."""
        return bool(self.body.world.bodies.dynamic[self.body.index])


@dataclass(eq=False)
class RobotOutline:
    """Trees of a world, and what closes loops between them."""

    world: World
    name: str
    roots: list[RobotBody]
    loops: list[Connection]
    apart: list[tuple[str, str]]
    """Bodies that never touch, though no joint of a tree connects them."""
    actuators: dict[str, Actuator]
    """By name, of joints by their names in the outline."""
    step: float | None
    left_out: LeftOut

    @property
    def nodes(self) -> list[RobotBody]:
        """All of them, parents first."""
        found, waiting = [], self.roots[::-1]
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting += node.children[::-1]
        return found


def outline_of(what: Exportable) -> RobotOutline:
    """The outline of a world in which no step has been taken yet."""
    imported = what.imported if isinstance(what, FromFile) else what
    world = imported.world if isinstance(imported, Imported) else imported
    if not isinstance(world, World):
        raise InputError(f"a World or a Robot can be saved as a robot file, got {what!r}")
    mover = mover_of(world)
    if mover is not None and mover.steps > 0:
        raise InputError(
            "a simulation has moved this world, and joints are described by where they were "
            "added: save it before its first step"
        )
    named = imported.joints if isinstance(imported, Imported) else {}
    zeros = dict(imported.configuration) if isinstance(imported, Imported) else {}
    building = _Building(world, {id(joint): name for name, joint in named.items()}, zeros)
    outline = building.outline()
    if isinstance(imported, Imported):
        outline.name, outline.step = imported.name, imported.step
        outline.actuators = dict(imported.actuators)
    return outline


class _Building:
    def __init__(self, world: World, names: dict[int, str], zeros: dict[str, float]) -> None:
        self.world, self.names, self.zeros = world, names, zeros
        self.left_out = LeftOut()
        self.taken = {"world"}  # which MJCF calls its own

    def outline(self) -> RobotOutline:
        world = self.world
        bodies = [world.body(int(each)) for each in world.bodies.id]
        nodes = {
            body.id: RobotBody(body, self._free(body.name or f"body {body.id}")) for body in bodies
        }
        hung = self._hung(nodes)
        loops, apart = [], []
        for joint in world.joints:
            if any(joint is each.joint for each in nodes.values()) or self._spring(joint, nodes):
                continue
            a, b = joint.bodies
            if a is not None and b is not None and not joint.collide:
                apart.append((nodes[a].name, nodes[b].name))
            if not (isinstance(joint, Rope) and a is not None and not joint.collide):
                loops.append(joint)
        for node in nodes.values():
            if node.joint is not None:
                carrier = node.joint.bodies[0]
                if carrier is not None and node.joint.collide:
                    self.left_out.add("contacts of bodies that a joint connects", node.name)
                elif carrier is not None and not nodes[carrier].moves:
                    apart.append((nodes[carrier].name, node.name))
                node.joint_name = self._joint_name(node.joint, node)
                node.ref = self.zeros.get(self.names.get(id(node.joint), ""), 0.0)
        roots = [node for each, node in nodes.items() if each not in hung]
        return RobotOutline(world, "world", roots, loops, apart, {}, None, self.left_out)

    def _hung(self, nodes: dict[int, RobotBody]) -> set[int]:
        """Give bodies their parents, each the first that does not close a loop."""
        above: dict[int, int | None] = {}
        for joint in self.world.joints:
            a, b = joint.bodies
            if not isinstance(joint, TREE_JOINTS) or b is None or b in above or not nodes[b].moves:
                continue
            up: int | None = a
            while up is not None and up != b:
                up = above.get(up)
            if up == b:
                continue
            above[b] = a
            nodes[b].joint = joint
            if a is not None:
                nodes[a].children.append(nodes[b])
        return {each for each, a in above.items() if a is not None}

    def _spring(self, joint: Connection, nodes: dict[int, RobotBody]) -> bool:
        """Whether it is the spring of a hinge or slide; then the node has it."""
        for node in nodes.values():
            own = node.joint
            if own is None or own.bodies != joint.bodies:
                continue
            if isinstance(joint, TorsionSpring) and isinstance(own, Revolute):
                fits = bool(np.allclose(joint.axis, own.axis, rtol=0.0, atol=1e-12))
            elif isinstance(joint, Bushing) and isinstance(own, Prismatic):
                fits = _acts_along(joint, np.array(own.axis))
            else:
                continue
            if fits:
                node.springs.append(joint)
                return True
        return False

    def _joint_name(self, joint: Connection, node: RobotBody) -> str:
        known = self.names.get(id(joint)) or joint.name
        return known or f"joint of {node.name}"

    def _free(self, name: str) -> str:
        """A name that no other body has."""
        unique, number = name, 2
        while unique in self.taken:
            unique, number = f"{name} {number}", number + 1
        self.taken.add(unique)
        return unique


def _acts_along(bushing: Bushing, axis: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> bool:
    """Whether a bushing acts along the first of its axes alone, and this is it."""
    others = [
        np.broadcast_to(np.asarray(value, dtype=float), 3)[first:]
        for value, first in (
            (bushing.stiffness, 1), (bushing.damping, 1), (bushing.angular_stiffness, 0),
            (bushing.angular_damping, 0),
        )
    ]  # fmt: skip
    alone = not any(each.any() for each in others)
    return alone and bool(np.allclose(bushing.axes[0], axis, rtol=0.0, atol=1e-12))
