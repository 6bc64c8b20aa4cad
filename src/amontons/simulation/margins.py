"""How far ahead contacts are looked for: the faster bodies are, the farther."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEVELS = 6
"""Margins are near, 2 near, 4 near, ... : so many of them."""

PATIENCE = 20
"""Steps that a smaller margin must suffice before it is taken."""


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
    wanted = _doublings(near + h * _closing_speed(speeds), near)
    calm = level.calm + 1 if wanted < level.doublings else 0
    if wanted > level.doublings or calm > PATIENCE:
        level = MarginLevel(wanted, 0)
    else:
        level = MarginLevel(level.doublings, calm)
    return level, near * 2.0**level.doublings


def _doublings(margin: float, near: float) -> int:
    if margin <= near:
        return 0
    return int(min(LEVELS - 1, np.ceil(np.log2(margin / near))))  # which may be infinite


def _closing_speed(speeds: Floats) -> float:
    """Speed of the fastest body's surface and of the fast ones', added [m/s]."""
    moving = speeds[speeds > 0.0]
    if not moving.size:
        return 0.0
    fast = min(moving.size - 1, int(0.95 * moving.size))
    moving.partition(fast)
    return float(moving[fast:].max() + moving[fast])
