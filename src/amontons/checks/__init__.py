"""Checks of arguments and their error messages, in one place for every room.

A check returns its argument in the form that the code needs, or raises `InputError` with
the argument's name, its value and what it must be.
"""

from amontons.checks.arrays import (
    as_finite,
    as_numbers,
    finite_array,
    finite_vector,
    points_array,
    positive_vector,
    rows_array,
    unit_quaternion,
    unit_quaternions,
    unit_rows,
    unit_vector,
)
from amontons.checks.numbers import (
    LARGEST,
    SMALLEST,
    at_least,
    finite,
    not_negative,
    positive,
    positive_or_infinite,
    whole,
)

__all__ = [
    "LARGEST",
    "SMALLEST",
    "as_finite",
    "as_numbers",
    "at_least",
    "finite",
    "finite_array",
    "finite_vector",
    "not_negative",
    "points_array",
    "positive",
    "positive_or_infinite",
    "positive_vector",
    "rows_array",
    "unit_quaternion",
    "unit_quaternions",
    "unit_rows",
    "unit_vector",
    "whole",
]
