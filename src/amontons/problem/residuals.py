"""How wrong impulses are: the one module whose numbers a `Solution` reports.

Nothing here is shared with the solvers' own iterations but the projections: the product N x is
computed anew, and an error is what these functions say it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.algebra.sums import norm
from amontons.errors import InputError
from amontons.problem import kernels

if TYPE_CHECKING:
    from amontons.problem.problem import ConeProblem

Floats = NDArray[np.float64]

SMALL_STEP = 1e-6
"""g_d of paper 3 and τ_g of paper 1: the short step at which their residuals are taken."""


class Measure(StrEnum):
    """Which residual a tolerance is compared with. All are norms of x − Π(x − ρ(Nx + r))."""

    SCALED = "scaled"
    """‖(x − Π(x − ρu))/ρ‖ / ‖r‖ with ρ = d/trace(N_bb) of each block. The default: no units.

    In a simulation ‖r‖ is not taken for less than its yardstick says, and the error of a single
    block is also compared with a speed of its own (:class:`~amontons.problem.units.Yardstick`).
    """

    PAPER1 = "paper1"
    """w of paper 1: ‖x − Π(x − τu)‖/τ with τ = 1e-6 [m/s]."""

    PAPER3 = "paper3"
    """r of paper 3, eq. 25: ‖x − Π(x − g u)‖/(rows · g) with g = 1e-6 [m/s]."""


@dataclass
class Gauge:
    """A measure made ready for one problem: error = factor · ‖(x − Π(x − ρu))/ρ‖.

    `wanted` is the error at which it is worth asking for the verdict of :func:`evaluate`.
    """

    rho: Floats
    factor: float
    wanted: float = 0.0

    @classmethod
    def of(cls, problem: ConeProblem, measure: Measure | str, wanted: float = 0.0) -> Gauge:
        """The gauge of a measure, given by name or as a `Measure`."""
        try:
            measure = Measure(measure)
        except ValueError:
            names = ", ".join(repr(m.value) for m in Measure)
            raise InputError(f"unknown measure {measure!r}; choose one of {names}") from None
        if measure is Measure.SCALED:
            return cls(problem.mean_steps, 1.0 / problem.speed_unit, wanted)
        rho = np.full(problem.blocks, SMALL_STEP)
        factor = 1.0 if measure is Measure.PAPER1 else _share_of_row(problem)
        return cls(rho, factor, wanted)

    def error(
        self, problem: ConeProblem, x: Floats, product: Floats, linear: Floats | None = None
    ) -> tuple[float, float]:
        """Error and objective at x, whose product N x is given; `linear` may replace r."""
        r = problem.linear if linear is None else linear
        partial = np.empty((problem.sets.arrays.chunks.shape[0], 3))
        natural_map = kernels.natural_map.sized(problem.blocks)
        square, quadratic, lin = problem.total(
            natural_map(problem.sets.arrays, self.rho, x, product, r, partial)
        )
        return self.factor * math.sqrt(square), 0.5 * quadratic + lin + problem.objective_offset

    def worst(self, problem: ConeProblem, x: Floats, product: Floats, linear: Floats) -> float:
        """Largest error of a single block, ‖(x − Π(x − ρu))/ρ‖ [m/s]."""
        partial = np.empty((problem.sets.arrays.chunks.shape[0], 1))
        worst_block = kernels.worst_block.sized(problem.blocks)
        return math.sqrt(worst_block(problem.sets.arrays, self.rho, x, product, linear, partial))


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


def evaluate(problem: ConeProblem, x: Floats, product: Floats, *, exact: bool) -> Residuals:
    """All residuals of unknowns x of a problem whose rows are all speeds, with (N + E) x.

    See :attr:`ConeProblem.even` and :meth:`ConeProblem.unknowns`.
    """
    linear = exact_linear(problem, x, product) if exact else problem.linear
    gauge = Gauge.of(problem, Measure.SCALED)
    scaled, objective = gauge.error(problem, x, product, linear)
    if math.isfinite(problem.yardstick.most):
        scaled = max(scaled, gauge.worst(problem, x, product, linear) / problem.yardstick.most)
    if problem.judged_as_given is not None:
        scaled = max(scaled, _scaled_as_given(problem.judged_as_given, x, product, exact))
    if exact:  # the objective is that of the convex problem
        objective = gauge.error(problem, x, product)[1]
    paper1, _ = Gauge.of(problem, Measure.PAPER1).error(problem, x, product, linear)
    partial = np.empty((problem.sets.arrays.chunks.shape[0], 3))
    violations = kernels.violations.sized(problem.blocks)
    primal, dual, complementarity = violations(problem.sets.arrays, x, product + linear, partial)
    return Residuals(
        scaled=scaled,
        paper1=paper1,
        paper3=paper1 * _share_of_row(problem),  # of the same short step
        impulse_violation=float(primal),
        velocity_violation=float(dual),
        complementarity=float(complementarity),
        objective=objective,
        exact=exact,
    )


def _scaled_as_given(given: ConeProblem, x: Floats, product: Floats, exact: bool) -> float:
    """The scaled error in a problem's own rows, from unknowns and product of its even form."""
    x, product = given.from_even(x), given.to_even(product)
    linear = exact_linear(given, x, product) if exact else given.linear
    gauge = Gauge(given.mean_steps, 1.0 / (norm(given.given_linear) or 1.0))
    return gauge.error(given, x, product, linear)[0]


def _share_of_row(problem: ConeProblem) -> float:
    return 1.0 / max(problem.rows, 1)


def exact_linear(problem: ConeProblem, x: Floats, product: Floats) -> Floats:
    """r with what exact Coulomb friction adds at x: the De Saxcé term, and N's skew part if any.

    û = u + (μ‖u_t‖ + ρ‖ω_roll‖ + σ|ω_spin|) n with u = W x + r, so that û = N x + this.
    """
    linear = problem.linear.copy()
    if problem.operator.skew is not None:
        linear += problem.operator.skew @ (x if problem.shift is None else x - problem.shift)
    slip = np.empty_like(linear)
    kernels.de_saxce.sized(problem.blocks)(problem.sets.arrays, product + linear, slip)
    return linear + slip


def residuals(problem: ConeProblem, impulses: ArrayLike, *, exact: bool = False) -> Residuals:
    """Judge any impulses for a problem, whoever computed them.

    Parameters
    ----------
    impulses:
        γ in the problem's own coordinates, shape (rows,) [N s].
    exact:
        Judge exact Coulomb friction instead of the papers' convex problem.
    """
    even, x = problem.even, problem.to_even(problem.unknowns(impulses))
    return evaluate(even, x, even.product(x), exact=exact)
