"""Every fast kernel against a slow, obvious oracle in dense numpy."""

import itertools

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp

import amontons as am
from amontons._jit import CHUNK, TILE
from amontons.algebra.cones import ROWS_OF_KIND, Metric, SetKind
from amontons.generators import packing
from amontons.problem import kernels
from amontons.problem.operators import BodyOperator, FactoredOperator, MatrixOperator
from amontons.problem.operators.body_kernels import BODIES, body_product
from amontons.problem.operators.factored import MassInverse
from amontons.problem.residuals import Gauge
from amontons.problem.sets import Product
from amontons.solvers import apgd, gauss_seidel, jacobi, spectral_gradient
from amontons.solvers.base import Buffers
from amontons.solvers.colouring import COLOURS, by_colour, colour_pairs, colour_rows
from amontons.testing import naive, parallel_kernels, problems
from amontons.testing.problems import CASES, RigidScene, build

FORMS = ("serial", "parallel")


@pytest.fixture(autouse=True)
def one_thread():
    before = am.get_threads()
    am.set_threads(1)
    yield
    am.set_threads(before)


def runs(rng, counts):
    """Runs of every kind, `counts` blocks of each, cones in both frames."""
    coulomb, spinning, rolling, free, nonnegative, interval = counts
    half = coulomb // 2
    units = problems.Units()
    parts = [
        (interval, lambda n: problems.interval(rng, n, units)),
        (half, lambda n: problems.coulomb(rng, n)),
        (free, am.Free),
        (spinning, lambda n: problems.spinning(rng, n, world=True)),
        (rolling, lambda n: problems.rolling(rng, n)),
        (coulomb - half, lambda n: problems.coulomb(rng, n, world=True)),
        (nonnegative, am.NonNegative),
    ]
    return [make(n) for n, make in parts if n]


SIZES = {
    "one-coulomb": (1, 0, 0, 0, 0, 0),
    "one-of-each": (1, 1, 1, 1, 1, 1),
    "one-interval": (0, 0, 0, 0, 0, 1),
    "a-few": (7, 5, 3, 2, 4, 6),
    "tile": (TILE, 1, 2, TILE + 1, 3, 2),
    "odd-tiles": (TILE + 3, 17, TILE - 1, 5, 2 * TILE + 1, 9),
    "chunks": (CHUNK + TILE + 5, 3, 2, CHUNK + 1, 2, CHUNK),
}


class Sample:
    """A product of sets, its blocks one by one, and ways from one to the other."""

    def __init__(self, size, seed=0):
        self.rng = rng = np.random.default_rng(seed)
        self.runs = runs(rng, SIZES[size])
        self.product = Product(self.runs)
        self.blocks = naive.blocks_of(self.runs)
        self.sets = self.product.arrays
        self.rows = self.product.rows

    def vector(self, spread=1.0):
        return spread * self.rng.standard_normal(self.rows)

    def inward(self, values):
        """Independently of Product.inward: row by row."""
        out = np.empty_like(values)
        out[self.product.row_order] = values
        return out

    def outward(self, values):
        return values[self.product.row_order]

    def by_block(self, low, high):
        """A number a block, in the caller's order, and the same in internal order."""
        values = self.rng.uniform(low, high, len(self.blocks))
        inner = np.empty_like(values)
        inner[self.product.block_order] = values
        return values, inner

    def partial(self, columns):
        return np.full((self.sets.chunks.shape[0], columns), np.nan)

    def by_row(self, values):
        return np.repeat(values, [block.size for block in self.blocks])


@pytest.fixture(params=SIZES)
def sample(request):
    return Sample(request.param)


def close(got, expected, scale=None, digits=13):
    scale = np.abs(expected).max(initial=1e-300) if scale is None else scale
    assert np.abs(np.asarray(got) - expected).max(initial=0.0) <= 10.0**-digits * scale


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
    got = getattr(kernels.natural_map, form)(
        sample.sets, inner_rho, *map(sample.inward, (x, product, linear)), sample.partial(3)
    )
    e = (x - naive.project(sample.blocks, x - steps * (product + linear))) / steps
    close(got, [e @ e, x @ product, x @ linear], scale=e @ e + np.abs(x) @ np.abs(product))


