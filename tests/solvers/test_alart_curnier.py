"""Coulomb's law as an equation: its values against plain loops, its derivative, its zeros."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.problem.sets import Product
from amontons.solvers.exact_coulomb.alart_curnier import AlartCurnier
from amontons.testing import CASES, case


def cut(v, length):
    """A vector no longer than this."""
    size = np.linalg.norm(v)
    return v if size <= length else v * (length / size)


def naive_contact(f, m, n, mu, rho, sigma):
    """G of one contact, as the formula has it."""
    a = f @ n
    if a <= 0.0:
        return 0.0 * f, 0.0 * m
    m_n = (m @ n) * n
    return a * n + cut(f - a * n, mu * a), cut(m - m_n, rho * a) + cut(m_n, sigma * a)


def naive(sets, p):
    """G(p), block by block."""
    arrays, out = sets.arrays, np.empty_like(p)
    for kind, first, count, row in arrays.groups:
        width = {0: 1, 1: 1, 2: 1, 3: 3, 4: 5, 5: 6}[int(kind)]
        for j in range(count):
            rows = row + np.arange(width) * count + j
            v = p[rows]
            if kind < 3:
                ends = {0: (-np.inf, np.inf), 1: (0.0, np.inf)}
                lower, upper = ends.get(int(kind)) or (arrays.lower[j], arrays.upper[j])
                out[rows] = min(max(v[0], lower), upper)
                continue
            b = first + j
            m = {3: np.zeros(3), 4: np.r_[0.0, v[3:]], 5: v[3:]}[int(kind)]
            rho = arrays.rolling[b] if kind > 3 else 0.0
            sigma = arrays.spinning[b] if kind > 4 else 0.0
            f, m = naive_contact(v[:3], m, arrays.normal[:, b], arrays.friction[b], rho, sigma)
            out[rows] = {3: f, 4: np.r_[f, m[1:]], 5: np.r_[f, m]}[int(kind)]
    return out


CONES = [name for name in CASES if case(name).problem.rows]


@pytest.mark.parametrize("name", CONES)
def test_values_are_those_of_the_formula(name):
    sets = case(name).problem.sets
    rng = np.random.default_rng(5)
    for size in (1e-3, 1.0, 1e3):
        p = size * rng.normal(size=sets.rows)
        assert AlartCurnier(sets).value(p) == pytest.approx(naive(sets, p), abs=1e-13 * size)


@pytest.mark.parametrize("name", CONES)
def test_derivative_is_the_slope(name):
    friction = AlartCurnier(case(name).problem.sets)
    rng = np.random.default_rng(7)
    p = rng.normal(size=friction.rows)
    d = rng.normal(size=friction.rows)
    h = 1e-6
    slope = (friction.value(p + h * d) - friction.value(p - h * d)) / (2.0 * h)
    assert friction.derivative(p) @ d == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize("name", CONES)
def test_zeros_are_solutions_of_exact_friction(name):
    problem = case(name).problem
    solution = am.ExactCoulomb(tolerance=1e-11).solve(problem)
    assert solution.converged
    x = problem.unknowns(solution.impulses)
    u = problem.product(x) + problem.linear
    steps = np.ones(problem.rows) * float(problem.mean_steps.min())
    left = (x - AlartCurnier(problem.sets).value(x - steps * u)) / steps
    assert np.linalg.norm(left) <= 1e-8 * problem.linear_norm


@given(seed=st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_boundary_keeps_the_normal_part_and_what_sticks(seed):
    rng = np.random.default_rng(seed)
    sets = Product([am.CoulombCone(rng.uniform(0.1, 1.0, 5))])
    p, x = rng.normal(size=15), rng.normal(size=15)
    out = AlartCurnier(sets).on_boundary(p, x)
    P, X, Y = p.reshape(3, 5), x.reshape(3, 5), out.reshape(3, 5)
    mu = sets.arrays.friction
    slides = (P[0] > 0.0) & (np.hypot(P[1], P[2]) > mu * P[0])
    assert Y[0] == pytest.approx(X[0], abs=1e-14)
    assert Y[:, ~slides] == pytest.approx(X[:, ~slides], abs=1e-14)
    bound = mu * np.maximum(X[0], 0.0)
    assert np.hypot(Y[1], Y[2])[slides] == pytest.approx(bound[slides], abs=1e-13)


def test_an_open_contact_is_left_alone():
    problem = am.ConeProblem.from_matrix(np.eye(3), [1.0, 0.2, 0.0], friction=0.5)
    zero = np.zeros(3)
    assert am.residuals(problem, problem.impulses(zero), exact=True).scaled == 0.0
    friction = AlartCurnier(problem.sets)
    assert not friction.value(-problem.linear).any()
    assert not friction.derivative(-problem.linear).toarray().any()
