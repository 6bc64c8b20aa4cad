"""A primal-dual interior point method for contact with friction (paper 5, with cones).

Paper 5 has velocities x, slacks y and multipliers λ of frictionless contacts. Here λ is the unknown
x of the problem, s = G x + h its place in each cone (`lift`), and y = Gᵀz the velocity that the dual
variables z stand for; body velocities are eliminated, so that r_d (eq. 18) is zero throughout and
r_p = N x + r − Gᵀz. The complementarity y ∘ λ becomes s ∘ z in the cones' own algebra, and
Λ⁻¹Y in the augmented system (eq. 20) the Nesterov–Todd matrix Θ (`scaling`).
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons.errors import InputError
from amontons.problem import kernels
from amontons.problem.problem import ConeProblem
from amontons.problem.residuals import Gauge
from amontons.solvers.base import Buffers, Floats, Iterate, Solver
from amontons.solvers.interior_point.lift import lift_of
from amontons.solvers.interior_point.newton import NewtonSystem
from amontons.solvers.interior_point.point import Point, Step


@dataclass(frozen=True, kw_only=True)
class InteriorPoint(Solver):
    """Mehrotra's predictor and corrector on the central path."""

    max_iterations: int = 100
    start: str = "dapuzzo"
    warm: str = "full"
    space: str = "auto"
    factorisation: str = "auto"
    regularisation: float = 1e-9

    buffers: ClassVar[int] = 3

    def iterations(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate]:
        """One factorisation an iteration, two directions."""
        guess = buffers.projected(problem, x)
        Nx = problem.product(guess)
        yield Iterate(guess, *gauge.error(problem, guess, Nx))
        lift = lift_of(problem.sets)
        newton = NewtonSystem(
            problem,
            lift,
            regularisation=self.regularisation,
            space=self.space,
            library=self.factorisation,
        )
        point = Point.near(problem, lift, guess)
        current = guess
        while True:
            newton.factorise(point.hessian)
            predictor = point.predictor(newton.solve(-point.velocity, 1e-8))
            sigma = point.centring(predictor)
            rhs = point.corrector(predictor, sigma)
            corrector = point.direction(newton.solve(rhs - point.residual, 1e-8))
            point.advance(corrector, point.length(corrector))
            x = point.x.copy()
            kernels.project.sized(problem.blocks)(problem.sets.arrays, x)
            new = buffers.free(current)
            new[:] = x
            current = new
            yield Iterate(new, *gauge.error(problem, new, problem.product(new)))