def naive_violations(blocks, x, u):
    """Block by block from the docstring of the kernel."""
    primal, dual, comp = 0.0, 0.0, 0.0
    for block in blocks:
        xb, ub = x[block.rows], u[block.rows]
        if block.kind is SetKind.FREE:
            dual, comp = max(dual, abs(ub[0])), comp + abs(xb[0] * ub[0])
        elif block.kind is SetKind.NONNEGATIVE:
            primal, dual = max(primal, -xb[0]), max(dual, -ub[0])
            comp += abs(xb[0] * ub[0])
        elif block.kind is SetKind.INTERVAL:
            primal = max(primal, block.lower - xb[0], xb[0] - block.upper)
            end = block.lower if ub[0] > 0 else block.upper
            if np.isfinite(end):
                comp += abs((xb[0] - end) * ub[0])
            else:
                dual = max(dual, abs(ub[0]))
        else:
            a, parts, limits = block.split(xb)
            w, uparts, _ = block.split(ub)
            excess = [np.linalg.norm(p) - m * a for p, m in zip(parts, limits, strict=True)]
            primal = max(primal, -a, *excess)
            pull = sum(m * np.linalg.norm(p) for p, m in zip(uparts, limits, strict=True))
            dual = max(dual, pull - w)
            comp += abs(xb @ ub)
    return primal, dual, comp


@pytest.mark.parametrize("form", FORMS)
def test_violations(sample, form):
    x, u = sample.vector(), sample.vector()
    got = getattr(kernels.violations, form)(
        sample.sets, sample.inward(x), sample.inward(u), sample.partial(3)
    )
    close(got, np.array(naive_violations(sample.blocks, x, u)))


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


# -- sums that do not depend on addresses ---------------------------------------------------------


def scattered(rng, *vectors):
    """Copies of vectors at arbitrary places in memory, some of them next to one another."""
    apart = [np.empty(v.size + 64) for v in vectors]
    offsets = rng.integers(0, 64, len(vectors))
    if rng.random() < 0.5:
        whole = np.empty(sum(v.size + 64 for v in vectors))
        ends = np.cumsum([v.size + 64 for v in vectors])
        apart = [whole[end - v.size - 64 : end] for v, end in zip(vectors, ends, strict=True)]
    out = [
        room[offset : offset + v.size]
        for room, offset, v in zip(apart, offsets, vectors, strict=True)
    ]
    for place, v in zip(out, vectors, strict=True):
        place[:] = v
    return out


ONE_KIND = {
    "coulomb": (3 * TILE + 5, 0, 0, 0, 0, 0),
    "spinning": (0, TILE + 5, 0, 0, 0, 0),
    "rolling": (0, 0, TILE + 5, 0, 0, 0),
    "free": (0, 0, 0, 3 * TILE + 5, 0, 0),
    "nonnegative": (0, 0, 0, 0, 3 * TILE + 5, 0),
    "interval": (0, 0, 0, 0, 0, 3 * TILE + 5),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ONE_KIND)
@pytest.mark.parametrize("name", ["natural_map", "assess_and_propose", "advance", "stretch_of"])
def test_sums_do_not_depend_on_where_arrays_lie(name, kind, form, monkeypatch):
    """Loops that add up while they write have two compiled forms, one where arrays might overlap.

    Runs repeat bit for bit only if both add in the same order.
    """
    monkeypatch.setitem(SIZES, kind, ONE_KIND[kind])
    sample = Sample(kind, seed=11)
    rng = sample.rng
    _, rho = sample.by_block(0.3, 3.0)
    _, metric = metric_of(sample)
    v = [sample.vector() for _ in range(7)]
    seen, keep = set(), []
    for _ in range(60):
        keep.append(np.empty(rng.integers(1, 20_000)))  # so that memory is cut up
        x, y, z, w, r, out, more = scattered(rng, *v)
        if name == "natural_map":
            arguments = (rho, x, y, r, sample.partial(3))
            kernel = kernels.natural_map
        elif name == "assess_and_propose":
            arguments = (metric, rho, x, y, z, w, r, 0.6, 0.7, out, sample.partial(5))
            kernel = apgd.assess_and_propose
        elif name == "advance":
            arguments = (metric, rho, x, y, z, more, 0.4, 0.8, out, sample.partial(3))
            kernel = spectral_gradient.advance
        else:
            arguments = (metric, x, sample.partial(1))
            kernel = spectral_gradient.stretch_of
        seen.add(getattr(kernel, form)(sample.sets, *arguments))
    assert len(seen) == 1


