"""Single numbers."""

from __future__ import annotations

import math
from numbers import Integral, Real

import numpy as np

from amontons.errors import InputError

SMALLEST, LARGEST = 1e-30, 1e30
"""Limits of sizes [m], so that a fifth power, as in an inertia, neither overflows nor vanishes."""


def positive(name: str, value: object) -> float:
    """A length [m], or another positive number, as a float."""
    number = _number(name, value)
    if not SMALLEST <= number <= LARGEST:
        raise InputError(
            f"{name} is {number:g}; it must be positive, from {SMALLEST:g} to {LARGEST:g}"
        )
    return number


def positive_or_infinite(name: str, value: object) -> float:
    """A positive number as a float; math.inf stands for no bound."""
    if isinstance(value, float | np.floating) and value == math.inf:
        return math.inf
    return positive(name, value)


def finite(name: str, value: object) -> float:
    """A number of any sign, as a float."""
    number = _number(name, value)
    if not abs(number) <= LARGEST:
        raise InputError(f"{name} is {number:g}; it must be within ±{LARGEST:g}")
    return number


def not_negative(name: str, value: object) -> float:
    """Zero or more, as a float."""
    number = finite(name, value)
    if number < 0.0:
        raise InputError(f"{name} is {number:g}; it must not be negative")
    return number


def whole(name: str, value: object, least: int = 0, most: int | None = None) -> int:
    """A whole number from `least` to `most`, as an int."""
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
    if number is None or number < least or (most is not None and number > most):
        limits = f"≥ {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{name} must be a whole number {limits}, got {value!r}")
    return number


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


def _number(name: str, value: object) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise InputError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if not math.isfinite(number):
        raise InputError(f"{name} is {number}; it must be a finite number")
    return number
