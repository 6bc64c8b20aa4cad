"""YAML with line numbers: PyYAML parses the structure, YAML 1.2's core schema the values.

PyYAML itself follows YAML 1.1, in which 1e-3 is text and `no` is a truth value.
"""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

from amontons.errors import FileFormatError

WHOLE = re.compile(r"[-+]?[0-9]+")
REAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf, ".Inf": math.inf, "-.Inf": -math.inf,
    ".nan": math.nan, ".NaN": math.nan,
}  # fmt: skip

DEEPEST = 100
"""Deepest nesting of lists and mappings; a scene needs seven."""

Lines = dict[tuple[str | int, ...], int]

QUOTED = ("'", '"', "|", ">")
"""Styles of quoted text, which is never anything else."""

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml if PyYAML was built with it: twenty times faster."""


def parse_yaml(text: str, name: str) -> tuple[Any, Lines]:
    """The data of a text, and the line of each key and of each list entry that is not a number."""
    try:
        _refuse_depth(text, name)
        node = yaml.compose(text, Loader=LOADER)
    except yaml.MarkedYAMLError as reason:
        mark = reason.problem_mark or reason.context_mark
        line = mark.line + 1 if mark else 1
        said = " ".join(part for part in (reason.context, reason.problem) if part)
        hint = _hint(text, line)
        raise FileFormatError(
            f"{name}, line {line}: this is not valid YAML: {said}{hint}"
        ) from None
    except yaml.YAMLError as reason:
        said = " ".join(str(reason).split())
        raise FileFormatError(f"{name}, line 1: this is not valid YAML: {said}") from None
    reading = _YamlReading(name)
    data = None if node is None else reading.value(node, ())
    return data, reading.lines


def _refuse_depth(text: str, name: str) -> None:
    """Raise FileFormatError before libyaml, which recurses, runs out of stack."""
    depth = 0
    for event in yaml.parse(text, Loader=LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            line = event.start_mark.line + 1 if event.start_mark else 1
            raise FileFormatError(f"{name}, line {line}: this is nested too deeply for a scene")


def _hint(text: str, line: int) -> str:
    """A hint at the usual cause."""
    rows = text.splitlines()
    tab = line <= len(rows) and "\t" in rows[line - 1]
    return "; indent with spaces, not with tabs" if tab else ""


class _YamlReading:
    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: Lines = {}
        self._seen: set[int] = set()

    def value(self, node: Any, path: tuple[str | int, ...]) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return node.value if node.style in QUOTED else scalar(node.value)
        line = node.start_mark.line + 1
        if id(node) in self._seen:
            raise FileFormatError(
                f"{self.name}, line {line}: anchors and aliases (& and *) are not read; give what "
                "is used twice a name under 'shapes' or 'materials'"
            )
        self._seen.add(id(node))
        self.lines.setdefault(path, line)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(each, (*path, i)) for i, each in enumerate(node.value)]
        return self._mapping(node, path)

    def _mapping(self, node: Any, path: tuple[str | int, ...]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise FileFormatError(f"{self.name}, line {line}: a key must be a word")
            key = key_node.value
            if key in out:
                first = self.lines[(*path, key)]
                raise FileFormatError(
                    f"{self.name}, line {line}: {key!r} appears twice, first in line {first}; "
                    "keep one of them"
                )
            self.lines[(*path, key)] = line
            out[key] = self.value(value_node, (*path, key))
        return out


def scalar(text: str) -> Any:
    """The value of a plain word in YAML 1.2."""
    if text in WORDS:
        return WORDS[text]
    if WHOLE.fullmatch(text):
        return int(text) if len(text) < 400 else math.copysign(math.inf, float(f"{text[:2]}1"))
    if REAL.fullmatch(text):
        return float(text)
    return text
