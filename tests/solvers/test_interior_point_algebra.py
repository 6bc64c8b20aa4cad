"""Kernels of the interior point method against dense linear algebra that shares no line."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.problem.operators.base import block_offsets
from amontons.solvers.interior_point.blocks import hessian_blocks, release
from amontons.solvers.interior_point.lift import FRICTION, ROLL, SPIN, lift_of
from amontons.solvers.interior_point.linear_system import Hessian, linear_system_of
from amontons.solvers.interior_point.linear_system.cost import factor_cost
from amontons.solvers.interior_point.linear_system.factorisation import (
    BACKENDS,
    Dense,
    NotPositiveDefiniteError,
    Pattern,
    factorisation_of,
)
from amontons.solvers.interior_point.scaling import (
    add_barrier,
    correct,
    pull_back,
    rescale,
    scaled_direction,
)
from amontons.testing import case

J = np.diag([1.0, -1.0, -1.0, -1.0])


def dense_lift(sets):
    """G as a matrix, (4 pieces, rows), from what the sets say."""
    lift = lift_of(sets)
    G = np.zeros((4 * lift.pieces, sets.rows))
    for b in range(sets.blocks):
        n, size = lift.normal[b], int(lift.size[b])
        rows = lift.row[b] + lift.stride[b] * np.arange(size)
        for p in range(lift.start[b], lift.start[b + 1]):
            A = np.zeros((4, 6))
            A[0, :3] = lift.head[p] * n
            across = np.eye(3) - np.outer(n, n)
            if lift.tail[p] == FRICTION:
                A[1:, :3] = across
            elif lift.tail[p] == ROLL:
                A[1:, 3:] = across
            elif lift.tail[p] == SPIN:
                A[1:, 3:] = np.outer(n, n)
            columns = [0, 1, 2, 4, 5] if size == 5 else list(range(size))
            G[4 * p : 4 * p + 4, rows] = A[:, columns]
    return lift, G


def inside(rng, lift, spread=0.9):
    """A random point inside every cone whose tails lie where they must."""
    v = np.zeros((lift.pieces, 4))
    owner = np.repeat(np.arange(lift.row.size), np.diff(lift.start))
    for p in range(lift.pieces):
        n = lift.normal[owner[p]]
        t = rng.standard_normal(3)
        t = {FRICTION: t - (t @ n) * n, ROLL: t - (t @ n) * n, SPIN: (t @ n) * n}.get(
            int(lift.tail[p]), np.zeros(3)
        )
        v[p, 0] = rng.uniform(0.5, 2.0)
        v[p, 1:] = rng.uniform(0, spread) * v[p, 0] * t / max(np.linalg.norm(t), 1e-300)
    return v


def scaling_matrix(s, z):
    """W of one piece by the textbook: W² = η²(2 w wᵀ − J), W symmetric."""
    s_root, z_root = np.sqrt(s @ J @ s), np.sqrt(z @ J @ z)
    w = s / s_root + J @ z / z_root
    w /= np.sqrt(w @ J @ w)
    square = (s_root / z_root) * (2 * np.outer(w, w) - J)
    value, vector = np.linalg.eigh(square)
    return vector @ np.diag(np.sqrt(value)) @ vector.T


def scaled(lift, s, z):
    pieces = lift.pieces
    hessian = Hessian(np.ones(pieces), np.ones(pieces), np.zeros((pieces, 3)))
    point = np.zeros((pieces, 4))
    rescale.serial(lift, *hessian, point, s, z, 1.0)
    return hessian, point


SETS = ["coulomb", "rolling", "spinning", "world-frame", "mixed", "interval", "nonnegative"]


@pytest.mark.parametrize("name", SETS)
def test_scaling_is_that_of_the_textbook_and_stays_so_after_steps(name):
    rng = np.random.default_rng(1)
    lift, _ = dense_lift(case(name).problem.sets)
    s, z = inside(rng, lift), inside(rng, lift)
    hessian, point = scaled(lift, s, z)
    for _ in range(3):
        matrices = [scaling_matrix(s[p], z[p]) for p in range(lift.pieces)]
        for p, W in enumerate(matrices):
            np.testing.assert_allclose(W @ z[p], point[p], rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(np.linalg.solve(W, s[p]), point[p], rtol=1e-9, atol=1e-12)
        primal, dual = 0.1 * inside(rng, lift), -0.05 * inside(rng, lift)
        s = np.array([s[p] + 0.5 * W @ primal[p] for p, W in enumerate(matrices)])
        z = np.array([z[p] + 0.5 * np.linalg.solve(W, dual[p]) for p, W in enumerate(matrices)])
        rescale.serial(lift, *hessian, point, primal, dual, 0.5)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("form", ["serial", "parallel"])
def test_barrier_is_its_definition(name, form):
    rng = np.random.default_rng(2)
    problem = case(name).problem
    lift, G = dense_lift(problem.sets)
    s, z = inside(rng, lift), inside(rng, lift)
    hessian, point = scaled(lift, s, z)
    W = [scaling_matrix(s[p], z[p]) for p in range(lift.pieces)]
    squares = np.zeros((4 * lift.pieces, 4 * lift.pieces))
    inverse = np.zeros_like(squares)
    for p in range(lift.pieces):
        here = slice(4 * p, 4 * p + 4)
        inverse[here, here] = np.linalg.inv(W[p])
        squares[here, here] = inverse[here, here] @ inverse[here, here]
    theta = G.T @ squares @ G
    x, start = rng.standard_normal(problem.rows), rng.standard_normal(problem.rows)
    out = start.copy()
    getattr(add_barrier, form)(lift, *hessian, x, out)
    np.testing.assert_allclose(out, start + theta @ x, rtol=1e-9, atol=1e-9)
    getattr(pull_back, form)(lift, *hessian, point, out)
    np.testing.assert_allclose(out, G.T @ z.ravel(), rtol=1e-9, atol=1e-10)
    rhs, primal, dual = (np.empty((lift.pieces, 4)) for _ in range(3))
    rhs[:] = inside(rng, lift)
    partial = np.empty((1, 4))
    short_s, short_z, first, second = getattr(scaled_direction, form)(
        lift, *hessian, point, rhs, x, primal, dual, partial
    )
    wanted = (inverse @ G @ x).reshape(-1, 4)
    np.testing.assert_allclose(primal, wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(dual, rhs - wanted, rtol=1e-9, atol=1e-9)
    assert first == pytest.approx(float((point * rhs).sum()))
    assert second == pytest.approx(float((primal * dual).sum()), rel=1e-7, abs=1e-9)
    for short, step in ((short_s, primal), (short_z, dual)):
        if short > 0:
            for factor, ok in ((0.999, True), (1.001, False)):
                v = point + factor / short * step
                gap = v[:, 0] - np.linalg.norm(v[:, 1:], axis=1)
                assert bool((gap > 0).all()) == ok


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_corrector_solves_the_jordan_equation(seed):
    rng = np.random.default_rng(seed)
    lift = lift_of(case("mixed").problem.sets)
    point, primal, dual = (inside(rng, lift) for _ in range(3))
    rhs = np.empty_like(point)
    correct.serial(point, primal, dual, 0.3, rhs)

    def product(a, b):
        head = (a * b).sum(axis=1, keepdims=True)
        return np.hstack([head, a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:]])

    centre = np.zeros_like(point)
    centre[:, 0] = 0.3
    wanted = centre - product(point, point) - product(primal, dual)
    np.testing.assert_allclose(product(point, rhs), wanted, rtol=1e-9, atol=1e-9)


def hessian_of(rng, problem):
    lift, G = dense_lift(problem.sets)
    s, z = inside(rng, lift), inside(rng, lift)
    hessian, _ = scaled(lift, s, z)
    theta = np.zeros((problem.rows, problem.rows))
    for p in range(lift.pieces):
        W = np.linalg.inv(scaling_matrix(s[p], z[p]))
        part = G[4 * p : 4 * p + 4]
        theta += part.T @ W @ W @ part
    return lift, hessian, theta


def soft_matrix(lift, soft, rows):
    S = np.zeros((rows, rows))
    for b in range(lift.row.size):
        n, size = lift.normal[b], int(lift.size[b])
        index = lift.row[b] + lift.stride[b] * np.arange(size)
        along = np.outer(n, n)
        full = np.zeros((6, 6))
        full[:3, :3] = soft[b, 0] * along + soft[b, 1] * (np.eye(3) - along)
        full[3:, 3:] = soft[b, 3] * along + soft[b, 2] * (np.eye(3) - along)
        keep = [0, 1, 2, 4, 5] if size == 5 else list(range(size))
        S[np.ix_(index, index)] = full[np.ix_(keep, keep)]
    return S


@pytest.mark.parametrize("name", [*SETS, "bodies", "bodies-torque", "bodies-mixed"])
@pytest.mark.parametrize("form", ["serial", "parallel"])
def test_blocks_are_graded_factors_of_the_barrier(name, form):
    rng = np.random.default_rng(3)
    problem = case(name).problem
    lift, hessian, theta = hessian_of(rng, problem)
    soft = rng.uniform(0.1, 1.0, (problem.blocks, 4))
    wanted = theta + soft_matrix(lift, soft, problem.rows)
    offsets = block_offsets(problem.sets.arrays)
    for invert in (False, True):
        Q, H = np.empty(int(offsets[-1])), np.empty(int(offsets[-1]))
        getattr(hessian_blocks, form)(lift, *hessian, soft, offsets, invert, Q, H)
        for b in range(problem.blocks):
            size = int(lift.size[b])
            here = slice(int(offsets[b]), int(offsets[b + 1]))
            q, h = Q[here].reshape(size, size), H[here].reshape(size, size)
            np.testing.assert_allclose(q.T @ q, np.eye(size), atol=1e-12)
            index = lift.row[b] + lift.stride[b] * np.arange(size)
            block = wanted[np.ix_(index, index)]
            block = np.linalg.inv(block) if invert else block
            np.testing.assert_allclose(q @ h @ q.T, block, rtol=1e-8, atol=1e-9 * abs(block).max())


@pytest.mark.parametrize("name", ["mixed", "bodies", "bodies-torque", "bodies-extras", "factored"])
@pytest.mark.parametrize("space", ["bodies", "contacts"])
def test_linear_systems_solve_what_they_say(name, space):
    rng = np.random.default_rng(4)
    problem = case(name).problem
    lift, hessian, theta = hessian_of(rng, problem)
    soft = rng.uniform(0.1, 1.0, (problem.blocks, 4))
    N = problem.operator.as_matrix().toarray()
    system = linear_system_of(problem, lift, space)
    system.factorise(hessian, soft)
    b = rng.standard_normal(problem.rows)
    wanted = np.linalg.solve(N + theta + soft_matrix(lift, soft, problem.rows), b)
    np.testing.assert_allclose(system.solve(b), wanted, rtol=1e-8, atol=1e-9)


def held_problem():
    """Contacts with parts that cannot move, and an interval of one point."""
    sets = [
        am.CoulombCone([0.0, 0.4], [[0.6, 0.0, 0.8], [0.0, 1.0, 0.0]]),
        am.SpinningCone([0.3, 0.0], [0.1, 0.2], [0.0, 0.0], [[0.0, 0.6, 0.8], [1.0, 0.0, 0.0]]),
        am.RollingCone([0.5], [0.0]),
        am.Interval([0.2, -1.0], [0.2, 1.0]),
    ]
    rows = sum(run.rows for run in sets)
    rng = np.random.default_rng(5)
    G = rng.standard_normal((rows, rows + 3))
    return am.ConeProblem.from_matrix(G @ G.T / rows, rng.standard_normal(rows), sets=sets)


def test_held_parts_do_not_move_and_the_rest_is_solved():
    problem = held_problem()
    lift = lift_of(problem.sets)
    assert lift.holds
    x = np.random.default_rng(6).standard_normal(problem.rows)
    once = x.copy()
    release.serial(lift, once)
    twice = once.copy()
    release.serial(lift, twice)
    np.testing.assert_allclose(twice, once, atol=1e-14)
    assert np.linalg.norm(once) < np.linalg.norm(x)
    solution = am.InteriorPoint(tolerance=1e-10).solve(problem)
    assert solution.converged
    other = am.APGD(tolerance=1e-10).solve(problem)
    assert solution.objective == pytest.approx(other.objective, rel=1e-9)


# -- factorisations -------------------------------------------------------------------------------


def random_pattern(rng, n=60):
    A = np.where(rng.random((n, n)) < 0.05, rng.standard_normal((n, n)), 0.0)
    A = A + A.T + 8.0 * np.eye(n)
    rows, columns = np.nonzero(np.tril(A))
    order = np.lexsort((rows, columns))
    rows, columns = rows[order], columns[order]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=n))])
    return A, Pattern(indptr, rows), A[rows, columns]


@pytest.mark.parametrize("kind", [*BACKENDS.values(), Dense], ids=lambda kind: kind.__name__)
def test_factorisations_agree_with_numpy(kind):
    if not kind.available():
        pytest.skip(f"{kind.name} is not installed")
    A, pattern, data = random_pattern(np.random.default_rng(7))
    factorisation = kind(pattern)
    b = np.random.default_rng(8).standard_normal(pattern.size)
    for factor in (1.0, 3.0):  # the pattern is analysed once
        factorisation.factorise(factor * data)
        np.testing.assert_allclose(
            factorisation.solve(b), np.linalg.solve(factor * A, b), rtol=1e-9
        )


@pytest.mark.parametrize("name", ["cholmod", "superlu"])
def test_indefinite_matrices_are_reported(name):
    kind = BACKENDS[name]
    if not kind.available():
        pytest.skip(f"{kind.name} is not installed")
    _, pattern, data = random_pattern(np.random.default_rng(9))
    with pytest.raises(NotPositiveDefiniteError):
        kind(pattern).factorise(-data)


def test_analyses_are_reused_for_the_same_graph():
    from amontons.solvers.interior_point.linear_system.factorisation import ANALYSES

    _, pattern, _ = random_pattern(np.random.default_rng(10), 400)
    first = factorisation_of(pattern, "auto")
    ANALYSES.give_back(first)
    assert factorisation_of(pattern, "auto") is first
    assert factorisation_of(pattern, "auto") is not first  # it is in use


@pytest.mark.parametrize("seed", range(3))
def test_factor_cost_counts_a_cholesky_factor(seed, monkeypatch):
    from amontons.solvers.interior_point.linear_system import cost

    rng = np.random.default_rng(seed)
    n = 25
    row, column = np.nonzero(np.tril(rng.random((n, n)) < 0.1))
    size = rng.integers(1, 4, n)
    orders = []
    usual = cost._fill_reducing
    monkeypatch.setattr(cost, "_fill_reducing", lambda g: orders.append(usual(g)) or orders[-1])
    found = factor_cost(row, column, size)
    # naive: eliminate one block after the other and join its neighbours
    neighbours = [set() for _ in range(n)]
    for i, j in zip(row, column, strict=True):
        if i != j:
            neighbours[i].add(j)
            neighbours[j].add(i)
    entries = operations = 0.0
    for k in orders[0]:
        below = sum(size[i] for i in neighbours[k])
        entries += size[k] * (below + size[k] / 2)
        operations += size[k] * (below + size[k]) ** 2
        for i in neighbours[k]:
            neighbours[i] |= neighbours[k] - {i}
            neighbours[i].discard(k)
    assert found.entries == pytest.approx(entries)
    assert found.operations == pytest.approx(operations)
    assert found.unknowns == size.sum()
