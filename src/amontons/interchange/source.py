"""The text of a scene file: its data, and the line of every key and row."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amontons.errors import FileFormatError, InputError
from amontons.interchange.toml_text import parse_toml
from amontons.interchange.yaml_text import parse_yaml
from amontons.storage.reading import no_file

Place = tuple[str | int, ...]
"""Keys and places in lists that lead to a value."""

READERS = {".yaml": parse_yaml, ".yml": parse_yaml, ".json": parse_yaml, ".toml": parse_toml}
"""By the end of a file's name. JSON is YAML, too."""


@dataclass(frozen=True)
class SourceText:
    """A scene file that has been parsed but not yet interpreted."""

    path: Path
    data: Any
    lines: Mapping[Place, int]

    def line(self, path: Place) -> int:
        """Line of a value, or of the nearest enclosing value that has one."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    @property
    def root(self) -> Node:
        """The whole file."""
        return Node(self.data, (), self)

    def with_values(self, values: Mapping[str, Any]) -> SourceText:
        """The same with other values at places such as `bodies[2].mass`; the file is not changed.

        The last key of a place may be one that the file omits. An entry of a list is given by its
        number or its name: `bodies.block.mass`.
        """
        data = copy.deepcopy(self.data)
        for place, value in values.items():
            *way, last = [word for word in re.split(r"[.\[\]]+", place) if word]
            found = data
            for word in way:
                found = found[self._key(found, word, place)]
            found[self._key(found, last, place, new=True)] = value
        return SourceText(self.path, data, self.lines)

    def _key(self, found: Any, word: str, place: str, *, new: bool = False) -> str | int:
        """The key or index that a word of a place stands for."""
        if isinstance(found, dict):
            if word in found or new:
                return word
            there = [str(key) for key in found]
        elif isinstance(found, list):
            names = [each.get("name") if isinstance(each, dict) else None for each in found]
            if word.isdecimal() and int(word) < len(found):
                return int(word)
            if word in names:
                return names.index(word)
            there = [str(name or number) for number, name in enumerate(names)]
        else:
            there = []
        known = f"there is {', '.join(there[:12])}" if there else "there is nothing below it"
        raise InputError(f"{self.path} has no {place!r}: {word!r} is not found; {known}")


@dataclass(frozen=True)
class Node:
    """A value of a scene file, with its place in the file."""

    value: Any
    path: Place
    source: SourceText

    def __getitem__(self, key: str | int) -> Node:
        return Node(self.value[key], (*self.path, key), self.source)

    def items(self) -> Iterator[tuple[str, Node]]:
        """Keys and values of a mapping."""
        for key in self.value:
            yield key, self[key]

    def entries(self) -> Iterator[Node]:
        """Values of a list."""
        for number in range(len(self.value)):
            yield self[number]

    @property
    def where(self) -> str:
        """File, line and field, for messages."""
        field = described(self.path)
        place = f"{self.source.path}, line {self.source.line(self.path)}"
        return f"{place}, {field}" if field else place

    def fault(self, what: str) -> PlacedError:
        """An error that names this place."""
        return PlacedError(f"{self.where}: {what}")

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Give errors in making an object the place of the field that they mention."""
        try:
            yield
        except PlacedError:
            raise
        except (InputError, FileFormatError) as reason:
            raise self._spoken_of(str(reason)).fault(str(reason)) from None

    def _spoken_of(self, message: str) -> Node:
        """The field of this mapping that a message names first, or the mapping itself."""
        if not isinstance(self.value, dict):
            return self
        words = [word.strip("'\",.:;()").partition("[")[0] for word in message.split()]
        named = [word for word in words if word in self.value and len(word) > 1]  # "a" is a word
        return self[named[0]] if named else self


class PlacedError(InputError):
    """An error that already names its place."""


def described(path: Place) -> str:
    """A path as it is written: joints[2].axis."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def read_source(path: str | Path) -> SourceText:
    """Read a scene file, YAML or TOML by its suffix."""
    path = Path(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path} is not a scene file: its name must end in {', '.join(READERS)}")
    if not path.is_file():
        raise InputError(f"there is no scene file {path}: it {no_file(path)}")
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        line = raw[: reason.start].count(b"\n") + 1
        raise FileFormatError(
            f"{path}, line {line}: byte {raw[reason.start]:#04x} is not UTF-8 text; "
            "a scene file is plain text"
        ) from None
    data, lines = reader(text, str(path))
    return SourceText(path, data, lines)
