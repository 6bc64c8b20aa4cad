"""Bursts of APGD against its loop in Python, which is their oracle, and against limits."""

import numpy as np
import pytest

import amontons as am
from amontons.generators import packing
from amontons.solvers.apgd import method
from amontons.solvers.apgd.bursts import come_in_bursts
from amontons.solvers.base import Buffers
from amontons.solvers.gauge import Gauge
from amontons.testing.problems import build

PROBLEMS = {
    "bodies": lambda: build("bodies").problem,
    "bodies-extras": lambda: build("bodies-extras").problem,
    "packing": lambda: packing(60),
    "spinning": lambda: packing(30, rolling=0.01, spinning=0.01),
    "under-a-slab": lambda: packing(60, slab_mass=1e3),
}


@pytest.fixture(params=PROBLEMS)
def problem(request):
    return PROBLEMS[request.param]()


def in_python(monkeypatch, solver, problem, **more):
    with monkeypatch.context() as patch:
        patch.setattr(method, "come_in_bursts", lambda problem: False)
        return solver.solve(problem, **more)


@pytest.mark.parametrize("restart", [True, False])
@pytest.mark.parametrize("scaling", ["none", "block", "split"])
def test_iterates_are_those_of_the_loop_in_python(problem, scaling, restart, monkeypatch):
    assert come_in_bursts(problem)
    solver = am.APGD(tolerance=0.0, max_iterations=40, scaling=scaling, restart=restart)
    rng = np.random.default_rng(1)
    guess = 0.1 * rng.normal(size=problem.rows)
    found = solver.solve(problem, guess=guess)
    expected = in_python(monkeypatch, solver, problem, guess=guess)
    assert found.iterations == expected.iterations == 40
    scale = expected.history.residual[0]
    np.testing.assert_allclose(
        found.history.residual, expected.history.residual, rtol=1e-6, atol=1e-12 * scale
    )
    size = np.abs(expected.history.objective).max()
    np.testing.assert_allclose(
        found.history.objective, expected.history.objective, rtol=1e-9, atol=1e-12 * size
    )
    largest = np.abs(expected.impulses).max()
    np.testing.assert_allclose(found.impulses, expected.impulses, rtol=1e-6, atol=1e-9 * largest)


def test_who_looks_at_each_iterate_sees_the_same_bits(problem):
    solver = am.APGD(tolerance=1e-7, max_iterations=300)
    seen = []
    watched = solver.solve(problem, callback=lambda progress: seen.append(progress.residual))
    alone = solver.solve(problem)
    np.testing.assert_array_equal(alone.impulses, watched.impulses)
    np.testing.assert_array_equal(alone.history.residual, watched.history.residual)
    np.testing.assert_array_equal(alone.history.objective, watched.history.objective)
    assert (alone.status, alone.iterations) == (watched.status, watched.iterations)
    np.testing.assert_array_equal(seen, watched.history.residual)


@pytest.mark.parametrize("most", [0, 1, 2, 63, 64, 65])
def test_a_burst_ends_at_the_limit_of_iterations(problem, most):
    limited = am.APGD(tolerance=0.0, max_iterations=most).solve(problem)
    longer = am.APGD(tolerance=0.0, max_iterations=90).solve(problem)
    assert limited.iterations == most
    np.testing.assert_array_equal(limited.history.residual, longer.history.residual[: most + 1])
    # the best of those iterates, and no later one
    assert limited.residual == pytest.approx(limited.history.residual.min(), rel=1e-6)


def test_a_callback_stops_at_once():
    problem = packing(60)
    stopped = am.APGD(tolerance=0.0).solve(problem, callback=lambda at: at.iteration == 7)
    assert stopped.status is am.Status.STOPPED
    assert stopped.iterations == 7


def test_a_run_ends_with_the_first_iterate_within_the_tolerance():
    problem = packing(60)
    found = am.APGD(tolerance=1e-6).solve(problem)
    assert found.converged
    assert found.history.residual[-1] <= 1e-6 < found.history.residual[:-1].min()


def test_moments_of_a_burst_follow_one_another():
    history = am.APGD(tolerance=1e-8).solve(packing(60)).history
    assert (np.diff(history.time) > 0.0).all()


@pytest.mark.slow
def test_what_cannot_come_in_bursts():
    matrix = build("mixed").problem
    assert not come_in_bursts(matrix)
    assert not come_in_bursts(packing(7000))


@pytest.mark.parametrize("row", range(5))
def test_the_best_point_of_a_method_before_is_not_written_over(row):
    """As in Auto, whose buffers a second run of APGD shares with the best point of the first."""
    problem = packing(60)
    buffers = Buffers(problem.rows, 5)
    buffers.best = buffers[row]
    buffers.best[:] = 7.0
    gauge = Gauge.of(problem, "scaled")
    points = am.APGD(tolerance=0.0).iterations(problem, np.zeros(problem.rows), gauge, buffers)
    visited = [next(points) for _ in range(200)]
    assert visited[-1].error < visited[0].error
    assert (buffers[row] == 7.0).all()
