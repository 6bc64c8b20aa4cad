"""What is read off the histories of solvers: iterations to a level, and linear rates."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.errors import InputError
from amontons.problem.solution import History

Floats = NDArray[np.float64]


def reach(history: History, level: float) -> tuple[int, float] | None:
    """First iteration and time [s] at which the residual is at most `level`; None if never."""
    below = np.flatnonzero(history.residual <= level)
    return (int(below[0]), float(history.time[below[0]])) if below.size else None


def iterations_to(history: History, level: float) -> int | None:
    """First iteration at which the residual is at most `level`; None if never."""
    found = reach(history, level)
    return None if found is None else found[0]


def linear_rate(values: ArrayLike) -> float:
    """The factor c of a sequence that falls as cᵏ, fitted to the logarithms of its later half.

    1 is no progress, 0 is at once. Values that are not positive end the sequence.
    """
    values = np.asarray(values, dtype=np.float64)
    bad = np.flatnonzero(~(values > 0.0))
    if bad.size:
        values = values[: bad[0]]
    if values.size < 4:
        raise InputError(f"a rate needs 4 positive values or more, got {values.size}")
    tail = np.log(values[values.size // 2 :])
    return math.exp(float(np.polyfit(np.arange(tail.size), tail, 1)[0]))
