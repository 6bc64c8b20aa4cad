"""Numbers and vectors in scene files that may change over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from amontons.errors import InputError
from amontons.interchange.context import Known, Names
from amontons.interchange.list_values import Array, Numbers
from amontons.interchange.records import REQUIRED, Field, Record, first_sentence, table
from amontons.interchange.source import Node
from amontons.interchange.values import Flag, Number, Schema, Value
from amontons.model.signals import Components, Schedule, Wave


def _schedule(points: Any, smooth: bool = True) -> Schedule:
    return Schedule(points.tolist(), smooth=smooth)


SIGNALS = table(
    "signal",
    {
        Schedule: Record(
            "schedule",
            (
                Field("points", Array(2), "increasing times [s], and values", REQUIRED),
                Field(
                    "smooth", Flag(), "smooth, at rest at each point, or along straight lines", True
                ),
            ),
            _schedule,
            first_sentence(Schedule),
        ),
        Wave: Record.of(
            Wave, "wave", dict.fromkeys(("amplitude", "rate", "phase", "mean"), Number())
        ),
    },
)
"""Functions of time by their kinds in files."""


@dataclass(frozen=True)
class Signal(Value):
    """A number, or a function of time that a file can hold."""

    number: Number = Number()  # noqa: RUF009

    @property
    def words(self) -> str:
        return f"{self.number.words}, or a signal"

    def read(self, node: Node, known: Known) -> Any:
        kind: Value = SIGNALS if isinstance(node.value, dict) else self.number
        return kind.read(node, known)

    def write(self, value: Any, names: Names) -> Any:
        if callable(value) and type(value) not in SIGNALS.classes:
            raise InputError(
                "is a Python function; a file can only hold a number, a Schedule or a Wave"
            )
        kind: Value = SIGNALS if callable(value) else self.number
        return kind.write(value, names)

    def schema(self) -> Schema:
        return {"anyOf": [self.number.schema(), SIGNALS.schema()]}


@dataclass(frozen=True)
class VectorSignal(Value):
    """Three numbers, each of which may be a function of time."""

    @property
    def words(self) -> str:
        return "3 numbers or signals"

    def read(self, node: Node, known: Known) -> Any:
        listed = isinstance(node.value, list) and len(node.value) == 3
        if not (listed and any(isinstance(each, dict) for each in node.value)):
            return Numbers(3).read(node, known)
        return Components(tuple(Signal().read(each, known) for each in node.entries()))

    def write(self, value: Any, names: Names) -> list[Any]:
        if isinstance(value, Components):
            return [Signal().write(each, names) for each in value.entries]
        if callable(value):
            raise InputError("is a Python function; a file can only hold numbers and Components")
        return Numbers(3).write(value, names)

    def schema(self) -> Schema:
        return {"type": "array", "items": Signal().schema(), "minItems": 3, "maxItems": 3}