# -- steps in a metric ----------------------------------------------------------------------------


def step_matrix(block, sn, st, sm):
    """S of one block: s_n along the normal, s_t across, s_m on torques."""
    if not block.cone:
        return np.array([[sn]])
    S = sm * np.eye(block.size)
    along = np.outer(block.normal, block.normal)
    S[:3, :3] = st * np.eye(3) + (sn - st) * along
    return S


def metric_projection(block, x, sn, st, sm):
    """Nearest point in the norm of S⁻¹: bisection for the height where the slope vanishes."""
    if not block.cone:
        return naive.project_block(block, x)
    v, parts, limits = block.split(x)
    lengths = [float(np.linalg.norm(p)) for p in parts]
    steps = [st, sm, sm][: len(parts)]

    def slope(a):
        pull = sum(
            m * max(t - m * a, 0) / s for t, m, s in zip(lengths, limits, steps, strict=True)
        )
        return (a - v) / sn - pull

    if slope(0.0) >= 0.0:
        return np.zeros_like(x)
    low, high = 0.0, 1.0
    while slope(high) < 0.0:
        high *= 2.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if slope(middle) < 0.0 else (low, middle)
    a = high
    kept = [
        p if t <= m * a else p * (m * a / t) for p, t, m in zip(parts, lengths, limits, strict=True)
    ]
    return block.join(a, kept)


def metric_of(sample):
    (n, n_in), (t, t_in), (m, m_in) = (sample.by_block(0.3, 3.0) for _ in range(3))
    has_torque = sample.product.has_torque
    return (n, t, m), Metric(n_in, t_in, m_in if has_torque else np.empty(0))


def naive_step(sample, lengths, y, g, step):
    """Π(y − step·S g) in the metric, and dᵀS⁻¹d."""
    out, square = np.empty_like(y), 0.0
    for block, sn, st, sm in zip(sample.blocks, *lengths, strict=True):
        S = step_matrix(block, sn, st, sm)
        r = block.rows
        out[r] = metric_projection(block, y[r] - step * (S @ g[r]), sn, st, sm)
        d = out[r] - y[r]
        square += d @ np.linalg.solve(S, d)
    return out, square


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", ["one-coulomb", "one-of-each", "a-few", "odd-tiles"])
def test_assess_and_propose(size, form):
    sample = Sample(size, seed=2)
    x, x_old, Nx, Nx_old, r = (sample.vector() for _ in range(5))
    rho, inner_rho = sample.by_block(0.2, 3.0)
    lengths, metric = metric_of(sample)
    beta, step = 0.6, 0.7
    out = np.full(sample.rows, np.nan)
    inner = [sample.inward(v) for v in (x, x_old, Nx, Nx_old, r)]
    got = getattr(apgd.assess_and_propose, form)(
        sample.sets, metric, inner_rho, *inner, beta, step, out, sample.partial(5)
    )
    steps = sample.by_row(rho)
    e = (x - naive.project(sample.blocks, x - steps * (Nx + r))) / steps
    y = x + beta * (x - x_old)
    g = Nx + beta * (Nx - Nx_old) + r
    new, square = naive_step(sample, lengths, y, g, step)
    close(sample.outward(out), new, digits=12)
    expected = [e @ e, x @ Nx, r @ x, g @ (new - x), square]
    close(got, expected, scale=sample.rows, digits=12)
    for given, kept in zip(inner, (x, x_old, Nx, Nx_old, r), strict=True):
        assert (sample.outward(given) == kept).all()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", ["one-coulomb", "one-of-each", "a-few", "odd-tiles"])
