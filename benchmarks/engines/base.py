"""What every engine of a race can do, and what it may be told."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from engines.grains import Floats, Grains


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How engines are set; each takes what concerns it."""

    step: float | None = None
    """Time step [s]; by default the engine's own choice."""
    tolerance: float | None = None
    """amontons: of APGD; by default the solver of a simulation as it comes."""
    iterations: int = 1000
    """amontons: at most so many a step, where a tolerance is given."""
    friction: str = "default"
    """amontons: the law of friction by its name there; "default" leaves it alone."""
    overlap: float = 0.004
    """LAMMPS: by which the weight of a column presses its lowest two grains together [radii]."""
    share: float = 1.0 / 15.0
    """LAMMPS: of the time of a collision that a time step takes."""
    restitution: float = 0.1
    """LAMMPS: of an impact of two grains, where all others have none."""


class Engine(ABC):
    """Grains in motion in some engine, with the processor time that its steps took."""

    step: float
    """Length of a time step [s]."""

    def __init__(self, grains: Grains) -> None:
        self.grains = grains
        self.steps = 0
        self.cpu = 0.0
        """Processor time of all steps so far [s]; setting up and reading are not counted."""

    @property
    def time(self) -> float:
        """Simulated so far [s]."""
        return self.steps * self.step

    def run(self, duration: float) -> None:
        """Go on for about so long [s]: a whole number of steps, one at least."""
        steps = max(1, round(duration / self.step))
        start = time.process_time()
        self.advance(steps)
        self.cpu += time.process_time() - start
        self.steps += steps

    @abstractmethod
    def advance(self, steps: int) -> None:
        """Take so many steps, and take out the grains that fell below the bottom."""

    @abstractmethod
    def places(self) -> Floats:
        """Centres of the grains as they were numbered [m], shape (grains, 3); NaN where gone."""

    def about(self) -> dict[str, object]:
        """How it was set, in words and numbers, and what it counted."""
        return {"step_ms": 1e3 * self.step}


def nowhere(grains: Grains) -> Floats:
    """Places of grains of which none is left, shape (grains, 3)."""
    return np.full(grains.places.shape, np.nan)
