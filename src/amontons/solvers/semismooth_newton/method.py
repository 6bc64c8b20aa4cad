"""Semismooth Newton on the natural map: finishes what another method has brought near.

A solution of a convex problem has F(x) = x − Π(x − ρu) = 0. Near one, F is smooth but for kinks,
and Newton's method with A = I − J(I − ρN) gains all digits in a few steps; J is the derivative of Π
at x − ρu. (Qi and Sun, Math. Program. 58, 1993.) Impulses of redundant contacts are not unique, so
A may be singular: λI is added, and falls with the error.

A step is taken whole. If the error does not fall for a few steps, λ grows and the best point so far
is where it starts again: nothing is ever lost.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from amontons.array_types import Floats
from amontons.problem.problem import ConeProblem
from amontons.solvers.gauge import Gauge
from amontons.solvers.semismooth_newton.block_derivative import BlockDerivative, whole_matrix

MOST_ROWS = 3000
"""Rows up to which a factorisation of A, fill-in and all, is worth its time."""

MOST_STEPS, BOLD = 40, 5
"""Newton steps in all, and those in a row that may gain nothing."""

JUMP = 1e3
"""A step that makes the best error this many times worse is taken back at once."""

LEAST, GROWTH = 1e-13, 30.0
"""The first λ, and the factor by which it grows after steps that gained nothing."""


def can_finish(problem: ConeProblem) -> bool:
    """Whether the problem is small enough."""
    return 0 < problem.rows <= MOST_ROWS


def finish(
    problem: ConeProblem,
    x: Floats,
    gauge: Gauge,
    *,
    tolerance: float,
    most_steps: int = MOST_STEPS,
) -> tuple[Floats, float, int]:
    """The best point found from x, feasible; its error in the gauge; and the steps that it took."""
    most_steps = min(most_steps, MOST_STEPS)
    newton = _Newton(problem)

    def error_at(point: Floats) -> float:
        return gauge.error(problem, point, problem.product(point))[0]

    start_error = best_error = error_at(x)
    now, best, softness, idle, steps = x, x, LEAST, 0, 0
    while best_error > tolerance and steps < most_steps and softness < 1.0:
        steps += 1
        new = newton.step(now, softness)
        error = math.inf if new is None else error_at(new)
        if new is not None and error < best_error:
            idle = 0 if error < 0.9 * best_error else idle + 1
            best, best_error, now = new, error, new
            softness = max(0.1 * softness, LEAST)
        else:
            idle += 1
            now = best if new is None else new
        if idle >= BOLD or not error < JUMP * best_error:
            now, softness, idle = best, GROWTH * softness, 0
    feasible = best.copy()
    problem.project(feasible)
    error = error_at(feasible)
    return (feasible, error, steps) if error < start_error else (x, start_error, steps)


class _Newton:
    """Newton steps in the unknowns x/√ρ, in which every diagonal block of N is about one."""

    def __init__(self, problem: ConeProblem) -> None:
        self.problem = problem
        self.blocks = BlockDerivative(problem)
        self.step_length = problem.mean_steps[self.blocks.block]
        root = sp.diags_array(np.sqrt(self.step_length))
        matrix = whole_matrix(problem, self.blocks, skew=False)
        self.matrix = sp.csr_array(root @ matrix @ root)

    def step(self, x: Floats, softness: float) -> Floats | None:
        """x + d with (A + λI) d = −F(x); None where A + λI cannot be factorised."""
        z = x - self.step_length * (self.problem.product(x) + self.problem.linear)
        J = self.blocks.of(self._projected, z)
        A = sp.eye_array(x.size) * (1.0 + softness) - J + J @ self.matrix
        root = np.sqrt(self.step_length)
        try:
            d = splu(sp.csc_array(A)).solve((self._projected(z) - x) / root)
        except RuntimeError:  # exactly singular
            return None
        new = x + root * d
        return new if np.isfinite(new).all() else None

    def _projected(self, z: Floats) -> Floats:
        nearest = z.copy()
        self.problem.project(nearest)
        return nearest
