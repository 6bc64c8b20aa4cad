"""Problems: what they refuse and why, and that every way to state one means the same."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import amontons as am
from amontons.problem.operators import BodyOperator, FactoredOperator, MatrixOperator
from amontons.problem.sets import Product
from amontons.testing import naive, problems
from amontons.testing.problems import RigidScene, build

RNG = np.random.default_rng(0)
W = problems.random_matrix(RNG, 6)
Q = RNG.standard_normal(6)


def poked(array, where, value):
    array = np.array(array, dtype=float)
    array[where] = value
    return array


def refused(match, make):
    with pytest.raises(am.InputError, match=match) as caught:
        make()
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
class TestNotFinite:
    def test_matrix(self, value):
        refused(r"W\[2, 1\] is", lambda: am.ConeProblem.from_matrix(poked(W, (2, 1), value), Q))
        sparse = sp.csc_matrix(poked(W, (2, 1), value))
        refused(r"W\[2, 1\] is", lambda: am.ConeProblem.from_matrix(sparse, Q))

    def test_linear_term(self, value):
        refused(r"linear term r\[4\] is", lambda: am.ConeProblem.from_matrix(W, poked(Q, 4, value)))

    def test_coefficients(self, value):
        for name, others in (
            ("friction", {}),
            ("rolling", {"friction": 0.5}),
            ("spinning", {"friction": 0.5}),
        ):
            rows = {"friction": 6, "rolling": 10, "spinning": 12}[name]
            A, q = np.eye(rows), np.ones(rows)
            options = {name: [0.5, value], **others}
            refused(
                rf"{name}\[1\] is",
                lambda A=A, q=q, o=options: am.ConeProblem.from_matrix(A, q, **o),
            )
        refused(
            "friction is|friction.* is", lambda: am.ConeProblem.from_matrix(W, Q, friction=value)
        )

    def test_compliance_and_cohesion(self, value):
        E, c = poked(np.ones(6), 3, value), [0.0, value]
        refused(r"compliance\[3\] is", lambda: am.ConeProblem.from_matrix(W, Q, compliance=E))
        refused(
            r"cohesion\[1\] is",
            lambda: am.ConeProblem.from_matrix(W, Q, friction=0.5, cohesion=c),
        )

    def test_global_form(self, value):
        M, H, f = np.eye(4), np.ones((4, 3)), np.ones(4)
        make = am.ConeProblem.from_bodies
        refused(r"M\[1, 1\] is", lambda: make(poked(M, (1, 1), value), H, f, friction=0.5))
        refused(r"H\[3, 2\] is", lambda: make(M, poked(H, (3, 2), value), f, friction=0.5))
        refused(r"f\[0\] is", lambda: make(M, H, poked(f, 0, value), friction=0.5))
        refused(r"w\[2\] is", lambda: make(M, H, f, [0.0, 0.0, value], friction=0.5))

    @pytest.mark.parametrize(
        ("name", "where"),
        [
            ("inverse_mass", (1,)),
            ("inverse_inertia", (0, 1, 1)),
            ("arms_a", (1, 2)),
            ("arms_b", (0, 0)),
            ("normals", (1, 0)),
            ("free_velocity", (0, 5)),
            ("offset", (1,)),
            ("friction", (0,)),
        ],
    )
    def test_contacts(self, value, name, where):
        given = two_contacts()
        given[name] = poked(given[name], where, value)
        entry = ", ".join(map(str, where))
        refused(rf"{name}\[{entry}\] is", lambda: am.ConeProblem.from_contacts(**given))


def two_contacts():
    """Two balls on the floor and one another."""
    return {
        "inverse_mass": np.array([1.0, 0.5]),
        "inverse_inertia": np.stack([2.0 * np.eye(3), np.eye(3)]),
        "bodies_a": np.array([-1, 0]),
        "bodies_b": np.array([0, 1]),
        "normals": np.array([[0.0, 0.0, 1.0], [0.6, 0.0, 0.8]]),
        "arms_a": np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.4]]),
        "arms_b": np.array([[0.0, 0.0, -0.5], [-0.3, 0.0, -0.4]]),
        "free_velocity": np.array([[0.1, 0, -1.0, 0, 0, 0], [0.0, 0.2, -1.0, 0, 0, 0]]),
        "offset": np.array([0.0, 0.1]),
        "friction": np.array([0.5, 0.3]),
    }


def contacts(**changes):
    return am.ConeProblem.from_contacts(**{**two_contacts(), **changes})


@pytest.mark.parametrize(
    ("match", "make"),
    [
        (r"friction\[1\] is -0.1", lambda: am.CoulombCone([0.5, -0.1])),
        (r"friction\[0\] is -1", lambda: am.ConeProblem.from_matrix(W, Q, friction=[-1.0, 0.5])),
        (r"rolling\[0\] is -0.1", lambda: am.RollingCone([0.5], [-0.1])),
        (r"spinning\[1\] is -2", lambda: am.SpinningCone([0.5, 0.5], 0.1, [0.1, -2.0])),
        (r"rolling\[0\] is -1", lambda: contacts(rolling=-1.0)),
        (
            r"cohesion\[1\] is -3",
            lambda: am.ConeProblem.from_matrix(W, Q, friction=0.5, cohesion=[0.0, -3.0]),
        ),
        (
            r"compliance\[2\] is -1",
            lambda: am.ConeProblem.from_matrix(W, Q, compliance=[0, 0, -1.0, 0, 0, 0]),
        ),
        (r"inverse_mass\[0\] is -1", lambda: contacts(inverse_mass=[-1.0, 1.0])),
        (
            r"M\[1, 1\] is -1",
            lambda: am.ConeProblem.from_bodies(
                np.diag([1.0, -1.0]), np.ones((2, 3)), np.ones(2), friction=0.5
            ),
        ),
    ],
)
def test_negative_numbers_are_refused(match, make):
    assert "negative" in refused(match, make) or "positive" in refused(match, make)


@pytest.mark.parametrize(
    ("match", "make"),
    [
        ("W must be square, got 6 × 5", lambda: am.ConeProblem.from_matrix(W[:, :5], Q)),
        ("6 entries.* got shape", lambda: am.ConeProblem.from_matrix(W, Q[:5])),
        ("6 entries.* got shape", lambda: am.ConeProblem.from_matrix(W, Q[:, None])),
        (
            "not a whole number of contacts with 3 rows",
            lambda: am.ConeProblem.from_matrix(W[:5, :5], Q[:5], friction=0.5),
        ),
        (
            "not a whole number of contacts with 5 rows",
            lambda: am.ConeProblem.from_matrix(W, Q, friction=0.5, rolling=0.1),
        ),
        (
            "friction has 3 entries for 2 contacts",
            lambda: am.ConeProblem.from_matrix(W, Q, friction=[0.1, 0.2, 0.3]),
        ),
        (
            "rolling has 3 entries for 2 contacts",
            lambda: am.ConeProblem.from_matrix(
                np.eye(10), np.ones(10), friction=0.5, rolling=[0.1, 0.2, 0.3]
            ),
        ),
        (
            "sets have 5 rows, but W has 6",
            lambda: am.ConeProblem.from_matrix(W, Q, sets=[am.Free(5)]),
        ),
        (
            "either `sets` or friction",
            lambda: am.ConeProblem.from_matrix(W, Q, sets=[am.Free(6)], friction=0.5),
        ),
        ("need `friction`", lambda: am.ConeProblem.from_matrix(W, Q, rolling=0.5)),
        ("must be given as Free", lambda: am.ConeProblem.from_matrix(W, Q, sets=["free"])),
        (
            "compliance must have 6 entries",
            lambda: am.ConeProblem.from_matrix(W, Q, compliance=np.ones(5)),
        ),
        (
            "both tangential entries alike",
            lambda: am.ConeProblem.from_matrix(W, Q, friction=0.5, compliance=np.arange(6.0)),
        ),
        (
            "cohesion must be a number or one per block",
            lambda: am.ConeProblem.from_matrix(W, Q, friction=0.5, cohesion=np.ones(6)),
        ),
        (
            "only contacts can be cohesive",
            lambda: am.ConeProblem.from_matrix(W, Q, sets=[am.Free(6)], cohesion=np.ones(6)),
        ),
        (
            "M is 2 × 2 but H has 3 rows",
            lambda: am.ConeProblem.from_bodies(np.eye(2), np.ones((3, 3)), np.ones(2)),
        ),
        (
            "M must be square",
            lambda: am.ConeProblem.from_bodies(np.ones((2, 3)), np.ones((2, 3)), np.ones(2)),
        ),
        (
            "must be symmetric",
            lambda: am.ConeProblem.from_bodies(
                [[1.0, 0.5], [0.0, 1.0]], np.ones((2, 3)), np.ones(2)
            ),
        ),
        (
            "singular|factorised|positive",
            lambda: am.ConeProblem.from_bodies(np.ones((2, 2)), np.ones((2, 3)), np.ones(2)),
        ),
        (
            "f must have 2 entries",
            lambda: am.ConeProblem.from_bodies(np.eye(2), np.ones((2, 3)), np.ones(3)),
        ),
        (
            "w must have 3 entries",
            lambda: am.ConeProblem.from_bodies(np.eye(2), np.ones((2, 3)), np.ones(2), np.ones(2)),
        ),
        (
            "unknown form 'dense'",
            lambda: am.ConeProblem.from_bodies(
                np.eye(2), np.ones((2, 3)), np.ones(2), form="dense"
            ),
        ),
        (r"normals\[1\] has length 0.5", lambda: contacts(normals=[[0, 0, 1], [0, 0.3, 0.4]])),
        (r"normals\[0\] has length 0", lambda: contacts(normals=[[0, 0, 0], [0, 0.6, 0.8]])),
        ("normals must have shape", lambda: contacts(normals=[[0, 0, 1]])),
        ("names body 2, but there are 2", lambda: contacts(bodies_b=[0, 2])),
        ("names body -2, but there are 2", lambda: contacts(bodies_a=[-2, 0])),
        ("joins body 1 to itself", lambda: contacts(bodies_a=[-1, 1])),
        ("joins body -1 to itself", lambda: contacts(bodies_a=[-1, 0], bodies_b=[-1, 1])),
        ("must be integers", lambda: contacts(bodies_a=[-1.0, 0.5])),
        ("all 2 constraints", lambda: contacts(bodies_a=[-1], bodies_b=[0])),
        ("arms_a and arms_b", lambda: contacts(arms_b=np.zeros((3, 3)))),
        ("free_velocity must have shape", lambda: contacts(free_velocity=np.zeros((2, 3)))),
        ("inverse_inertia", lambda: contacts(inverse_inertia=np.eye(3))),
        (
            "inverse_inertia must be symmetric",
            lambda: contacts(inverse_inertia=np.stack([np.eye(3), np.triu(np.ones((3, 3)))])),
        ),
        ("friction", lambda: contacts(friction=[0.1, 0.2, 0.3])),
        ("offset", lambda: contacts(offset=[0.1, 0.2, 0.3])),
        ("rolling has 3 entries for 2", lambda: contacts(rolling=[0.1, 0.2, 0.3])),
        ("numbers", lambda: am.ConeProblem.from_matrix([["a"]], [1.0])),
        ("numbers", lambda: am.ConeProblem.from_matrix([[1.0]], ["a"])),
        ("whole number", lambda: am.Free(-1)),
        ("whole number", lambda: am.NonNegative(2.5)),
        ("interval 1 is empty", lambda: am.Interval([0.0, 1.0], [1.0, 0.5])),
        ("interval 0 is empty", lambda: am.Interval(np.inf, np.inf)),
        ("interval 0 is empty", lambda: am.Interval(-np.inf, -np.inf)),
        ("bound is NaN", lambda: am.Interval(np.nan, 1.0)),
        ("bound is NaN", lambda: am.Interval([0.0, 0.0], [1.0, np.nan])),
    ],
)
def test_what_does_not_fit_is_refused(match, make):
    refused(match, make)


def test_body_operator_must_fit_its_sets():
    scene = RigidScene(np.random.default_rng(0), contacts=3)
    made = scene.of_contacts("three")
    with pytest.raises(am.InputError, match="3 blocks of kind coulomb"):
        am.ConeProblem(made.problem.operator, np.zeros(9), [am.NonNegative(9)])
    with pytest.raises(am.InputError, match="sets have 6 rows, but the matrix has 9"):
        am.ConeProblem(made.problem.operator, np.zeros(9), [am.CoulombCone([0.5, 0.5])])


def test_problems_with_the_same_blocks_share_their_arrangement():
    def product(friction, blocks=5):
        runs = [am.Free(2), am.CoulombCone([friction] * blocks), am.NonNegative(3), am.Free(1)]
        return Product(runs)

    one, other = product(0.1), product(0.7)
    assert one.arranged is other.arranged
    assert one.arrays.friction.tolist() == [0.1] * 5
    assert other.arrays.friction.tolist() == [0.7] * 5
    assert product(0.1, blocks=6).arranged is not one.arranged


def test_an_operator_of_trusted_arrays_is_the_checked_one():
    rng = np.random.default_rng(3)
    bodies, contacts, rows = 6, 7, 4
    factor = rng.standard_normal((bodies, 3, 3))
    pairs = np.array([rng.permutation(bodies)[:2] for _ in range(contacts + rows)], dtype=np.int32)
    pairs[::3, 0] = -1
    common = {
        "inverse_mass": rng.uniform(0.0, 2.0, bodies),
        "inverse_inertia": factor @ factor.transpose(0, 2, 1),
        "arms_a": rng.standard_normal((contacts, 3)),
        "arms_b": rng.standard_normal((contacts, 3)),
        "wrenches": 3,
        "jacobian": rng.standard_normal((rows, 12)),
    }
    common["inverse_mass"][2], common["inverse_inertia"][2] = 0.0, 0.0
    checked = BodyOperator(bodies_a=pairs[:, 0], bodies_b=pairs[:, 1], **common)
    trusted = BodyOperator.trusted(bodies=pairs, **common)
    assert (checked.rows, checked.bodies) == (trusted.rows, trusted.bodies)
    for mine, theirs in zip(trusted.arrays, checked.arrays, strict=True):
        assert np.array_equal(mine, theirs)


# -- unusual matrices -----------------------------------------------------------------------------


def skewed(scale=1.0, seed=1, contacts=4, strength=0.05):
    rng = np.random.default_rng(seed)
    rows = 3 * contacts
    A = problems.random_matrix(rng, rows, ridge=1.0) + strength * rng.standard_normal((rows, rows))
    return scale * A, rng.standard_normal(rows), rng.uniform(0.1, 0.5, contacts)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_nonsymmetric_matrix_warns_and_is_split(scale):
    A, q, mu = skewed(scale)
    with pytest.warns(am.ProblemWarning, match="not symmetric"):
        problem = am.ConeProblem.from_matrix(A, q, friction=mu)
    symmetric = (A + A.T) / 2
    plain = am.ConeProblem.from_matrix(symmetric, q, friction=mu)
    order = np.argsort(problem.sets.row_order)
    assert np.array_equal(problem.operator.as_matrix().toarray(), symmetric[np.ix_(order, order)])
    skew = problem.operator.skew.toarray()
    assert np.allclose(skew, (A - symmetric)[np.ix_(order, order)], rtol=1e-12, atol=0)
    # the convex problem is that of the symmetric part
    solver = am.APGD(tolerance=1e-10)
    one, other = solver.solve(problem), solver.solve(plain)
    assert one.impulses.tobytes() == other.impulses.tobytes()
    assert one.objective == other.objective
    # velocities are those of the matrix that was given
    assert np.allclose(one.velocities, A @ one.impulses + q, rtol=1e-12, atol=1e-12)
    # and exact Coulomb friction sees all of it
    exact = am.ExactCoulomb(tolerance=1e-9).solve(problem)
    assert exact.converged
    blocks = naive.blocks_of([am.CoulombCone(mu)])
    assert naive.error(A, q, blocks, exact.impulses, exact=True) <= 1.01e-9


def test_nonsymmetric_matrix_with_cohesion():
    A, q, mu = skewed()
    c = np.array([0.3, 0.0, 0.5, 0.1])
    with pytest.warns(am.ProblemWarning, match="not symmetric"):
        problem = am.ConeProblem.from_matrix(A, q, friction=mu, cohesion=c)
    blocks = naive.blocks_of([am.CoulombCone(mu)], c)
    convex = am.APGD(tolerance=1e-9).solve(problem)
    assert np.allclose(convex.velocities, A @ convex.impulses + q, rtol=0, atol=1e-12)
    assert naive.error(A, q, blocks, convex.impulses) <= 1.01e-9
    exact = am.ExactCoulomb(tolerance=1e-9).solve(problem)
    assert naive.error(A, q, blocks, exact.impulses, exact=True) <= 1.01e-9
    assert am.residuals(problem, convex.impulses, exact=True).scaled == pytest.approx(
        naive.error(A, q, blocks, convex.impulses, exact=True), rel=1e-9
    )


def global_skewed(asymmetry, unit=1.0, bodies=4, contacts=6, seed=3):
    """M, H, f and μ of a global problem; `asymmetry` of M as a share of its masses.

    `unit` is how many of the unit of length are one metre: inertias and arms have it in them.
    """
    rng = np.random.default_rng(seed)
    n = 6 * bodies
    M = np.zeros((n, n))
    for first in range(0, n, 6):
        M[first : first + 3, first : first + 3] = rng.uniform(1.0, 3.0) * np.eye(3)
        turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
        M[first + 3 : first + 6, first + 3 : first + 6] = (
            unit**2 * (turn * rng.uniform(1e-3, 2e-3, 3)) @ turn.T
        )
        i, j = first + 3, first + 5
        M[i, j] += asymmetry * np.sqrt(M[i, i] * M[j, j])
    H = rng.standard_normal((n, 3 * contacts))
    H[np.arange(n) % 6 >= 3] *= 0.05 * unit
    return M, H, rng.standard_normal(n), rng.uniform(0.1, 0.5, contacts)


@pytest.mark.parametrize("unit", [1.0, 1e3])
@pytest.mark.parametrize("asymmetry", [3e-6, 5e-3])
def test_slightly_nonsymmetric_mass_is_taken_whole_where_it_is_condensed(asymmetry, unit):
    M, H, f, mu = global_skewed(asymmetry, unit)
    with pytest.warns(am.ProblemWarning, match=r"^M is not symmetric .* ExactCoulomb uses all"):
        problem = am.ConeProblem.from_bodies(M, H, f, friction=mu)
    W, q = H.T @ np.linalg.solve(M, H), H.T @ np.linalg.solve(M, f)
    with pytest.warns(am.ProblemWarning, match="^W is not symmetric"):
        local = am.ConeProblem.from_matrix(W, q, friction=mu)
    for half in ("matrix", "skew"):
        found, expected = (getattr(p.operator, half).toarray() for p in (problem, local))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(W).max())
    exact = am.ExactCoulomb(tolerance=1e-9).solve(problem)
    assert exact.converged
    blocks = naive.blocks_of([am.CoulombCone(mu)])
    assert naive.error(W, q, blocks, exact.impulses, exact=True) <= 1.01e-9
    # the symmetric part of M alone would not be the same problem
    blunt = am.ConeProblem.from_bodies((M + M.T) / 2, H, f, friction=mu)
    assert blunt.operator.skew is None
    assert naive.error(W, q, blocks, am.ExactCoulomb(tolerance=1e-9).solve(blunt).impulses,
                       exact=True) > 1e-3 * asymmetry  # fmt: skip


def test_slightly_nonsymmetric_mass_is_mended_where_it_is_factorised():
    M, H, f, mu = global_skewed(3e-6)
    with pytest.warns(am.ProblemWarning, match=r"^M is not symmetric .*\(M \+ Mᵀ\)/2 is used"):
        problem = am.ConeProblem.from_bodies(M, H, f, friction=mu, form="factored")
    plain = am.ConeProblem.from_bodies((M + M.T) / 2, H, f, friction=mu, form="factored")
    x = np.random.default_rng(0).standard_normal(problem.rows)
    assert problem.product(x).tobytes() == plain.product(x).tobytes()
    assert problem.linear.tobytes() == plain.linear.tobytes()


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e3])
def test_grossly_nonsymmetric_mass_is_refused_in_any_unit(unit):
    M, H, f, mu = global_skewed(2e-2, unit)
    with pytest.raises(am.InputError, match=r"M must be symmetric; M\[\d+, \d+\] is .* but M"):
        am.ConeProblem.from_bodies(M, H, f, friction=mu)


def test_rounding_is_no_asymmetry():
    A = problems.random_matrix(np.random.default_rng(2), 6)
    A[0, 1] *= 1 + 1e-15
    problem = am.ConeProblem.from_matrix(A, Q, friction=0.5)
    assert problem.operator.skew is None


def indefinite(scale=1.0):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((12, 12))
    return scale * (A + A.T), rng.standard_normal(12)


@pytest.mark.parametrize("scale", [1e-13, 1.0, 1e13])
def test_indefinite_matrix_warns_in_any_units(scale):
    A, q = indefinite(scale)
    np.fill_diagonal(A, scale)  # a positive diagonal gives nothing away
    assert np.linalg.eigvalsh(A)[0] < -0.1 * scale
    assert A.diagonal().min() > 0
    with pytest.warns(am.ProblemWarning, match="indefinite"):
        am.ConeProblem.from_matrix(A, q, friction=0.5)


@pytest.mark.parametrize("scale", [1e-13, 1.0, 1e13])
def test_semidefinite_matrix_does_not_warn(scale):
    A = scale * problems.random_matrix(np.random.default_rng(4), 30, rank=7)
    am.ConeProblem.from_matrix(A, np.ones(30), friction=0.5)  # warnings are errors here


@pytest.mark.parametrize(
    "solver",
    [
        am.APGD(max_iterations=3000),
        am.APGD(max_iterations=3000, scaling="none"),
        am.SpectralGradient(max_iterations=3000),
        am.GaussSeidel(max_iterations=3000),
        am.GaussSeidel(max_iterations=1000, step="full"),
        am.Jacobi(max_iterations=3000),
        am.ExactCoulomb(max_iterations=3000),
    ],
    ids=lambda s: f"{type(s).__name__}-{getattr(s, 'step', getattr(s, 'scaling', ''))}",
)
@pytest.mark.parametrize("scale", [1.0, 1e100])
def test_indefinite_matrix_raises_nothing(solver, scale):
    A, q = indefinite(scale)
    with pytest.warns(am.ProblemWarning, match="indefinite"):
        problem = am.ConeProblem.from_matrix(A, q, friction=0.5)
    solution = solver.solve(problem)
    assert isinstance(solution.status, am.Status)
    assert np.isfinite(solution.impulses).all()
    # whatever it says about itself is true
    again = am.residuals(problem, solution.impulses, exact=solver.exact)
    assert solution.residual == pytest.approx(again.scaled, rel=1e-9)
    assert solution.converged == (solution.residual <= solver.tolerance)


@pytest.mark.parametrize("solver", [am.ConjugateGradient(), am.MinimumResidual()])
def test_indefinite_bilateral_problem_raises_nothing(solver):
    A, q = indefinite()
    with pytest.warns(am.ProblemWarning, match="indefinite"):
        problem = am.ConeProblem.from_matrix(A, q, sets=[am.Free(12)])
    solution = solver.solve(problem)
    if isinstance(solver, am.MinimumResidual):
        assert solution.converged
        assert np.allclose(A @ solution.impulses, -q, atol=1e-5)
    assert solution.converged == (solution.residual <= solver.tolerance)


@pytest.mark.slow
def test_matrix_of_zeros():
    """No curvature anywhere: any downhill direction goes on for ever."""
    problem = am.ConeProblem.from_matrix(np.zeros((3, 3)), [1.0, 0.1, 0.0], friction=0.5)
    assert am.APGD().solve(problem).converged
    downhill = am.ConeProblem.from_matrix(np.zeros((3, 3)), [-1.0, 0.1, 0.0], friction=0.5)
    for solver in (am.APGD(), am.SpectralGradient(), am.GaussSeidel(), am.Jacobi()):
        solution = solver.solve(downhill)
        assert not solution.converged
        assert np.isfinite(solution.impulses).all()


# -- nothing at all -------------------------------------------------------------------------------


def empties():
    nothing = np.empty((0, 3))
    bodies = {
        "inverse_mass": np.ones(2),
        "inverse_inertia": np.stack([np.eye(3)] * 2),
        "bodies_a": np.empty(0, dtype=int),
        "bodies_b": np.empty(0, dtype=int),
        "normals": nothing,
        "arms_a": nothing,
        "arms_b": nothing,
        "free_velocity": np.zeros((2, 6)),
    }
    make = am.ConeProblem
    yield "matrix", lambda: make.from_matrix(np.empty((0, 0)), [])
    yield "sparse", lambda: make.from_matrix(sp.csr_array((0, 0)), [], friction=[])
    yield "sets", lambda: make.from_matrix(np.empty((0, 0)), [], sets=[am.Free(0)])
    yield "contacts", lambda: make.from_contacts(**bodies)
    yield "torque", lambda: make.from_contacts(**bodies, rolling=0.1)
    for form in ("auto", "matrix", "factored"):
        yield (
            form,
            lambda form=form: make.from_bodies(
                np.eye(6), np.empty((6, 0)), np.ones(6), friction=[], form=form
            ),
        )


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in empties()])
def test_empty_problem(make):
    problem = make()
    assert problem.rows == problem.blocks == 0
    assert "empty" in repr(problem)
    for solver in (am.APGD(), am.GaussSeidel(), am.ConjugateGradient(), am.ExactCoulomb()):
        solution = solver.solve(problem)
        assert solution.converged
        assert solution.iterations == 0
        assert solution.impulses.shape == solution.velocities.shape == (0,)
    assert am.residuals(problem, []).scaled == 0.0


# -- cohesion and compliance ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cohesion", "compliance-cohesion", "bodies-extras"])
def test_cohesion_is_a_shifted_cone(name):
    """The minimum over the shifted cones, found by plain projected gradients on them."""
    made = build(name)
    solution = am.APGD(tolerance=1e-11).solve(made.problem)
    assert solution.converged
    shift = naive.shift(made.blocks, made.linear.size)
    gamma = np.zeros(made.linear.size)
    step = 1.0 / np.linalg.eigvalsh(made.matrix)[-1]
    # ‖γ_t‖ ≤ μ(γ_n + c), γ_n ≥ −c: a cone with its apex at −c n, projected on by moving the apex
    for _ in range(3000):
        moved = gamma - step * (made.matrix @ gamma + made.linear)
        gamma = naive.project(made.blocks, moved + shift) - shift
    assert solution.objective == pytest.approx(made.objective(gamma), rel=1e-8)
    best = made.objective(solution.impulses)
    rng = np.random.default_rng(0)
    for _ in range(200):
        trial = solution.impulses + 0.1 * rng.standard_normal(gamma.size)
        feasible = naive.project(made.blocks, trial + shift) - shift
        assert made.objective(feasible) >= best - 1e-12 * abs(best)


def test_cohesion_holds_a_ball_up_to_its_strength():
    """A contact of cohesion c resists any pull below c, and none above."""
    for pull, held in ((0.9, True), (1.1, False)):
        problem = am.ConeProblem.from_matrix(np.eye(3), [pull, 0, 0], friction=0.5, cohesion=1.0)
        solution = am.APGD(tolerance=1e-12).solve(problem)
        assert solution.impulses[0] == pytest.approx(-pull if held else -1.0)
        assert solution.velocities[0] == pytest.approx(0.0 if held else 0.1)


def test_cohesion_as_one_number_spares_joints():
    sets = [am.Free(1), am.NonNegative(1), am.CoulombCone([0.5])]
    problem = am.ConeProblem.from_matrix(np.eye(5), np.ones(5), sets=sets, cohesion=0.25)
    assert problem.cohesion.tolist() == [0.0, 0.25, 0.25]
    assert problem.given_linear == pytest.approx(np.ones(5))
    none = am.ConeProblem.from_matrix(np.eye(5), np.ones(5), sets=sets, cohesion=0.0)
    assert none.cohesion is None


@pytest.mark.parametrize("name", ["mixed", "bodies-mixed"])
def test_compliance_is_an_addition_to_the_matrix(name):
    made = build(name)
    E = problems.random_compliance(np.random.default_rng(5), made.blocks)
    old = made.problem
    soft = am.ConeProblem(old.operator, made.linear, old.sets, compliance=E)
    total = made.matrix + naive.compliance_matrix(made.blocks, E)
    hard = am.ConeProblem.from_matrix(total, made.linear, sets=old.sets.runs)
    solver = am.APGD(tolerance=1e-10)
    one, other = solver.solve(soft), solver.solve(hard)
    assert np.allclose(one.impulses, other.impulses, atol=1e-8)
    assert np.allclose(one.velocities, other.velocities, atol=1e-8)
    assert soft.curvature == pytest.approx(hard.curvature)
    assert soft.mean_steps == pytest.approx(hard.mean_steps)


def test_compliance_as_one_number():
    soft = am.ConeProblem.from_matrix(W, Q, friction=0.5, compliance=0.7)
    hard = am.ConeProblem.from_matrix(W + 0.7 * np.eye(6), Q, friction=0.5)
    solver = am.APGD(tolerance=1e-11)
    assert np.allclose(solver.solve(soft).impulses, solver.solve(hard).impulses, atol=1e-9)


# -- the same problem in other words --------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_every_form_has_the_same_solution(seed):
    """Matrix, condensed, factored, recognised bodies and contacts in the world frame."""
    scene = RigidScene(np.random.default_rng(seed), bodies=5, contacts=6, immovable=False)
    M, H = scene.global_matrices()
    mu = np.full(6, 0.4)
    # velocities in body axes, as M and H have them
    local = scene.velocity.copy()
    local[:, 3:] = np.einsum("bji,bj->bi", scene.rotation, scene.velocity[:, 3:])
    f, w = M @ local.ravel(), np.zeros(18)
    w[::3] = scene.offset
    kinds = {"matrix": MatrixOperator, "factored": FactoredOperator, "bodies": BodyOperator}
    made = {form: am.ConeProblem.from_bodies(M, H, f, w, friction=mu, form=form) for form in kinds}
    for form, kind in kinds.items():
        assert isinstance(made[form].operator, kind)
    Wd, qd = H.T @ np.linalg.solve(M, H), H.T @ local.ravel() + w
    made["local"] = am.ConeProblem.from_matrix((Wd + Wd.T) / 2, qd, friction=mu)
    made["auto"] = am.ConeProblem.from_bodies(sp.csc_array(M), sp.csr_array(H), f, w, friction=mu)
    world = am.ConeProblem.from_contacts(
        inverse_mass=scene.inverse_mass,
        inverse_inertia=scene.inverse_inertia,
        bodies_a=scene.a,
        bodies_b=scene.b,
        normals=scene.normals,
        arms_a=scene.arms[0],
        arms_b=scene.arms[1],
        free_velocity=scene.velocity,
        offset=scene.offset,
        friction=mu,
    )
    solver = am.APGD(tolerance=1e-11, max_iterations=100_000)
    solutions = {form: solver.solve(problem) for form, problem in made.items()}
    best = solutions["local"]
    assert best.converged
    for solution in solutions.values():
        assert solution.converged
        assert np.allclose(solution.velocities, best.velocities, atol=1e-8)
        assert solution.objective == pytest.approx(best.objective, rel=1e-9)
    turned = solver.solve(world)
    assert turned.objective == pytest.approx(best.objective, rel=1e-9)
    local_u = np.einsum("cji,cj->ci", scene.frames, turned.velocities.reshape(-1, 3)).ravel()
    assert np.allclose(local_u, best.velocities, atol=1e-8)
    # the frames of the recognised form lead there and back
    gamma = np.random.default_rng(0).standard_normal(18)
    problem = made["bodies"]
    assert problem.impulses(problem.unknowns(gamma)) == pytest.approx(gamma)
    assert problem.given_linear == pytest.approx(qd)


def test_order_of_runs_does_not_matter():
    """Blocks permuted: the solution is permuted."""
    made = build("mixed")
    runs = list(made.problem.sets.runs)
    rows = np.split(np.arange(made.linear.size), np.cumsum([run.rows for run in runs])[:-1])
    order = np.random.default_rng(1).permutation(len(runs))
    index = np.concatenate([rows[i] for i in order])
    other = am.ConeProblem.from_matrix(
        made.matrix[np.ix_(index, index)], made.linear[index], sets=[runs[i] for i in order]
    )
    solver = am.APGD(tolerance=1e-10)
    assert np.allclose(
        solver.solve(other).impulses, solver.solve(made.problem).impulses[index], atol=1e-8
    )


def test_friction_alone_makes_coulomb_cones_and_nothing_makes_frictionless_ones():
    eye = np.eye
    assert am.ConeProblem.from_matrix(W, Q).sets.kinds == {am.NonNegative.kind}
    assert am.ConeProblem.from_matrix(W, Q, friction=0.5).blocks == 2
    rolling = am.ConeProblem.from_matrix(eye(10), np.ones(10), friction=0.5, rolling=0.1)
    assert rolling.sets.kinds == {am.RollingCone.kind}
    spinning = am.ConeProblem.from_matrix(eye(12), np.ones(12), friction=0.5, spinning=0.1)
    assert spinning.sets.kinds == {am.SpinningCone.kind}


@pytest.mark.parametrize("run", [am.Free(3), am.NonNegative(3), am.CoulombCone([0.5])])
def test_problem_keeps_its_own_copy_of_what_it_is_given(run):
    """The caller may go on using its arrays, and a solution's arrays are the caller's to use."""
    q, A = np.array([1.0, 2.0, 3.0]), 2.0 * np.eye(3)
    problem = am.ConeProblem.from_matrix(A, q, sets=[run])
    before = problem.given_linear.copy()
    q[:] = 99.0
    A[:] = 99.0
    assert problem.given_linear.tolist() == before.tolist()
    problem.given_linear[:] = 77.0
    assert problem.given_linear.tolist() == before.tolist()
    guess = np.ones(3)
    x = problem.unknowns(guess)
    x[:] = 5.0
    assert guess.tolist() == [1.0, 1.0, 1.0]
    assert problem.product(np.ones(3)).tolist() == [2.0, 2.0, 2.0]


def test_sparse_input_of_any_format_is_taken_and_not_changed():
    for make in (sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, sp.lil_array):
        given = make(W)
        before = given.toarray()
        problem = am.ConeProblem.from_matrix(given, Q, friction=0.5)
        assert np.array_equal(given.toarray(), before)
        assert problem.product(problem.unknowns(Q)) == pytest.approx(problem.sets.inward(W @ Q))
    twice = sp.coo_array(([1.0, 1.0], ([0, 0], [0, 0])), shape=(1, 1))
    assert am.ConeProblem.from_matrix(twice, [1.0]).product(np.ones(1)).tolist() == [2.0]


def test_sets_and_problem_say_what_they_are():
    made = build("mixed")
    assert "'mixed'" in repr(made.problem)
    assert "coulomb" in repr(made.problem)
    assert made.problem.nbytes > made.problem.linear.nbytes
    assert "rolling" in repr(Product([am.RollingCone([0.5], [0.1])]))


def test_no_warning_is_raised_by_sound_problems():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in problems.CASES:
            build(name)


def test_immovable_pairs_are_harmless():
    """A contact between two bodies without inverse mass has no curvature at all."""
    given = two_contacts()
    given["inverse_mass"] = np.array([1.0, 0.0])
    given["inverse_inertia"][1] = 0.0
    given["bodies_a"], given["bodies_b"] = np.array([-1, -1]), np.array([0, 1])
    problem = am.ConeProblem.from_contacts(**given)
    assert np.isfinite(problem.mean_steps).all()
    for solver in (am.APGD(max_iterations=500), am.GaussSeidel(max_iterations=500)):
        solution = solver.solve(problem)
        assert not solution.converged  # nothing can stop the second contact
        assert np.isfinite(solution.impulses).all()
    # block by block, the other contact does not feel that
    assert solution.velocities[:3] @ given["normals"][0] >= -1e-5


def test_immovable_bodies_that_approach_are_no_solution():
    """Two immovable bodies in contact and a speed between them: no impulse can help.

    As impulses grow without bound, x − ρu must not be rounded to x and taken for a solution.
    """
    given = two_contacts()
    given["inverse_mass"] = np.array([1.0, 0.0])
    given["inverse_inertia"][1] = 0.0
    given["bodies_a"], given["bodies_b"] = np.array([-1, -1]), np.array([0, 1])
    given["free_velocity"][1] = 0.0
    given["offset"] = np.array([0.0, -0.5])
    problem = am.ConeProblem.from_contacts(**given)
    for solver in (am.APGD(), am.SpectralGradient(), am.GaussSeidel(), am.Jacobi()):
        solution = solver.solve(problem)
        assert solution.velocities[3:] @ given["normals"][1] == pytest.approx(-0.5)
        assert not solution.converged, type(solver).__name__


def test_frictionless_cone_never_pulls():
    """A ball that flies straight up from the floor, μ = 0: no impulse, no suction."""
    given = {name: value[:1] for name, value in two_contacts().items()}
    given["inverse_mass"], given["inverse_inertia"] = np.array([1.0]), np.eye(3)[None]
    given["free_velocity"] = np.array([[0.0, 0.0, 2.0, 0, 0, 0]])
    given["friction"] = 0.0
    problem = am.ConeProblem.from_contacts(**given)
    for solver in (am.APGD(), am.SpectralGradient(), am.GaussSeidel(), am.Jacobi()):
        solution = solver.solve(problem)
        assert solution.converged
        assert not solution.impulses.any()
        assert solution.velocities[2] == 2.0
