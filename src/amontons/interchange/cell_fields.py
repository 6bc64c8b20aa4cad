"""The cell that repeats itself, in scene files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amontons.interchange.context import Known, Names
from amontons.interchange.list_values import Either, ListOf, Numbers, require_list
from amontons.interchange.records import REQUIRED, Field, Record, first_sentence, parameter_texts
from amontons.interchange.source import Node
from amontons.interchange.values import Flag, Number, Schema, Value, shown
from amontons.model.cell import Cell, CellStage

FREE = "free"
"""What stands for the stress along an axis that has a strain rate: files have no nothing."""

NUMBER = Number()
RATES = Either(NUMBER, Numbers(3), depth=1)


@dataclass(frozen=True)
class HeldStress(Value):
    """One stress, or one for each axis, which may be free."""

    @property
    def words(self) -> str:
        return f"number, or 3 of numbers and `{FREE}`"

    def read(self, node: Node, known: Known) -> float | tuple[float | None, ...]:
        if not isinstance(node.value, list):
            return NUMBER.read(node, known)
        require_list(node, self.words)
        if len(node.value) != 3:
            raise node.fault(f"must be one stress or three, got {len(node.value)}")
        return tuple(
            None if each.value == FREE else NUMBER.read(each, known) for each in node.entries()
        )

    def write(self, value: Any, names: Names) -> Any:
        if isinstance(value, tuple):
            return [FREE if each is None else float(each) for each in value]
        return float(value)

    def schema(self) -> Schema:
        one: Schema = {"anyOf": [NUMBER.schema(), {"const": FREE}]}
        three: Schema = {"type": "array", "items": one, "minItems": 3, "maxItems": 3}
        return {"anyOf": [NUMBER.schema(), three]}


@dataclass(frozen=True)
class ThreeFlags(Value):
    """True or false for each axis."""

    @property
    def words(self) -> str:
        return "3 of true or false"

    def read(self, node: Node, known: Known) -> tuple[bool, ...]:
        flags = ListOf(Flag()).read(node, known)
        if len(flags) != 3:
            raise node.fault(f"must be three of true or false, got {shown(node.value)}")
        return tuple(flags)

    def write(self, value: Any, names: Names) -> list[bool]:
        return [bool(each) for each in value]

    def schema(self) -> Schema:
        return ListOf(Flag()).schema() | {"minItems": 3, "maxItems": 3}


HOW: dict[str, Value] = {
    "strain_rate": RATES, "shear_rate": NUMBER, "stress": HeldStress(),
}  # fmt: skip
"""Fields that a cell and its stages share."""

STAGE = Record.of(CellStage, "stage of a cell", {"time": Number(above=0.0), **HOW})


def _cell_parts(cell: Cell) -> Mapping[str, Any]:
    rates = cell.strain_rate
    moving = rates if any(rates) else None  # type: ignore[arg-type]
    return {**vars(cell), "strain_rate": moving, "stages": cell.stages or None}


_TEXTS = parameter_texts(Cell)

CELL = Record(
    "cell",
    (
        Field("lengths", Numbers(3, above=0.0), _TEXTS["lengths"], REQUIRED),
        Field("periodic", ThreeFlags(), _TEXTS["periodic"], (True, True, True)),
        Field("origin", Numbers(3), _TEXTS["origin"], (0.0, 0.0, 0.0)),
        Field("strain_rate", RATES, _TEXTS["strain_rate"]),
        Field("shear_rate", NUMBER, _TEXTS["shear_rate"], 0.0),
        Field("stress", HeldStress(), _TEXTS["stress"].replace("None", f"`{FREE}`")),
        Field("stages", ListOf(STAGE), _TEXTS["stages"]),
    ),
    Cell,
    first_sentence(Cell),
    _cell_parts,
)
