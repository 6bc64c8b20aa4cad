"""Semismooth Newton on the natural map: finishes what another method has brought near.

With û = u, or u + μ‖u_t‖n where friction is exact, a solution has F(x) = x − Π(x − ρû) = 0. Near
one, F is smooth but for kinks, and Newton's method with A = I − J(I − ρ D W) gains all digits in a
few steps; J is the derivative of Π at x − ρû, D that of û by u. (Alart and Curnier, Comput. Methods
Appl. Mech. Eng. 92, 1991; Qi and Sun, Math. Program. 58, 1993.) Impulses of redundant contacts are
not unique, so A may be singular: λI is added, and falls with the error.

A step is taken whole. If the error does not fall for a few steps, λ grows and the best point so far
is where it starts again: nothing is ever lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from amontons.algebra.cones import ROWS_OF_KIND
from amontons.problem import kernels
from amontons.problem.problem import ConeProblem
from amontons.problem.residuals import Gauge, exact_linear
from amontons.solvers.base import Floats

MOST_ROWS = 3000
"""Rows up to which a factorisation of A, fill-in and all, is worth its time."""

MOST_STEPS, BOLD = 40, 5
"""Newton steps in all, and those in a row that may gain nothing."""

JUMP = 1e3
"""A step that makes the best error this many times worse is taken back at once."""

LEAST, GROWTH = 1e-13, 30.0
"""The first λ, and the factor by which it grows after steps that gained nothing."""

NUDGE = 1e-6
"""Of differences, in sizes of a block."""


def can_finish(problem: ConeProblem) -> bool:
    """Whether the problem is small enough."""
    return 0 < problem.rows <= MOST_ROWS


def finish(
    problem: ConeProblem,
    x: Floats,
    gauge: Gauge,
    *,
    exact: bool,
    tolerance: float,
    most_steps: int = MOST_STEPS,
) -> tuple[Floats, float, int]:
    """The best point found from x, feasible; its error in the gauge; and the steps that it took."""
    most_steps = min(most_steps, MOST_STEPS)
    newton = _Newton(problem, exact=exact)

    def error_at(point: Floats) -> float:
        return gauge.error(problem, point, *newton.velocity(point))[0]

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
    kernels.project.sized(problem.blocks)(problem.sets.arrays, feasible)
    error = error_at(feasible)
    return (feasible, error, steps) if error < start_error else (x, start_error, steps)


class _Newton:
    """Newton steps in the unknowns x/√ρ, in which every diagonal block of W is about one.

    Π and û act on each block by itself, so their derivatives are block diagonal, and are taken by
    central differences: as many evaluations as the largest block has rows, for all blocks at once.
    """

    def __init__(self, problem: ConeProblem, *, exact: bool) -> None:
        self.problem, self.exact = problem, exact
        matrix = problem.operator.as_matrix()
        if exact and problem.operator.skew is not None:
            matrix = matrix + problem.operator.skew
        self.block = np.empty(problem.rows, dtype=np.int64)
        self.component = np.empty(problem.rows, dtype=np.int64)
        for kind, first, count, row in problem.sets.arrays.groups:
            width = int(ROWS_OF_KIND[kind])
            rows = slice(row, row + width * count)
            self.block[rows] = np.tile(first + np.arange(count), width)
            self.component[rows] = np.repeat(np.arange(width), count)
        self.step_length = problem.mean_steps[self.block]
        # column j of a block's derivative is a difference along its component j
        partners = np.lexsort((self.component, self.block))
        start = np.searchsorted(self.block[partners], np.arange(problem.blocks + 1))
        widths = np.diff(start)[self.block]
        self._rows = np.repeat(np.arange(problem.rows), widths)
        nth = np.arange(len(self._rows)) - np.repeat(np.cumsum(widths) - widths, widths)
        self._columns = partners[start[self.block[self._rows]] + nth]
        if problem.compliance is not None:
            matrix = matrix + self._derivative(self._compliance, np.ones(problem.rows))
        root = sp.diags_array(np.sqrt(self.step_length))
        self.matrix = sp.csr_array(root @ matrix @ root)

    def velocity(self, x: Floats) -> tuple[Floats, Floats]:
        """N x, and what to add to it to have û."""
        product = self.problem.product(x)
        linear = exact_linear(self.problem, x, product) if self.exact else self.problem.linear
        return product, linear

    def step(self, x: Floats, softness: float) -> Floats | None:
        """x + d with (A + λI) d = −F(x); None where A + λI cannot be factorised."""
        product, linear = self.velocity(x)
        z = x - self.step_length * (product + linear)
        J = self._derivative(self._projected, z)
        A = sp.eye_array(x.size) * (1.0 + softness) - J
        if self.exact:
            J = J @ self._derivative(self._with_slip, self._plain_velocity(x, product))
        A = A + J @ self.matrix
        root = np.sqrt(self.step_length)
        try:
            d = splu(sp.csc_array(A)).solve((self._projected(z) - x) / root)
        except RuntimeError:  # exactly singular
            return None
        new = x + root * d
        return new if np.isfinite(new).all() else None

    def _plain_velocity(self, x: Floats, product: Floats) -> Floats:
        """u, without what exact friction adds."""
        problem, u = self.problem, product + self.problem.linear
        if problem.operator.skew is not None:
            u = u + problem.operator.skew @ (x if problem.shift is None else x - problem.shift)
        return u

    def _compliance(self, x: Floats) -> Floats:
        """E x."""
        out = np.zeros_like(x)
        add = kernels.add_compliance.sized(self.problem.blocks)
        add(self.problem.sets.arrays, self.problem.compliance, x, out)
        return out

    def _projected(self, z: Floats) -> Floats:
        nearest = z.copy()
        kernels.project.sized(self.problem.blocks)(self.problem.sets.arrays, nearest)
        return nearest

    def _with_slip(self, u: Floats) -> Floats:
        slip = np.empty_like(u)
        kernels.de_saxce.sized(self.problem.blocks)(self.problem.sets.arrays, u, slip)
        return u + slip

    def _derivative(self, function: Callable[[Floats], Floats], at: Floats) -> sp.csr_array:
        """Block diagonal, by central differences."""
        largest = np.zeros(self.problem.blocks)
        np.maximum.at(largest, self.block, np.abs(at))
        h = (NUDGE * largest + 1e-300)[self.block]
        dense = np.empty((self.component.max() + 1, at.size))
        for k in range(len(dense)):
            nudge = np.where(self.component == k, h, 0.0)
            dense[k] = (function(at + nudge) - function(at - nudge)) / (2.0 * h)
        values = dense[self.component[self._columns], self._rows]
        return sp.csr_array((values, (self._rows, self._columns)), shape=(at.size, at.size))
