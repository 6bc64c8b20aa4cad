"""How long a time step is: a constant, or chosen by how fast bodies are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons.dynamics.masses import Masses
from amontons.errors import InputError
from amontons.model.shapes.checks import positive

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class AutomaticStep:
    """Steps in which no body moves farther than a share of its size.

    Parameters
    ----------
    smallest, largest:
        Limits of the step [s].
    travel:
        Share of half its smallest extent that a body may move in one step.
    """

    smallest: float = 1e-4
    largest: float = 1e-2
    travel: float = 0.25

    def __post_init__(self) -> None:
        for name in ("smallest", "largest", "travel"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        if self.smallest > self.largest:
            raise InputError(
                f"the smallest step {self.smallest:g} s is above the largest, {self.largest:g} s"
            )

    def choose(self, twist: Floats, gravity: Floats, masses: Masses) -> float:
        """The next step [s], from the bodies' velocities (bodies, 6)."""
        rate = travels(twist, masses).max(initial=0.0)
        h = self.largest
        if rate > 0.0:
            h = min(h, self.travel / rate)
        # what falls from rest moves g h² in its first step
        fall = float(np.linalg.norm(gravity))
        smallest = masses.span.min(initial=np.inf)
        if fall > 0.0 and np.isfinite(smallest):
            h = min(h, float(np.sqrt(self.travel * smallest / fall)))
        return max(h, self.smallest)


def travels(twist: Floats, masses: Masses) -> Floats:
    """Own half thicknesses that each body that moves freely covers a second [1/s], (bodies,)."""
    speed = np.sqrt(np.einsum("ij,ij->i", twist[:, :3], twist[:, :3]))
    return np.asarray(speed / masses.span)
