"""Initial angles and travels of a robot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from amontons.checks import finite
from amontons.errors import InputError
from amontons.interchange.robots.left_out import LeftOut

Limits = tuple[float, float] | None


class Clamped:
    """The values requested by name, or the default ones moved to the nearest limit."""

    def __init__(self, path: Path, wanted: Mapping[str, float], left_out: LeftOut) -> None:
        self.path = path
        self.wanted = {
            name: finite(f"configuration of {name!r}", value) for name, value in wanted.items()
        }
        self.taken: dict[str, float] = {}
        self.left_out = left_out

    def value(self, name: str, usual: float, limits: Limits) -> float:
        """The value of a joint [rad or m]."""
        value = self.wanted.get(name, usual)
        low, high = limits or (-math.inf, math.inf)
        if low > high:
            raise InputError(
                f"{self.path}: the lower limit {low:g} of joint {name!r} is above {high:g}"
            )
        inside = min(max(value, low), high)
        self.taken[name] = inside
        if inside == value:
            return inside
        if name in self.wanted:
            raise InputError(
                f"{self.path}: joint {name!r} cannot start at {value:g}: "
                f"its limits are {low:g} and {high:g}"
            )
        self.left_out.add("zeros out of range: these joints start at a limit", name)
        return inside

    def refuse_unknown(self) -> None:
        """Raise if a value was given for a joint that does not exist."""
        unknown = sorted(set(self.wanted) - set(self.taken))
        if unknown:
            raise InputError(
                f"{self.path} has no joint {unknown[0]!r} whose value can be set; it has "
                f"{', '.join(self.taken) or 'none'}"
            )


def limits_from(limits: Limits, value: float) -> Limits:
    """Limits counted from the value at the start."""
    if limits is None:
        return None
    return min(limits[0] - value, 0.0), max(limits[1] - value, 0.0)
