"""TOML with line numbers: tomllib reads the values, a token scan finds the lines."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from amontons.errors import FileFormatError

Lines = dict[tuple[str | int, ...], int]
Place = tuple[str | int, ...]

TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}'  # strings over several lines
    r'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\''
    r"|\#[^\n]*|\n|[\[\]{}=,.]|[^\s\[\]{}=,.\#\"']+",
    re.DOTALL,
)
PLACE = re.compile(r" \(at line (\d+), column \d+\)$")


def parse_toml(text: str, name: str) -> tuple[Any, Lines]:
    """The data of a text, and the line of each key and of each nested list."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as reason:
        said = str(reason)
        place = PLACE.search(said)
        line = int(place[1]) if place else text.count("\n") + 1
        raise FileFormatError(
            f"{name}, line {line}: this is not valid TOML: {PLACE.sub('', said)}"
        ) from None
    except ValueError:  # Python's limit on the digits of integers; its error names no line
        raise FileFormatError(
            f"{name}: this is not usable TOML: a whole number has thousands of digits"
        ) from None
    except RecursionError:
        raise FileFormatError(f"{name}, line 1: this is nested too deeply for a scene") from None
    return data, _Scan(text).lines


class _Scan:
    """Walks over the tokens of a valid TOML text and records the lines of keys."""

    def __init__(self, text: str) -> None:
        self.lines: Lines = {}
        self._tokens: list[tuple[str, int]] = []
        line = 1
        for match in TOKEN.finditer(text):
            token = match[0]
            if not token.startswith("#"):
                self._tokens.append((token, line))
            line += token.count("\n")
        self._at = 0
        self._table: Place = ()
        self._counts: dict[Place, int] = {}
        while self._at < len(self._tokens):
            self._statement()

    def _peek(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _take(self) -> tuple[str, int]:
        self._at += 1
        return self._tokens[self._at - 1]

    def _skip_newlines(self) -> None:
        while self._peek() == "\n":
            self._at += 1

    def _statement(self) -> None:
        """A header, a key with its value, or an empty line."""
        if self._peek() == "\n":
            self._at += 1
        elif self._peek() == "[":
            self._header()
        else:
            self._pair(self._table)

    def _header(self) -> None:
        line = self._take()[1]
        several = self._peek() == "["
        if several:
            self._at += 1
        keys = self._key()
        self._at += 2 if several else 1
        path: Place = ()
        for place, key in enumerate(keys):
            path = (*path, key)
            if several and place == len(keys) - 1:
                self.lines.setdefault(path, line)
                self._counts[path] = self._counts.get(path, -1) + 1
            if path in self._counts:
                path = (*path, self._counts[path])
        self._table = path
        self.lines.setdefault(path, line)

    def _key(self) -> list[str]:
        """A key, possibly dotted, as its parts."""
        parts = [_plain(self._take()[0])]
        while self._peek() == ".":
            self._at += 1
            parts.append(_plain(self._take()[0]))
        return parts

    def _pair(self, table: Place) -> None:
        line = self._tokens[self._at][1]
        path = table
        for key in self._key():
            path = (*path, key)
            self.lines.setdefault(path, line)
        self._at += 1  # the equals sign
        self._value(path)

    def _value(self, path: Place) -> None:
        token, line = self._take()
        if token == "[":
            self.lines.setdefault(path, line)
            self._list(path)
        elif token == "{":
            self.lines.setdefault(path, line)
            self._inline(path)
        else:
            while self._peek() not in ("\n", ",", "]", "}", ""):  # a number has dots
                self._at += 1

    def _list(self, path: Place) -> None:
        number = 0
        while True:
            self._skip_newlines()
            if self._peek() == "]":
                self._at += 1
                return
            if self._peek() == ",":
                self._at += 1
                number += 1
                continue
            self._value((*path, number))

    def _inline(self, path: Place) -> None:
        while True:
            self._skip_newlines()
            if self._peek() == "}":
                self._at += 1
                return
            if self._peek() == ",":
                self._at += 1
                continue
            self._pair(path)


def _plain(token: str) -> str:
    """A key without its quotes."""
    if token[0] in "\"'":
        return str(next(iter(tomllib.loads(f"{token} = 0"))))
    return token
