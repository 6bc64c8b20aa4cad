"""The judge against plain numpy, block by block from the formulas, for sets of every kind."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import amontons as am
from amontons.algebra.cones import SetKind
from amontons.generators import packing
from amontons.judge import evaluate
from amontons.judge.blocks import COLUMNS, judge_blocks
from amontons.problem.units import Yardstick
from amontons.solvers import base
from amontons.solvers.gauge import Gauge
from amontons.testing import naive
from amontons.testing.problems import CASES, case
from helpers.kernel_samples import FORMS, SIZES, Sample

pytestmark = pytest.mark.usefixtures("one_thread")

SHORT = 1e-3


def naive_square(block, x, u, rho):
    """‖(x − Π(x − ρu))/ρ‖² of one block."""
    e = (x - naive.project_block(block, x - rho * u)) / rho
    return float(e @ e)


def naive_violations(block, x, u):
    """By how much x leaves its set and u the dual one, and abs(xᵀu)."""
    if block.kind is SetKind.FREE:
        return 0.0, abs(u[0]), abs(x[0] * u[0])
    if block.kind is SetKind.NONNEGATIVE:
        return max(-x[0], 0.0), max(-u[0], 0.0), abs(x[0] * u[0])
    if block.kind is SetKind.INTERVAL:
        outside = max(block.lower - x[0], x[0] - block.upper, 0.0)
        end = block.lower if u[0] > 0 else block.upper
        if u[0] != 0.0 and math.isfinite(end):
            return outside, 0.0, abs((x[0] - end) * u[0])
        return outside, abs(u[0]), 0.0
    a, parts, limits = block.split(x)
    w, u_parts, _ = block.split(u)
    excess = [np.linalg.norm(p) - m * a for p, m in zip(parts, limits, strict=True)]
    pull = sum(m * np.linalg.norm(p) for p, m in zip(u_parts, limits, strict=True))
    return max(-a, *excess, 0.0), max(pull - w, 0.0), abs(x @ u)


def naive_verdict(blocks, rho, x, product, linear, u, exact):
    """What a pass returns: five sums and three maxima."""
    u = u + naive.de_saxce(blocks, u) if exact else u
    long, short, primal, dual, inner = [], [], [], [], []
    for block, step in zip(blocks, rho, strict=True):
        xb, ub = x[block.rows], u[block.rows]
        long.append(naive_square(block, xb, ub, step))
        short.append(naive_square(block, xb, ub, SHORT))
        outside, against, product_of_both = naive_violations(block, xb, ub)
        primal.append(outside)
        dual.append(against)
        inner.append(product_of_both)
    sums = [sum(long), sum(short), float(x @ product), float(linear @ x), sum(inner)]
    return [*sums, max(long), max(primal), max(dual)]


def judged(sample, rho, x, product, linear, u, exact, form="serial"):
    vectors = [sample.inward(v) for v in (x, product, linear, u)]
    kept = [v.copy() for v in vectors]
    got = getattr(judge_blocks, form)(
        sample.sets, rho, SHORT, *vectors, exact, sample.partial(COLUMNS)
    )
    for before, after in zip(kept, vectors, strict=True):
        assert (before == after).all()
    return got


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_a_pass_against_formulas(size, exact, form):
    sample = Sample(size, seed=7)
    x, product, linear, u = (sample.vector() for _ in range(4))
    rho, inner_rho = sample.by_block(0.2, 3.0)
    got = judged(sample, inner_rho, x, product, linear, u, exact, form)
    expected = naive_verdict(sample.blocks, rho, x, product, linear, u, exact)
    for one, other in zip(got, expected, strict=True):
        # (x − Π(w))/ρ loses what x has before ρu; sums of many terms lose a little more
        assert one == pytest.approx(other, rel=1e-11, abs=1e-11 * sample.rows)


counts = st.tuples(*[st.integers(0, 3)] * 6).filter(any)
powers = st.integers(-12, 12)


@given(counts, st.integers(0, 2**32 - 1), powers, powers, st.booleans(), st.booleans())
def test_points_in_every_place(some, seed, impulse, speed, exact, feasible):
    """Blocks of any mixture, impulses and speeds of any size, feasible or not, some zero."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SIZES, "some", some)
        sample = Sample("some", seed=seed)
    rng, unit, fast = sample.rng, 10.0**impulse, 10.0**speed
    x, u = sample.vector(unit), sample.vector(fast)
    for block in sample.blocks:
        place = rng.integers(4)
        if place == 0:
            x[block.rows] = 0.0
        elif place == 1:
            u[block.rows] = 0.0
    if feasible:  # cones are cones in any unit, and so are half-lines
        x = naive.project(sample.blocks, x)
    product, linear = sample.vector(fast), sample.vector(fast)
    rho, inner_rho = (values * unit / fast for values in sample.by_block(0.2, 3.0))
    got = judged(sample, inner_rho, x, product, linear, u, exact)
    expected = naive_verdict(sample.blocks, rho, x, product, linear, u, exact)
    # rounding of x, of ρu and of an interval's ends, which are about 1 in any unit, over the step
    ends = 1.0 if some[5] else 0.0
    noise = 1e-13 * (max(unit, ends) + SHORT * fast) / SHORT
    long_noise = 1e-13 * (fast + max(unit, ends) * fast / unit)
    work = 1e-12 * sample.rows * max(unit, ends) * fast
    allowed = [
        sample.rows * long_noise * (long_noise + math.sqrt(expected[0])),
        sample.rows * noise * (noise + math.sqrt(expected[1])),
        work,
        work,
        work,
        long_noise * (long_noise + math.sqrt(expected[5])),
        1e-13 * max(unit, ends),
        1e-12 * fast,
    ]
    for one, other, most in zip(got, expected, allowed, strict=True):
        assert one == pytest.approx(other, rel=1e-9, abs=10.0 * most)


