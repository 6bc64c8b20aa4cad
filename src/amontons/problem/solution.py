"""What a solver returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from amontons.problem.residuals import Measure, Residuals

Floats = NDArray[np.float64]


class Status(StrEnum):
    """How a run ended."""

    CONVERGED = "converged"
    """The independent residual is within the tolerance."""
    ITERATION_LIMIT = "iteration limit"
    TIME_LIMIT = "time limit"
    STALLED = "stalled"
    """No progress for `patience` iterations, or none possible in floating point."""
    STOPPED = "stopped"
    """The callback asked for it, or the method's own stopping test."""
    INFEASIBLE = "infeasible"
    """Constraints contradict each other; the message says which."""
    INVALID = "invalid"
    """The iteration produced numbers that are not finite; the best iterate before is returned."""


@dataclass(frozen=True)
class History:
    """One entry per iteration, the first for the starting point."""

    residual: Floats
    """Residual in the solver's measure, of that very iterate."""
    objective: Floats
    """½γᵀNγ + rᵀγ [J]."""
    time: Floats
    """Seconds since the start."""

    def __len__(self) -> int:
        return int(self.residual.size)

    @property
    def best_residual(self) -> Floats:
        """Smallest residual so far, that of the iterate which would be returned."""
        return np.minimum.accumulate(self.residual)


@dataclass(frozen=True, kw_only=True)
class Solution:
    """Impulses, and an independent account of how good they are.

    `residual` is the independent error in the solver's own measure; `residuals` has all measures.
    """

    impulses: Floats
    """γ in the problem's coordinates, shape (rows,) [N s]."""
    velocities: Floats
    """u = Nγ + r, in the same coordinates, shape (rows,) [m/s]."""
    velocity_change: Floats | None = field(default=None, repr=False)
    """M⁻¹Dγ, the change that the impulses make to the velocities of bodies, linear then angular,
    shape (bodies, 6) [m/s, rad/s]: v⁺ = v* + this. None where the problem is not over bodies."""
    status: Status
    message: str
    iterations: int
    residual: float
    residuals: Residuals
    measure: Measure
    objective: float
    time: float
    """Wall-clock seconds."""
    history: History = field(repr=False)
    solver: str = ""

    @property
    def converged(self) -> bool:
        """Whether the independent residual met the tolerance."""
        return self.status is Status.CONVERGED

    def __repr__(self) -> str:
        return (
            f"<Solution: {self.status.value} after {self.iterations} iterations in "
            f"{self.time:.3g} s, {self.measure.value} residual {self.residual:.2e}, "
            f"objective {self.objective:.8g}>"
        )
