"""URDF, read by yourdfpy."""

from __future__ import annotations

import dataclasses
import logging
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from amontons.checks import finite_vector, unit_quaternion, unit_vector
from amontons.errors import FileFormatError, InputError
from amontons.interchange.robots.assembly import RobotAssembly
from amontons.interchange.robots.configuration import Clamped, limits_from
from amontons.interchange.robots.imported import Imported
from amontons.interchange.robots.left_out import LeftOut
from amontons.interchange.robots.limbs import depth_first
from amontons.interchange.robots.mechanism import (
    Actuator,
    Axis,
    Link,
    Mechanism,
    Pose,
    Way,
)
from amontons.interchange.robots.placing import keep_overlaps_apart, put_on_floor
from amontons.interchange.robots.urdf_contacts import materials_of
from amontons.interchange.robots.urdf_links import checked_pose, fill_link, naming
from amontons.interchange.robots.urdf_tags import list_unknown_tags
from amontons.model.joints import Motor, PositionMotor, SpeedMotor, TorqueMotor
from amontons.model.materials import Material
from amontons.model.world import World

WAYS = {
    "revolute": Way.HINGE,
    "continuous": Way.HINGE,
    "prismatic": Way.SLIDE,
    "planar": Way.PLANAR,
}

IDLE: dict[str, Motor] = {
    "position": PositionMotor(position=0.0),
    "speed": SpeedMotor(speed=0.0),
    "torque": TorqueMotor(torque=0.0),
}
"""Motors that wait for commands, by the quantity that is commanded."""

STEP = 2e-3
"""Length of a time step [s]; URDF does not define one."""


def load_urdf(
    path: str | os.PathLike[str],
    *,
    world: World | None = None,
    position: ArrayLike = (0.0, 0.0, 0.0),
    orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    configuration: Mapping[str, float] | None = None,
    fixed_base: bool | None = None,
    floor: bool = False,
    hold: bool = False,
    motors: Mapping[str, Motor] | Motor | str | None = None,
    meshes: str = "hull",
) -> Imported:
    """Read a robot from a URDF file; pip install 'amontons[robots]'.

    Parameters
    ----------
    world:
        Where to put it; by default a new one.
    position, orientation:
        Of the root link's frame [m], and as a unit quaternion (w, x, y, z).
    configuration:
        Angles and travels of joints at the start [rad, m] by name; by default zero, or the limit
        nearest to it.
    fixed_base:
        Whether the root link is fixed in the world; by default only if it has no mass.
    floor:
        Put a floor at z = 0 and the robot on it.
    hold:
        Give each joint a motor that holds it where it is, as strong as its `effort` says.
    motors:
        What drives joints, by name; a motor's position is zero in the initial configuration. One
        motor is that of every joint, no stronger than its `effort`; "position", "speed" and
        "torque" are such motors that hold still, or do nothing, until they are told.
    meshes:
        What moving meshes become: their convex "hull", convex "parts" (CoACD), or the "exact"
        triangles, which must be closed.
    """
    path = Path(path)
    left_out = LeftOut()
    robot, materials = _parsed(path, left_out)
    root, joints = _tree(path, robot)
    start = Pose.of_quaternion(
        finite_vector("position", position), unit_quaternion("orientation", orientation)
    )
    drives = _Drives(path, hold, motors)
    reading = _UrdfReading(
        path, robot, Clamped(path, configuration or {}, left_out), drives, meshes
    )
    links = reading.links(root, joints, start)
    for link in links:
        link.material = materials.get(link.name)
    base = links[0]
    base.free = (base.mass > 0.0) if fixed_base is None else not fixed_base
    mechanism = Mechanism(
        robot.name or path.stem, path, links, left_out=left_out, ground_collides=False
    )
    reading.configuration.refuse_unknown()
    drives.refuse_unknown()
    if floor:
        put_on_floor(mechanism)
    assembly = RobotAssembly(mechanism, World() if world is None else world)
    if floor:
        assembly.add_floor()
    imported = assembly.build(reading.configuration.taken, STEP)
    imported = dataclasses.replace(imported, actuators=_actuators(imported))
    return keep_overlaps_apart(imported)


def _actuators(imported: Imported) -> dict[str, Actuator]:
    """Joints that have motors, limb by limb; controls of positions count as the file does."""
    found = {}
    for name, joint in depth_first(imported.joints):
        motor = getattr(joint, "motor", None)
        if motor is not None:
            zero = imported.configuration.get(name, 0.0)
            offset = -zero if isinstance(motor, PositionMotor) else 0.0
            found[name] = Actuator(name, offset=offset)
    return found


