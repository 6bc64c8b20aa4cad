"""The runs of a sweep: every combination of values, or listed ones."""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from amontons.errors import InputError
from amontons.sweeps.ranges import MOST
from amontons.sweeps.subjects import Point, Subject

Vary = Mapping[str, Any] | Sequence[Mapping[str, Any]]
"""Values by parameter, of which all combinations are run, or one mapping for each run."""


def points_of(subject: Subject, vary: Vary) -> list[Point]:
    """The values of each run, in order; the last parameter varies fastest."""
    if not isinstance(vary, Mapping):
        return _listed(subject, vary)
    if not vary:
        raise InputError(f"nothing is to be varied: name a parameter of {subject.name} and values")
    every = {name: _values(subject, name, given) for name, given in vary.items()}
    count = math.prod(len(values) for values in every.values())
    if count > MOST:
        raise InputError(f"that makes {count} runs; a sweep has at most {MOST}")
    return [dict(zip(every, each, strict=True)) for each in itertools.product(*every.values())]


def _listed(subject: Subject, vary: Iterable[Mapping[str, Any]]) -> list[Point]:
    points = [{name: _plain(name, value) for name, value in each.items()} for each in vary]
    if not points or not points[0]:
        raise InputError(f"nothing is to be varied: name a parameter of {subject.name} and values")
    for number, point in enumerate(points):
        for name in point:
            subject.check_name(name)
        if set(point) != set(points[0]):
            raise InputError(
                f"run {number} sets {', '.join(point) or 'nothing'}, but the first one sets "
                f"{', '.join(points[0])}: every run must set the same parameters"
            )
        if point in points[:number]:
            raise InputError(f"run {number} is the same as run {points.index(point)}: {point}")
    return points


def _values(subject: Subject, name: str, given: Any) -> list[Any]:
    """Values of one parameter: from text, one value, or any collection."""
    subject.check_name(name)
    if isinstance(given, str):
        values = subject.values(name, given)
    elif isinstance(given, numbers.Number):
        values = [given]
    elif isinstance(given, Iterable):
        values = list(given)
    else:
        raise InputError(f"{name} must be a list of values or a text such as 0.1:0.8:8")
    values = [_plain(name, value) for value in values]
    if not values:
        raise InputError(f"{name} has no values")
    for number, value in enumerate(values):
        if value in values[:number]:
            raise InputError(f"{name} has the value {value!r} twice")
    return values


def _plain(name: str, value: Any) -> Any:
    """A value in a form that suits both JSON and parameters."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple(_plain(name, each) for each in value)
    if not isinstance(value, bool | int | float | str):
        raise InputError(
            f"{name} has the value {value!r}; they must be numbers, texts or tuples of them"
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{name} has the value {value}; it must be finite")
    return value
