"""Bodies and materials in scene files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.checks.words import meant
from amontons.errors import InputError
from amontons.interchange.context import Known, Names
from amontons.interchange.list_values import Array, Either, ListOf, Numbers
from amontons.interchange.records import REQUIRED, Field, Record, first_sentence
from amontons.interchange.shape_fields import ShapeValue
from amontons.interchange.signal_values import VectorSignal
from amontons.interchange.source import Node
from amontons.interchange.values import (
    Choice,
    Flag,
    Number,
    Schema,
    Text,
    Value,
    Whole,
    shown,
)
from amontons.model.materials import PROPERTIES, RULES, Material
from amontons.model.motion import Motion

ALL_BITS = 2**32 - 1
NOT_NEGATIVE = Number(low=0.0)
POSITIVE = Number(above=0.0)
VECTOR = Numbers(3)

VECTORS = Either(VECTOR, Array(3), depth=2)
NUMBERS = Either(POSITIVE, ListOf(POSITIVE), depth=1)
BITS = Either(Whole(0, ALL_BITS), ListOf(Whole(0, ALL_BITS)), depth=1)

MATERIAL_VALUES: dict[str, Value] = dict.fromkeys(PROPERTIES, NOT_NEGATIVE)
MATERIAL_VALUES["restitution"] = Number(low=0.0, high=1.0)

MATERIAL = Record.of(Material, "material", MATERIAL_VALUES)

RULE = Record(
    "rules",
    tuple(
        Field(name, Choice(tuple(RULES)), "how the values of two materials are combined")
        for name in PROPERTIES
    ),
    dict,
    "How the properties of two materials are combined.",
)


@dataclass(frozen=True)
class MaterialName(Value):
    """The name of a material under `materials`."""

    @property
    def words(self) -> str:
        return "name of a material"

    def read(self, node: Node, known: Known) -> Material:
        if not isinstance(node.value, str) or node.value not in known.materials:
            raise node.fault(
                f"there is no material {shown(node.value)} under 'materials'"
                f"{meant(node.value, known.materials)}"
            )
        return known.materials[node.value]

    def write(self, value: Any, names: Names) -> str:
        return names.material(value)

    def schema(self) -> Schema:
        return Text().schema()


PAIR = Record(
    "pair",
    (
        Field("between", ListOf(MaterialName(), least=2), "the two materials' names", REQUIRED),
        *MATERIAL.fields,
    ),
    dict,
    "Contacts between two materials, overriding the rules.",
)


def _motion_parts(motion: Motion) -> dict[str, Any]:
    for name in ("position", "orientation"):
        if getattr(motion, name) is not None:
            raise InputError(f"{name} is a Python function; a file can only hold velocities")
    return {"velocity": motion.velocity, "angular_velocity": motion.angular_velocity}


MOTION = Record(
    "motion",
    (
        Field("velocity", VectorSignal(), "of the centre of mass [m/s]"),
        Field("angular_velocity", VectorSignal(), "in world axes [rad/s]"),
    ),
    Motion,
    first_sentence(Motion),
    _motion_parts,
)


def _grid(
    count: tuple[float, ...] = (),
    spacing: float | tuple[float, ...] = 0.0,
    start: tuple[float, ...] = (0.0, 0.0, 0.0),
) -> NDArray[np.float64]:
    """Positions on a grid [m], shape (n, 3): x runs fastest, then y, then z."""
    z, y, x = np.meshgrid(*(np.arange(n) for n in reversed(count)), indexing="ij")
    steps = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    return np.asarray(steps * np.broadcast_to(spacing, 3) + np.array(start))


@dataclass(frozen=True)
class Counts(Value):
    """How many along x, y and z."""

    @property
    def words(self) -> str:
        return "3 whole numbers"

    def read(self, node: Node, known: Known) -> tuple[int, ...]:
        counts = ListOf(Whole(1, 1_000_000), least=3).read(node, known)
        if len(counts) != 3:
            raise node.fault(f"must be 3 whole numbers, got {len(counts)}")
        if np.prod(counts) > 10_000_000:
            raise node.fault(f"makes {np.prod(counts)} bodies; that is more than 10 million")
        return tuple(counts)

    def write(self, value: Any, names: Names) -> list[int]:
        return [int(each) for each in value]

    def schema(self) -> Schema:
        return {
            "type": "array",
            "items": {"type": "integer", "minimum": 1},
            "minItems": 3,
            "maxItems": 3,
        }


GRID = Record(
    "grid",
    (
        Field("count", Counts(), "how many along x, y and z", REQUIRED),
        Field(
            "spacing", Either(POSITIVE, Numbers(3, above=0.0), depth=1),
            "between neighbours, one number or one each along x, y and z [m]", REQUIRED,
        ),
        Field("start", VECTOR, "the first position [m]"),
    ),
    _grid,
    "Positions of identical bodies: x runs fastest, then y, then z.",
)  # fmt: skip

BODY = Record(
    "body",
    (
        Field("name", Text(), "of a single body; joints and forces refer to it by this"),
        Field("shape", ShapeValue(), "its shape, or the name of one under `shapes`", REQUIRED),
        Field("position", VECTOR, "position of a single body [m]"),
        Field("positions", Array(3), "positions of as many identical bodies [m]"),
        Field("grid", GRID, "positions of identical bodies on a grid"),
        Field(
            "placed_by", Choice(("centre", "frame")),
            "what the position refers to: the centre of mass, or the shape's own frame",
            "centre",
        ),
        Field(
            "orientation", Either(Numbers(4), Array(4), depth=2),
            "unit quaternion (w, x, y, z), for all or for each", (1.0, 0.0, 0.0, 0.0),
        ),
        Field("velocity", VECTORS, "[m/s], for all or for each", (0.0, 0.0, 0.0)),
        Field("angular_velocity", VECTORS, "in world axes [rad/s]", (0.0, 0.0, 0.0)),
        Field("mass", NUMBERS, "[kg], for all or for each; or give the density"),
        Field("density", NUMBERS, "[kg/m³]"),
        Field(
            "inertia", Either(VECTOR, Array(3, least=3), depth=2),
            "about the centre of mass along body axes [kg m²], 3 numbers or 3 × 3; by default "
            "that of the shape, filled evenly",
        ),
        Field("centre", VECTOR, "centre of mass in the shape's frame [m], if density is uneven"),
        Field("fixed", Flag(), "never moves, and needs no mass", False),
        Field("motion", MOTION, "moves as prescribed, whatever pushes it, and needs no mass"),
        Field("material", MaterialName(), "by default friction 0.5 and nothing else"),
        Field("group", BITS, "bits of the groups that it belongs to", 1),
        Field("mask", BITS, "bits of the groups that it collides with", ALL_BITS),
        Field("force", VECTORS, "constant force at the centre of mass [N]"),
        Field("torque", VECTORS, "constant torque in world axes [N m]"),
        Field(
            "surface_velocity", VECTORS,
            "of a belt that runs over it, along body axes [m/s]", (0.0, 0.0, 0.0),
        ),
        Field("asleep", Either(Flag(), ListOf(Flag()), depth=1), "asleep until touched"),
        Field(
            "still", Either(NOT_NEGATIVE, ListOf(NOT_NEGATIVE), depth=1),
            "how long it has been at rest [s]",
        ),
        Field("id", Whole(), "id of the (first) body, if not the next free one"),
    ),
    dict,
    "One body, or many identical ones.",
)  # fmt: skip
