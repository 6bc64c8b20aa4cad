"""Values that go from one to the next over time, without jumps in speed."""

from __future__ import annotations

from amontons.model.signals import Schedule


def schedule(*points: tuple[float, float]) -> Schedule:
    """A function of time through (time [s], value), at rest in each of them."""
    return Schedule(points)
