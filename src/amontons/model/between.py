"""`Between`: a box whose borders may be the faces of bodies, as of a sample between walls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amontons.checks import finite
from amontons.errors import InputError

Borders = tuple[Any, ...]
"""Handles of bodies, and their names."""


@dataclass(frozen=True, eq=False)
class Between:
    """A box along the axes, between numbers and the faces of bodies, with which it moves.

    What touches such a body ends there: nothing is cut off at it, however deep it overlaps.

    Parameters
    ----------
    low, high:
        Along x, y and z: a number [m], or a body (its handle or its name) whose face towards the
        inside is the border.
    """

    low: Sequence[Any]
    high: Sequence[Any]

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            given = getattr(self, name)
            if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 3:
                raise InputError(f"{name} must be three borders, along x, y and z, got {given!r}")
            object.__setattr__(self, name, tuple(_border(name, each) for each in given))

    @property
    def borders(self) -> Borders:
        """The bodies among its borders."""
        return tuple(each for each in (*self.low, *self.high) if not isinstance(each, float))


def _border(name: str, given: Any) -> Any:
    """A number, a name or a handle."""
    if isinstance(given, str) or hasattr(given, "id"):
        return given
    return finite(f"{name} of a Between (a number, or a body)", given)
