"""Definitions of errors: the measures, and the record of all of them in a `Solution`.

:mod:`amontons.judge` computes them for an answer, independently; a solver measures its iterates by
its own gauge.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from amontons.errors import InputError

if TYPE_CHECKING:
    from amontons.problem.problem import ConeProblem

SMALL_STEP = 1e-6
"""g_d of paper 3 and τ_g of paper 1: the short step at which their residuals are taken."""


class Measure(StrEnum):
    """Which residual a tolerance is compared with. All are norms of x − Π(x − ρ(Nx + r))."""

    SCALED = "scaled"
    """‖(x − Π(x − ρu))/ρ‖ / ‖r‖ with ρ = d/trace(N_bb) of each block. The default: no units.

    In a simulation contacts that r opens do not count in ‖r‖, it counts as no less than its
    yardstick says, and the error of a single block is also compared with a speed of its own
    (:class:`~amontons.problem.units.Yardstick`).
    """

    PAPER1 = "paper1"
    """w of paper 1: ‖x − Π(x − τu)‖/τ with τ = 1e-6 [m/s]."""

    PAPER3 = "paper3"
    """r of paper 3, eq. 25: ‖x − Π(x − g u)‖/(rows · g) with g = 1e-6 [m/s]."""

    @classmethod
    def named(cls, name: Measure | str) -> Measure:
        """The measure of this name; `InputError` if there is none."""
        try:
            return cls(name)
        except ValueError:
            names = ", ".join(repr(m.value) for m in cls)
            raise InputError(f"unknown measure {name!r}; choose one of {names}") from None


@dataclass(frozen=True, kw_only=True)
class Residuals:
    """Every measure of one candidate solution. Zero is perfect; impulses in N s, velocities in m/s.

    `scaled`, `paper1` and `paper3` are the measures of :class:`Measure`. `impulse_violation` is the
    largest amount by which an impulse leaves its set, `velocity_violation` by which a velocity
    leaves the dual set, `complementarity` the sum over blocks of abs(γᵀu) [J]. With `exact` they
    judge the exact Coulomb problem, whose velocities carry the De Saxcé term μ‖u_t‖n.
    """

    scaled: float
    paper1: float
    paper3: float
    impulse_violation: float
    velocity_violation: float
    complementarity: float
    objective: float
    exact: bool = False

    def __getitem__(self, measure: Measure | str) -> float:
        return float(getattr(self, Measure(measure).value))


def share_of_row(problem: ConeProblem) -> float:
    """The factor from :attr:`Measure.PAPER1` to :attr:`Measure.PAPER3`: one over rows."""
    return 1.0 / max(problem.all_rows, 1.0)
