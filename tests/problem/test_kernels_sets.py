"""Kernels on sets: the order of rows, and block by block against dense numpy and brute force."""

import numpy as np
import pytest
import scipy.optimize

from amontons._jit import CHUNK
from amontons.algebra.cones import SetKind
from amontons.problem import kernels
from amontons.solvers import jacobi
from amontons.solvers.gauge import natural_map
from amontons.solvers.relaxation import Tuning
from amontons.testing import naive, problems
from helpers.kernel_samples import FORMS, SIZES, Sample, close

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(params=SIZES)
def sample(request):
    return Sample(request.param)


# -- the order of rows ----------------------------------------------------------------------------


def test_order_of_rows_is_as_documented(sample):
    """Row k of a group's j-th block is first_row + k·count + j, groups in their order."""
    seen = dict.fromkeys(SetKind, 0)
    layout = {int(kind): (first, count, row) for kind, first, count, row in sample.sets.groups}
    for number, block in enumerate(sample.blocks):
        first, count, row = layout[block.kind]
        j = seen[block.kind]
        seen[block.kind] += 1
        assert sample.product.block_order[number] == first + j
        rows = [row + k * count + j for k in range(block.size)]
        assert sample.product.row_order[block.rows].tolist() == rows
        assert sample.product.block_kinds[first + j] == block.kind
        if block.cone:
            assert (sample.sets.normal[:, first + j] == block.normal).all()
            assert sample.sets.friction[first + j] == block.friction
        elif block.kind is SetKind.INTERVAL:
            assert (sample.sets.lower[j], sample.sets.upper[j]) == (block.lower, block.upper)
    x = sample.vector()
    assert (sample.product.inward(x) == sample.inward(x)).all()
    assert (sample.product.outward(sample.inward(x)) == x).all()


def test_chunks_cover_every_block_once(sample):
    covered = np.zeros(sample.product.blocks, dtype=int)
    for _, first, _, _, start, stop in sample.sets.chunks:
        assert 0 < stop - start <= CHUNK
        covered[first + start : first + stop] += 1
    assert (covered == 1).all()


# -- kernels on sets ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_project(sample, form):
    x = sample.vector()
    inner = sample.inward(x)
    getattr(kernels.project, form)(sample.sets, inner)
    close(sample.outward(inner), naive.project(sample.blocks, x))


@pytest.mark.parametrize("form", FORMS)
def test_natural_map(sample, form):
    x, product, linear = sample.vector(), sample.vector(), sample.vector()
    rho, inner_rho = sample.by_block(0.2, 3.0)
    steps = sample.by_row(rho)
    got = getattr(natural_map, form)(
        sample.sets, inner_rho, *map(sample.inward, (x, product, linear)), sample.partial(3)
    )
    e = (x - naive.project(sample.blocks, x - steps * (product + linear))) / steps
    close(got, [e @ e, x @ product, x @ linear], scale=e @ e + np.abs(x) @ np.abs(product))


@pytest.mark.parametrize("form", FORMS)
def test_de_saxce(sample, form):
    u, out = sample.vector(), np.full(sample.rows, np.nan)
    getattr(kernels.de_saxce, form)(sample.sets, sample.inward(u), out)
    close(sample.outward(out), naive.de_saxce(sample.blocks, u), scale=10.0)


@pytest.mark.parametrize("form", FORMS)
def test_add_compliance(sample, form):
    x, start = sample.vector(), sample.vector()
    E = problems.random_compliance(sample.rng, sample.blocks)
    out = sample.inward(start)
    getattr(kernels.add_compliance, form)(sample.sets, sample.inward(E), sample.inward(x), out)
    expected = start.copy()
    for block in sample.blocks:
        one = naive.Block(block.kind, 0, block.normal)
        expected[block.rows] += naive.compliance_matrix([one], E[block.rows]) @ x[block.rows]
    close(sample.outward(out), expected)


