"""What the numbers of a shape must be, and what is said when they are not."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.errors import InputError

Floats = NDArray[np.float64]
Vector = tuple[float, float, float]

SMALLEST, LARGEST = 1e-30, 1e30
"""Sizes [m] whose fifth power, as in an inertia, is still an ordinary number."""


def positive(name: str, value: object) -> float:
    """A length [m], or another positive number, as a float."""
    number = _number(name, value)
    if not SMALLEST <= number <= LARGEST:
        raise InputError(
            f"{name} is {number:g}; it must be positive, from {SMALLEST:g} to {LARGEST:g}"
        )
    return number


def finite(name: str, value: object) -> float:
    """A number of any sign, as a float."""
    number = _number(name, value)
    if not abs(number) <= LARGEST:
        raise InputError(f"{name} is {number:g}; it must be within ±{LARGEST:g}")
    return number


def _number(name: str, value: object) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise InputError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if not math.isfinite(number):
        raise InputError(f"{name} is {number}; it must be a finite number")
    return number


def positive_vector(name: str, value: ArrayLike) -> Vector:
    """Three lengths [m]."""
    x, y, z = finite_vector(name, value)
    for axis, length in zip("xyz", (x, y, z), strict=True):
        positive(f"{name} along {axis}", length)
    return x, y, z


def finite_vector(name: str, value: ArrayLike) -> Vector:
    """Three finite numbers."""
    x, y, z = _row(name, value, 3)
    return x, y, z


def unit_vector(name: str, value: ArrayLike) -> Vector:
    """A direction, made unit length."""
    x, y, z = _normalised(name, _row(name, value, 3))
    return x, y, z


def unit_quaternion(name: str, value: ArrayLike) -> tuple[float, float, float, float]:
    """An orientation (w, x, y, z), made unit length."""
    w, x, y, z = _normalised(name, _row(name, value, 4))
    return w, x, y, z


def _row(name: str, value: ArrayLike, length: int) -> list[float]:
    array = finite_array(name, value)
    if array.shape != (length,):
        raise InputError(f"{name} must be {length} numbers, got an array of shape {array.shape}")
    return [float(entry) for entry in array]


def _normalised(name: str, row: list[float]) -> list[float]:
    length = math.hypot(*row)
    if not length >= SMALLEST:
        raise InputError(f"{name} is {tuple(row)}: its length must not be zero")
    if abs(length - 1.0) < 1e-15:  # do not let rounding wander when a unit vector comes again
        return row
    return [entry / length for entry in row]


def finite_array(name: str, value: ArrayLike) -> Floats:
    """`value` as a float64 array, or an error that names the first entry that is not finite."""
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as reason:
        raise InputError(f"{name} must be an array of numbers: {reason}") from None
    # NaN compares false
    if array.size and not (array.min() >= -LARGEST and array.max() <= LARGEST):
        sound = np.abs(array) <= LARGEST
        where = np.argwhere(~sound)[0]
        entry = ", ".join(str(i) for i in where)
        raise InputError(
            f"{name}[{entry}] is {array[tuple(where)]}; "
            f"every entry must be a finite number within ±{LARGEST:g}"
        )
    return array


def points_array(name: str, value: ArrayLike) -> Floats:
    """Points [m], shape (n, 3), read-only."""
    array = finite_array(name, value)
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(f"{name} must have shape (n, 3), got {array.shape}")
    array = array + 0.0  # −0 becomes 0, so that equal arrays have equal bytes
    array.flags.writeable = False
    return array


def unit_rows(directions: ArrayLike) -> Floats:
    """Directions (n, 3) made unit length; what has no direction points along z."""
    array = np.atleast_2d(finite_array("directions", directions))
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(f"directions must have shape (n, 3), got {array.shape}")
    largest = np.abs(array).max(axis=1, keepdims=True)
    array = np.where(largest > 0.0, array / np.where(largest > 0.0, largest, 1.0), [0.0, 0.0, 1.0])
    return np.asarray(array / np.linalg.norm(array, axis=1, keepdims=True))
