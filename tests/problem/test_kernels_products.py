"""Products with N of every form, its diagonal blocks and curvatures, against dense matrices."""

import numpy as np
import pytest
import scipy.sparse as sp

import amontons as am
from amontons._jit import CHUNK
from amontons.algebra.cones import ROWS_OF_KIND
from amontons.generators import packing
from amontons.problem.operators import BodyOperator, FactoredOperator, MatrixOperator
from amontons.problem.operators.body_kernels import BODIES, body_product
from amontons.problem.operators.factored import MassInverse
from amontons.problem.sets import Product
from amontons.testing import naive, parallel_kernels, problems
from amontons.testing.problems import CASES, RigidScene, build
from helpers.kernel_samples import FORMS, Sample, close

pytestmark = pytest.mark.usefixtures("one_thread")


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


@pytest.mark.slow
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
