"""Robots as URDF files."""

from __future__ import annotations

import math
import os
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from scipy.spatial.transform import Rotation

from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.interchange.robots.mechanism import Pose
from amontons.interchange.robots.mjcf_shapes import numbers
from amontons.interchange.robots.outline import Exportable, RobotBody, RobotOutline, outline_of
from amontons.model.forces import Bushing, TorsionSpring
from amontons.model.joints import Fixed, Prismatic, Revolute
from amontons.model.shapes import Box, Capsule, Cylinder, Shape, Sphere
from amontons.model.shapes.compound import leaves
from amontons.model.shapes.hull import Polyhedron
from amontons.storage.writing import replacing

FASTEST = 1e9
"""Largest speed of a joint in a file: URDF wants one, and joints here have none."""


def save_urdf(what: Exportable, path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Write a robot, as it was before its first step, to a URDF file.

    It must be one tree of hinges, slides and fixed joints, with a base that is free or fixed. A
    link's frame is at its joint. Convex hulls are written to OBJ files beside it. URDF does not
    say where a free base is: `load_urdf` takes that as `position` and `orientation`.

    Returns
    -------
    What the world contains and the file does not, one line for each.
    """
    path = Path(path)
    if path.suffix.lower() != ".urdf":
        raise InputError(f"a URDF file ends in .urdf, got {os.fspath(path)!r}")
    writing = _UrdfWriting(outline_of(what), path)
    root = writing.root()
    ElementTree.indent(root)
    for name, text in writing.meshes.items():
        with replacing(path.with_name(name)) as stream:
            stream.write(text.encode())
    with replacing(path) as stream:
        stream.write(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))
    return tuple(writing.outline.left_out.lines())


UPRIGHT = 1e-9
"""Cosine of a pitch that counts as a right angle."""


class _UrdfWriting:
    """The parts of a URDF file."""

    def __init__(self, outline: RobotOutline, path: Path) -> None:
        self.outline, self.path, self.note = outline, path, outline.left_out.add
        self.meshes: dict[str, str] = {}

    def root(self) -> Element:
        outline = self.outline
        trees = [node for node in outline.roots if node.moves or node.children]
        hung = [node for node in trees if node.joint is not None]
        if len(trees) != 1 and len(hung) != len(trees):
            raise InputError(
                f"URDF holds one tree, and this world has {len(trees)}: "
                f"{', '.join(node.name for node in trees[:5])}; save_mjcf can hold them"
            )
        robot = Element("robot", name=outline.name)
        for node in outline.roots:
            if node not in trees:
                self.note("bodies that are not part of the tree", node.name)
        world = Pose(np.zeros(3), np.eye(3))
        if hung:
            SubElement(robot, "link", name="world")
        for node in trees:
            if node.joint is None:
                self._add(robot, node, node.pose)
            else:
                self._add_joint(robot, node, "world", world)
        for joint in outline.loops:
            self.note("joints that close loops, springs and ropes", joint.name or joint.title)
        return robot

    def _add(self, robot: Element, node: RobotBody, frame: Pose) -> None:
        """A link whose frame is there, and all that hangs on it."""
        link, body = SubElement(robot, "link", name=node.name), node.body
        if node.moves:
            inertial, own = SubElement(link, "inertial"), body.world.bodies.inertia[body.index]
            _add_origin(inertial, node.pose.seen_from(frame))
            SubElement(inertial, "mass", value=repr(float(body.mass)))
            values = {
                f"i{'xyz'[i]}{'xyz'[j]}": repr(float(own[i, j]))
                for i in range(3)
                for j in range(i, 3)
            }
            SubElement(inertial, "inertia", values)
        self._add_shapes(link, node, frame)
        for child in node.children:
            self._add_joint(robot, child, node.name, frame)

    def _add_joint(self, robot: Element, node: RobotBody, parent: str, above: Pose) -> None:
        """The joint that a link hangs on, and the link."""
        joint, pose = node.joint, node.pose
        if not isinstance(joint, Revolute | Prismatic | Fixed):
            raise InputError(
                f"{node.joint_name!r} is neither a hinge nor a slide nor fixed, and URDF has no "
                "others that move; save_mjcf can hold ball joints"
            )
        limits = getattr(joint, "limits", None)
        kind = "fixed"
        if isinstance(joint, Revolute):
            kind = "continuous" if limits is None else "revolute"
        elif isinstance(joint, Prismatic):
            kind = "prismatic"
        made = SubElement(robot, "joint", name=node.joint_name, type=kind)
        SubElement(made, "parent", link=parent)
        SubElement(made, "child", link=node.name)
        frame = Pose(np.array(joint.point), pose.rotation)
        _add_origin(made, _at_zero(node, frame).seen_from(above))
        if isinstance(joint, Revolute | Prismatic):
            axis = pose.rotation.T @ np.array(joint.axis)
            SubElement(made, "axis", xyz=numbers(axis))
            effort = math.inf if joint.motor is None else joint.motor.limit
            limit = {"effort": repr(min(effort, FASTEST)), "velocity": repr(FASTEST)}
            if limits is not None:
                low, high = (each + node.ref for each in limits)
                limit |= {"lower": repr(low), "upper": repr(high)}
            SubElement(made, "limit", limit)
            damping = self._damping(node)
            SubElement(made, "dynamics", damping=repr(damping), friction=repr(joint.friction))
            for name in ("armature", "motor"):
                if getattr(joint, name):
                    self.note(f"{name}s of joints", node.joint_name)
            if joint.load_friction:
                self.note("friction of joints that grows with the load", node.joint_name)
        self._add(robot, node, frame)

    def _damping(self, node: RobotBody) -> float:
        total = 0.0
        for spring in node.springs:
            assert isinstance(spring, TorsionSpring | Bushing)
            total += float(np.ravel(spring.damping)[0])
            if np.any(spring.stiffness):
                self.note("springs of joints", node.joint_name)
        return total

    # -- shapes -----------------------------------------------------------------------------------

    def _add_shapes(self, link: Element, node: RobotBody, frame: Pose) -> None:
        body = node.body
        bodies = body.world.bodies
        origin = np.array(body.world.origins).reshape(-1, 3)[int(bodies.shape[body.index])]
        tag = "collision" if bodies.mask[body.index] else "visual"
        for leaf in leaves(body.shape):
            inside = Pose.of_quaternion(np.array(leaf.position) - origin, leaf.orientation)
            place = node.pose.then(inside).seen_from(frame)
            for shift, geometry in self._geometries(leaf.shape, node.name):
                element = SubElement(link, tag)
                _add_origin(element, Pose(place.point(shift), place.rotation))
                SubElement(element, "geometry").append(geometry)
        if tag == "collision":
            material, contact = body.material, SubElement(link, "contact")
            for name in ("friction", "rolling_friction", "spinning_friction", "restitution"):
                theirs = "lateral_friction" if name == "friction" else name
                SubElement(contact, theirs, value=repr(getattr(material, name)))
            if material.compliance > 0.0:
                stiffness = 1.0 / material.compliance
                SubElement(contact, "stiffness", value=repr(stiffness))
                SubElement(contact, "damping", value=repr(material.damping * stiffness))

    def _geometries(self, shape: Shape, name: str) -> list[tuple[Floats, Element]]:
        """Elements of a shape, and where they are in its frame."""
        here = np.zeros(3)
        if isinstance(shape, Sphere):
            return [(here, Element("sphere", radius=repr(shape.radius)))]
        if isinstance(shape, Box):
            return [(here, Element("box", size=numbers(shape.size)))]
        if isinstance(shape, Cylinder):
            return [(here, _cylinder(shape.radius, shape.height))]
        if isinstance(shape, Capsule):  # which URDF does not know
            up = np.array([0.0, 0.0, 0.5 * shape.length])
            ends = [(end, Element("sphere", radius=repr(shape.radius))) for end in (up, -up)]
            return [(here, _cylinder(shape.radius, shape.length)), *ends]
        if isinstance(shape, Polyhedron):
            file = f"{self.path.stem}-{len(self.meshes) + 1}.obj"
            self.meshes[file] = _obj(shape)
            return [(here, Element("mesh", filename=file))]
        self.note(f"shapes that URDF does not know ({type(shape).__name__})", name)
        return []


def _cylinder(radius: float, length: float) -> Element:
    return Element("cylinder", radius=repr(radius), length=repr(length))


def _obj(shape: Polyhedron) -> str:
    """The triangles of a polyhedron as an OBJ file."""
    points, triangles = shape.surface_mesh()
    lines = [f"v {numbers(point)}" for point in points]
    lines += [f"f {a} {b} {c}" for a, b, c in (np.asarray(triangles) + 1).tolist()]
    return "\n".join(lines) + "\n"


def _at_zero(node: RobotBody, frame: Pose) -> Pose:
    """A link's frame where the file's value of its joint is zero."""
    joint = node.joint
    if isinstance(joint, Revolute):
        back = Rotation.from_rotvec(-node.ref * np.array(joint.axis)).as_matrix()
        return Pose(frame.position, back @ frame.rotation)
    if isinstance(joint, Prismatic):
        return Pose(frame.position - node.ref * np.array(joint.axis), frame.rotation)
    return frame


def _add_origin(element: Element, pose: Pose) -> None:
    SubElement(element, "origin", xyz=numbers(pose.position), rpy=numbers(_angles(pose.rotation)))


def _angles(rotation: Floats) -> tuple[float, float, float]:
    """Roll, pitch and yaw: about x, then y, then z of the frame outside."""
    across = math.hypot(rotation[0, 0], rotation[1, 0])  # cosine of the pitch
    pitch = math.atan2(-rotation[2, 0], across)
    if across < UPRIGHT:  # roll and yaw are about the same axis
        return 0.0, pitch, math.atan2(-rotation[0, 1], rotation[1, 1])
    roll = math.atan2(rotation[2, 1], rotation[2, 2])
    return roll, pitch, math.atan2(rotation[1, 0], rotation[0, 0])
