"""The whole of a scene file, section by section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from amontons.interchange.body_fields import BODY, MATERIAL, PAIR, RULE
from amontons.interchange.bond_fields import BOND
from amontons.interchange.cell_fields import CELL
from amontons.interchange.context import Known, Names
from amontons.interchange.flow_fields import METER, SINK, SIZES, SOURCE
from amontons.interchange.joint_fields import JOINTS, LOADS
from amontons.interchange.list_values import Numbers
from amontons.interchange.probe_fields import PROBE
from amontons.interchange.records import Field, Record
from amontons.interchange.run_fields import OUTPUT, RUN
from amontons.interchange.shape_fields import ShapeValue
from amontons.interchange.source import Node
from amontons.interchange.values import Schema, Text, Value, Whole, shown

VERSION = 1
"""Of the format of scene files."""


@dataclass(frozen=True)
class Named(Value):
    """A mapping from names to things of one kind."""

    each: Value

    @property
    def words(self) -> str:
        return f"names, each with {self.each.words}"

    def read(self, node: Node, known: Known) -> dict[str, Any]:
        self.check(node)
        return {name: self.each.read(entry, known) for name, entry in node.items()}

    def check(self, node: Node) -> None:
        """Raise where it is not a mapping."""
        if not isinstance(node.value, dict):
            raise node.fault(f"must be names with their fields, got {shown(node.value)}")

    def write(self, value: Any, names: Names) -> dict[str, Any]:
        return {name: self.each.write(entry, names) for name, entry in value.items()}

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.each.schema()}


@dataclass(frozen=True)
class Entries(Value):
    """A list of records or of kinds, which are applied to the world in order."""

    each: Value

    @property
    def words(self) -> str:
        return f"list, each {self.each.words}"

    def read(self, node: Node, known: Known) -> list[Node]:
        """The entries themselves: what they mean depends on those before them."""
        if not isinstance(node.value, list):
            raise node.fault(f"must be a list, got {shown(node.value)}")
        return list(node.entries())

    def write(self, value: Any, names: Names) -> list[Any]:
        return [self.each.write(each, names) for each in value]

    def schema(self) -> Schema:
        return {"type": "array", "items": self.each.schema()}


SCENE = Record(
    "scene file",
    (
        Field("amontons", Whole(1, VERSION), f"version of the format: {VERSION}", VERSION),
        Field("name", Text(), "of the scene; by default that of the file"),
        Field("summary", Text(empty=True), "what there is to see, in one line", ""),
        Field("gravity", Numbers(3), "acceleration of free fall [m/s²]", (0.0, 0.0, -9.81)),
        Field("materials", Named(MATERIAL), "surfaces by name"),
        Field("cell", CELL, CELL.help),
        Field("rules", RULE, RULE.help),
        Field("pairs", Entries(PAIR), PAIR.help),
        Field("shapes", Named(ShapeValue()), "shapes that bodies share, by name"),
        Field("bodies", Entries(BODY), "what there is"),
        Field("joints", Entries(JOINTS), "joints and springs between two bodies"),
        Field("bonds", Entries(BOND), "elastic beams that glue bodies together"),
        Field("forces", Entries(LOADS), "loads from outside"),
        Field("sources", Entries(SOURCE), "where bodies are added while it runs"),
        Field("sinks", Entries(SINK), "where bodies are removed"),
        Field("meters", Entries(METER), "planes at which bodies are counted"),
        Field("probes", Entries(PROBE), "what is measured while it runs, a table each"),
        Field("run", RUN, "how it is run"),
        Field("output", OUTPUT, "what a run records"),
        Field("next_id", Whole(), "number of the next body that a program adds"),
    ),
    dict,
    "A scene: a world, and how it is run.",
)


def json_schema() -> Schema:
    """The JSON schema of scene files, for editors and other programs."""
    from amontons.interchange.joint_fields import MOTORS
    from amontons.interchange.run_fields import SOLVER
    from amontons.interchange.shape_fields import SHAPES
    from amontons.interchange.signal_values import SIGNALS

    families = (SHAPES, JOINTS, MOTORS, SIGNALS, LOADS, SIZES, SOLVER)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "amontons scene",
        "description": SCENE.help,
        **SCENE.schema(),
        "$defs": {family.title: family.definition() for family in families},
    }
