"""How far ahead contacts are looked for: the faster bodies are, the farther."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.small_worlds.books import MARGINS, level_of_margin

Floats = NDArray[np.float64]

LEVELS = MARGINS
"""Margins are near, 2 near, 4 near, ... : so many of them."""


class MarginLevel(NamedTuple):
    """Which margin is in use. It grows at once and shrinks after a while, so that it lasts."""

    doublings: int  # of the distance below which bodies are near
    calm: int  # steps in a row for which a smaller one would have done


NEAR_ONLY = MarginLevel(0, 0)
"""The level of bodies that do not move."""


def choose_margin(
    level: MarginLevel, speeds: Floats, near: float, h: float
) -> tuple[MarginLevel, float]:
    """The level and the margin [m] of a step of h [s], from the level of the step before.

    The margin covers how far the fastest and the fast bodies come in the step; `speeds` are bounds
    of the speeds of the bodies' surfaces [m/s], and `near` is the least margin [m].
    """
    doublings, calm = level_of_margin(level.doublings, level.calm, _closing_speed(speeds), near, h)
    return MarginLevel(doublings, calm), near * 2.0**doublings


def _closing_speed(speeds: Floats) -> float:
    """Speed of the fastest body's surface and of the fast ones', added [m/s]."""
    moving = speeds[speeds > 0.0]
    if not moving.size:
        return 0.0
    fast = min(moving.size - 1, int(0.95 * moving.size))
    moving.partition(fast)
    return float(moving[fast:].max() + moving[fast])
