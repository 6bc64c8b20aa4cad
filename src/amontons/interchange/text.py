"""Plain data as readable YAML or TOML: short values on one line, one line per row of an array."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from amontons.interchange.yaml_text import scalar

WIDTH = 92
"""Longest value that is written on one line [characters]."""

PLAIN_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_. /-]*")
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def to_yaml(data: dict[str, Any]) -> str:
    """Data as YAML."""
    return "\n".join(_yaml(data, 0)) + "\n"


def _yaml(data: Any, indent: int) -> Iterator[str]:
    """Lines of a mapping or list, in block style."""
    space = "  " * indent
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _entry(f"{space}{_word(key)}:", value, indent + 1)
        return
    for value in data:
        short = _flow(value)
        if short is not None and (len(short) + len(space) <= WIDTH or _is_scalar(value)):
            yield f"{space}- {short}"
        else:
            first, *rest = _yaml(value, indent + 1)
            yield f"{space}- {first.strip()}"
            yield from rest


def _entry(head: str, value: Any, indent: int) -> Iterator[str]:
    short = _flow(value)
    fits = short is not None and len(head) + len(short) < WIDTH
    if _is_scalar(value) or (fits and (indent > 1 or _is_leaf(value))):
        yield f"{head} {short}"
        return
    yield head
    yield from _yaml(value, indent)


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _is_leaf(value: Any) -> bool:
    """Whether a section may be written on one line: a value, or numbers."""
    if isinstance(value, dict):
        return not value
    return not isinstance(value, list) or not any(isinstance(each, dict | list) for each in value)


def _flow(value: Any) -> str | None:
    """A value on one line, or None if that would be too long."""
    if isinstance(value, dict):
        parts = [(_word(key), _flow(each)) for key, each in value.items()]
        if any(each is None for _, each in parts):
            return None
        text = "{" + ", ".join(f"{key}: {each}" for key, each in parts) + "}"
    elif isinstance(value, list):
        if len(value) > WIDTH // 2:
            return None
        entries = [_flow(each) for each in value]
        if any(each is None for each in entries):
            return None
        text = "[" + ", ".join(each or "" for each in entries) + "]"
    else:
        return _scalar(value, infinity=".inf", nan=".nan", quote=_word)
    return text if len(text) <= WIDTH or _one_row(value) else None


def _one_row(value: Any) -> bool:
    """Rows of up to nine numbers stay on one line, however many digits they have."""
    return (
        isinstance(value, list)
        and len(value) <= 9
        and not any(isinstance(each, list | dict | str) for each in value)
    )


def _word(text: str) -> str:
    """Text in YAML: plain if it cannot be mistaken for anything else."""
    if PLAIN_WORD.fullmatch(text) and scalar(text) == text and not text.endswith(" "):
        return text
    return _quoted(text)


def _quoted(text: str) -> str:
    """Text in double quotes that YAML and TOML read alike: unprintable characters are escaped."""
    shown = json.dumps(text, ensure_ascii=False)
    return "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in shown)


def _scalar(value: Any, *, infinity: str, nan: str, quote: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return nan
        if math.isinf(value):
            return infinity if value > 0 else f"-{infinity}"
        digits = repr(value)
        return digits if "." in digits else digits.replace("e", ".0e")  # YAML 1.1 requires the dot
    return str(value) if isinstance(value, int) else str(quote(value))


def to_toml(data: dict[str, Any]) -> str:
    """Data as TOML: one table per section, and one per entry of a list."""
    lines: list[str] = []
    for key, value in data.items():
        if not isinstance(value, dict) and not _is_tables(value):
            lines.append(f"{_key(key)} = {_inline(value)}")
    for key, value in data.items():
        if isinstance(value, dict):
            lines += ["", f"[{_key(key)}]", *_pairs(value)]
        elif _is_tables(value):
            for entry in value:
                lines += ["", f"[[{_key(key)}]]", *_pairs(entry)]
    return "\n".join(lines) + "\n"


def _is_tables(value: Any) -> bool:
    tables = isinstance(value, list) and all(isinstance(each, dict) for each in value)
    return tables and bool(value)


def _pairs(table: dict[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        yield f"{_key(key)} = {_inline(value)}"


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(key)} = {_inline(each)}" for key, each in value.items())
        return f"{{{inside}}}"
    if isinstance(value, list):
        entries = [_inline(each) for each in value]
        text = f"[{', '.join(entries)}]"
        if len(text) <= WIDTH or _one_row(value):
            return text
        return "[\n" + "".join(f"  {each},\n" for each in entries) + "]"
    return _scalar(value, infinity="inf", nan="nan", quote=_quoted)


def _key(text: str) -> str:
    return text if BARE_KEY.fullmatch(text) else _quoted(text)
