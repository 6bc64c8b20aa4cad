"""A least number of iterations: what is within the tolerance goes on a little."""

import dataclasses

import numpy as np
import pytest

import amontons as am
from amontons.generators import generate
from amontons.simulation.rules import LEAST_ITERATIONS, SolverChoice

METHODS = [
    am.APGD(tolerance=1e-3),
    am.SpectralGradient(tolerance=1e-3),
    am.GaussSeidel(tolerance=1e-3),
    am.Jacobi(tolerance=1e-3, max_iterations=20_000),
    am.Auto(tolerance=1e-3),
    am.ExactCoulomb(tolerance=1e-3, newton=False),
]


@pytest.fixture(scope="module")
def problem():
    return generate("packing:300,seed=3")


@pytest.mark.parametrize("solver", METHODS, ids=lambda solver: type(solver).__name__)
def test_goes_on_from_an_answer_within_the_tolerance(solver, problem):
    found = solver.solve(problem)
    assert found.converged
    again = solver.solve(problem, guess=found.impulses)
    further = dataclasses.replace(solver, min_iterations=17).solve(problem, guess=found.impulses)
    assert again.iterations == 0
    assert further.iterations >= 17 or further.residual <= 1e-2 * solver.tolerance
    assert further.converged
    assert further.residual <= again.residual


def test_bursts_count_like_single_iterations(problem):
    solver = am.APGD(tolerance=1e-2, min_iterations=90)
    quick = solver.solve(problem)
    watched = solver.solve(problem, callback=lambda _: None)  # one iteration at a time
    assert quick.iterations == watched.iterations >= 90
    np.testing.assert_array_equal(quick.impulses, watched.impulses)


def test_a_much_better_answer_needs_no_more(problem):
    fine = am.APGD(tolerance=1e-9, max_iterations=100_000).solve(problem)
    assert fine.converged
    coarse = am.APGD(tolerance=1e-5, min_iterations=50).solve(problem, guess=fine.impulses)
    assert coarse.iterations == 0
    assert coarse.converged


def test_the_most_iterations_are_stronger(problem):
    limited = am.APGD(tolerance=0.9, min_iterations=50, max_iterations=7).solve(problem)
    assert limited.iterations == 7


@pytest.mark.parametrize("bad", [-1, 2.5, "20"])
def test_refuses_what_is_no_count(bad):
    with pytest.raises(am.InputError, match="min_iterations"):
        am.APGD(min_iterations=bad)


def test_simulations_ask_for_some_of_methods_whose_iterations_are_cheap():
    assert SolverChoice.of(None).many.min_iterations == LEAST_ITERATIONS
    assert SolverChoice.of(None).few.min_iterations is None
    assert SolverChoice.of(am.APGD(), "exact").many.min_iterations == LEAST_ITERATIONS
    for law in ("convex", "exact"):
        assert SolverChoice.of(am.APGD(min_iterations=0), law).many.min_iterations == 0
    assert SolverChoice.of(am.InteriorPoint()).many.min_iterations is None
