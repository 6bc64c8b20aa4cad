"""The length of time steps: constant, or chosen by the speed of the bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons.checks import positive
from amontons.dynamics.masses import Masses
from amontons.errors import InputError

Floats = NDArray[np.float64]

LONGEST = 0.1
"""The largest step by default, in times of a fall over half a typical body's thickness."""

SHORTEST = 1e-3
"""The smallest step by default, as a share of the largest."""


@dataclass(frozen=True, kw_only=True)
class AutomaticStep:
    """Steps in which no body moves farther than a fraction of its size.

    Parameters
    ----------
    largest:
        Limit of the step [s]; by default a tenth of the time in which a typical body falls by half
        its thickness.
    smallest:
        Limit of the step [s]; by default a thousandth of the largest.
    travel:
        Share of half its smallest extent that a body may move in one step.
    """

    smallest: float | None = None
    largest: float | None = None
    travel: float = 0.25

    def __post_init__(self) -> None:
        for name in ("smallest", "largest", "travel"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, positive(name, getattr(self, name)))
        if self.smallest is not None and self.largest is not None and self.smallest > self.largest:
            raise InputError(
                f"the smallest step {self.smallest:g} s is above the largest, {self.largest:g} s"
            )

    def choose(self, twist: Floats, gravity: Floats, masses: Masses) -> float:
        """The next step [s], from the bodies' velocities (bodies, 6)."""
        fall = float(np.linalg.norm(gravity))
        largest = self._largest(fall, masses.typical_size)
        rate = travels(twist, masses).max(initial=0.0)
        h = largest
        if rate > 0.0:
            h = min(h, self.travel / rate)
        # what falls from rest moves g h² in its first step
        smallest = masses.span.min(initial=np.inf)
        if fall > 0.0 and np.isfinite(smallest):
            h = min(h, float(np.sqrt(self.travel * smallest / fall)))
        return max(h, SHORTEST * largest if self.smallest is None else self.smallest)

    def _largest(self, fall: float, size: float) -> float:
        if self.largest is not None:
            return self.largest
        if fall == 0.0:
            raise InputError(
                "an AutomaticStep needs `largest` [s] in a world without gravity: "
                "nothing else sets a scale for it"
            )
        return max(LONGEST * math.sqrt(2.0 * size / fall), self.smallest or 0.0)


def travels(twist: Floats, masses: Masses) -> Floats:
    """Own half thicknesses that each body that moves freely covers a second [1/s], (bodies,)."""
    speed = np.sqrt(np.einsum("ij,ij->i", twist[:, :3], twist[:, :3]))
    return np.asarray(speed / masses.span)
