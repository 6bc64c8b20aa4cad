"""A point on the way: the unknowns, the scaling of all pieces, and the steps from there."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from amontons._jit import CHUNK
from amontons.algebra.sums import inner
from amontons.array_types import Floats
from amontons.problem.problem import ConeProblem
from amontons.solvers.interior_point.lift import Lift
from amontons.solvers.interior_point.linear_system import Hessian
from amontons.solvers.interior_point.scaling import (
    correct,
    pull_back,
    rescale,
    scaled_direction,
)
from amontons.solvers.interior_point.start import InteriorStart

LEAST_CENTRING = 0.1
"""Least σ of a corrector where cones are curved.

A step of 0.99 leaves a hundredth of λ∘λ as it was, so with a smaller σ points stay as far from the
central path as they are. Off it, s and z do not share an axis: the error falls with √μ instead of
μ, and Δx along the boundary, of size √μ, hides behind its rounding the part of size μ that leads
off it. On problems with more rows than freedoms that ended at errors of 1e-11 to 1e-10, as luck had
it, and now at 1e-14.
"""


class Step(NamedTuple):
    """A direction, in scaled variables, and how far it may be followed."""

    dx: Floats  # Δx, shape (rows,)
    primal: Floats  # W⁻¹ Δs, shape (pieces, 4)
    dual: Floats  # W Δz, shape (pieces, 4)
    longest: float  # α at which s or z would leave its cone
    mu: float  # complementarity after a step of min(1, longest)


class Point:
    """x, and s and z as scaling W and scaled point λ; with the velocity N x + r that x causes."""

    def __init__(self, problem: ConeProblem, lift: Lift, start: InteriorStart) -> None:
        self.problem, self.lift, self.x = problem, lift, start.x
        pieces = lift.pieces
        self.hessian = Hessian(np.ones(pieces), np.ones(pieces), np.zeros((pieces, 3)))
        self.scaled = np.zeros((pieces, 4))
        self._rhs = np.empty((pieces, 4))
        self._partial = np.empty((max(-(-problem.blocks // CHUNK), 1), 4))
        self._scratch = problem.operator.scratch()
        self._rescale(start.s, start.z, 1.0)

    def _rescale(self, primal: Floats, dual: Floats, length: float) -> None:
        blocks = self.problem.blocks
        rescale.sized(blocks)(self.lift, *self.hessian, self.scaled, primal, dual, length)
        self.velocity = self.problem.product(self.x, None, self._scratch)
        self.velocity += self.problem.linear
        self.residual = self.velocity - self._pulled_back(self.scaled)  # r_p of eq. 18
        flat = self.scaled.ravel()
        self.mu = inner(flat, flat) / max(self.lift.pieces, 1)  # eq. 12

    def _pulled_back(self, v: Floats) -> Floats:
        """Gᵀ W⁻¹ v."""
        out = np.empty(self.problem.rows)
        pull_back.sized(self.problem.blocks)(self.lift, *self.hessian, v, out)
        return out

    @property
    def predictor_rhs(self) -> Floats:
        """Right-hand side of eq. 20 for σ = 0: −r_p − Gᵀz."""
        np.negative(self.scaled, out=self._rhs)
        return -self.velocity

    def corrector_rhs(self, predictor: Step) -> Floats:
        """Right-hand side of eq. 20: the predictor's second-order term, and the centre (eq. 14)."""
        sigma = (predictor.mu / self.mu) ** 3 if self.mu > 0.0 else 0.0
        if self.lift.curved:
            sigma = max(sigma, LEAST_CENTRING)
        correct.sized(self.problem.blocks)(
            self.scaled, predictor.primal, predictor.dual, sigma * self.mu, self._rhs
        )
        return self._pulled_back(self._rhs) - self.residual

    def step(self, dx: Floats) -> Step:
        """The step of the right-hand side asked for last, whose Δx is given."""
        primal, dual = np.empty_like(self.scaled), np.empty_like(self.scaled)
        short_s, short_z, first, second = scaled_direction.sized(self.problem.blocks)(
            self.lift, *self.hessian, self.scaled, self._rhs, dx, primal, dual, self._partial
        )
        short = max(short_s, short_z)
        longest = 1.0 / short if short > 0.0 else math.inf
        a = min(1.0, longest)
        pieces = max(self.lift.pieces, 1)
        mu = self.mu + (a * first + a * a * second) / pieces
        return Step(dx, primal, dual, longest, max(mu, 0.0))

    def advance(self, step: Step, length: float) -> None:
        """Follow a step (eq. 8)."""
        self.x = self.x + length * step.dx
        self._rescale(step.primal, step.dual, length)
