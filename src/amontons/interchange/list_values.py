"""Lists in scene files: vectors, arrays, and lists of other values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from amontons.errors import InputError
from amontons.interchange.source import Node
from amontons.interchange.values import LARGEST, Schema, Value, as_number, shown

if TYPE_CHECKING:
    from amontons.interchange.context import Known, Names


@dataclass(frozen=True)
class Numbers(Value):
    """A fixed number of numbers; `infinite` allows ±inf, for bounds that may be missing."""

    count: int
    infinite: bool = False
    above: float = -math.inf

    @property
    def words(self) -> str:
        return f"{self.count} numbers" + (f" > {self.above:g}" if self.above > -math.inf else "")

    def read(self, node: Node, known: Known) -> tuple[float, ...]:
        require_list(node, f"{self.count} numbers")
        if len(node.value) != self.count:
            raise node.fault(f"must be {self.count} numbers, got {len(node.value)}")
        return tuple(self._one(each) for each in node.entries())

    def _one(self, node: Node) -> float:
        number = as_number(node)
        if math.isnan(number) or not (self.infinite or abs(number) <= LARGEST):
            raise node.fault(f"is {number:g}; it must be a finite number within ±{LARGEST:g}")
        if not number > self.above:
            raise node.fault(f"is {number:g}; it must be above {self.above:g}")
        return number

    def write(self, value: Any, names: Names) -> list[float]:
        if callable(value):
            raise InputError("is a Python function; a file can only hold numbers")
        return [float(each) for each in value]

    def schema(self) -> Schema:
        item: Schema = {"type": "number"}
        if self.above > -math.inf:
            item["exclusiveMinimum"] = self.above
        return {"type": "array", "items": item, "minItems": self.count, "maxItems": self.count}


@dataclass(frozen=True)
class Array(Value):
    """Rows of numbers; a `width` of 0 allows any, as long as all rows have the same."""

    width: int
    least: int = 1
    whole: bool = False

    @property
    def words(self) -> str:
        return f"rows of {self.width or 'equally many'} numbers"

    def read(self, node: Node, known: Known) -> np.ndarray[Any, Any]:
        require_list(node, self.words)
        if len(node.value) < self.least:
            raise node.fault(f"has {len(node.value)} rows; it must have at least {self.least}")
        rows = self._at_once(node.value)
        return self._one_by_one(node) if rows is None else rows

    @property
    def _kind(self) -> type:
        return np.int64 if self.whole else np.float64

    def _at_once(self, value: list[Any]) -> np.ndarray[Any, Any] | None:
        """The rows if they are valid, checked quickly; otherwise None."""
        if not all(type(row) is list for row in value):
            return None
        widths, kinds = {len(row) for row in value}, {type(each) for row in value for each in row}
        if len(widths) > 1 or (self.width and widths != {self.width}):
            return None
        if not kinds <= ({int} if self.whole else {int, float}):
            return None
        largest = max(abs(each) for row in value for each in row) if kinds else 0
        if not largest <= self._most or math.isnan(sum(sum(row) for row in value)):
            return None
        return np.array(value, dtype=self._kind)

    @property
    def _most(self) -> float:
        return 2**31 if self.whole else LARGEST

    def _one_by_one(self, node: Node) -> np.ndarray[Any, Any]:
        """The same, with an error that names the first invalid row."""
        width = self.width
        for row in node.entries():
            require_list(row, f"{width or 'several'} numbers")
            width = width or len(row.value)
            if len(row.value) != width:
                raise row.fault(f"must be {width} numbers, got {len(row.value)}")
            for entry in row.value:
                self._check(entry, row)
        return np.array(node.value, dtype=self._kind)

    def _check(self, entry: Any, row: Node) -> None:
        kind = int if self.whole else (int, float)
        if isinstance(entry, bool) or not isinstance(entry, kind):
            what = "whole numbers" if self.whole else "numbers"
            raise row.fault(f"must be {what}, got {shown(entry)}")
        if not abs(entry) <= self._most:
            raise row.fault(f"has an entry {shown(entry)}; that is out of range")

    def write(self, value: Any, names: Names) -> list[list[float]]:
        rows: list[list[float]] = np.asarray(value).tolist()
        return rows

    def schema(self) -> Schema:
        row: Schema = {"type": "array", "items": {"type": "integer" if self.whole else "number"}}
        if self.width:
            row |= {"minItems": self.width, "maxItems": self.width}
        return {"type": "array", "items": row, "minItems": self.least}


@dataclass(frozen=True)
class Either(Value):
    """One of two kinds, such as a number or a list, told apart by how deeply lists are nested."""

    first: Value
    second: Value
    depth: int
    """Nesting depth of lists in a value of the second kind; the first has less."""

    @property
    def words(self) -> str:
        return f"{self.first.words}, or {self.second.words}"

    def read(self, node: Node, known: Known) -> Any:
        chosen = self.second if depth(node.value) >= self.depth else self.first
        return chosen.read(node, known)

    def write(self, value: Any, names: Names) -> Any:
        chosen = self.second if depth(value) >= self.depth else self.first
        return chosen.write(value, names)

    def schema(self) -> Schema:
        return {"anyOf": [self.first.schema(), self.second.schema()]}


@dataclass(frozen=True)
class ListOf(Value):
    """A list of values of one kind."""

    each: Value
    least: int = 1

    @property
    def words(self) -> str:
        return f"list of {self.each.words}"

    def read(self, node: Node, known: Known) -> list[Any]:
        require_list(node, self.words)
        if len(node.value) < self.least:
            raise node.fault(f"must have at least {self.least} entries, got {len(node.value)}")
        return [self.each.read(each, known) for each in node.entries()]

    def write(self, value: Any, names: Names) -> list[Any]:
        return [self.each.write(each, names) for each in value]

    def schema(self) -> Schema:
        return {"type": "array", "items": self.each.schema(), "minItems": self.least}


def require_list(node: Node, what: str) -> None:
    """Raise where a value is not a list."""
    if not isinstance(node.value, list):
        raise node.fault(f"must be {what} in brackets, got {shown(node.value)}")


def depth(value: Any) -> int:
    """Nesting depth of a value's first entry."""
    if isinstance(value, np.ndarray):
        return value.ndim
    if isinstance(value, list | tuple):
        return 1 + (depth(value[0]) if value else 0)
    return 0
