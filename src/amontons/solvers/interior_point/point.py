"""A point of the interior point method and the steps from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import CHUNK
from amontons.problem.problem import ConeProblem
from amontons.solvers.interior_point.lift import Lift
from amontons.solvers.interior_point.linear_system import Hessian
from amontons.solvers.interior_point.scaling import (
    correct,
    pull_back,
    rescale,
    scaled_direction,
)
from amontons.solvers.interior_point.start import push_dual, push_inside

Floats = NDArray[np.float64]


class Step(NamedTuple):
    """A direction in scaled variables, and how far it may be followed."""

    dx: Floats
    primal: Floats  # W⁻¹ G Δx, shape (pieces, 4)
    dual: Floats  # W Δz
    longest: float  # before s or z leaves its cone
    mu: float  # complementarity after a step of min(1, longest)


class Point:
    """x, s and z, with velocity N x + r and residual N x + r − Gᵀz."""

    def __init__(self, problem: ConeProblem, lift: Lift, x: Floats, s: Floats, z: Floats) -> None:
        self.problem, self.lift = problem, lift
        self.x = x
        pieces = lift.pieces
        self.blocks = problem.blocks
        self.hessian = Hessian(np.ones(pieces), np.ones(pieces), np.zeros((pieces, 3)))
        self.scaled = np.zeros((pieces, 4))
        rescale.sized(pieces)(*self.hessian, self.scaled, s, z, 1.0)
        self.rhs = np.empty((pieces, 4))
        self._pull = np.empty(problem.rows)
        self._partial = np.empty((max(-(-self.blocks // CHUNK), 1), 4))
        self._scratch = problem.operator.scratch()
        self.refresh()

    @classmethod
    def near(cls, problem: ConeProblem, lift: Lift, guess: Floats) -> Point:
        speed = float(np.abs(problem.linear).max(initial=0.0)) or 1.0
        x, s, z = guess.copy(), np.empty((lift.pieces, 4)), np.empty((lift.pieces, 4))
        u = problem.product(x) + problem.linear
        push_inside(lift, problem.mean_steps * speed, x, s)
        push_dual(lift, np.full(problem.blocks, speed), u, z)
        return cls(problem, lift, x, s, z)

    def refresh(self) -> None:
        """Velocity, residual and complementarity anew."""
        self.velocity = self.problem.product(self.x, None, self._scratch) + self.problem.linear
        pull_back.sized(self.blocks)(self.lift, *self.hessian, self.scaled, self._pull)
        self.residual = self.velocity - self._pull
        self.mu = float(np.vdot(self.scaled, self.scaled)) / max(self.lift.pieces, 1)

    def predictor(self, dx: Floats) -> Step:
        np.negative(self.scaled, out=self.rhs)
        return self.direction(dx)

    def direction(self, dx: Floats) -> Step:
        h = self.hessian
        primal, dual = np.empty_like(self.scaled), np.empty_like(self.scaled)
        measure = scaled_direction.sized(self.blocks)
        short_s, short_z, first, second = measure(
            self.lift, h.eta, h.omega, h.axis, self.scaled, self.rhs, dx, primal, dual,
            self._partial,
        )
        short = max(short_s, short_z)
        longest = 1.0 / short if short > 0.0 else math.inf
        a = min(1.0, longest)
        total = self.mu * self.lift.pieces + a * first + a * a * second
        return Step(dx, primal, dual, longest, max(total, 0.0) / max(self.lift.pieces, 1))

    def centring(self, predictor: Step) -> float:
        """σ of eq. 14."""
        return (predictor.mu / self.mu) ** 3 if self.mu > 0 else 0.0

    def corrector(self, predictor: Step, sigma: float) -> Floats:
        out = np.empty(self.problem.rows)
        target = sigma * self.mu
        correct.sized(self.lift.pieces)(
            self.scaled, predictor.primal, predictor.dual, target, self.rhs
        )
        pull_back.sized(self.blocks)(self.lift, *self.hessian, self.rhs, out)
        return out

    def length(self, step: Step) -> float:
        return min(1.0, 0.99 * step.longest)

    def advance(self, step: Step, length: float) -> None:
        self.x = self.x + length * step.dx
        rescale.sized(self.lift.pieces)(
            *self.hessian, self.scaled, step.primal, step.dual, length
        )
        self.refresh()
