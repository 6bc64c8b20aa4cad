"""Newton directions: (N + E + Θ) Δx = b, factorised with regularisation, refined without it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from amontons.algebra.cones import ROWS_OF_KIND, SetKind
from amontons.problem.problem import ConeProblem
from amontons.solvers.interior_point.blocks import release
from amontons.solvers.interior_point.lift import Lift
from amontons.solvers.interior_point.linear_system import Hessian, linear_system_of
from amontons.solvers.interior_point.linear_system.factorisation import NotPositiveDefiniteError
from amontons.solvers.interior_point.scaling import add_barrier

Floats = NDArray[np.float64]

REFINEMENTS = 8
LARGEST_REGULARISATION = 1e-2


class NewtonSystem:
    """Solves with N + E + Θ to the accuracy that its own residual allows.

    The factorised matrix has δ/ρ added on its diagonal, relative to the curvature 1/ρ of each
    block, and more where a pivot fails: redundant constraints and joints make N singular. The
    residual of a refinement is taken with the problem's own product, without δ.
    """

    def __init__(
        self, problem: ConeProblem, lift: Lift, *, regularisation: float, space: str, library: str
    ) -> None:
        self.problem, self.lift = problem, lift
        self.regularisation = regularisation
        self.system = linear_system_of(problem, lift, space, library)
        self._compliance = _compliance_of_parts(problem)
        self._curvature = 1.0 / problem.mean_steps
        self._weight = np.sqrt(_by_rows(problem.mean_steps, problem))
        self._holds = lift.holds
        self._scratch = problem.operator.scratch()
        self.residual = 0.0

    def factorise(self, hessian: Hessian) -> None:
        """Make ready for this Θ; regularise more where the factorisation fails."""
        self._hessian = hessian
        delta = self.regularisation
        while True:
            soft = self._compliance + delta * self._curvature[:, None]
            try:
                self.system.factorise(hessian, soft)
                return
            except NotPositiveDefiniteError:
                delta *= 100.0
                if delta > LARGEST_REGULARISATION:
                    raise

    def solve(self, b: Floats, accuracy: float) -> Floats:
        """Δx with ‖b − (N + E + Θ) Δx‖ ≤ accuracy · ‖b‖ in the scaled norm, or the best there is."""
        self._release(b)
        size = self._norm(b)
        x = self.system.solve(b)
        best, error = x, math.inf
        for _ in range(REFINEMENTS):
            r = b - self._product(x)
            left = self._norm(r)
            if not left < error:
                break
            slow = left > 0.5 * error
            best, error = x, left
            if left <= accuracy * size or slow:
                break
            x = x + self.system.solve(r)
        self.residual = error / size if size else 0.0
        return best

    def _product(self, x: Floats) -> Floats:
        out = self.problem.product(x, None, self._scratch)
        h = self._hessian
        add_barrier.sized(self.lift.row.size)(self.lift, h.eta, h.omega, h.axis, x, out)
        self._release(out)
        return out

    def _release(self, x: Floats) -> None:
        if self._holds:
            release.sized(self.lift.row.size)(self.lift, x)

    def _norm(self, r: Floats) -> float:
        return float(np.linalg.norm(self._weight * r))

    def close(self) -> None:
        """Keep what the next problem of the same graph can use."""
        self.system.close()


def _by_rows(values: Floats, problem: ConeProblem) -> Floats:
    """One value a block, repeated for each of its rows, in internal order."""
    parts = [
        np.tile(values[first : first + count], int(ROWS_OF_KIND[kind]))
        for kind, first, count, _ in problem.sets.arrays.groups
    ]
    return np.concatenate([np.empty(0), *parts])


def _compliance_of_parts(problem: ConeProblem) -> Floats:
    """E of fₙ, f_t, m_t and m_n of each block, shape (blocks, 4); means where rows differ."""
    out = np.zeros((problem.blocks, 4))
    if problem.compliance is None:
        return out
    for kind, first, count, row in problem.sets.arrays.groups:
        size = int(ROWS_OF_KIND[kind])
        E = problem.compliance[row : row + size * count].reshape(size, count)
        mine = out[first : first + count]
        mine[:, 0] = E[0]
        if size >= 3:
            mine[:, 1] = E[1:3].mean(axis=0)
        if kind == SetKind.ROLLING:
            mine[:, 2] = E[3:].mean(axis=0)
        elif kind == SetKind.SPINNING:
            mine[:, 2], mine[:, 3] = E[4:].mean(axis=0), E[3]
    return out
