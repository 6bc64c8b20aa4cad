"""APGD with float32 storage: the same answers as in double precision, and honest about it."""

import numpy as np
import pytest

import amontons as am
from amontons.generators import packing
from amontons.problem.operators import SingleBodies
from amontons.solvers.apgd import mixed
from amontons.solvers.apgd.corrections import Corrections, move_base, steep_square
from amontons.testing.judging import parallel_kernels, threads
from amontons.testing.problems import build
from helpers.kernel_samples import Sample

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


@pytest.fixture
def at_any_size(monkeypatch):
    """Problems of any size are stored in single precision; in a list, how often that ended."""
    monkeypatch.setattr(mixed, "MIXED_ABOVE", 0)
    ends = []
    usual = am.APGD._in_double

    def noted(self, *arguments):
        ends.append(self.precision)
        return usual(self, *arguments)

    monkeypatch.setattr(am.APGD, "_in_double", noted)
    return ends


def in_double(problem, **settings):
    return am.APGD(precision="double", **settings).solve(problem)


def test_only_large_problems_over_bodies_are_stored_in_single_precision(monkeypatch):
    problem = packing(60)
    assert not mixed.waits_for_memory(problem)
    monkeypatch.setattr(mixed, "MIXED_ABOVE", problem.blocks)
    assert mixed.waits_for_memory(problem)
    assert not mixed.waits_for_memory(build("mixed").problem)


def test_an_unknown_precision_is_refused():
    with pytest.raises(am.InputError, match="choose 'mixed' or 'double'"):
        am.APGD(precision="single")


def test_products_are_those_of_the_operator_to_seven_digits(problem):
    operator = problem.even.operator.over_bodies
    single = SingleBodies(operator)
    x = np.random.default_rng(3).normal(size=operator.rows)
    velocity, out = single.scratch(), np.empty(operator.rows, dtype=np.float32)
    single.gather(x.astype(np.float32), velocity)
    single.spread(velocity, out)
    assert velocity.dtype == out.dtype == np.float32
    for got, wanted in (
        (velocity, operator.velocities(x)),
        (out, problem.even.operator.as_matrix() @ x),
    ):
        assert np.abs(got - wanted).max() <= 3e-6 * np.abs(wanted).max()
    still = np.zeros_like(velocity)
    bend = single.quadratic(velocity, still, still, 0.5)
    assert bend == pytest.approx(x @ (problem.even.operator.as_matrix() @ x), rel=1e-5)


def test_a_new_base_moves_no_point():
    rng = np.random.default_rng(0)
    base = rng.normal(size=999).astype(np.float32)
    rows = (0.1 * rng.normal(size=(4, 999))).astype(np.float32)
    points = base.astype(np.float64) + rows
    move_base.parallel(base, rows, 2)
    np.testing.assert_array_equal(base, points[2].astype(np.float32))
    assert np.abs(rows[2]).max() <= 2.0**-24 * np.abs(points[2]).max()
    # what is left is rounding of the corrections, not of the points
    assert np.abs(base.astype(np.float64) + rows - points).max() <= 2.0**-24 * np.abs(rows).max()
    np.testing.assert_allclose(base.astype(np.float64) + rows[2], points[2], rtol=1e-13)


def test_size_of_corrections():
    sample = Sample("odd-tiles", seed=4)
    x = sample.vector()
    rho, inner = sample.by_block(0.2, 3.0)
    got = steep_square.parallel(
        sample.sets, inner.astype(np.float32), sample.inward(x).astype(np.float32),
        sample.partial(1),
    )  # fmt: skip
    assert got == pytest.approx(np.sum((x / sample.by_row(rho)) ** 2), rel=1e-6)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3, 1e-4, 1e-5])
def test_iterations_to_a_tolerance_are_those_of_double_precision(problem, tolerance, at_any_size):
    found = am.APGD(tolerance=tolerance).solve(problem)
    expected = in_double(problem, tolerance=tolerance)
    assert found.converged
    assert found.residual <= tolerance
    # packings differ by 2 %; seven blocks near the end of single precision by 8 % at 0.002
    assert abs(found.iterations - expected.iterations) <= 2 + 0.2 * expected.iterations
    assert found.residuals.impulse_violation <= 1e-14 * np.abs(found.impulses).max()


def test_history_is_that_of_double_precision_until_rounding_shows(problem, at_any_size):
    settings = {"tolerance": 0.0, "max_iterations": 30}
    found, expected = am.APGD(**settings).solve(problem), in_double(problem, **settings)
    unit = expected.history.residual[0]
    np.testing.assert_allclose(
        found.history.residual, expected.history.residual, rtol=1e-2, atol=1e-5 * unit
    )
    size = np.abs(expected.history.objective).max()
    np.testing.assert_allclose(
        found.history.objective, expected.history.objective, atol=1e-5 * size
    )


def test_a_fine_tolerance_is_met(problem, at_any_size, request):
    """In double precision at the end, where velocities do not vanish as in a bed at rest."""
    found = am.APGD(tolerance=1e-10).solve(problem)
    assert found.converged
    assert found.residual <= 1e-10
    if "bodies" in request.node.callspec.id:  # they move on
        assert at_any_size == ["mixed"]
    expected = in_double(problem, tolerance=1e-10)
    assert found.iterations <= 2 + 1.3 * expected.iterations


def test_a_coarse_tolerance_does_not(at_any_size):
    assert am.APGD(tolerance=1e-5).solve(packing(60)).converged
    assert at_any_size == []


def test_nothing_is_called_converged_by_rounded_data_alone(at_any_size, monkeypatch):
    """Velocities at the base that are wrong by a thousandth: the loop ends, the judge decides."""
    usual = Corrections._look

    def wrong(self):
        usual(self)
        mean = self.problem.linear_norm / np.sqrt(self.problem.rows)
        self.origin = self.origin._replace(linear=self.origin.linear + np.float32(1e-3 * mean))

    monkeypatch.setattr(Corrections, "_look", wrong)
    monkeypatch.setattr(mixed, "IDLE", 100)
    problem = packing(60)
    found = am.APGD(tolerance=1e-6).solve(problem)
    assert found.converged
    assert am.residuals(problem, found.impulses).scaled <= 1e-6
    assert at_any_size == ["mixed"]


@pytest.mark.slow
def test_same_bits_on_any_number_of_threads(at_any_size):
    problem, answers = packing(900), []
    with parallel_kernels():
        for count in (1, am.max_threads()):
            with threads(count):
                answers.append(am.APGD(tolerance=1e-5).solve(problem))
    np.testing.assert_array_equal(answers[0].impulses, answers[1].impulses)
    np.testing.assert_array_equal(answers[0].history.residual, answers[1].history.residual)


def test_other_solvers_take_over_from_stored_points(at_any_size):
    """`Auto` and `ExactCoulomb` see plain arrays, whatever the method kept."""
    problem = packing(60)
    assert am.Auto(tolerance=1e-9).solve(problem).converged
    exact = am.ExactCoulomb(tolerance=1e-5, newton=False).solve(problem)
    assert exact.converged
    assert exact.residuals.exact


def test_a_warm_start_is_kept(at_any_size):
    problem = packing(60)
    first = am.APGD(tolerance=1e-5).solve(problem)
    again = am.APGD(tolerance=1e-5).solve(problem, guess=first.impulses)
    assert again.iterations == 0
    assert again.converged
