"""Worlds and robots as MJCF files."""

from __future__ import annotations

import math
import os
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from amontons.errors import InputError
from amontons.interchange.robots.assembly import SLACK
from amontons.interchange.robots.mechanism import Actuator, Pose
from amontons.interchange.robots.mjcf_shapes import ShapeWriting, numbers
from amontons.interchange.robots.outline import Exportable, RobotBody, RobotOutline, outline_of
from amontons.model.forces import Bushing, TorsionSpring
from amontons.model.joints import (
    Connection,
    Fixed,
    Motor,
    PositionMotor,
    Prismatic,
    Revolute,
    Rope,
    SpeedMotor,
    Spherical,
    TorqueMotor,
)
from amontons.storage.writing import replacing

KINDS = {Revolute: "hinge", Prismatic: "slide", Spherical: "ball"}


def save_mjcf(
    what: Exportable, path: str | os.PathLike[str], *, step: float | None = None
) -> tuple[str, ...]:
    """Write a world or a robot, as it was before its first step, to an MJCF file.

    Bodies become bodies with the same masses, inertias and places; their frames are at their
    centres of mass. Of joints, hinges, slides, balls and fixed ones are written, with limits,
    friction, armature, springs and motors. MuJoCo takes the convex hull of every mesh.

    Parameters
    ----------
    what:
        A `World` or a `Robot`.
    step:
        Length of a time step [s]; by default that of the robot's file, or MuJoCo's own.

    Returns
    -------
    What the world contains and the file does not, one line for each.
    """
    if Path(path).suffix.lower() not in (".xml", ".mjcf"):
        raise InputError(f"an MJCF file ends in .xml, got {os.fspath(path)!r}")
    outline = outline_of(what)
    writing = _MjcfWriting(outline)
    root = writing.root(step)
    ElementTree.indent(root)
    with replacing(Path(path)) as stream:
        stream.write(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))
    return tuple(outline.left_out.lines())


