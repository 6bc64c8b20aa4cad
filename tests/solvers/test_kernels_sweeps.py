"""Sweeps of GaussSeidel and Jacobi against plain loops over blocks, one by one."""

import dataclasses

import numpy as np
import pytest

import amontons as am
from amontons.algebra.cones import ROWS_OF_KIND
from amontons.problem.operators import BodyOperator
from amontons.solvers.base import Buffers
from amontons.solvers.gauge import Gauge
from amontons.solvers.gauss_seidel import method
from amontons.testing import naive
from amontons.testing.problems import build
from helpers.kernel_samples import close

pytestmark = pytest.mark.usefixtures("one_thread")


def naive_block_minimum(block, W, g):
    """min ½dᵀWd + gᵀd over x + d in the set, by many short projected gradient steps."""
    x0, gradient = g
    step = 1.0 / np.linalg.eigvalsh(W)[-1]
    x = x0.copy()
    for _ in range(4000):
        new = naive.project_block(block, x - step * (gradient + W @ (x - x0)))
        if np.abs(new - x).max() <= 1e-12:
            return new
        x = new
    return x


def naive_sweep(made, order, x, omega, sharpness, full, exact=False):
    """Blocks one by one in `order`, each from the latest x; unknowns in the caller's order."""
    shift = naive.shift(made.blocks, x.size)
    x = x.copy()
    for number in order:
        block = made.blocks[number]
        r = block.rows
        u = made.matrix[r] @ (x - shift) + made.linear[r]
        if exact and block.cone:
            u = u + naive.de_saxce([dataclasses.replace(block, first=0)], u)
        W = made.matrix[r, r]
        if full:
            new = naive_block_minimum(block, W, (x[r], u))
            if omega != 1.0:
                new = naive.project_block(block, x[r] + omega * (new - x[r]))
        else:
            rho = block.size / np.trace(W)
            new = naive.project_block(block, x[r] - omega * rho * u)
        x[r] = x[r] + sharpness * (new - x[r])
    return x


def iterates(solver, problem, guess, count):
    """The first points that a method visits, in the caller's order, without cohesion's shift."""
    buffers = Buffers(problem.rows, solver.buffers, watched=True)
    gauge = Gauge.of(problem, "scaled")
    out = []
    for point in solver.iterations(problem, problem.unknowns(guess), gauge, buffers):
        out.append((problem._outward(point.x).copy(), point.error, point.objective))
        if len(out) == count:
            return out
    return out


SWEPT = ["mixed", "compliance-cohesion", "bodies", "bodies-extras", "factored", "contact-frame"]


@pytest.mark.parametrize(
    "solver",
    [
        am.GaussSeidel(relaxation=0.5),
        am.GaussSeidel(relaxation=0.4, sharpness=0.7, symmetric=True),
        am.GaussSeidel(relaxation=0.5, parallel=True),
        am.GaussSeidel(relaxation=0.5, parallel=True, symmetric=True),
        am.GaussSeidel(step="full"),
        am.GaussSeidel(step="full", relaxation=1.2, parallel=True),
    ],
    ids=["plain", "damped-symmetric", "coloured", "coloured-symmetric", "full", "full-coloured"],
)
@pytest.mark.parametrize("name", SWEPT)
def test_gauss_seidel_sweeps(name, solver, monkeypatch):
    monkeypatch.setattr(method, "PACKET", 3)
    made = build(name).even
    problem = made.problem
    guess = made.projected(np.random.default_rng(0).standard_normal(problem.rows))
    visited = iterates(solver, problem, guess, 3)
    order = np.argsort(problem.sets.block_order)
    if solver.parallel:
        order = order[coloured(problem)]
    full = solver.step == "full"
    x = guess + naive.shift(made.blocks, problem.rows)
    close(visited[0][0], x)
    for turn in range(2):
        if turn and visited[1][2] > visited[0][2]:
            return  # ω was halved: that is the damper's business
        walk = order[::-1] if solver.symmetric and turn else order
        x = naive_sweep(made, walk, x, solver.relaxation, solver.sharpness, full)
        got, error, objective = visited[turn + 1]
        close(got, x, digits=4 if full else 12)
        impulses = got - naive.shift(made.blocks, problem.rows)
        assert error == pytest.approx(made.error(impulses), rel=1e-9)
        assert objective == pytest.approx(made.objective(impulses), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("solver", [am.GaussSeidel(relaxation=0.5), am.Jacobi(relaxation=0.3)])
@pytest.mark.parametrize("name", SWEPT)
def test_sweeps_with_exact_friction(name, solver):
    made = build(name).even
    problem = made.problem.with_exact_friction()
    guess = made.projected(np.random.default_rng(2).standard_normal(problem.rows))
    (start, error, _), (got, *_) = iterates(solver, problem, guess, 2)
    assert error == pytest.approx(made.error(guess, exact=True), rel=1e-9)
    order = np.argsort(problem.sets.block_order)
    if isinstance(solver, am.GaussSeidel):
        x = naive_sweep(made, order, start, 0.5, 1.0, full=False, exact=True)
    else:
        x = start.copy()
        for block, number in ((made.blocks[k], k) for k in order):
            one = naive_sweep(made, [number], start, 0.3, 1.0, full=False, exact=True)
            x[block.rows] = one[block.rows]
    close(got, x, digits=12)


def coloured(problem):
    """The order of a coloured sweep, worked out greedily from who shares a body or an entry."""
    blocks = problem.blocks
    if isinstance(problem.operator, BodyOperator):
        body, mobile = problem.operator.arrays.body, problem.operator.mobile
        packets = [range(p, min(p + 3, blocks)) for p in range(0, blocks, 3)]
        touches = [{i for i in body[p].ravel() if i >= 0 and mobile[i]} for p in packets]
        clash = [[bool(a & b) for b in touches] for a in touches]
    else:
        N = problem.operator.as_matrix().toarray()
        rows = [[] for _ in range(blocks)]
        for kind, first, count, row in problem.sets.arrays.groups:
            for j in range(count):
                rows[first + j] = [row + j + count * k for k in range(ROWS_OF_KIND[kind])]
        packets = [[b] for b in range(blocks)]
        clash = [[N[np.ix_(a, b)].any() for b in rows] for a in rows]
    colour = []
    for b in range(len(packets)):
        taken = {colour[a] for a in range(b) if clash[a][b]}
        colour.append(next(c for c in range(blocks + 1) if c not in taken))
    return np.concatenate([packets[p] for p in np.argsort(colour, kind="stable")])


@pytest.mark.parametrize("step", ["block", "full"])
@pytest.mark.parametrize("name", SWEPT)
def test_jacobi_sweep(name, step):
    made = build(name).even
    problem = made.problem
    guess = made.projected(np.random.default_rng(1).standard_normal(problem.rows))
    solver = am.Jacobi(step=step, relaxation=0.3, sharpness=0.8)
    got = iterates(solver, problem, guess, 2)[1][0]
    start = guess + naive.shift(made.blocks, problem.rows)
    x = start.copy()
    for number in range(len(made.blocks)):
        one = naive_sweep(made, [number], start, 0.3, 0.8, step == "full")
        r = made.blocks[number].rows
        x[r] = one[r]
    close(got, x, digits=4 if step == "full" else 12)
