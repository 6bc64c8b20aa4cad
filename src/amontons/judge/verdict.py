"""All residuals of impulses, from one product and one pass over the blocks."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.judge.blocks import COLUMNS, SUMS, judge_blocks
from amontons.problem.problem import ConeProblem
from amontons.problem.residuals import SMALL_STEP, Residuals, share_of_row

Floats = NDArray[np.float64]


def residuals(problem: ConeProblem, impulses: ArrayLike, *, exact: bool = False) -> Residuals:
    """Judge impulses for a problem, whichever solver computed them.

    Parameters
    ----------
    impulses:
        γ in the problem's own coordinates, shape (rows,) [N s].
    exact:
        Judge exact Coulomb friction instead of the papers' convex problem.
    """
    even, x = problem.even, problem.to_even(problem.unknowns(impulses))
    return evaluate(even, x, even.product(x), exact=exact)


def evaluate(problem: ConeProblem, x: Floats, product: Floats, *, exact: bool) -> Residuals:
    """All residuals of unknowns x, given (N + E) x, of a problem whose rows are all speeds.

    See :attr:`ConeProblem.even` and :meth:`ConeProblem.unknowns`.
    """
    found, partial = _pass(problem, x, product, exact)
    square, short, quadratic, linear, complementarity = problem.sums(
        found[:SUMS], partial[:, :SUMS]
    )
    worst, primal, dual = problem.maximum(found[SUMS:])
    scaled = math.sqrt(square) / problem.speed_unit
    if math.isfinite(problem.yardstick.most):
        scaled = max(scaled, math.sqrt(worst) / problem.yardstick.most)
    if problem.judged_as_given is not None:
        scaled = max(scaled, _scaled_as_given(problem.judged_as_given, x, product, exact))
    return Residuals(
        scaled=scaled,
        paper1=math.sqrt(short),
        paper3=math.sqrt(short) * share_of_row(problem),
        impulse_violation=primal,
        velocity_violation=dual,
        complementarity=complementarity,
        objective=0.5 * quadratic + linear + problem.objective_offset,
        exact=exact,
    )


def _scaled_as_given(given: ConeProblem, x: Floats, product: Floats, exact: bool) -> float:
    """The scaled error in a problem's own rows, from unknowns and product of its even form."""
    found, partial = _pass(given, given.from_even(x), given.to_even(product), exact)
    (square,) = given.sums(found[:1], partial[:, :1])
    return math.sqrt(square) / (given.norm(given.given_linear) or 1.0)


def _pass(
    problem: ConeProblem, x: Floats, product: Floats, exact: bool
) -> tuple[tuple[float, ...], Floats]:
    """What :func:`judge_blocks` finds of this process's blocks, and of each of their chunks."""
    velocity = product + problem.linear
    if exact and problem.operator.skew is not None:
        velocity += problem.operator.skew @ (x if problem.shift is None else x - problem.shift)
    arrays = problem.sets.arrays
    partial = np.empty((arrays.chunks.shape[0], COLUMNS))
    go, rho = judge_blocks.sized(problem.blocks), problem.mean_steps
    found: tuple[float, ...] = go(
        arrays, rho, SMALL_STEP, x, product, problem.linear, velocity, exact, partial
    )
    return found, partial
