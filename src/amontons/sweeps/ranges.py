"""Values of a parameter in words: `0.1:0.8:8`, `0:9`, `0.2,0.4,0.9`, `1e-4:1e-1:4:log`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from amontons.errors import InputError

V = TypeVar("V")

MOST = 100_000
"""Largest number of values of a range, and of runs of a sweep; more is taken for a mistake."""

HOW = "values are said as 0:9 (whole numbers), 0.1:0.8:8 (evenly spaced), 1e-4:1:5:log, or 1,2,5"


def read_values(name: str, text: str, parse: Callable[[str], V], *, rows: bool = False) -> list[V]:
    """All values that a text denotes, in order.

    Parameters
    ----------
    parse:
        Makes a value of a word.
    rows:
        Whether one value is several numbers with commas; then values are separated by `;`.
    """
    if rows:
        values = [parse(part.strip()) for part in text.split(";") if part.strip()]
    else:
        parts = [part.strip() for part in text.split(",")]
        words = (word for part in parts if part for word in _words(name, part))
        values = [parse(word) for word in words]
    if not values:
        raise InputError(f"{name} has no values; {HOW}")
    return values


def _words(name: str, part: str) -> Iterator[str]:
    """The words that one range denotes, or the word itself."""
    pieces = [piece.strip() for piece in part.split(":")]
    if len(pieces) == 1:
        yield part
    elif len(pieces) == 2:
        yield from _whole(name, part, pieces)
    else:
        yield from _spaced(name, part, pieces)


def _whole(name: str, part: str, pieces: list[str]) -> Iterator[str]:
    try:
        first, last = (int(piece) for piece in pieces)
    except ValueError:
        raise InputError(
            f"{name}={part} is not a range of whole numbers; for other evenly "
            f"spaced values, give their number: {name}={part}:8"
        ) from None
    if last < first:
        raise InputError(f"{name}={part} is an empty range: {last} comes before {first}")
    _few(name, part, last - first + 1)
    yield from map(str, range(first, last + 1))


def _spaced(name: str, part: str, pieces: list[str]) -> Iterator[str]:
    if len(pieces) > 4 or (len(pieces) == 4 and pieces[3] != "log"):
        raise InputError(f"{name}={part} is not a range; {HOW}")
    try:
        low, high, count = float(pieces[0]), float(pieces[1]), int(pieces[2])
    except ValueError:
        raise InputError(f"{name}={part} is not a range; {HOW}") from None
    if not (math.isfinite(low) and math.isfinite(high)):
        raise InputError(f"{name}={part}: both ends must be finite")
    if count < 2:
        raise InputError(f"{name}={part} is an empty range: it needs at least 2 values, its ends")
    _few(name, part, count)
    if len(pieces) == 4 and not (low > 0.0 and high > 0.0):
        raise InputError(f"{name}={part}: values on a logarithmic scale must be positive")
    spaced = np.geomspace if len(pieces) == 4 else np.linspace
    for value in spaced(low, high, count):
        yield f"{value:.12g}"  # 0.3 rather than 0.30000000000000004


def _few(name: str, part: str, count: int) -> None:
    if count > MOST:
        raise InputError(f"{name}={part} has {count} values; a sweep has at most {MOST}")


def as_word(text: str) -> bool | int | float | str:
    """The value of a word whose type is not declared."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
