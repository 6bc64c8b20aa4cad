"""Functions of time that can be stored: for motors, motions, lengths and forces.

Any Python function can take their place, but only these can be saved in a scene file.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from amontons.checks import finite
from amontons.errors import InputError


@dataclass(frozen=True, init=False)
class Schedule:
    """Goes from one value to the next over time.

    Parameters
    ----------
    points:
        Increasing times [s], and values; constant before the first and after the last.
    smooth:
        Cubic 3u² − 2u³ between points, at rest at each; otherwise straight lines.
    """

    points: tuple[tuple[float, float], ...]
    smooth: bool = True

    def __init__(self, points: Sequence[Sequence[float]], *, smooth: bool = True) -> None:
        if not isinstance(smooth, bool):
            raise InputError(f"smooth must be True or False, got {smooth!r}")
        pairs = []
        for number, point in enumerate(points):
            if len(point) != 2:
                raise InputError(f"points[{number}] must be a time and a value, got {point!r}")
            time, value = (finite(f"points[{number}]", each) for each in point)
            pairs.append((time, value))
        times = [time for time, _ in pairs]
        if not pairs or any(b <= a for a, b in pairwise(times)):
            raise InputError(f"points of a schedule must have increasing times, got {times}")
        object.__setattr__(self, "points", tuple(pairs))
        object.__setattr__(self, "smooth", smooth)
        object.__setattr__(self, "_times", times)

    def __call__(self, time: float) -> float:
        """The value at a time [s]."""
        times: list[float] = self.__dict__["_times"]
        number = bisect_right(times, time)
        if number in (0, len(times)):
            return self.points[max(number - 1, 0)][1]
        (t0, v0), (t1, v1) = self.points[number - 1], self.points[number]
        u = (time - t0) / (t1 - t0)
        if not self.smooth:
            return v0 + (v1 - v0) * u
        return v0 + (v1 - v0) * u * u * (3.0 - 2.0 * u)


@dataclass(frozen=True, kw_only=True)
class Wave:
    """mean + amplitude · cos(rate · t + phase).

    Parameters
    ----------
    amplitude:
        Largest distance from the mean.
    rate:
        Angular frequency [rad/s].
    phase:
        Phase at the start [rad]; −π/2 makes it a sine.
    mean:
        In the middle of its range.
    """

    amplitude: float
    rate: float
    phase: float = 0.0
    mean: float = 0.0

    def __post_init__(self) -> None:
        for name in ("amplitude", "rate", "phase", "mean"):
            object.__setattr__(self, name, finite(name, getattr(self, name)))

    def __call__(self, time: float) -> float:
        """The value at a time [s]."""
        return self.mean + self.amplitude * math.cos(self.rate * time + self.phase)


@dataclass(frozen=True)
class Components:
    """A vector of which each component is a number or a signal.

    Parameters
    ----------
    entries:
        Along x, y and z.
    """

    entries: tuple[float | Schedule | Wave, ...]

    def __post_init__(self) -> None:
        if len(self.entries) != 3:
            raise InputError(f"entries must be three, got {len(self.entries)}")
        checked = tuple(
            each if isinstance(each, Schedule | Wave) else finite(f"entries[{i}]", each)
            for i, each in enumerate(self.entries)
        )
        object.__setattr__(self, "entries", checked)

    def __call__(self, time: float) -> tuple[float, ...]:
        """The vector at a time [s]."""
        return tuple(each(time) if callable(each) else each for each in self.entries)
