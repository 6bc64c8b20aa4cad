"""Mappings in scene files: fields with names, one table for reading, writing, schema and docs."""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any

from amontons.checks.words import meant
from amontons.errors import InputError
from amontons.interchange.context import Known, Names
from amontons.interchange.source import Node
from amontons.interchange.values import Schema, Value, shown

REQUIRED: Any = object()
"""Default of a field without a default."""


@dataclass(frozen=True)
class Field:
    """One key of a mapping."""

    name: str
    value: Value
    help: str = ""
    default: Any = None

    @property
    def required(self) -> bool:
        """Whether it must be there."""
        return self.default is REQUIRED


@dataclass(frozen=True)
class Record(Value):
    """A mapping with known keys that makes one Python object.

    `make` is called with the fields that are given; `parts` takes an object apart again.
    """

    title: str
    fields: tuple[Field, ...]
    make: Callable[..., Any]
    help: str = ""
    parts: Callable[[Any], Mapping[str, Any]] | None = None

    @property
    def words(self) -> str:
        return f"{self.title} (see below)"

    @classmethod
    def of(
        cls,
        kind: type,
        title: str,
        values: Mapping[str, Value],
        texts: Mapping[str, str] | None = None,
    ) -> Record:
        """The record of a dataclass: names, defaults and help come from the class itself.

        `texts` replaces help that a file words differently.
        """
        texts = parameter_texts(kind) | dict(texts or {})
        fields = tuple(
            Field(each.name, values[each.name], texts.get(each.name, ""), _default(each))
            for each in dataclasses.fields(kind)
        )
        return cls(title, fields, kind, first_sentence(kind))

    def field(self, name: str) -> Field:
        """The field of that name."""
        return next(each for each in self.fields if each.name == name)

    def read(self, node: Node, known: Known) -> Any:
        given = self.read_fields(node, known)
        with node.blamed():
            return self.make(**given)

    def read_fields(self, node: Node, known: Known) -> dict[str, Any]:
        """Values of the given fields, by name."""
        self.check_keys(node)
        return {
            each.name: each.value.read(node[each.name], known)
            for each in self.fields
            if each.name in node.value
        }

    def check_keys(self, node: Node) -> None:
        """Raise if keys are unknown, missing or empty."""
        if not isinstance(node.value, dict):
            raise node.fault(f"must be a mapping of fields, got {shown(node.value)}")
        names = [each.name for each in self.fields]
        for key, entry in node.items():
            if key not in names:
                hint = meant(key, names) or f"; it has {', '.join(names)}"
                raise entry.fault(f"{self.title} has no field {key!r}{hint}")
            if entry.value is None:
                raise entry.fault("is empty; give it a value, or leave it out")
        for each in self.fields:
            if each.required and each.name not in node.value:
                raise node.fault(f"{self.title} lacks {each.name!r}, which it needs: {each.help}")

    def write(self, value: Any, names: Names) -> dict[str, Any]:
        given = self.parts(value) if self.parts else vars(value)
        out = {}
        for each in self.fields:
            entry = given.get(each.name)
            if not each.required and (entry is None or same(entry, each.default)):
                continue
            try:
                out[each.name] = each.value.write(entry, names)
            except InputError as reason:
                raise InputError(_within(each.name, str(reason))) from None
        return out

    def schema(self) -> Schema:
        out: Schema = {
            "type": "object",
            "properties": {each.name: _described(each) for each in self.fields},
            "additionalProperties": False,
        }
        required = [each.name for each in self.fields if each.required]
        return out | ({"required": required} if required else {})


@dataclass(frozen=True)
class OneOf(Value):
    """A mapping whose field `kind` says which record it is."""

    title: str
    kinds: Mapping[str, Record]
    classes: Mapping[type, str]

    @property
    def words(self) -> str:
        return f"a {self.title}"

    def read(self, node: Node, known: Known) -> Any:
        return self.record(node).read(_without_kind(node), known)

    def record(self, node: Node) -> Record:
        """The record that a mapping's `kind` names."""
        if not isinstance(node.value, dict):
            raise node.fault(
                f"must be a mapping with a kind, such as {{kind: {next(iter(self.kinds))}, ...}}, "
                f"got {shown(node.value)}"
            )
        if "kind" not in node.value:
            raise node.fault(f"lacks 'kind': one of {', '.join(self.kinds)}")
        word = node.value["kind"]
        if not isinstance(word, str) or word not in self.kinds:
            raise node["kind"].fault(
                f"there is no {self.title} {shown(word)}; choose one of {', '.join(self.kinds)}"
                f"{meant(word, self.kinds)}"
            )
        return self.kinds[word]

    def write(self, value: Any, names: Names) -> dict[str, Any]:
        word = self.classes.get(type(value))
        if word is None:
            raise InputError(f"is a {type(value).__name__}; a file can only hold a {self.title}")
        return {"kind": word, **self.kinds[word].write(value, names)}

    def schema(self) -> Schema:
        """A reference to the definition, which the scene's schema holds once."""
        return {"$ref": f"#/$defs/{self.title}"}

    def definition(self) -> Schema:
        """The schema itself: any of the kinds."""
        options = []
        for word, record in self.kinds.items():
            one = record.schema()
            one["properties"] = {"kind": {"const": word}, **one["properties"]}
            one["required"] = ["kind", *one.get("required", [])]
            options.append(one | ({"description": record.help} if record.help else {}))
        return {"oneOf": options}


def _without_kind(node: Node) -> Node:
    """The same mapping without its kind."""
    rest = {key: value for key, value in node.value.items() if key != "kind"}
    return Node(rest, node.path, node.source)


def table(title: str, entries: Mapping[type, Record]) -> OneOf:
    """The kinds of one family, each called by its title."""
    return OneOf(
        title,
        {record.title: record for record in entries.values()},
        {kind: record.title for kind, record in entries.items()},
    )


def same(value: Any, default: Any) -> bool:
    """Whether a value equals the default to the last bit, so that a file may omit it."""
    return type(value) is type(default) and repr(value) == repr(default)  # −0 is not 0


def _within(name: str, message: str) -> str:
    return f"{name} {message}" if message.startswith("is ") else f"{name}: {message}"


def _default(each: dataclasses.Field[Any]) -> Any:
    if each.default is not dataclasses.MISSING:
        return each.default
    if each.default_factory is not dataclasses.MISSING:
        return each.default_factory()
    return REQUIRED


def _described(each: Field) -> Schema:
    out = each.value.schema()
    return out | {"description": each.help} if each.help else out


FUNCTION = re.compile(r"[,;]? or (of )?a function of time( that gives (it|three))?")
"""Phrases of docstrings about values that no file can hold."""

ENTRY = re.compile(r"^(\w+(?:, \w+)*):\n((?:    .*\n?|\n)+)", re.MULTILINE)


def parameter_texts(kind: type) -> dict[str, str]:
    """The description of each parameter in the docstrings of a class and its bases.

    Texts are empty where there are no docstrings, as under `python -OO`.
    """
    texts: defaultdict[str, str] = defaultdict(str)
    for each in reversed(kind.__mro__):
        for names, text in ENTRY.findall(cleandoc(each.__doc__ or "") + "\n"):
            said = FUNCTION.sub("", " ".join(text.split()))
            texts |= dict.fromkeys(names.split(", "), said)
    return texts


def first_sentence(kind: type) -> str:
    """The first line of a class's docstring."""
    return (kind.__doc__ or "").strip().split("\n", 1)[0]
