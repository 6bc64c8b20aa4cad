"""The operator of a cell that forces can move, beside the matrix that it stands for."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from amontons.problem.operators import BodyOperator, CellOperator
from amontons.problem.sets import CoulombCone, Product, SpinningCone


def sample(wrenches: bool) -> tuple[CellOperator, np.ndarray, Product]:
    rng = np.random.default_rng(2)
    bodies, contacts = 7, 11
    a = rng.integers(0, bodies, contacts)
    b = (a + rng.integers(1, bodies, contacts)) % bodies
    root = rng.normal(size=(bodies, 3, 3))
    over = BodyOperator(
        inverse_mass=rng.uniform(0.5, 2.0, bodies),
        inverse_inertia=root @ root.transpose(0, 2, 1),
        bodies_a=a,
        bodies_b=b,
        arms_a=rng.normal(size=(contacts, 3)),
        arms_b=rng.normal(size=(contacts, 3)),
        wrenches=contacts if wrenches else 0,
    )
    branches = rng.normal(size=(contacts, 3))
    half = rng.normal(size=(3, 3))
    normals = rng.normal(size=(contacts, 3))
    mu = np.full(contacts, 0.3)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    cone = SpinningCone(mu, mu, mu, normals) if wrenches else CoulombCone(mu, normals)
    sets = Product([cone])
    # G x = Σ l∘x, written out row by row: rows are component by component
    G = np.zeros((3, over.rows))
    for axis in range(3):
        for c in range(contacts):
            G[axis, axis * contacts + c] = branches[c, axis]
    full = over.as_matrix().toarray() + G.T @ (half @ half.T) @ G
    return CellOperator(over, branches, half @ half.T), full, sets


@pytest.mark.parametrize("wrenches", [False, True])
def test_operator_is_its_matrix(wrenches: bool) -> None:
    operator, full, _ = sample(wrenches)
    x = np.random.default_rng(3).normal(size=operator.rows)
    out = np.empty_like(x)
    square = operator.apply(x, out, operator.scratch())
    np.testing.assert_allclose(out, full @ x, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(square, x @ full @ x, rtol=1e-12)
    np.testing.assert_allclose(operator.as_matrix().toarray(), full, rtol=1e-12, atol=1e-12)
    inverse, H = operator.inverse_mass_form()
    product = sp.csr_array(H.T @ inverse @ H).toarray()
    np.testing.assert_allclose(product, full, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("wrenches", [False, True])
def test_blocks_are_those_of_the_matrix(wrenches: bool) -> None:
    operator, full, sets = sample(wrenches)
    flat, offsets = operator.diagonal_blocks(sets.arrays)
    size, contacts = (6, 11) if wrenches else (3, 11)
    curvatures = operator.curvatures(sets.arrays)
    normals = np.asarray(sets.arrays.normal).T
    for c in range(contacts):
        rows = c + contacts * np.arange(size)
        block = full[np.ix_(rows, rows)]
        mine = flat[offsets[c] : offsets[c + 1]].reshape(size, size)
        np.testing.assert_allclose(mine, block, rtol=1e-12, atol=1e-12)
        force, n = block[:3, :3], normals[c]
        along = n @ force @ n
        np.testing.assert_allclose(curvatures[c, 0], along, rtol=1e-12)
        np.testing.assert_allclose(curvatures[c, 1], 0.5 * (np.trace(force) - along), rtol=1e-12)
