"""Bonds in scene files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from amontons.errors import InputError
from amontons.interchange.body_fields import POSITIVE
from amontons.interchange.context import Known, Names
from amontons.interchange.joint_fields import BodyValue
from amontons.interchange.list_values import Array, Either, ListOf, require_list
from amontons.interchange.records import REQUIRED, Field, Record, first_sentence, parameter_texts
from amontons.interchange.source import Node
from amontons.interchange.values import Number, Schema, Value
from amontons.model.bonds import BOND_PROPERTIES, BeamBond, bond_geometry
from amontons.model.world import World


@dataclass(frozen=True)
class BodyPairs(Value):
    """Pairs of bodies, by their names or numbers; numbers alone are read at once."""

    @property
    def words(self) -> str:
        return "pairs of bodies"

    def read(self, node: Node, known: Known) -> Any:
        require_list(node, self.words)
        if all(type(end) is int for pair in node.value if isinstance(pair, list) for end in pair):
            return Array(2, whole=True).read(node, known)
        one = BodyValue(world=False)
        return [ListOf(one, least=2).read(pair, known) for pair in node.entries()]

    def write(self, value: Any, names: Names) -> list[list[str | int]]:
        return [[names.body(end) for end in pair] for pair in value]

    def schema(self) -> Schema:
        pair = ListOf(BodyValue(world=False)).schema() | {"minItems": 2, "maxItems": 2}
        return {"type": "array", "items": pair, "minItems": 1}


def _one_or_each(value: Value) -> Either:
    return Either(value, ListOf(value), depth=1)


_STRENGTH = Number(above=0.0, infinite=True)
_VALUES: dict[str, tuple[Value, Any]] = {
    "young": (POSITIVE, REQUIRED),
    "shear": (POSITIVE, REQUIRED),
    "radius": (POSITIVE, REQUIRED),
    "tensile": (_STRENGTH, np.inf),
    "shear_strength": (_STRENGTH, np.inf),
    "damping": (Number(low=0.0), 0.0),
}
_TEXTS = parameter_texts(BeamBond) | {
    "young": "modulus of elasticity E [Pa], one for all or one per bond, like all that follow",
    "shear": "shear modulus G [Pa]",
    "tensile": "stress at which it breaks in tension [Pa]",
    "shear_strength": "stress at which it breaks in shear [Pa]",
}

BOND = Record(
    "entry of bonds",
    (
        Field("pairs", BodyPairs(), "bodies A and B of each bond", REQUIRED),
        *(
            Field(name, _one_or_each(value), _TEXTS[name], default)
            for name, (value, default) in _VALUES.items()
        ),
    ),
    dict,
    first_sentence(BeamBond),
)


def add_bonds(node: Node, known: Known) -> None:
    """Add the bonds of one entry."""
    fields = BOND.read_fields(node, known)
    pairs = fields.pop("pairs")
    with node.blamed():
        known.world.add_bonds(pairs, BeamBond(**fields))


def bond_parts(world: World) -> dict[str, Any]:
    """The fields of one entry that holds all bonds of a world.

    Where bodies have moved since they were bonded, no file can say how.
    """
    bonds = world.bonds
    rows = np.searchsorted(world.bodies.id, bonds.bodies)
    for name, now in bond_geometry(world.bodies, rows).items():
        if not np.array_equal(now, getattr(bonds, name)):
            raise InputError(
                "a scene file cannot hold bonds whose bodies have moved since: save the world "
                "before it is simulated, or a checkpoint"
            )
    fields: dict[str, Any] = {"pairs": bonds.bodies.tolist()}
    for name in BOND_PROPERTIES:
        values = getattr(bonds, name)
        fields[name] = values[0] if (values == values[0]).all() else values.tolist()
    return fields