def test_advance_and_stretch(size, form):
    sample = Sample(size, seed=3)
    x, d, Nd, g = (sample.vector() for _ in range(4))
    rho, inner_rho = sample.by_block(0.2, 3.0)
    lengths, metric = metric_of(sample)
    length, step = 0.4, 0.8
    x_new, d_in, g_in = np.full(sample.rows, np.nan), sample.inward(d), sample.inward(g)
    got = getattr(spectral_gradient.advance, form)(
        sample.sets, metric, inner_rho, sample.inward(x), d_in, sample.inward(Nd), g_in,
        length, step, x_new, sample.partial(3),
    )  # fmt: skip
    moved, g = x + length * d, g + length * Nd
    close(sample.outward(x_new), moved)
    close(sample.outward(g_in), g)
    steps = sample.by_row(rho)
    e = (moved - naive.project(sample.blocks, moved - steps * g)) / steps
    new, square = naive_step(sample, lengths, moved, g, step)
    close(sample.outward(d_in), new - moved, digits=12)
    close(got, [e @ e, g @ (new - moved), square], scale=sample.rows, digits=12)

    got = getattr(spectral_gradient.stretch_of, form)(
        sample.sets, metric, sample.inward(Nd), sample.partial(1)
    )
    stretch = sum(
        Nd[block.rows] @ step_matrix(block, sn, st, sm) @ Nd[block.rows]
        for block, sn, st, sm in zip(sample.blocks, *lengths, strict=True)
    )
    close([got], [stretch], scale=sample.rows)


# -- projections: tiles, scalars, brute force -----------------------------------------------------


@pytest.mark.parametrize("size", ["one-of-each", "odd-tiles"])
def test_scalar_projections_agree_with_tiles(size):
    """A Jacobi sweep at zero velocity projects block by block with the scalar functions."""
    sample = Sample(size, seed=4)
    x = sample.inward(sample.vector())
    zero, one = np.zeros(sample.rows), np.ones(sample.product.blocks)
    scalar = np.empty(sample.rows)
    jacobi.sweep.serial(
        sample.sets, one, np.empty(0), np.empty(0, dtype=np.int64), 1.0, 1.0, False,
        x, zero, zero, scalar,
    )  # fmt: skip
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


# -- operators ------------------------------------------------------------------------------------


def body_operator(scene, wrenches=0):
    return BodyOperator(
        inverse_mass=scene.inverse_mass,
        inverse_inertia=scene.inverse_inertia,
        bodies_a=scene.a,
        bodies_b=scene.b,
        arms_a=scene.arms[0],
        arms_b=scene.arms[1],
        wrenches=wrenches,
        jacobian=scene.jacobian,
    )


def scene_of(bodies, contacts, wrenches, scalars, seed=6, **options):
    """A scene, its operator, sets, and Dᵀ with rows in internal order, all dense."""
    rng = np.random.default_rng(seed)
    scene = RigidScene(rng, bodies=bodies, contacts=contacts, scalars=scalars, **options)
    forces = contacts - wrenches
    sets = [am.CoulombCone(np.full(forces, 0.5), scene.normals[:forces])] if forces else []
    if wrenches:
        mu = np.full(wrenches, 0.5)
        sets.append(am.SpinningCone(mu, 0.1, 0.1, scene.normals[forces:]))
    if scalars:
        sets.append(am.Free(scalars))
    product = Product(sets)
    rows = [scene.contact_rows(c, 3 if c < forces else 6) for c in range(contacts)]
    rows += [scene.scalar_row(s) for s in range(scalars)]
    D = np.empty((product.rows, 6 * bodies))
    D[product.row_order] = np.vstack(rows)
    return scene, product, D


SCENES = {
    "one-contact": (2, 1, 0, 0),
    "one-wrench": (2, 1, 1, 0),
    "one-scalar": (2, 0, 0, 1),
    "mixed": (5, 9, 4, 6),
    "many": (60, 300, 40, 30),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SCENES)
def test_body_operator(name, form):
    scene, product, D = scene_of(*SCENES[name])
    rng = scene.rng
    Minv = scene.inverse_mass_matrix()
    N = D @ Minv @ D.T
    with parallel_kernels() if form == "parallel" else pytest.MonkeyPatch.context():
        operator = body_operator(scene, SCENES[name][2])
        operator.check(product.arrays)
        assert operator.rows == product.rows
        x, out, scratch = rng.standard_normal(product.rows), np.full(product.rows, np.nan), None
        scratch = np.full_like(operator.scratch(), np.nan)
        operator.apply(x, out, scratch)
        close(out, N @ x)
        close(scratch.ravel(), Minv @ D.T @ x)
        close(operator.velocities(x).ravel(), Minv @ D.T @ x)
        v = rng.standard_normal((scene.bodies, 6))
        operator.from_velocities(v, out)
        close(out, D @ v.ravel())
        points = rng.standard_normal((3, product.rows))
        speeds = [operator.velocities(p) for p in points]
        d = points[0] - points[1] - 0.7 * (points[1] - points[2])
        close(operator.quadratic(*speeds, 0.7), d @ N @ d, digits=12)
        curvatures = operator.curvatures(product.arrays)
    blocks, offsets = operator.diagonal_blocks(product.arrays)
    close(operator.as_matrix().toarray(), N)
    close(operator.jacobian_matrix().toarray(), D)
    close(operator.inverse_mass_matrix().toarray(), Minv)
    check_blocks(product, N, blocks, offsets, curvatures)


