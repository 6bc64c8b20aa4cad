"""Checks of the arguments of queries, and their error messages."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.array_types import Floats, Ints, Longs
from amontons.checks import rows_array, unit_quaternions
from amontons.errors import InputError

ALL_GROUPS = 0xFFFFFFFF


def unit_directions(name: str, value: ArrayLike, number: int) -> Floats:
    """Directions of any length but zero, made unit length; shape (number, 3)."""
    array = rows_array(name, value)
    _same_number(name, array, number)
    largest = np.abs(array).max(axis=1, initial=0.0)
    if (largest == 0.0).any():
        first = int(np.argmin(largest))
        raise InputError(f"{name}[{first}] is zero: a ray needs a direction")
    array = array / largest[:, None]
    return np.asarray(array / np.linalg.norm(array, axis=1, keepdims=True))


def unit_turns(name: str, value: ArrayLike | None, number: int) -> Floats:
    """Unit quaternions (w, x, y, z), shape (number, 4); by default without rotation."""
    if value is None:
        return np.tile([1.0, 0.0, 0.0, 0.0], (number, 1))
    array = rows_array(name, value, 4)
    _same_number(name, array, number)
    return unit_quaternions(name, array)


def reaches(name: str, value: ArrayLike, number: int) -> Floats:
    """Lengths, zero or more, infinity allowed: one for all or one each; shape (number,)."""
    array = np.asarray(value)
    if array.dtype.kind not in "iuf" or array.shape not in ((), (number,)):
        raise InputError(
            f"{name} must be one length or {number} [m], got shape {array.shape} of {array.dtype}"
        )
    if not (array >= 0.0).all():  # NaN compares false
        wrong = np.atleast_1d(array)
        first = int(np.argmax(~(wrong >= 0.0)))
        raise InputError(f"{name} is {wrong[first]}; it must be a length, zero or more [m]")
    return np.array(np.broadcast_to(array, number), dtype=np.float64)


def group_bits(name: str, value: ArrayLike, number: int) -> NDArray[np.uint32]:
    """Bits of groups, 32 of them: one number for all or one each; shape (number,)."""
    array = _whole(name, value, number)
    if ((array < 0) | (array > ALL_GROUPS)).any():
        raise InputError(f"{name} must fit into 32 bits, from 0 to {ALL_GROUPS}")
    return np.array(np.broadcast_to(array, number), dtype=np.uint32)


def body_numbers(name: str, value: ArrayLike | None, number: int, bodies: int) -> Ints:
    """Bodies, or −1 for none: one for all or one each; shape (number,)."""
    array = _whole(name, -1 if value is None else value, number)
    wrong = (array < -1) | (array >= bodies)
    if wrong.any():
        first = int(np.atleast_1d(array)[np.argmax(wrong)])
        raise InputError(f"{name} names body {first}, but bodies count from 0 to {bodies - 1}")
    return np.array(np.broadcast_to(array, number), dtype=np.int32)


def body_pairs(value: ArrayLike, bodies: int) -> Longs:
    """Pairs of two different bodies, shape (n, 2)."""
    pairs = np.asarray(value)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise InputError(
            f"pairs must be whole numbers of shape (n, 2), got shape {pairs.shape} of {pairs.dtype}"
        )
    wrong = ((pairs < 0) | (pairs >= bodies)).any(axis=1)
    if wrong.any():
        first = int(np.argmax(wrong))
        raise InputError(
            f"pairs[{first}] is {pairs[first].tolist()}, but bodies count from 0 to {bodies - 1}"
        )
    same = pairs[:, 0] == pairs[:, 1]
    if same.any():
        first = int(np.argmax(same))
        raise InputError(f"pairs[{first}] has body {pairs[first, 0]} twice")
    return pairs.astype(np.int64)


def _whole(name: str, value: ArrayLike, number: int) -> Longs:
    array = np.asarray(value)
    if array.dtype.kind not in "iu" or array.shape not in ((), (number,)):
        raise InputError(
            f"{name} must be one whole number or {number}, got shape {array.shape} of {array.dtype}"
        )
    return array.astype(np.int64)


def _same_number(name: str, array: Floats, number: int) -> None:
    if len(array) != number:
        raise InputError(f"{name} must have {number} rows, one for each, got {len(array)}")
