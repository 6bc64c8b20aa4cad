"""Newton's method on a chain of pulled problems: exact friction from far away, redundant or not."""

from contextlib import nullcontext
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.solvers.exact_coulomb.proximal_newton import proximal_newton
from amontons.solvers.gauge import Gauge
from amontons.testing import CASES, case


def random_problem(seed, *, contacts=6, rank=None, skew=0.0):
    """W of the given rank, q in its range, so that the problem has a solution."""
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(3 * contacts, rank or 3 * contacts + 2))
    W = B @ B.T / len(B)
    S = rng.normal(size=(B.shape[1],) * 2)
    W = W + skew * B @ (S - S.T) @ B.T / len(B)
    return W, B @ rng.normal(size=B.shape[1]), rng.uniform(0.1, 0.9, contacts)


def best_of(problem, x, *, points=60, tolerance=1e-12):
    """Least error of the chain's first points."""
    least = np.inf
    chain = proximal_newton(problem, x, Gauge.of(problem, "scaled"), 10_000)
    for found in islice(chain, points):
        judged = am.residuals(problem, problem.impulses(found.x), exact=True).scaled
        # two computations of one error, which agree to the rounding of impulses over steps
        assert found.error == pytest.approx(judged, rel=1e-6, abs=1e-14)
        least = min(least, judged)
        if least <= tolerance:
            break
    return least


@given(seed=st.integers(0, 10_000), skew=st.sampled_from([0.0, 0.02]))
@settings(max_examples=30, deadline=None)
def test_from_nothing_to_rounding(seed, skew):
    W, q, mu = random_problem(seed, skew=skew)
    with pytest.warns(am.ProblemWarning) if skew else nullcontext():
        problem = am.ConeProblem.from_matrix(W, q, friction=mu)
    assert best_of(problem, np.zeros(problem.rows)) <= 1e-11


@given(seed=st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_redundant_contacts(seed):
    """Twice as many rows as the bodies have degrees of freedom: impulses are not unique."""
    W, q, mu = random_problem(seed, contacts=8, rank=12)
    problem = am.ConeProblem.from_matrix(W, q, friction=mu)
    assert best_of(problem, np.zeros(problem.rows), points=200) <= 1e-10


@pytest.mark.parametrize("name", [name for name in CASES if case(name).problem.rows])
def test_sets_of_all_kinds(name):
    problem = case(name).problem.even
    x = problem.unknowns(am.APGD(tolerance=1e-2).solve(problem).impulses)
    assert best_of(problem, x) <= 1e-11


def test_two_contacts_at_almost_one_place():
    """A ball that slides on two points 10⁻⁵ apart: one of them must let go."""
    arms = np.array([[0.0, 0.0, -1.0], [1e-5, 0.0, -1.0]])
    problem = am.ConeProblem.from_contacts(
        inverse_mass=np.array([1.0]),
        inverse_inertia=2.5 * np.eye(3)[None],
        bodies_a=np.array([-1, -1]),
        bodies_b=np.array([0, 0]),
        normals=np.tile([0.0, 0.0, 1.0], (2, 1)),
        arms_a=np.zeros((2, 3)),
        arms_b=arms,
        free_velocity=np.array([[0.7, 0.2, -1.0, 0.0, 0.3, 0.1]]),
        friction=0.3,
    )
    assert best_of(problem, np.zeros(problem.rows)) <= 1e-11


def test_a_chain_may_be_followed_for_ever():
    """Its user decides when to stop; a solved problem is no reason to fail."""
    problem = case("coulomb").problem
    chain = proximal_newton(problem, np.zeros(problem.rows), Gauge.of(problem, "scaled"), 10_000)
    errors = [found.error for found in islice(chain, 40)]
    assert min(errors) <= 1e-12
    assert np.isfinite(errors).all()


def test_no_more_steps_than_allowed():
    problem = case("bodies").problem
    for most in (0, 1, 7, 20):
        chain = proximal_newton(problem, np.zeros(problem.rows), Gauge.of(problem, "scaled"), most)
        assert sum(found.steps for found in chain) <= most


def test_exact_coulomb_tells_what_newton_did(caplog):
    W, q, mu = random_problem(3, contacts=8, rank=12)
    problem = am.ConeProblem.from_matrix(W, q, friction=mu)
    with caplog.at_level("INFO", logger="amontons"):
        # which has no loop of its own that De Saxcé's term could move along with
        solver = am.ExactCoulomb(tolerance=1e-10, inner=am.InteriorPoint())
        assert solver.solve(problem).converged
    assert any("Newton from" in record.message for record in caplog.records)
    caplog.clear()
    with caplog.at_level("INFO", logger="amontons"):
        am.ExactCoulomb(tolerance=1e-10, newton=False, max_iterations=500).solve(problem)
    assert not any("Newton from" in record.message for record in caplog.records)
