"""What taut joints add to inertias, against numpy's decompositions of the same matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amontons as am
from amontons.dynamics.joints.stiffness import (
    RESOLVED,
    principal,
    steady_turns,
    stiffen,
    work_of_stiffness,
)
from amontons.dynamics.joints.system import JointSystem

few = settings(max_examples=60, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def expected(stiffness, inverse_inertia, free):
    """(I + h²K₊)⁻¹, h²K₊ and the free spin of each body that is too taut, by its row."""
    found = {}
    for i, matrix in enumerate(stiffness):
        inertia = np.linalg.inv(inverse_inertia[i])
        root = np.linalg.cholesky(inertia)  # of I now, not of I⁻¹
        back = np.linalg.inv(root)
        ratio, axes = np.linalg.eigh(back @ matrix @ back.T)
        more = np.maximum(ratio - RESOLVED, 0.0)
        if not (more > 0.0).any():
            continue
        added = root @ (axes * more) @ axes.T @ root.T
        heavier = np.linalg.inv(inertia + added)
        found[i] = heavier, added, heavier @ inertia @ free[i, 3:]
    return found


@few
@given(seeds, st.floats(-2.0, 5.0))
def test_bodies_whose_joints_are_taut_have_that_much_more_inertia(seed, power):
    random = np.random.default_rng(seed)
    count, h = 4, 1e-2
    position, orientation = random.normal(size=(count, 3)), random.normal(size=(count, 4))
    orientation /= np.linalg.norm(orientation, axis=1)[:, None]
    hinges = [
        am.Revolute(a, b, point=random.normal(size=3), axis=(0.0, 0.0, 1.0))
        for a, b in ((None, 0), (0, 1), (1, 2))
    ]
    joints = JointSystem(hinges, lambda body: body, position, orientation).tables.joints
    force = random.normal(size=(3, 3)) * 10.0**power
    half = random.normal(size=(count, 3, 3))
    inverse = half @ half.transpose(0, 2, 1) + 0.1 * np.eye(3)
    free = random.normal(size=(count, 6))
    stiffness = np.zeros((count, 3, 3))
    for j, (a, b) in enumerate(((-1, 0), (0, 1), (1, 2))):
        for body, sign in ((a, -1.0), (b, 1.0)):
            if body >= 0:
                r, f = np.array(hinges[j].point) - position[body], sign * force[j]
                both = np.outer(r, f)
                stiffness[body] += h * h * (r @ f * np.eye(3) - 0.5 * (both + both.T))
    softer, spun = inverse.copy(), free.copy()
    taut = stiffen(joints, force, position, orientation, spun, softer, h)
    known = expected(stiffness, inverse, free)
    assert taut.rows.tolist() == list(known)
    for n, i in enumerate(taut.rows):
        heavier, added, spin = known[i]
        scale = np.abs(added).max()
        assert softer[i] == pytest.approx(heavier, rel=1e-7, abs=1e-9 * np.abs(inverse[i]).max())
        assert taut.added[n] == pytest.approx(added, rel=1e-7, abs=1e-9 * scale)
        assert spun[i, 3:] == pytest.approx(spin, rel=1e-6, abs=1e-8)
        assert (taut.free[n] == free[i]).all()
        assert (spun[i, :3] == free[i, :3]).all()
    others = np.setdiff1d(np.arange(count), taut.rows)
    assert (softer[others] == inverse[others]).all()
    assert (spun[others] == free[others]).all()


@few
@given(seeds, st.booleans())
def test_principal_axes(seed, twice):
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(3, 3)) * 10.0 ** random.uniform(-8, 8)
    matrix = matrix + matrix.T
    if twice:  # an eigenvalue that is there twice
        matrix = np.outer(matrix[0], matrix[0]) + 2.0 * np.eye(3)
    values, axes = matrix.copy(), np.empty((3, 3))
    principal(values, axes)
    assert np.sort(np.diag(values)) == pytest.approx(
        np.linalg.eigvalsh(matrix), rel=1e-12, abs=1e-12 * np.abs(matrix).max()
    )
    assert axes.T @ axes == pytest.approx(np.eye(3), abs=1e-13)
    back = axes @ np.diag(np.diag(values)) @ axes.T
    assert back == pytest.approx(matrix, abs=1e-12 * np.abs(matrix).max())


def test_principal_axes_of_a_diagonal_matrix_are_those_of_space():
    values, axes = np.diag([3.0, 0.0, -1.0]), np.empty((3, 3))
    principal(values, axes)
    assert (values == np.diag([3.0, 0.0, -1.0])).all()
    assert (axes == np.eye(3)).all()


def test_what_lasts_of_a_turn():
    twist = np.zeros((4, 6))
    twist[:, 3] = 2.0
    before = np.array([[1.0, 5.0, 0.0], [-1.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    steady = steady_turns(twist, before, np.array([0, 1, 2]))
    assert steady[:, 3].tolist() == [1.0, 0.0, 2.0, 2.0]
    assert steady_turns(twist, before, np.array([], dtype=np.int64)) is twist


def test_work_of_stiffness():
    random = np.random.default_rng(2)
    mean, after, added = (random.normal(size=shape) for shape in ((3, 6), (3, 6), (2, 3, 3)))
    rows = np.array([2, 0])
    known = -sum(mean[i, 3:] @ added[n] @ after[i, 3:] for n, i in enumerate(rows))
    assert work_of_stiffness(mean, added, after, rows) == pytest.approx(known)
