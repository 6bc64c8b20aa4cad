"""What problems, operators and solutions offer to those who use them."""

import numpy as np
import pytest

import amontons as am
from amontons.algebra.cones import (
    CONES,
    GROUP_ORDER,
    ROWS_OF_KIND,
    SECOND_ORDER,
    TURNING,
    VECTORS,
    SetArrays,
    SetKind,
    rows_of,
)  # fmt: skip
from amontons.problem.forms import CONDENSE_BELOW
from amontons.problem.operators import BodyOperator, FactoredOperator, MatrixOperator
from amontons.problem.operators.factored import MOST_ROWS_FORMED
from amontons.problem.sets import COEFFICIENTS, RUNS
from amontons.testing.problems import CASES, case

pytestmark = pytest.mark.usefixtures("one_thread")

PROBLEMS = sorted(name for name in CASES if case(name).problem.rows)


# -- sets -----------------------------------------------------------------------------------------


def test_every_kind_is_in_the_tables():
    assert list(RUNS) == list(SetKind)
    assert sorted(GROUP_ORDER) == sorted(SetKind)
    assert set(VECTORS) <= set(CONES)
    assert [k for k in CONES if ROWS_OF_KIND[k] > 3] == list(TURNING)
    assert {int(k) for k in SetKind if ROWS_OF_KIND[k] >= 3} == set(CONES)
    assert set(SECOND_ORDER) <= set(SetKind)
    assert [rows_of.py_func(int(kind)) for kind in SetKind] == ROWS_OF_KIND.tolist()
    assert set(COEFFICIENTS) == set(SetArrays._fields) - {"groups", "chunks", "normal", "exact"}


@pytest.mark.parametrize("name", PROBLEMS)
def test_project_is_that_of_the_sets(name):
    problem = case(name).problem
    x = np.random.default_rng(1).standard_normal(problem.rows)
    expected = problem.sets.project(problem.sets.outward(x))
    assert problem.project(x) is x
    assert (problem.sets.outward(x) == expected).all()


# -- operators ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROBLEMS)
def test_operators_give_what_they_say(name):
    problem = case(name).problem
    operator, rows = problem.operator, problem.rows
    N = operator.as_matrix().toarray()
    csr = operator.as_csr()
    assert csr.indptr.size == rows + 1
    dense = np.zeros((rows, rows))
    for i in range(rows):
        here = slice(csr.indptr[i], csr.indptr[i + 1])
        dense[i, csr.indices[here]] += csr.data[here]
    assert (dense == N).all()
    assert operator.forms_rows
    assert (operator.over_bodies is operator) == isinstance(operator, BodyOperator)
    assert (operator.mass_form is not None) == isinstance(operator, FactoredOperator)
    if operator.mass_form is not None:
        M, H, Ht = operator.mass_form
        close = np.linalg.solve(M.toarray(), H.toarray())
        assert Ht.toarray() @ close == pytest.approx(N, abs=1e-9 * np.abs(N).max())
        assert operator.entries == 2 * H.nnz
    if isinstance(operator, MatrixOperator):
        assert operator.entries == np.count_nonzero(N) or operator.entries >= operator.matrix.nnz
    factors = operator.inverse_mass_form()
    assert (factors is None) == isinstance(operator, MatrixOperator)
    if factors is not None:
        inverse, H = (each.toarray() for each in factors)
        assert H.T @ inverse @ H == pytest.approx(N, abs=1e-9 * np.abs(N).max())


def test_rows_of_a_large_factored_operator_are_not_formed():
    rows = MOST_ROWS_FORMED + 1
    assert rows > CONDENSE_BELOW
    import scipy.sparse as sp

    eye = sp.eye_array(rows, format="csc")
    problem = am.ConeProblem.from_bodies(eye, eye, np.ones(rows), form="factored")
    assert not problem.operator.forms_rows
    with pytest.raises(am.UnsupportedProblemError, match="needs the rows of N"):
        am.GaussSeidel().solve(problem)


# -- solutions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROBLEMS)
def test_solutions_keep_what_impulses_do_to_bodies(name):
    """M⁻¹Dγ of the impulses themselves, whatever the unknowns of the method were."""
    problem = case(name).problem
    solution = am.APGD(tolerance=1e-3, max_iterations=20).solve(problem)
    operator = problem.operator.over_bodies
    if operator is None:
        assert solution.velocity_change is None
        return
    x = problem.unknowns(solution.impulses)
    if problem.shift is not None:
        x = x - problem.shift
    expected = operator.inverse_mass_matrix() @ (operator.jacobian_matrix().T @ x)
    size = np.abs(expected).max(initial=1e-12)
    assert solution.velocity_change.ravel() == pytest.approx(expected, abs=1e-12 * size)
