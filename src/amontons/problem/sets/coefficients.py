"""Checks of the coefficients and normals of sets, and their error messages."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.checks import as_finite, as_numbers
from amontons.errors import InputError
from amontons.problem.kernels import mend_normals

Floats = NDArray[np.float64]

NORMAL_TOLERANCE = 1e-6
"""How far a normal's length may be from 1 before it is an error; smaller errors are corrected."""

NORMAL_ROUNDING = 4e-16
"""The same that is left alone: a bit or two."""

LARGEST_COEFFICIENT = 1e100
"""Largest coefficient of friction; its square must be finite."""


def flat(array: Floats) -> Floats:
    """A number as an array of one; arrays as they are."""
    return array if array.ndim else array.reshape(1)


def coefficient(name: str, value: ArrayLike, blocks: int | None = None) -> Floats:
    """A finite, non-negative number for each block; one for all is repeated `blocks` times."""
    array = flat(as_numbers(name, value))
    if array.ndim != 1:
        raise InputError(
            f"{name} must be a number or one number per contact, got shape {array.shape}"
        )
    if not ((array >= 0.0) & (array <= LARGEST_COEFFICIENT)).all():  # NaN is neither
        as_finite(name, value)
        worst = int(np.argmin(array))
        if array[worst] < 0.0:
            raise InputError(f"{name}[{worst}] is {array[worst]}; it must not be negative")
        raise InputError(f"{name} is {array.max():g}; more than {LARGEST_COEFFICIENT:g} overflows")
    if blocks is not None and array.size != blocks:
        if array.size != 1:
            raise InputError(f"{name} has {array.size} entries for {blocks} contacts")
        array = np.full(blocks, array[0])
    return array


def unit_normals(value: ArrayLike, blocks: int) -> Floats:
    """Normals, one for each block, normalised; an error if their lengths are far from 1."""
    normals = as_numbers("normals", value)
    if normals.shape != (blocks, 3):
        raise InputError(f"normals must have shape ({blocks}, 3), got {normals.shape}")
    mended = np.empty((blocks, 3))
    # a normal that is a unit vector to the last bit or two stays as it is: files come back the same
    largest = mend_normals(normals, NORMAL_ROUNDING, mended)
    if not largest <= NORMAL_TOLERANCE:
        as_finite("normals", normals)
        length = np.sqrt(np.einsum("ij,ij->i", normals, normals))
        error = np.abs(length - 1.0)
        worst = int(np.argmax(error > NORMAL_TOLERANCE))
        raise InputError(
            f"normals[{worst}] has length {length[worst]:.6g}; normals must be unit vectors"
        )
    return mended if largest > NORMAL_ROUNDING else normals