def _parsed(path: Path, left_out: LeftOut) -> tuple[Any, dict[str, Material]]:
    """The robot as read by yourdfpy, and what it leaves out: the materials of links."""
    if not path.is_file():
        raise InputError(f"there is no URDF file {path}")
    try:
        import yourdfpy
    except ImportError:
        raise InputError("reading URDF needs yourdfpy: pip install 'amontons[robots]'") from None
    tags = list_unknown_tags(path, left_out)
    logging.getLogger("yourdfpy").setLevel(logging.CRITICAL)
    try:
        robot = yourdfpy.URDF.load(
            str(path),
            build_scene_graph=False,
            build_collision_scene_graph=False,
            load_meshes=False,
            load_collision_meshes=False,
        ).robot
    except Exception as reason:  # lxml and yourdfpy raise all sorts of things
        said = " ".join(str(reason).split()) or type(reason).__name__
        raise FileFormatError(f"{path} cannot be read as URDF: {said}") from None
    if not robot.links:
        raise FileFormatError(f"{path} does not describe a robot: it has no links")
    return robot, {} if tags is None else materials_of(path, tags)


def _tree(path: Path, robot: Any) -> tuple[str, dict[str, list[Any]]]:
    """The root link, and the joints that begin at each link."""
    names = [link.name for link in robot.links]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{path} has two links called {twice!r}")
    children: dict[str, list[Any]] = {name: [] for name in names}
    below: set[str] = set()
    joints = [joint.name for joint in robot.joints]
    if len(set(joints)) != len(joints):
        twice = next(name for name in joints if joints.count(name) > 1)
        raise InputError(f"{path} has two joints called {twice!r}")
    for joint in robot.joints:
        for end in (joint.parent, joint.child):
            if end not in children:
                raise InputError(
                    f"{path}: joint {joint.name!r} names the link {end!r}, which does not exist"
                )
        if joint.child in below:
            raise InputError(f"{path}: link {joint.child!r} has two parents; URDF is a tree")
        below.add(joint.child)
        children[joint.parent].append(joint)
    roots = [name for name in names if name not in below]
    if len(roots) != 1:
        raise InputError(
            f"{path} must have exactly one link that no joint leads to, but it has "
            f"{', '.join(map(repr, roots)) or 'none: its joints go round in a circle'}"
        )
    left = set(names) - set(_reached(roots[0], children))
    if left:
        raise InputError(
            f"{path}: no joint leads from the root {roots[0]!r} to "
            f"{', '.join(repr(name) for name in names if name in left)}: their joints go round in "
            "a circle; URDF is a tree"
        )
    return roots[0], children


def _reached(root: str, children: dict[str, list[Any]]) -> list[str]:
    """Links that joints lead to from the root, and the root itself; each has one parent."""
    reached = [root]
    for name in reached:  # grows as it goes
        reached += [joint.child for joint in children[name]]
    return reached


class _Drives:
    """Motors: those that are given, and those that hold joints where they are."""

    def __init__(
        self, path: Path, hold: bool, motors: Mapping[str, Motor] | Motor | str | None
    ) -> None:
        self.path, self.hold = path, hold
        if isinstance(motors, str) and motors not in IDLE:
            raise InputError(f"motors must be one of {', '.join(IDLE)}, got {motors!r}")
        self.usual: Motor | None = None
        self.given: dict[str, Motor] = {}
        if isinstance(motors, str):
            self.usual = IDLE[motors]
        elif isinstance(motors, Motor):
            self.usual = motors
        else:
            self.given = dict(motors or {})
        self._left = set(self.given)

    @property
    def all_joints(self) -> bool:
        """Whether every joint has a motor, unless its effort is zero."""
        return self.hold or self.usual is not None

    def motor(self, joint: Any) -> Motor | None:
        """The motor of a joint; one whose effort is zero holds nothing."""
        self._left.discard(joint.name)
        if joint.name in self.given:
            return self.given[joint.name]
        effort = None if joint.limit is None else joint.limit.effort
        if not self.all_joints or effort == 0.0:
            return None
        motor = self.usual or PositionMotor(position=0.0)
        strongest = math.inf if effort is None else float(effort)
        return dataclasses.replace(motor, limit=min(motor.limit, strongest))

    def refuse_unknown(self) -> None:
        """Raise if a motor is given for a joint that does not exist."""
        if self._left:
            raise InputError(f"{self.path} has no joint {min(self._left)!r} that takes a motor")


