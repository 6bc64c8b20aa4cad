"""Checks of what generators are asked for."""

from __future__ import annotations

import math
from numbers import Integral, Real

from amontons.errors import InputError

MOST = 100_000_000
"""The largest number of bodies or rows that a generator takes on."""


def count_of(name: str, value: object) -> None:
    """A whole number from 1 to MOST."""
    whole = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else 0
    if not 1 <= whole <= MOST:
        raise InputError(f"{name} must be a whole number from 1 to {MOST}, got {value!r}")


def seed_of(value: object) -> int:
    """A seed of random numbers: a whole number ≥ 0."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        raise InputError(f"seed must be a whole number ≥ 0, got {value!r}")
    return int(value)


def at_least(
    name: str, value: object, *, floor: float | None = None, above: float | None = None
) -> None:
    """A finite number that is at least `floor`, or larger than `above`."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise InputError(f"{name} must be a finite number, got {value!r}")
    if floor is not None and value < floor:
        raise InputError(f"{name} is {value}; it must be at least {floor:g}")
    if above is not None and value <= above:
        raise InputError(f"{name} is {value}; it must be larger than {above:g}")
