"""A primal-dual interior point method for contact with friction (paper 5, with cones).

Paper 5 has velocities x, slacks y and multipliers λ of frictionless contacts. Here λ is the unknown
x of the problem, s = G x + h its place in each cone (`lift`), and y = Gᵀz the velocity that the
dual variables z stand for. Body velocities are eliminated, so that r_d (eq. 18) is zero throughout
and r_p = N x + r − Gᵀz. The product y ∘ λ becomes s ∘ z in the cones' own algebra, and Λ⁻¹Y in the
augmented system (eqs. 20 and 39) the Nesterov–Todd matrix Θ (`scaling`).
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons.algebra.sums import norm
from amontons.array_types import Floats
from amontons.errors import InputError, UnsupportedProblemError
from amontons.problem.problem import ConeProblem
from amontons.problem.solution import Status
from amontons.solvers.base import Buffers, Ending, Iterate, Solver
from amontons.solvers.gauge import Gauge
from amontons.solvers.interior_point.contradiction import contradiction, largest_mass
from amontons.solvers.interior_point.lift import Lift, lift_of
from amontons.solvers.interior_point.linear_system import SPACES
from amontons.solvers.interior_point.linear_system.factorisation import (
    NotPositiveDefiniteError,
    sparse_backend,
)
from amontons.solvers.interior_point.newton import NewtonSystem
from amontons.solvers.interior_point.point import Point
from amontons.solvers.interior_point.start import (
    check_start,
    cold_start,
    speed_of,
    warm_start,
)

PREDICTOR_ACCURACY, CORRECTOR_ACCURACY = 1e-2, 1e-6
"""Relative error, in the energy norm, from which a direction is refined no further; the predictor
only has to say where the boundary is."""

LONGEST_SHARE = 0.99
"""Largest share of the way to a curved boundary that a step goes, whatever eq. 17 says: nearer to
it the scaling loses its digits. Without friction there are half-lines only, and eq. 17 holds."""

NEAREST_SHARE = 1.0 - 1e-6
"""The same for half-lines: a point on the boundary itself has no scaling."""

SHORTEST_STEP = 1e-4
"""A step shorter than this, twice in a row, is the end: rounding has the upper hand."""

LARGEST_IMPULSE = 1e8
"""Impulses beyond this, in units of the problem, may be running away along a contradiction."""


@dataclass(frozen=True, kw_only=True)
class InteriorPoint(Solver):
    """Mehrotra's predictor and corrector along the central path: a few dozen iterations.

    Each iteration factorises one matrix, over bodies or over contacts, so the count hardly depends
    on conditioning, mass ratios or size.

    Parameters
    ----------
    start:
        Cold start: "nocedal" (eq. 21, finds the size of impulses by one or two more
        factorisations) or "dapuzzo" (eq. 22, costs nothing).
    warm:
        What is kept of a guess: "full", "partial" (its velocities alone) or "none" (paper 5, §4.2).
    space:
        Where the linear system lives: "bodies", "contacts", or "auto", whichever is smaller.
    factorisation:
        "cholmod", "pardiso", "superlu", "qdldl" or "auto", the fastest that is installed.
    regularisation:
        δ on the factorised diagonal, relative to each block's curvature; refinement removes it.
    stop_as_paper:
        End once ‖r_p‖/m < 1e-8 and μ < 1e-7 (eq. 38, in the units of the data), even where the
        residual is above the tolerance.
    """

    max_iterations: int = 100
    patience: int = 20
    start: str = "nocedal"
    warm: str = "full"
    space: str = "auto"
    factorisation: str = "auto"
    regularisation: float = 1e-8
    stop_as_paper: bool = False

    buffers: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        check_start(self.start, self.warm)
        if self.space not in SPACES:
            raise InputError(f"unknown space {self.space!r}; choose one of {', '.join(SPACES)}")
        sparse_backend(self.factorisation)
        if not 0.0 < self.regularisation < 1e-2:
            raise InputError(
                f"regularisation must be between 0 and 0.01, got {self.regularisation}"
            )

    def check(self, problem: ConeProblem) -> None:
        """Every block must be made of second-order cones."""
        if not problem.sets.second_order:
            raise UnsupportedProblemError(
                f"InteriorPoint is not made for all of {problem.sets!r}: its blocks must be "
                "intersections of second-order cones; use APGD or SpectralGradient"
            )

    def iterations(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate, None, Ending | None]:
        """Predictor, centring, corrector, step: paper 5, §2.3."""
        guess = buffers.projected(problem, x)
        error, objective = gauge.error(problem, guess, problem.product(guess))
        yield Iterate(guess, error, objective)
        lift = lift_of(problem.sets)
        newton = NewtonSystem(
            problem,
            lift,
            regularisation=self.regularisation,
            space=self.space,
            library=self.factorisation,
        )
        try:
            point = self._start(problem, lift, newton, guess)
            short = 0
            while short < 2:
                newton.factorise(point.hessian)
                predictor = point.step(newton.solve(point.predictor_rhs, PREDICTOR_ACCURACY))
                corrector = point.step(
                    newton.solve(point.corrector_rhs(predictor), CORRECTOR_ACCURACY)
                )
                length = min(1.0, self._share(point, problem) * corrector.longest)
                if not math.isfinite(length * float(corrector.dx @ corrector.dx)):
                    break
                point.advance(corrector, length)
                short = short + 1 if length < SHORTEST_STEP else 0
                guess = buffers.projected(problem, point.x, guess)
                yield Iterate(guess, *gauge.error(problem, guess, problem.product(guess)))
                reason = self._ending(problem, point)
                if reason is not None:
                    return reason
        except NotPositiveDefiniteError:
            return Ending(Status.STALLED, "the linear system can no longer be factorised")
        finally:
            newton.close()
        return Ending(Status.STALLED, "steps have become too short: no more digits to gain")

    def _start(
        self, problem: ConeProblem, lift: Lift, newton: NewtonSystem, guess: Floats
    ) -> Point:
        if self.warm == "none" or not guess.any():
            return Point(problem, lift, cold_start(problem, lift, newton, self.start))
        error, _ = Gauge.of(problem, "scaled").error(problem, guess, problem.product(guess))
        return Point(problem, lift, warm_start(problem, lift, guess, error, self.warm))

    def _share(self, point: Point, problem: ConeProblem) -> float:
        """η of eq. 17, as Chrono has it: 0.9 + 0.1 exp(−μ), with μ in units of the problem."""
        unit = speed_of(problem) ** 2 * float(problem.mean_steps.mean())
        share = 0.9 + 0.1 * math.exp(-point.mu / unit)
        return min(share, LONGEST_SHARE if point.lift.curved else NEAREST_SHARE)

    def _ending(self, problem: ConeProblem, point: Point) -> Ending | None:
        """Why to end here, if there is a reason."""
        if (
            self.stop_as_paper
            and point.mu < 1e-7
            and norm(point.residual) < 1e-8 * problem.rows  # r_d is zero
        ):  # eq. 38
            return Ending(Status.STOPPED, "the stopping test of paper 5 (eq. 38) holds")
        size = float(np.abs(point.x).max(initial=0.0))
        if size > LARGEST_IMPULSE * speed_of(problem) * largest_mass(problem):
            found = contradiction(problem, point.x)
            if found is not None:
                return Ending(Status.INFEASIBLE, found)
        return None