class _UrdfReading:
    """Links from the root on; unsupported content is noted."""

    def __init__(
        self, path: Path, robot: Any, configuration: Clamped, drives: _Drives, meshes: str
    ) -> None:
        self.path, self.drives, self.meshes = path, drives, meshes
        self.described = {link.name: link for link in robot.links}
        self.configuration = configuration
        self.left_out = configuration.left_out

    def links(self, root: str, children: dict[str, list[Any]], start: Pose) -> list[Link]:
        """All links, parents first."""
        out: list[Link] = []
        waiting: list[Link] = [Link(root, None, start)]
        while waiting:
            link = waiting.pop(0)
            fill_link(link, self.described[link.name], self.path, self.meshes, self.left_out)
            out.append(link)
            waiting += [self._child(joint, link) for joint in children[link.name]]
        return out

    def _child(self, joint: Any, parent: Link) -> Link:
        with naming(f"{self.path}, joint {joint.name!r}"):
            frame = parent.pose.then(checked_pose("origin", joint.origin))
        self._list_missing(joint)
        if joint.type in ("fixed", "floating"):
            link = Link(joint.child, parent.name, frame)
            link.free = joint.type == "floating"
            return link
        if joint.type not in WAYS:
            raise InputError(
                f"{self.path}: joint {joint.name!r} has the type {joint.type!r}; "
                f"URDF knows {', '.join((*WAYS, 'fixed', 'floating'))}"
            )
        with naming(f"{self.path}, joint {joint.name!r}"):
            local = np.array(unit_vector("axis", (1, 0, 0) if joint.axis is None else joint.axis))
        axis, value = self._axis(joint, frame, local)
        pose = frame
        if axis.way is Way.HINGE:
            turn = Rotation.from_rotvec(value * local).as_matrix()
            pose = Pose(frame.position, frame.rotation @ turn)
        elif axis.way is Way.SLIDE:
            pose = Pose(frame.point(value * local), frame.rotation)
        return Link(joint.child, parent.name, pose, axes=[axis])

    def _axis(self, joint: Any, frame: Pose, local: Any) -> tuple[Axis, float]:
        way = WAYS[joint.type]
        limits, value = None, 0.0
        if joint.type in ("revolute", "prismatic"):
            limits = self._range(joint)
        if way is not Way.PLANAR:
            value = self.configuration.value(joint.name, 0.0, limits)
        motor = None if way is Way.PLANAR else self.drives.motor(joint)
        axis = Axis(
            name=joint.name, way=way, point=frame.position, direction=frame.rotation @ local,
            limits=limits_from(limits, value), motor=motor,
            friction=self._resistance(joint, "friction"),
            damping=self._resistance(joint, "damping"),
        )  # fmt: skip
        return axis, value

    def _resistance(self, joint: Any, what: str) -> float:
        """Friction or damping of a joint, which the library leaves as text."""
        given = getattr(joint.dynamics, what, None) or 0.0
        try:
            return float(given)
        except ValueError:
            raise FileFormatError(
                f"{self.path}: the {what} of joint {joint.name} is {given!r}, which is not a number"
            ) from None

    def _range(self, joint: Any) -> tuple[float, float] | None:
        if joint.limit is None:
            self.left_out.add("missing limits: these joints move freely", joint.name)
            return None
        if joint.limit.lower is None and joint.limit.upper is None:
            # by the letter both are zero and the joint is locked; files that say so mean <fixed>
            self.left_out.add(
                "<limit> with neither lower nor upper: these joints move freely (URDF's default "
                "of zero for both would lock them)",
                joint.name,
            )
            return None
        return float(joint.limit.lower or 0.0), float(joint.limit.upper or 0.0)

    def _list_missing(self, joint: Any) -> None:
        note = self.left_out.add
        if joint.mimic is not None:
            note(f"mimicking {joint.mimic.joint!r}: here it moves independently", joint.name)
        if joint.safety_controller is not None:
            note("safety controllers", joint.name)
        if joint.calibration is not None:
            note("calibrations", joint.name)
        if joint.type not in WAYS or joint.limit is None:
            return
        if joint.limit.velocity:
            note("largest speeds of joints", joint.name)
        if joint.limit.effort and not (self.drives.all_joints or joint.name in self.drives.given):
            note("largest efforts of joints, as they have no motor (hold=True)", joint.name)