class _MjcfWriting:
    """The parts of an MJCF file."""

    def __init__(self, outline: RobotOutline) -> None:
        self.outline, self.note = outline, outline.left_out.add
        self.assets = Element("asset")
        self.shapes = ShapeWriting(self.assets, outline.left_out)
        self.by_joint: dict[str, list[tuple[str, Actuator]]] = {}
        for name, actuator in outline.actuators.items():
            self.by_joint.setdefault(actuator.joint, []).append((name, actuator))

    def root(self, step: float | None) -> Element:
        outline, world = self.outline, self.outline.world
        root = Element("mujoco", model=outline.name)
        SubElement(root, "compiler", angle="radian", autolimits="true")
        option = SubElement(root, "option", gravity=numbers(world.gravity))
        length = outline.step if step is None else step
        if length is not None:
            option.set("timestep", repr(float(length)))
        body = SubElement(root, "worldbody")
        for node in outline.roots:
            self._add(body, node, Pose(np.zeros(3), np.eye(3)))
        if len(self.assets):
            root.insert(2, self.assets)
        self._add_motors(SubElement(root, "actuator"))
        self._add_loops(SubElement(root, "equality"))
        contact = SubElement(root, "contact")
        for one, other in outline.apart:
            SubElement(contact, "exclude", body1=one, body2=other)
        for empty in [each for each in root if each.tag != "worldbody" and not each.attrib]:
            if not len(empty):
                root.remove(empty)
        self._list_the_rest()
        return root

    def _list_the_rest(self) -> None:
        world = self.outline.world
        for words, count in (
            ("forces that act on bodies", len(world.forces)),
            ("bonds", len(world.bonds)),
            ("sources, sinks and meters", len(world.flows)),
            ("sensors", len(world.sensors)),
        ):
            if count:
                self.note(f"{words} ({count})")
        if world.bodies.twist[world.bodies.dynamic].any():
            self.note("velocities at the start")

    # -- bodies -----------------------------------------------------------------------------------

    def _add(self, parent: Element, node: RobotBody, frame: Pose) -> None:
        pose, body = node.pose, node.body
        local = pose.seen_from(frame)
        element = SubElement(
            parent, "body", name=node.name, pos=numbers(local.position),
            quat=numbers(local.quaternion),
        )  # fmt: skip
        if node.moves:
            if node.joint is None:
                SubElement(element, "freejoint")
            self._add_joint(element, node, pose)
            own = body.world.bodies.inertia[body.index]
            xx, yy, zz, xy, xz, yz = own[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist()
            SubElement(
                element, "inertial", pos="0 0 0", mass=repr(float(body.mass)),
                fullinertia=numbers([xx, yy, zz, xy, xz, yz]),
            )  # fmt: skip
        elif body.world.bodies.kinematic[body.index]:
            self.note("motions that are prescribed: these bodies are fixed", node.name)
        self.shapes.add_geoms(element, node)
        for child in node.children:
            self._add(element, child, pose)

    def _add_joint(self, element: Element, node: RobotBody, pose: Pose) -> None:
        joint = node.joint
        if joint is None or isinstance(joint, Fixed):
            return
        assert isinstance(joint, Revolute | Prismatic | Spherical)
        place = pose.rotation.T @ (np.array(joint.point) - pose.position)
        made = SubElement(
            element, "joint", name=node.joint_name, type=KINDS[type(joint)], pos=numbers(place)
        )
        if isinstance(joint, Spherical):
            return
        made.set("axis", numbers(pose.rotation.T @ np.array(joint.axis)))
        made.set("ref", repr(node.ref))
        if joint.limits is not None:
            made.set("range", numbers(np.add(joint.limits, node.ref)))
        for name, value in (("frictionloss", joint.friction), ("armature", joint.armature)):
            if value:
                made.set(name, repr(float(value)))
        if joint.load_friction:
            self.note("friction of joints that grows with the load", node.joint_name)
        if joint.compliance or joint.angular_compliance:
            self.note("compliance of joints: they are rigid", node.joint_name)
        for spring in node.springs:
            stiffness, damping, rest = _spring(spring)
            made.set("stiffness", repr(stiffness))
            made.set("damping", repr(damping))
            made.set("springref", repr(rest + node.ref))
        if len(node.springs) > 1:
            self.note("second springs of joints", node.joint_name)

    # -- motors -----------------------------------------------------------------------------------

    def _add_motors(self, element: Element) -> None:
        for node in self.outline.nodes:
            motor = getattr(node.joint, "motor", None)
            if motor is None:
                continue
            known = self.by_joint.get(node.joint_name)
            if known is None:
                known = [(node.joint_name, self._untold(motor, node))]
            for name, actuator in known:
                law = _force_law(motor, actuator, node.ref)
                if law is None:
                    self.note("rigid motors: MuJoCo's are springs and dampers", node.joint_name)
                    continue
                made = SubElement(
                    element, "general", name=name, joint=node.joint_name, gainprm=repr(law[0]),
                    biastype="affine", biasprm=numbers(law[1:]),
                )  # fmt: skip
                if math.isfinite(actuator.low) and math.isfinite(actuator.high):
                    made.set("ctrlrange", numbers([actuator.low, actuator.high]))
                if math.isfinite(motor.limit):
                    made.set("forcerange", numbers([-motor.limit, motor.limit]))

    def _untold(self, motor: Motor, node: RobotBody) -> Actuator:
        """An actuator whose control of zero is what the motor does without being told."""
        target = next(
            getattr(motor, name) for name in ("torque", "speed", "position") if hasattr(motor, name)
        )
        if callable(target):
            self.note("commands that are functions of time: zero", node.joint_name)
            target = 0.0
        return Actuator(node.joint_name, offset=float(target))

    # -- loops ------------------------------------------------------------------------------------

    def _add_loops(self, element: Element) -> None:
        names = {node.body.id: node.name for node in self.outline.nodes}
        poses = {node.body.id: node.pose for node in self.outline.nodes}
        for joint in self.outline.loops:
            title = joint.name or joint.title
            first, second = joint.bodies
            if isinstance(joint, Rope) and joint.length == SLACK:
                continue
            if not isinstance(joint, Fixed | Spherical) or second is None:
                self.note("joints, springs and ropes that have no counterpart", title)
                continue
            if first is None:
                first, second = second, None
            pose = poses[first]
            tied = {"name": title, "body1": names[first]}
            if second is not None:
                tied["body2"] = names[second]
            if isinstance(joint, Spherical):
                place = pose.rotation.T @ (np.array(joint.point) - pose.position)
                tied["anchor"] = numbers(place)
            SubElement(element, "weld" if isinstance(joint, Fixed) else "connect", tied)


def _spring(spring: Connection) -> tuple[float, float, float]:
    """Stiffness, damping, and where it is at rest, counted from the start."""
    if isinstance(spring, TorsionSpring):
        return float(spring.stiffness), float(spring.damping), float(spring.angle)
    assert isinstance(spring, Bushing)
    along, slow = (np.ravel(each)[0] for each in (spring.stiffness, spring.damping))
    return float(along), float(slow), 0.0


def _force_law(
    motor: Motor, actuator: Actuator, ref: float
) -> tuple[float, float, float, float] | None:
    """Gain, and bias of zero, first and second order: force = g u + b₀ + b₁ q + b₂ q̇.

    A command is factor·u + offset; that of a position counts from the start, where q = ref.
    """
    factor, offset = actuator.factor, actuator.offset
    if isinstance(motor, TorqueMotor):
        return factor, offset, 0.0, 0.0
    if isinstance(motor, SpeedMotor) and math.isfinite(motor.damping):
        d = motor.damping
        return d * factor, d * offset, 0.0, -d
    if isinstance(motor, PositionMotor) and math.isfinite(motor.stiffness):
        k = motor.stiffness
        return k * factor, k * (offset + ref), -k, -motor.damping
    return None
