"""Joints, motors, springs and loads in scene files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from amontons.checks.words import meant
from amontons.interchange.context import WORLD, Known, Names, has_body
from amontons.interchange.list_values import Array, Either, ListOf, Numbers
from amontons.interchange.records import Record, table
from amontons.interchange.signal_values import Signal, VectorSignal
from amontons.interchange.source import Node
from amontons.interchange.values import Choice, Flag, Number, Schema, Text, Value, shown
from amontons.model import forces, joints
from amontons.model.joints import Connection

VECTOR = Numbers(3)
NOT_NEGATIVE = Number(low=0.0)
BOUND = Number(above=0.0, infinite=True)


@dataclass(frozen=True)
class BodyValue(Value):
    """A body by its name or its number; `world` where something may be attached to the world."""

    world: bool = True

    @property
    def words(self) -> str:
        return "body: its name or number" + (", or `world`" if self.world else "")

    def read(self, node: Node, known: Known) -> int | None:
        if node.value == WORLD and self.world:
            return None
        if isinstance(node.value, str):
            if not has_body(known.world, node.value):
                likely = meant(node.value, known.body_names())
                raise node.fault(f"there is no body called {node.value!r}{likely}")
            return known.world.body(node.value).id
        if isinstance(node.value, bool) or not isinstance(node.value, int):
            raise node.fault(f"must be the name or number of a body, got {shown(node.value)}")
        if not 0 <= node.value < known.world.next_id or node.value not in known.world.bodies.id:
            what = shown(node.value)
            raise node.fault(
                f"there is no body {what}; bodies are numbered from 0 in the order of the file"
            )
        return node.value

    def write(self, value: Any, names: Names) -> str | int:
        return names.body(value)

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 0}]}


@dataclass(frozen=True)
class BodyOrBodies(Value):
    """One body or several."""

    @property
    def words(self) -> str:
        return "a body, or a list of bodies"

    def read(self, node: Node, known: Known) -> Any:
        one = BodyValue(world=False)
        if isinstance(node.value, list):
            return tuple(ListOf(one).read(node, known))
        return one.read(node, known)

    def write(self, value: Any, names: Names) -> Any:
        if hasattr(value, "__len__"):
            return [names.body(each) for each in value]
        return names.body(value)

    def schema(self) -> Schema:
        one = BodyValue(world=False).schema()
        return {"anyOf": [*one["anyOf"], {"type": "array", "items": one, "minItems": 1}]}


MOTOR_VALUES: dict[str, Value] = {
    "limit": BOUND,
    "speed": Signal(),
    "position": Signal(),
    "torque": Signal(),
    "stiffness": BOUND,
    "damping": NOT_NEGATIVE,
}

MOTORS = table(
    "motor",
    {
        joints.SpeedMotor: Record.of(joints.SpeedMotor, "speed", MOTOR_VALUES),
        joints.PositionMotor: Record.of(joints.PositionMotor, "position", MOTOR_VALUES),
        joints.TorqueMotor: Record.of(joints.TorqueMotor, "torque", MOTOR_VALUES),
    },
)

STRENGTH = Record.of(
    joints.Strength, "strength", {**dict.fromkeys(joints.strength.WAYS, BOUND), "axis": VECTOR}
)

JOINT_VALUES: dict[str, Value] = {
    "a": BodyValue(),
    "b": BodyValue(),
    "name": Text(),
    "collide": Flag(),
    "break_force": BOUND,
    "break_torque": BOUND,
    "strength": STRENGTH,
    "break_time": NOT_NEGATIVE,
    "compliance": NOT_NEGATIVE,
    "angular_compliance": NOT_NEGATIVE,
    "damping": NOT_NEGATIVE,
    "angular_damping": NOT_NEGATIVE,
    **dict.fromkeys(("point", "point_a", "point_b", "pitch_point"), VECTOR),
    **dict.fromkeys(("axis", "axis_a", "axis_b", "normal"), VECTOR),
    **dict.fromkeys(("limits", "angle_limits"), Numbers(2, infinite=True)),
    **dict.fromkeys(("friction", "angle_friction", "armature", "load_friction"), NOT_NEGATIVE),
    **dict.fromkeys(("motor", "angle_motor"), MOTORS),
    "pitch": Number(),
    "ratio": Number(),
    "length": Signal(NOT_NEGATIVE),
}

SPRING_VALUES: dict[str, Value] = JOINT_VALUES | {
    "stiffness": NOT_NEGATIVE,
    "angle": Number(),
    "length": NOT_NEGATIVE,
}

ONE_AN_AXIS = Either(NOT_NEGATIVE, VECTOR, depth=1)
BUSHING_VALUES: dict[str, Value] = JOINT_VALUES | {
    "axes": Array(3, least=3),
    **dict.fromkeys(("stiffness", "damping", "angular_stiffness", "angular_damping"), ONE_AN_AXIS),
}

LOAD_VALUES: dict[str, Value] = {
    "name": Text(),
    "body": BodyValue(world=False),
    "bodies": BodyOrBodies(),
    "force": VectorSignal(),
    "torque": VectorSignal(),
    "point": VECTOR,
    "frame": Choice(("world", "body")),
    **dict.fromkeys(("linear", "quadratic", "angular", "angular_quadratic"), NOT_NEGATIVE),
}

ENDS = {
    "a": "the first body: its name or number, or `world`",
    "b": "the second body: its name or number, or `world`",
}

BETWEEN_TWO: dict[type, Record] = {
    kind: Record.of(kind, word, values, ENDS)
    for word, kind, values in (
        ("spherical", joints.Spherical, JOINT_VALUES),
        ("universal", joints.Universal, JOINT_VALUES),
        ("revolute", joints.Revolute, JOINT_VALUES),
        ("prismatic", joints.Prismatic, JOINT_VALUES),
        ("cylindrical", joints.Cylindrical, JOINT_VALUES),
        ("screw", joints.Screw, JOINT_VALUES),
        ("planar", joints.Planar, JOINT_VALUES),
        ("fixed", joints.Fixed, JOINT_VALUES),
        ("distance", joints.Distance, JOINT_VALUES),
        ("rope", joints.Rope, JOINT_VALUES),
        ("point_on_line", joints.PointOnLine, JOINT_VALUES),
        ("point_on_plane", joints.PointOnPlane, JOINT_VALUES),
        ("gear", joints.Gear, JOINT_VALUES),
        ("rack_and_pinion", joints.RackAndPinion, JOINT_VALUES),
        ("linear_spring", forces.LinearSpring, SPRING_VALUES),
        ("torsion_spring", forces.TorsionSpring, SPRING_VALUES),
        ("bushing", forces.Bushing, BUSHING_VALUES),
    )
}

JOINTS = table("joint", BETWEEN_TWO)
"""Joints and springs, in the order of the world's joints."""

LOADS = table(
    "force",
    {
        forces.AppliedForce: Record.of(forces.AppliedForce, "applied_force", LOAD_VALUES),
        forces.AppliedTorque: Record.of(forces.AppliedTorque, "applied_torque", LOAD_VALUES),
        forces.Drag: Record.of(forces.Drag, "drag", LOAD_VALUES),
    },
)
"""Loads that act on bodies from outside."""


def title_of(thing: Any) -> str:
    """A joint or load in a message."""
    kind = "joint" if isinstance(thing, Connection) else "force"
    return f"the {kind} {thing.title}" if thing.name else thing.title
