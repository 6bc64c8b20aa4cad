"""Newton directions: (N + E + Θ) Δx = b, factorised with regularisation, refined without it."""

from __future__ import annotations

import math

import numpy as np

from amontons.algebra.cones import ROWS_OF_KIND, SetKind
from amontons.algebra.sums import inner
from amontons.array_types import Floats
from amontons.problem.problem import ConeProblem
from amontons.solvers.interior_point.blocks import release
from amontons.solvers.interior_point.lift import Lift
from amontons.solvers.interior_point.linear_system import Hessian, linear_system_of
from amontons.solvers.interior_point.linear_system.contact_space import ContactSpace
from amontons.solvers.interior_point.linear_system.factorisation import NotPositiveDefiniteError
from amontons.solvers.interior_point.scaling import add_barrier

REFINEMENTS = 8
"""Steps of conjugate gradients at most, for one direction."""

LARGEST_REGULARISATION, SMALLEST_REGULARISATION = 1e-2, 1e-12

FINER = 100.0
"""Factor by which δ falls where refinement does not remove it."""


class NewtonSystem:
    """Solves with N + E + Θ to the accuracy that its own residual allows.

    The factorised matrix has δ/ρ added on its diagonal, relative to the curvature 1/ρ of each
    block, and more where a pivot fails: redundant constraints and joints make N singular. The
    residual of a refinement is taken with the problem's own product, without δ. Where a direction
    stays inexact all the same, as in beds that hardly any contact holds, the next matrices have a
    smaller δ: directions with such an error do not bring the last digits. If no δ helps, the matrix
    over bodies has lost them: the (δ + Θ)⁻¹ of contacts near the edge of their cones, which do not
    slip, outweighs in it what holds the rest. From then on the matrix is that over contacts.
    """

    def __init__(
        self, problem: ConeProblem, lift: Lift, *, regularisation: float, space: str, library: str
    ) -> None:
        self.problem, self.lift = problem, lift
        self.regularisation = regularisation
        self.space, self.library = space, library
        self.system = linear_system_of(problem, lift, space, library)
        self._compliance = _compliance_of_parts(problem)
        self._curvature = 1.0 / problem.mean_steps
        self._holds = lift.holds
        self._scratch = problem.operator.scratch()

    def factorise(self, hessian: Hessian, regularisation: float | None = None) -> None:
        """Make ready for this Θ; regularise more where the factorisation fails."""
        self._hessian = hessian
        delta = self.regularisation if regularisation is None else regularisation
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
        """Δx with an error of at most `accuracy`, relative in the energy norm, or as it comes.

        That norm, √(rᵀ(N + E + Θ)⁻¹ r) of a residual r, weighs stiff directions as the step does.
        Conjugate gradients, with the factorised matrix as their preconditioner: where masses differ
        by powers of ten, δ outweighs N in a few directions, which plain refinement hardly reduces.
        """
        self._release(b)
        x = self.system.solve(b)
        size, best, least = math.sqrt(max(inner(b, x), 0.0)), x, math.inf
        direction, previous = None, 1.0
        for steps_left in range(REFINEMENTS, -1, -1):
            r = b - self._product(x)  # anew: an updated residual would drift
            z = self.system.solve(r)
            square = max(inner(r, z), 0.0)
            error = math.sqrt(square)
            if not error < 2.0 * least:
                break
            if error < least:
                best, least = x, error
            if error <= accuracy * size or not steps_left:
                best = x + z if error == least else best
                break
            direction = z if direction is None else z + square / previous * direction
            bend = inner(direction, self._product(direction))
            if not bend > 0.0:
                break
            x, previous = x + square / bend * direction, square
        if least > accuracy * size:
            if self._move_to_contacts():
                return self.solve(b, accuracy)
            finer = self.regularisation / FINER
            self.regularisation = min(max(finer, SMALLEST_REGULARISATION), self.regularisation)
        return best

    def _move_to_contacts(self) -> bool:
        """Factorise over contacts from now on, if that is allowed, new, and no δ is left to try."""
        done = self.space != "auto" or isinstance(self.system, ContactSpace)
        if done or self.regularisation > SMALLEST_REGULARISATION:
            return False
        self.system.close()
        self.system = linear_system_of(self.problem, self.lift, "contacts", self.library)
        self.factorise(self._hessian)
        return True

    def _product(self, x: Floats) -> Floats:
        out = self.problem.product(x, None, self._scratch)
        h = self._hessian
        add_barrier.sized(self.lift.row.size)(self.lift, h.eta, h.omega, h.axis, x, out)
        self._release(out)
        return out

    def _release(self, x: Floats) -> None:
        if self._holds:
            release.sized(self.lift.row.size)(self.lift, x)

    def close(self) -> None:
        """Keep what the next problem of the same graph can use."""
        self.system.close()


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
