"""What is applied where a solver fails: nothing that is worse than what was there before it."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from amontons.judge import residuals
from amontons.judge.verdict import evaluate
from amontons.problem.problem import ConeProblem
from amontons.problem.residuals import Residuals
from amontons.problem.solution import Solution

Floats = NDArray[np.float64]


def no_worse(problem: ConeProblem, solution: Solution, guess: Floats) -> Solution:
    """The solution, or the guess, or no impulses at all: the first of the best by its residual.

    A solution that has converged is taken as it is, at no cost. The message says what was taken.
    """
    if solution.converged:
        return solution
    best, exact, measure = solution, solution.residuals.exact, solution.measure
    nothing = np.zeros_like(guess)
    for name, impulses in (("the guess", guess), ("no impulses at all", nothing)):
        if impulses is nothing and problem.shift is None:
            judged = at_rest(problem, exact)
        else:
            judged = residuals(problem, impulses, exact=exact)
        if not judged[measure] < best.residual and np.isfinite(best.residual):
            continue
        x = problem.unknowns(impulses)
        best = dataclasses.replace(
            solution,
            impulses=impulses,
            velocities=problem.velocities(x),
            velocity_change=problem.velocity_change(x),
            message=f"{solution.message}, which is worse than {name}, so that is taken",
            residual=judged[measure],
            residuals=judged,
            objective=judged.objective,
        )
    return best


def at_rest(problem: ConeProblem, exact: bool) -> Residuals:
    """Residuals where nothing pushes or pulls: N 0 = 0 needs no product."""
    nothing = np.zeros(problem.rows)
    return evaluate(problem.even, nothing, nothing, exact=exact)