@pytest.mark.parametrize("name", CASES)
def test_what_solvers_read_is_what_the_judge_says(name):
    """Two ways to compute the same number: the gauge by tiles, the judge block by block."""
    made = case(name)
    problem = made.problem.even
    x = problem.unknowns(None) + np.random.default_rng(5).standard_normal(problem.rows)
    product = problem.product(x)
    verdict = evaluate(problem, x, product, exact=False)
    for measure in am.Measure:
        error, objective = Gauge.of(problem, measure).error(problem, x, product)
        if problem.judged_as_given is None:
            assert verdict[measure] == pytest.approx(error, rel=1e-9)
        assert verdict.objective == pytest.approx(objective, rel=1e-12)


def test_the_worst_block_counts_in_a_simulation():
    """With a yardstick, an error of `most` in one block is 1, however many blocks there are."""
    problem = am.ConeProblem.from_matrix(np.eye(300), np.r_[1e6, np.zeros(299)], friction=0.5)
    impulses = np.zeros(300)
    impulses[297] = 0.25  # alone wrong, by 0.25 m/s; the first contact opens
    plain = am.residuals(problem, impulses)
    assert plain.scaled == pytest.approx(0.25e-6)
    problem.yardstick = Yardstick(most=0.5)
    assert am.residuals(problem, impulses).scaled == pytest.approx(0.5)


def test_a_converged_solve_is_judged_once(monkeypatch):
    seen = []

    def counted(*arguments, **options):
        seen.append(arguments)
        return evaluate(*arguments, **options)

    monkeypatch.setattr(base, "evaluate", counted)
    assert am.APGD(tolerance=1e-6).solve(packing(30)).converged
    assert len(seen) == 1


def test_not_a_number_is_never_good():
    problem = packing(10)
    x = problem.unknowns(None)
    x[3] = np.nan
    verdict = evaluate(problem, x, problem.product(x), exact=False)
    assert math.isnan(verdict.scaled)
    assert not verdict.scaled <= 1.0
