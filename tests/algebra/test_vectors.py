"""Vectors as tuples agree with numpy."""

import numpy as np
import pytest

from amontons._jit import serial_kernel
from amontons.algebra import vectors
from amontons.algebra.rotations import rotation_matrices
from amontons.algebra.vectors import put, put_vector, row, vector_at


def triple(rng):
    return tuple(rng.standard_normal(3).tolist())


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("dot", np.dot),
        ("cross", np.cross),
        ("plus", np.add),
        ("minus", np.subtract),
    ],
)
def test_functions_of_two_vectors(name, right):
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = triple(rng), triple(rng)
        assert np.allclose(getattr(vectors, name)(a, b), right(a, b), rtol=1e-14, atol=1e-15)


def test_functions_of_a_vector_and_a_number():
    rng = np.random.default_rng(1)
    for _ in range(20):
        a, b, s = triple(rng), triple(rng), float(rng.uniform(0.5, 2.0))
        assert np.allclose(vectors.times(s, a), s * np.array(a), rtol=1e-15)
        assert np.allclose(vectors.over(a, s), np.array(a) / s, rtol=1e-15)
        assert np.allclose(vectors.along(a, s, b), np.add(a, s * np.array(b)), atol=1e-15)
        assert np.allclose(vectors.negative(a), np.negative(a), rtol=0.0)
        assert np.isclose(vectors.norm(a), np.linalg.norm(a), rtol=1e-15)


def test_turning_there_and_back():
    rng = np.random.default_rng(2)
    q = rng.standard_normal(4)
    R = rotation_matrices((q / np.linalg.norm(q))[None])[0]
    r, a = tuple(R.ravel().tolist()), triple(rng)
    assert np.allclose(vectors.turned(r, a), R @ a, atol=1e-15)
    assert np.allclose(vectors.turned_back(r, a), R.T @ a, atol=1e-15)


@pytest.mark.parametrize(
    "a", [(1.0, 2.0, 3.0), (0.0, 0.0, 2.0), (1e-200, 0.0, 0.0), (0.0, 0.0, 0.0)]
)
def test_perpendicular_is_a_unit_vector_whatever_it_is_given(a):
    d = np.array(vectors.perpendicular(a))
    assert np.isclose(np.linalg.norm(d), 1.0, rtol=1e-15)
    assert abs(d @ a) <= 1e-15 * np.linalg.norm(a)


@serial_kernel
def exchanged(rows, table):
    """The first two rows, and the first two vectors of the second row of a table, change places."""
    first = row(rows, 0)
    put(rows, 0, row(rows, 1))
    put(rows, 1, first)
    first = vector_at(table, 1, 0)
    put_vector(table, 1, 0, vector_at(table, 1, 1))
    put_vector(table, 1, 1, first)


def test_rows_are_read_and_written():
    rows, table = np.arange(8.0).reshape(2, 4), np.arange(12.0).reshape(2, 2, 3)
    exchanged(rows, table)
    assert rows.tolist() == [[4.0, 5.0, 6.0, 3.0], [0.0, 1.0, 2.0, 7.0]]
    assert table[1].tolist() == [[9.0, 10.0, 11.0], [6.0, 7.0, 8.0]]
    assert table[0].ravel().tolist() == list(range(6))
