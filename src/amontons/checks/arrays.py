"""Arrays of numbers, and vectors."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.checks.numbers import LARGEST, SMALLEST, positive
from amontons.errors import InputError

Floats = NDArray[np.float64]
Vector = tuple[float, float, float]


def as_numbers(name: str, value: ArrayLike) -> Floats:
    """`value` as a float64 array, itself if it is one; NaN and infinities are let through."""
    try:
        return np.asarray(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as reason:
        raise InputError(f"{name} must be an array of numbers: {reason}") from None


def as_finite(name: str, value: ArrayLike) -> Floats:
    """The same, or an error that names the first entry that is not finite."""
    array = as_numbers(name, value)
    if not np.isfinite(array).all():
        _refuse(name, array, np.isfinite(array), "a finite number")
    return array


def finite_array(name: str, value: ArrayLike) -> Floats:
    """A float64 copy of `value`, or an error that names the first entry beyond ±LARGEST."""
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as reason:
        raise InputError(f"{name} must be an array of numbers: {reason}") from None
    # NaN compares false
    if array.size and not (array.min() >= -LARGEST and array.max() <= LARGEST):
        _refuse(name, array, np.abs(array) <= LARGEST, f"a finite number within ±{LARGEST:g}")
    return array


def _refuse(name: str, array: Floats, sound: NDArray[np.bool_], wanted: str) -> None:
    where = np.argwhere(~sound)[0]
    entry = ", ".join(str(i) for i in where)
    raise InputError(f"{name}[{entry}] is {array[tuple(where)]}; every entry must be {wanted}")


def rows_array(name: str, value: ArrayLike, width: int = 3) -> Floats:
    """A finite array of shape (n, width); an empty argument gives n = 0."""
    array = finite_array(name, value)
    if array.size == 0:
        return np.empty((0, width))
    return _of_width(name, array, width)


def points_array(name: str, value: ArrayLike) -> Floats:
    """Points [m], shape (n, 3), read-only."""
    array = _of_width(name, finite_array(name, value), 3)
    array = array + 0.0  # −0 becomes 0, so that equal arrays have equal bytes
    array.flags.writeable = False
    return array


def unit_rows(directions: ArrayLike) -> Floats:
    """Directions (n, 3) made unit length; zero vectors become the z axis."""
    array = np.atleast_2d(finite_array("directions", directions))
    array = _of_width("directions", array, 3)
    largest = np.abs(array).max(axis=1, keepdims=True)
    array = np.where(largest > 0.0, array / np.where(largest > 0.0, largest, 1.0), [0.0, 0.0, 1.0])
    return np.asarray(array / np.linalg.norm(array, axis=1, keepdims=True))


def unit_quaternions(name: str, array: Floats) -> Floats:
    """Quaternions (n, 4) made unit length, which they must have but for 1e-6."""
    length = np.linalg.norm(array, axis=1)
    wrong = np.abs(length - 1.0) > 1e-6
    if wrong.any():
        first = int(np.argmax(wrong))
        raise InputError(
            f"{name}[{first}] has length {length[first]:g}; quaternions must be unit: "
            "divide each by its length"
        )
    return np.asarray(array / length[:, None])


def _of_width(name: str, array: Floats, width: int) -> Floats:
    if array.ndim != 2 or array.shape[1] != width:
        raise InputError(f"{name} must have shape (n, {width}), got {array.shape}")
    return array


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
    if abs(length - 1.0) < 1e-15:  # so that a unit vector given again does not drift by rounding
        return row
    return [entry / length for entry in row]
