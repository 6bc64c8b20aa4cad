"""Exact Coulomb friction of small problems by Newton's method on a chain of easier problems.

Newton's method on x = G(x − ρu) (`alart_curnier`) has all digits in a few steps, near a solution
and where the impulses are unique. Elsewhere it is lost, and hyperstatic contacts are everywhere. So
each problem of a chain has α(x − c)/ρ added to its velocities: it pulls towards a centre c, makes
the matrix regular, and vanishes when c, which is the last solution, is the next one, too. Large α
is easy to solve and goes a short way, so α follows what Newton's method can do. Where it fails,
steps along tangents take turns with steps along the circles of sliding friction. (The proximal
point method, as Acary, Brémond and Huber use it: "On solving contact problems with Coulomb
friction", 2018.)

Two contacts at almost the same place let the impulses of one pass to the other with almost no
change of velocity, and one of them must end at zero: a long way at a residual that is small all
along. Where displacements point the same way, the last is followed, further each time that it leads
to a point as good.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from amontons.array_types import Floats
from amontons.problem.exact_friction import exact_linear
from amontons.problem.problem import ConeProblem
from amontons.solvers.exact_coulomb.alart_curnier import AlartCurnier
from amontons.solvers.gauge import Gauge
from amontons.solvers.semismooth_newton.block_derivative import BlockDerivative, whole_matrix

MOST_STEPS, MEMORY, SHORTEST = 15, 3, 0.05
"""Newton steps for one problem of the chain; earlier residuals that a step may still exceed; and
the shortest share of a step that is tried."""

SOLVED = 0.02
"""A problem of the chain is solved to this share of ‖F‖ so far."""

FIRST_PULL, LEAST_PULL, LARGEST_PULL = 0.1, 1e-9, 1e6
"""The first α, or less where the start is better than that; the least; and the one that ends it."""

QUICK, SLOW = 0.2, 0.8
"""Factor of α where the error falls well, and where it does not but steps are easily found."""

HARDER = 5.0
"""Factor of α where its problem could not be solved."""

FALLS, RISES, CREEP = 0.7, 2.5, 1.2
"""‖F‖ times this counts as fallen, or as risen too far to be accepted; and by how much the mark
that it is compared with may rise at a time."""


class ChainPoint(NamedTuple):
    """What one problem of the chain led to."""

    x: Floats  # feasible, shape (rows,)
    error: float  # in the gauge
    steps: int  # factorisations


def proximal_newton(
    problem: ConeProblem, x: Floats, gauge: Gauge, most_steps: int
) -> Generator[ChainPoint, None, None]:
    """Points of the chain that begins at x; it ends after so many steps, or by its user."""
    equation = _Equation(problem)
    y, drift = x / equation.root, np.zeros_like(x)
    level, ahead = equation.size_at(y), 0.0
    wrong = level / (float(np.linalg.norm(equation.linear)) or 1.0)
    pull = min(FIRST_PULL, max(wrong, LEAST_PULL))
    while most_steps > 0 and pull < LARGEST_PULL:
        centre = y + ahead * drift
        new, left, steps = equation.solve(centre, pull, SOLVED * level, min(MOST_STEPS, most_steps))
        most_steps -= max(steps, 1)
        feasible = equation.feasible(new)
        yield ChainPoint(feasible, equation.error(feasible, gauge), steps)
        now = equation.size_at(new)
        solved = left <= 0.1 * level
        if now < 0.5 * level or (solved and (ahead == 0.0 or now <= RISES * level)):
            y, last, drift = new, drift, new - centre
            steady = float(drift @ last) > 0.5 * np.linalg.norm(drift) * np.linalg.norm(last)
            if now < FALLS * level:
                pull, ahead = QUICK * pull, 0.0
            else:
                ahead = max(2.0 * ahead, 1.0) if steady else 0.0
                pull *= SLOW if steps <= MOST_STEPS // 3 else 1.0
            pull = max(pull, LEAST_PULL)
            level = min(now, CREEP * level)
        elif ahead > 0.0:
            ahead = 0.3 * ahead if ahead > 2.0 else 0.0
        else:
            pull, equation.bent = HARDER * pull, not equation.bent


class _Equation:
    """F(y) = y − G(y − √ρ u) in the unknowns y = x/√ρ, in which diagonal blocks are about one."""

    def __init__(self, problem: ConeProblem) -> None:
        self.problem = problem
        blocks = BlockDerivative(problem)
        self.root = np.sqrt(problem.mean_steps[blocks.block])
        self.friction = AlartCurnier(problem.sets)
        self.bent = True  # whether steps follow the circles that friction moves on
        root = sp.diags_array(self.root)
        self.matrix = sp.csr_array(root @ whole_matrix(problem, blocks, skew=True) @ root)
        self.linear = self.root * self._free_velocity()
        self._one = sp.eye_array(problem.rows, format="csr")

    def _free_velocity(self) -> Floats:
        """u at x = 0."""
        problem = self.problem
        if problem.operator.skew is None or problem.shift is None:
            return problem.linear
        u: Floats = problem.linear - problem.operator.skew @ problem.shift
        return u

    def solve(
        self, centre: Floats, pull: float, accuracy: float, most_steps: int
    ) -> tuple[Floats, float, int]:
        """The best point found from the centre, its ‖F‖, and the steps."""
        matrix = self.matrix + pull * self._one
        linear = self.linear - pull * centre
        y, p, F, size = self._residual(centre, matrix, linear)
        best, least, recent, steps = y, size, [size], 0
        while least > accuracy and steps < most_steps:
            steps += 1
            D = self.friction.derivative(self.root * p)
            try:
                d = splu(sp.csc_array(self._one - D + D @ matrix)).solve(-F)
            except RuntimeError:  # exactly singular
                break
            if not np.isfinite(d).all():
                break
            share, bar, old, slid = 1.0, max(recent[-MEMORY:]), y, p
            while True:
                y, p, F, size = self._residual(self._along(old, share * d, slid), matrix, linear)
                if size <= (1.0 - 1e-3 * share) * bar or share < SHORTEST:
                    break
                share *= 0.5
            recent.append(size)
            if size < least:
                best, least = y, size
        return best, least, steps

    def _along(self, y: Floats, d: Floats, p: Floats) -> Floats:
        """y + d, on the circles that friction moves on where contacts slide, if steps are bent."""
        if not self.bent:
            return y + d
        return self.friction.on_boundary(self.root * p, self.root * (y + d)) / self.root

    def _residual(
        self, y: Floats, matrix: sp.csr_array, linear: Floats
    ) -> tuple[Floats, Floats, Floats, float]:
        """y, y − √ρ u, F(y) and its norm."""
        p = y - (matrix @ y + linear)
        F = y - self.friction.value(self.root * p) / self.root
        return y, p, F, float(np.linalg.norm(F))

    def size_at(self, y: Floats) -> float:
        """‖F(y)‖ without any pull."""
        return self._residual(y, self.matrix, self.linear)[3]

    def feasible(self, y: Floats) -> Floats:
        """The unknowns x of y, projected."""
        x = self.root * y
        self.problem.project(x)
        return x

    def error(self, x: Floats, gauge: Gauge) -> float:
        """The exact problem's error at x."""
        product = self.problem.product(x)
        return gauge.error(self.problem, x, product, exact_linear(self.problem, x, product))[0]
