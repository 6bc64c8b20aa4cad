"""Newton's method on the natural map: its derivatives, and how it ends what others began."""

import numpy as np
import pytest

import amontons as am
from amontons.problem import kernels
from amontons.solvers.gauge import Gauge
from amontons.solvers.semismooth_newton import can_finish, finish, method
from amontons.testing import CASES, case


def near(problem, *, tolerance=1e-4):
    """Unknowns that a first-order method has brought near the solution."""
    solver = am.APGD(tolerance=tolerance, max_iterations=20_000)
    return problem.unknowns(solver.solve(problem).impulses)


def scaled(problem, x):
    """The scaled error of internal unknowns."""
    return am.residuals(problem, problem.impulses(x)).scaled


def random_problem(seed, contacts=4):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(3 * contacts, 3 * contacts + 2))
    W = B @ B.T / len(B)
    return W, rng.normal(size=len(W)), rng.uniform(0.1, 1.0, contacts)


@pytest.mark.parametrize("name", [name for name in CASES if case(name).problem.rows])
def test_convex_problems_of_all_kinds_are_finished(name):
    problem = case(name).problem.even
    gauge = Gauge.of(problem, "scaled")
    x = near(problem)
    before = scaled(problem, x)
    found, error, steps = finish(problem, x, gauge, tolerance=1e-12)
    # impulses take a turn through the caller's frames: five roundings of a scaled error's unit
    assert error == pytest.approx(scaled(problem, found), rel=1e-6, abs=5 * np.finfo(float).eps)
    assert error <= max(1e-11, 1e-6 * before)
    assert steps <= 12
    again = found.copy()
    kernels.project.sized(problem.blocks)(problem.sets.arrays, again)
    assert again == pytest.approx(found, rel=1e-14, abs=1e-300)  # feasible


def dense_derivative(function, at, h=1e-6):
    """The obvious oracle: one difference a row."""
    columns = []
    for i in range(at.size):
        nudge = np.zeros_like(at)
        nudge[i] = h * max(1.0, np.abs(at).max())
        columns.append((function(at + nudge) - function(at - nudge)) / (2.0 * nudge[i]))
    return np.array(columns).T


@pytest.mark.parametrize("name", ["interval", "coulomb", "rolling", "spinning", "mixed"])
def test_derivatives_are_those_of_the_whole_map(name):
    problem = case(name).problem
    newton = method._Newton(problem)
    z = np.random.default_rng(3).normal(size=problem.rows)
    mine = newton.blocks.of(newton._projected, z).toarray()
    assert mine == pytest.approx(dense_derivative(newton._projected, z), abs=1e-5)


def test_a_start_that_is_far_is_never_made_worse():
    W, q, mu = random_problem(1, contacts=6)
    problem = am.ConeProblem.from_matrix(W, q, friction=mu)
    rng = np.random.default_rng(0)
    for _ in range(10):
        x = problem.sets.project(1e3 * rng.normal(size=problem.rows))
        before = scaled(problem, x)
        _, error, _ = finish(problem, x, Gauge.of(problem, "scaled"), tolerance=1e-9)
        assert error <= before


def test_large_problems_are_left_to_others():
    rows = 3 * (method.MOST_ROWS // 3 + 1)
    problem = am.ConeProblem.from_matrix(np.eye(rows), np.ones(rows), friction=0.3)
    assert not can_finish(problem)
    assert can_finish(case("coulomb").problem)


def test_redundant_contacts_are_finished():
    """Four feet of a box: impulses are not unique, so the matrix of a step is singular."""
    world = am.World()
    world.add_body(am.Plane(), fixed=True)
    world.add_body(am.Box.cube(1.0), mass=1.0, position=(0.0, 0.0, 0.5))
    sim = am.Simulation(world, step=1e-3)
    sim.step()
    problem = sim.problem()
    x = near(problem, tolerance=1e-3)
    _, error, _ = finish(problem, x, Gauge.of(problem, "scaled"), tolerance=1e-13)
    assert error <= 1e-12
