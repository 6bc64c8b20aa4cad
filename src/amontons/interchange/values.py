"""Kinds of values in scene files: each reads, writes and describes itself."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from amontons.checks.words import meant
from amontons.errors import InputError
from amontons.interchange.source import Node

if TYPE_CHECKING:
    from amontons.interchange.context import Known, Names

Schema = dict[str, Any]

LARGEST = 1e30
"""Largest number, as for shapes: anything larger is not a sensible length, mass or time."""

ROWS_NAMED = 3
"""Entries of a long list that a message shows."""


class Value(ABC):
    """A kind of value: how it is read from a file, written to one, and described."""

    @property
    @abstractmethod
    def words(self) -> str:
        """Description of the value, for the docs."""

    @abstractmethod
    def read(self, node: Node, known: Known) -> Any:
        """The Python value; raises `InputError` with file, line and field."""

    @abstractmethod
    def write(self, value: Any, names: Names) -> Any:
        """Plain data for a file; raises `InputError` if a file cannot hold it."""

    @abstractmethod
    def schema(self) -> Schema:
        """Its JSON schema."""


@dataclass(frozen=True)
class Number(Value):
    """One number, from `low` to `high`; `above` is a bound that it must not reach."""

    low: float = -LARGEST
    high: float = LARGEST
    above: float = -math.inf
    infinite: bool = False

    @property
    def words(self) -> str:
        return " ".join(["number", *self._range()])

    def _range(self) -> list[str]:
        parts = []
        if math.isfinite(self.above):
            parts.append(f"> {self.above:g}")
        if self.low > -LARGEST:
            parts.append(f"≥ {self.low:g}")
        if self.high < LARGEST:
            parts.append(f"≤ {self.high:g}")
        return parts

    def read(self, node: Node, known: Known) -> float:
        number = as_number(node)
        if math.isnan(number) or (math.isinf(number) and not (self.infinite and number > 0)):
            raise node.fault(f"is {number}; it must be a finite number")
        sound = self.low <= number and number > self.above
        if not (sound and (number <= self.high or number == math.inf)):
            must = " and ".join(self._range()) or f"within ±{LARGEST:g}"
            raise node.fault(f"is {number:g}; it must be {must}")
        return number

    def write(self, value: Any, names: Names) -> float:
        if callable(value):
            raise InputError("is a Python function; a file can only hold a number")
        return float(value)

    def schema(self) -> Schema:
        out: Schema = {"type": "number"}
        if self.low > -LARGEST:
            out["minimum"] = self.low
        if math.isfinite(self.above):
            out["exclusiveMinimum"] = self.above
        if self.high < LARGEST:
            out["maximum"] = self.high
        return out


@dataclass(frozen=True)
class Whole(Value):
    """A whole number."""

    low: int = 0
    high: int = 2**62

    @property
    def words(self) -> str:
        return "whole number"

    def read(self, node: Node, known: Known) -> int:
        if isinstance(node.value, bool) or not isinstance(node.value, int):
            raise node.fault(f"must be a whole number, got {shown(node.value)}")
        if not self.low <= node.value <= self.high:
            raise node.fault(f"is {shown(node.value)}; it must be from {self.low} to {self.high}")
        return node.value

    def write(self, value: Any, names: Names) -> int:
        return int(value)

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Flag(Value):
    """Yes or no."""

    @property
    def words(self) -> str:
        return "true or false"

    def read(self, node: Node, known: Known) -> bool:
        if not isinstance(node.value, bool):
            raise node.fault(f"must be true or false, got {shown(node.value)}")
        return node.value

    def write(self, value: Any, names: Names) -> bool:
        return bool(value)

    def schema(self) -> Schema:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Text(Value):
    """Text, which is not empty unless it may be."""

    empty: bool = False

    @property
    def words(self) -> str:
        return "text"

    def read(self, node: Node, known: Known) -> str:
        if not isinstance(node.value, str):
            raise node.fault(f"must be text, got {shown(node.value)}; put it in quotes")
        if not node.value and not self.empty:
            raise node.fault("is empty; give it a word, or leave it out")
        return node.value

    def write(self, value: Any, names: Names) -> str:
        return str(value)

    def schema(self) -> Schema:
        return {"type": "string"} if self.empty else {"type": "string", "minLength": 1}


@dataclass(frozen=True)
class Choice(Value):
    """One of several words."""

    options: tuple[str, ...]

    @property
    def words(self) -> str:
        return " or ".join(f"`{option}`" for option in self.options)

    def read(self, node: Node, known: Known) -> str:
        if node.value not in self.options:
            raise node.fault(
                f"must be one of {', '.join(self.options)}, got {shown(node.value)}"
                f"{meant(node.value, self.options)}"
            )
        return str(node.value)

    def write(self, value: Any, names: Names) -> str:
        return str(value)

    def schema(self) -> Schema:
        return {"enum": list(self.options)}


def as_number(node: Node) -> float:
    """A number of any size, but not text or a boolean."""
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        raise node.fault(f"must be a number, got {shown(node.value)}")
    try:
        return float(node.value)
    except OverflowError:
        return math.inf if node.value > 0 else -math.inf


def shown(value: Any) -> str:
    """A value in a message, not too long."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return f"keys ({', '.join(list(value)[:ROWS_NAMED])} ...)" if value else "an empty mapping"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
