"""Values that go from one to the next over time, without jumps in speed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import pairwise

from amontons.errors import InputError


def schedule(*points: tuple[float, float]) -> Callable[[float], float]:
    """A function of time through (time [s], value), at rest in each of them.

    Between two points it follows 3u² − 2u³; before the first and after the last it stays.
    """
    times = [time for time, _ in points]
    if not points or any(b <= a for a, b in pairwise(times)):
        raise InputError(f"a schedule needs times that rise, got {times}")

    def value(time: float) -> float:
        number = bisect_right(times, time)
        if number == 0 or number == len(points):
            return points[max(number - 1, 0)][1]
        (t0, v0), (t1, v1) = points[number - 1], points[number]
        u = (time - t0) / (t1 - t0)
        return v0 + (v1 - v0) * u * u * (3.0 - 2.0 * u)

    return value