def check_blocks(product, N, blocks, offsets, curvatures):
    """Diagonal blocks and mean curvatures against N in internal order."""
    number = 0
    for kind, first, count, row in product.arrays.groups:
        size = int(ROWS_OF_KIND[kind])
        for j in range(count):
            index = row + j + count * np.arange(size)
            block = N[np.ix_(index, index)]
            at = offsets[first + j]
            close(blocks[at : at + size * size], block.ravel(), scale=np.abs(N).max())
            expected = np.zeros(3)
            if size == 1:
                expected[0] = block[0, 0]
            else:
                n = product.arrays.normal[:, first + j]
                expected[0] = n @ block[:3, :3] @ n
                expected[1] = 0.5 * (np.trace(block[:3, :3]) - expected[0])
                if size > 3:
                    expected[2] = np.trace(block[3:, 3:]) / (size - 3)
            close(curvatures[first + j], expected, scale=np.abs(N).max())
            number += 1
    assert number == product.blocks
    assert offsets[-1] == blocks.size


@pytest.mark.parametrize("form", FORMS)
def test_quadratic_over_several_chunks_of_bodies(form):
    with parallel_kernels() if form == "parallel" else pytest.MonkeyPatch.context():
        problem = problems.many_contacts(2 * (CHUNK + 9))
        operator = problem.operator
        assert operator.bodies > CHUNK
        rng = np.random.default_rng(0)
        points = rng.standard_normal((3, operator.rows))
        d = points[0] - points[1] - 0.3 * (points[1] - points[2])
        speeds = [operator.velocities(p) for p in points]
        got = operator.quadratic(*speeds, 0.3)
    N = operator.as_matrix()
    close(got, d @ (N @ d), digits=12)
    out = np.empty(operator.rows)
    operator.apply(d, out, operator.scratch())
    close(out, N @ d)