@pytest.mark.parametrize("form", FORMS)
def test_compliance_square(sample, form):
    new, old, older = sample.vector(), sample.vector(), sample.vector()
    E, beta = problems.random_compliance(sample.rng, sample.blocks), 0.37
    partial = np.full((len(sample.sets.chunks), 1), np.nan)
    got = getattr(kernels.compliance_square, form)(
        sample.sets, sample.inward(E), *map(sample.inward, (new, old, older)), beta, partial
    )
    d, expected = new - old - beta * (old - older), 0.0
    for block in sample.blocks:
        one = naive.Block(block.kind, 0, block.normal)
        part = d[block.rows]
        expected += part @ naive.compliance_matrix([one], E[block.rows]) @ part
    close(got, expected, scale=expected)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", [1, 4 * CHUNK, 4 * CHUNK + 1, 11 * CHUNK + 7])
def test_blended_square(rows, form):
    rng = np.random.default_rng(1)
    new, old, older, N_new, N_old, N_older = rng.standard_normal((6, rows))
    beta = 0.37
    partial = np.full((-(-rows // (4 * CHUNK)), 1), np.nan)
    got = getattr(kernels.blended_square, form)(
        new, old, older, N_new, N_old, N_older, beta, partial
    )
    d = new - old - beta * (old - older)
    Nd = N_new - N_old - beta * (N_old - N_older)
    close(got, d @ Nd, scale=np.abs(d) @ np.abs(Nd))


# -- projections: tiles, scalars, brute force -----------------------------------------------------


@pytest.mark.parametrize("size", ["one-of-each", "odd-tiles"])
def test_scalar_projections_agree_with_tiles(size):
    """A Jacobi sweep at zero velocity projects block by block with the scalar functions."""
    sample = Sample(size, seed=4)
    x = sample.inward(sample.vector())
    zero, one = np.zeros(sample.rows), np.ones(sample.product.blocks)
    scalar = np.empty(sample.rows)
    tuning = Tuning(1.0, False, one, np.empty(0), np.empty(0, dtype=np.int64))
    jacobi.sweep.serial(sample.sets, tuning, 1.0, x, zero, zero, scalar)
    tiles = x.copy()
    kernels.project.serial(sample.sets, tiles)
    close(scalar, tiles, digits=14)


def brute_force(block, x, rng):
    """Nearest point by a general optimiser that is told the constraints only, from many starts."""

    def slack(y):
        v, parts, limits = block.split(y)
        return np.array([m * m * v * v - p @ p for p, m in zip(parts, limits, strict=True)])

    constraints = [
        {"type": "ineq", "fun": slack},
        {"type": "ineq", "fun": lambda y: block.split(y)[0]},
    ]
    found = []
    axis = block.join(1.0, [0 * p for p in block.split(x)[1]])
    for _ in range(8):
        start = naive.project_block(block, x + 0.5 * rng.standard_normal(x.size))
        result = scipy.optimize.minimize(
            lambda y: 0.5 * (y - x) @ (y - x),
            start + 0.2 * axis,
            jac=lambda y: y - x,
            method="SLSQP",
            constraints=constraints,
            options={"maxiter": 500, "ftol": 1e-15},
        )
        if min(slack(result.x)) > -1e-9:
            found.append(result.x)
    return min(found, key=lambda y: np.linalg.norm(y - x))


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")
def test_projections_agree_with_brute_force():
    sample = Sample("a-few", seed=5)
    x = sample.vector()
    inner = sample.inward(x)
    kernels.project.serial(sample.sets, inner)
    got = sample.outward(inner)
    compared = 0
    for block in sample.blocks:
        if not block.cone or not got[block.rows].any():
            continue  # at the apex the optimiser's constraints have no gradient
        xb, gb = x[block.rows], got[block.rows]
        other = brute_force(block, xb, sample.rng)
        best, found = np.linalg.norm(xb - gb), np.linalg.norm(xb - other)
        assert best <= found + 1e-7
        assert np.abs(gb - other).max() <= 2e-4
        compared += 1
    assert compared >= 8