@pytest.mark.parametrize("axes", [0, 1, 2])
def test_quadratic_where_a_body_turns_about_some_axes_only(axes):
    """I⁻¹ of rank `axes` about tilted axes: a hinge to the world, or no turning at all."""
    scene, product, D = scene_of(3, 6, 0, 0, seed=9, immovable=False)
    for i in range(3):
        A = scene.rotation[i]
        principal = np.zeros(3)
        principal[:axes] = [0.7, 1.9][:axes]
        scene.inverse_inertia[i] = A @ np.diag(principal) @ A.T
    scene.inverse_inertia = (scene.inverse_inertia + scene.inverse_inertia.transpose(0, 2, 1)) / 2
    operator = body_operator(scene)
    N = D @ scene.inverse_mass_matrix() @ D.T
    for seed in range(5):
        points = np.random.default_rng(seed).standard_normal((3, product.rows))
        d = points[0] - points[1] - 0.3 * (points[1] - points[2])
        got = operator.quadratic(*[operator.velocities(p) for p in points], 0.3)
        assert got == pytest.approx(d @ N @ d, rel=1e-9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", ["one-coulomb", "one-of-each", "a-few"])
def test_matrix_operator(size, form):
    sample = Sample(size, seed=7)
    W = problems.random_matrix(sample.rng, sample.rows)
    W[np.abs(W) < 0.2] = 0.0
    W = (W + W.T) / 2
    with parallel_kernels() if form == "parallel" else pytest.MonkeyPatch.context():
        operator = MatrixOperator(sp.csr_array(W))
    x, out = sample.vector(), np.full(sample.rows, np.nan)
    operator.apply(x, out, operator.scratch())
    close(out, W @ x)
    blocks, offsets = operator.diagonal_blocks(sample.sets)
    check_blocks(sample.product, W, blocks, offsets, operator.curvatures(sample.sets))


@pytest.mark.parametrize("body_size", [3, 6, 30])
@pytest.mark.parametrize("size", ["one-coulomb", "one-of-each", "a-few"])
def test_factored_operator(size, body_size):
    """Blocks of M small enough to be inverted, and one that must be factorised."""
    sample = Sample(size, seed=8)
    rng = sample.rng
    M = np.zeros((60, 60))
    for first in range(0, 60, body_size):
        G = rng.standard_normal((body_size, body_size))
        part = slice(first, first + body_size)
        M[part, part] = G @ G.T + body_size * np.eye(body_size)
    H = rng.standard_normal((60, sample.rows)) * (rng.random((60, sample.rows)) < 0.3)
    H[0] += 1.0
    inverse = MassInverse(sp.csc_array(M))
    assert (inverse.explicit is None) == (body_size > 12)
    operator = FactoredOperator(inverse, sp.csc_array(H))
    N = H.T @ np.linalg.solve(M, H)
    x, out = sample.vector(), np.full(sample.rows, np.nan)
    operator.apply(x, out, operator.scratch())
    close(out, N @ x, digits=12)
    blocks, offsets = operator.diagonal_blocks(sample.sets)
    check_blocks(sample.product, N, blocks, offsets, operator.curvatures(sample.sets))
    close(operator.as_matrix().toarray(), N, digits=12)


@pytest.mark.parametrize("name", ["compliance", "bodies-extras", "compliance-cohesion"])
def test_diagonal_blocks_and_curvature_with_compliance(name):
    made = build(name)
    product = made.problem.sets
    N = np.empty_like(made.matrix)
    N[np.ix_(product.row_order, product.row_order)] = made.matrix
    blocks, offsets = made.problem.diagonal_blocks()
    check_blocks(product, N, blocks, offsets, made.problem.curvature)
    rho = naive.steps(made.matrix, made.blocks)
    firsts = [block.first for block in made.blocks]
    close(made.problem.mean_steps[product.block_order], rho[firsts])


# -- colouring ------------------------------------------------------------------------------------


def colour_of_pairs(body, mobile, packet):
    out = np.empty(len(body), dtype=np.int32)
    body = np.ascontiguousarray(body, dtype=np.int32)
    colour_pairs(body, np.asarray(mobile), len(mobile), packet, COLOURS, out)
    return out


def check_pairs(body, mobile, colour, packet):
    """No two packets of one colour share a mobile body."""
    for shade in range(COLOURS):
        touched = []
        for first in range(0, len(body), packet):
            mine = body[first : first + packet][colour[first : first + packet] == shade].ravel()
            mine = mine[mine >= 0]
            touched.append(np.unique(mine[np.asarray(mobile)[mine]]))
        touched = np.concatenate(touched)
        assert np.unique(touched).size == touched.size


def check_order(colour, packet=1):
    """Every block once; a packet has one colour and stays in order; the overflow is one packet."""
    order = by_colour(colour, packet)
    assert np.sort(order.block).tolist() == list(range(colour.size))
    assert (order.packet[0], order.packet[-1]) == (0, colour.size)
    assert (order.start[0], order.start[-1]) == (0, order.packet.size - 1)
    assert (np.diff(order.packet) > 0).all()
    shades = []
    for c in range(order.start.size - 1):
        for p in range(order.start[c], order.start[c + 1]):
            blocks = order.block[order.packet[p] : order.packet[p + 1]]
            assert (np.diff(blocks) > 0).all()
            assert np.unique(colour[blocks]).size == 1
            if colour[blocks[0]] < COLOURS:
                assert np.unique(blocks // packet).size == 1
            else:
                assert order.start[c + 1] - order.start[c] == 1
        shades.append(colour[blocks[0]])
    assert shades == sorted(set(colour.tolist()))
    return order


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("packet", [1, 5, 16])
def test_colouring_of_random_pairs(seed, packet):
    rng = np.random.default_rng(seed)
    bodies = 300
    near = rng.integers(1, 6, 400)
    first = np.sort(rng.integers(-1, bodies - 6, 400))
    body = np.stack([first, first + near], axis=1)
    mobile = rng.random(bodies) < 0.9
    colour = colour_of_pairs(body, mobile, packet)
    check_pairs(body, mobile, colour, packet)
    check_order(colour, packet)
    assert colour.max() < COLOURS


@pytest.mark.parametrize("packet", [1, 16])
def test_colouring_overflows_at_a_hub(packet):
    """A body that touches 500 others: its contacts go one by one, the rest keep their colours."""
    body = np.array([(0, i) for i in range(1, 501)] + [(i, i + 1) for i in range(1, 500)])
    if packet > 1:
        body = body[np.random.default_rng(0).permutation(len(body))]
    mobile = np.ones(501, dtype=bool)
    colour = colour_of_pairs(body, mobile, packet)
    check_pairs(body, mobile, colour, packet)
    order = check_order(colour, packet)
    assert (colour[(body == 0).any(axis=1)] == COLOURS).all()
    assert order.packet[-1] - order.packet[-2] == (colour == COLOURS).sum() == 500


def test_packets_that_find_no_colour_overflow():
    """Every packet touches all of twenty bodies: no two may go at once, so most overflow."""
    body = np.array([(2 * i, 2 * i + 1) for _ in range(100) for i in range(10)])
    colour = colour_of_pairs(body, np.ones(20, dtype=bool), 10)
    assert (colour == COLOURS).all()  # each body is shared by 100 packets: all are hubs
    few = colour_of_pairs(body[:200], np.ones(20, dtype=bool), 10)
    assert few.reshape(20, 10).tolist() == [[p] * 10 for p in range(20)]


def test_immovable_bodies_do_not_count():
    body = np.array([(0, i) for i in range(1, 301)] + [(-1, i) for i in range(1, 301)])
    mobile = np.ones(301, dtype=bool)
    mobile[0] = False
    colour = colour_of_pairs(body, mobile, 10)
    check_pairs(body, mobile, colour, 10)
    assert set(colour) == {0, 1}


def test_colouring_of_a_matrix():
    sample = Sample("a-few", seed=10)
    rng = sample.rng
    count = len(sample.blocks)
    coupled = rng.random((count, count)) < 0.1
    coupled |= coupled.T | np.eye(count, dtype=bool)
    coupled[0] = coupled[:, 0] = True
    W = np.zeros((sample.rows, sample.rows))
    for a, b in itertools.product(range(count), repeat=2):
        if coupled[a, b]:
            W[sample.blocks[a].rows, sample.blocks[b].rows] = 1.0
    made = am.ConeProblem.from_matrix(
        W + sample.rows * np.eye(sample.rows), sample.vector(), sets=sample.runs
    )
    where = gauss_seidel.where_blocks(made.sets)
    block_of_row = np.empty(sample.rows, dtype=np.int32)
    for number, block in zip(sample.product.block_order, sample.blocks, strict=True):
        block_of_row[sample.product.row_order[block.rows]] = number
    size = ROWS_OF_KIND[where.kind].astype(np.int32)
    colour = np.empty(count, dtype=np.int32)
    matrix = made.operator.arrays
    colour_rows(
        matrix.indptr, matrix.indices, block_of_row, where.first_row, where.stride, size,
        COLOURS, colour,
    )  # fmt: skip
    mine = colour[sample.product.block_order]
    for a, b in itertools.combinations(range(count), 2):
        assert not (coupled[a, b] and mine[a] == mine[b] < COLOURS)
    check_order(colour)


# -- sweeps ---------------------------------------------------------------------------------------


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


def naive_sweep(made, order, x, omega, sharpness, full):
    """Blocks one by one in `order`, each from the latest x; unknowns in the caller's order."""
    shift = naive.shift(made.blocks, x.size)
    x = x.copy()
    for number in order:
        block = made.blocks[number]
        r = block.rows
        u = made.matrix[r] @ (x - shift) + made.linear[r]
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
    monkeypatch.setattr(gauss_seidel, "PACKET", 3)
    made = build(name)
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
    made = build(name)
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


# -- recognised bodies ----------------------------------------------------------------------------


def recognised(scene, H=None, M=None, **options):
    mass, jacobian = scene.global_matrices()
    mass, jacobian = (mass if M is None else M), (jacobian if H is None else H)
    options.setdefault("friction", np.full(scene.contacts, 0.5))
    return am.ConeProblem.from_bodies(
        sp.csr_array(mass), sp.csr_array(jacobian), np.ones(mass.shape[0]), form="bodies", **options
    )


def rigid(seed, **options):
    options = {"bodies": 5, "contacts": 14, "immovable": False, **options}
    return RigidScene(np.random.default_rng(seed), **options)


@pytest.mark.parametrize(
    "kind", ["plain", "left-handed", "parallel-arms", "no-arms", "one-contact"]
)
@pytest.mark.parametrize("seed", range(4))
def test_recognised_bodies_give_the_same_products(kind, seed):
    scene = rigid(seed, contacts=1 if kind == "one-contact" else 14)
    if kind == "left-handed":
        scene.frames[::2, :, 2] *= -1.0
    elif kind == "parallel-arms":
        scene.arms[:] = scene.arms[0, 0] * np.random.default_rng(1).uniform(-1, 1, (2, 14, 1))
    elif kind == "no-arms":
        scene.arms[:] = 0.0
    M, H = scene.global_matrices()
    problem = recognised(scene)
    assert isinstance(problem.operator, BodyOperator)
    N = H.T @ np.linalg.solve(M, H)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        gamma = rng.standard_normal(problem.rows)
        x = problem.unknowns(gamma)
        close(problem.impulses(x), gamma)
        close(problem._outward(problem.product(x)), N @ gamma, digits=11)
    q = H.T @ np.linalg.solve(M, np.ones(M.shape[0]))
    close(problem.velocities(problem.unknowns(None)), q, digits=11)
    # the cone is around the same normal in either frame
    block = naive.blocks_of([am.CoulombCone(np.full(scene.contacts, 0.5))])
    inner = x.copy()
    kernels.project.serial(problem.sets.arrays, inner)
    close(problem._outward(inner), naive.project(block, gamma))


def refused(scene, **options):
    with pytest.raises(am.InputError, match="not those of rigid bodies"):
        recognised(scene, **options)


def test_bodies_that_are_not_rigid_are_refused():
    scene = rigid(0)
    M, H = scene.global_matrices()
    bent = H.copy()
    bent[3, 0] += 1e-4 * np.abs(H).max()
    touched = np.flatnonzero(H[:, 0])
    bent[touched[-1], 0] *= 1.01
    refused(scene, H=bent)
    stretched = H.copy()
    stretched[:, 3:6] *= 1.5
    refused(scene, H=stretched)
    third = H.copy()
    idle = next(b for b in range(5) if not H[6 * b : 6 * b + 6, :3].any())
    third[6 * idle : 6 * idle + 3, :3] = np.eye(3)
    refused(scene, H=third)
    coupled = M.copy()
    coupled[0, 6] = coupled[6, 0] = 0.1
    refused(scene, M=coupled)
    uneven = M.copy()
    uneven[1, 1] *= 1.1
    refused(scene, M=uneven)
    offset = M.copy()
    offset[0, 4] = offset[4, 0] = 0.1
    refused(scene, M=offset)
    refused(scene, friction=None, sets=[am.NonNegative(H.shape[1])])


def test_unknowns_that_are_no_bodies_are_refused_and_auto_still_solves():
    rng = np.random.default_rng(0)
    M, H = np.diag(rng.uniform(1, 2, 8)), rng.standard_normal((8, 6))
    with pytest.raises(am.InputError, match="not those of rigid bodies"):
        am.ConeProblem.from_bodies(M, H, np.ones(8), friction=0.5, form="bodies")
    auto = am.ConeProblem.from_bodies(M, H, np.ones(8), friction=0.5)
    assert am.APGD().solve(auto).converged


@pytest.mark.parametrize("name", CASES)
def test_products_know_their_square(name):
    problem = build(name).problem
    x = np.random.default_rng(2).normal(size=problem.rows)
    out = np.empty(problem.rows)
    square = problem.product_and_square(x, out, problem.operator.scratch())
    assert (out == problem.product(x)).all()
    terms = np.abs(x) @ np.abs(out)
    assert square == pytest.approx(x @ out, abs=1e-13 * terms)
    assert problem.inner(x, out) == pytest.approx(x @ out, abs=1e-14 * terms)


def test_squares_of_many_bodies():
    problem = packing(3 * BODIES + 7)
    x = np.random.default_rng(2).normal(size=problem.rows)
    out, velocity = np.empty(problem.rows), problem.operator.scratch()
    squares = {
        getattr(body_product, form)(problem.operator.arrays, x, velocity, out) for form in FORMS
    }
    assert len(squares) == 1
    assert squares.pop() == pytest.approx(x @ out, rel=1e-12)
