"""The numbers that solutions are judged by, against formulas and against other people's."""

import numpy as np
import pytest
import scipy.sparse as sp

import amontons as am
from amontons.solvers.gauge import Gauge
from amontons.testing import naive
from amontons.testing.problems import CASES, Units, build, case
from helpers import stored_problems

REFERENCES = [
    "BoxesStack1-i100000-32",
    "Capsules-i100-1090",
    "Confeti-ex03",
    "CubeH8",
    "FrictionContact3D_1c",
    "GFC3D_TwoRods1",
    "NESpheres_10_1",
    "OneObject-i1028-138",
    "RFC3D_cube_1",
    "Rover1040",
    "rfc3d_sphere_from_grfc3d_dense",
    "rockfall_14_25792",
]


@pytest.fixture(
    params=stored_problems.own(contacts_only=True) + stored_problems.shared(REFERENCES),
    ids=lambda path: path.stem,
)
def path(request):
    return request.param


@pytest.fixture
def loader(path):
    """What reads and judges the problem without the package."""
    return stored_problems.loader(path.parent)


@pytest.fixture
def reference(path, loader):
    """A real problem as the package and as the loader have it, with its reference solutions."""
    given = loader.load(path)
    W, q = loader.delassus(given)
    return stored_problems.load(path), given, stored_problems.reference(path), W, q


def symmetric(W):
    return (W + W.T) / 2


def in_speeds(given, W, q):
    """The loader's problem in rows of one unit: torques over the lengths of `naive.lengths`."""
    if given["dimension"] == 3:
        return given, W, q, np.ones(len(q))
    blocks = naive.blocks_of([am.RollingCone(given["mu"], given["mu_rolling"])])
    length = naive.lengths(W.toarray(), blocks)
    S = sp.diags_array(length)
    even = {**given, "mu_rolling": given["mu_rolling"] / length[4::5]}
    return even, (S @ W @ S).tocsr(), S @ q, length


def test_loader_and_package_agree_on_reference_solutions(reference, loader):
    problem, stored, solutions, V, p = reference
    given, W, q, length = in_speeds(stored, V, p)

    def error(r, exact):
        """The larger one, of rows as they are stored and of rows of one unit."""
        own = loader.residual(stored, length * r, exact, V if exact else symmetric(V).tocsr(), p)
        return max(own, loader.residual(given, r, exact, W if exact else symmetric(W).tocsr(), q))

    for name, exact in (("ccp_r", False), ("exact_r", True)):
        r = solutions[name] / length
        got = am.residuals(problem, length * r, exact=exact)
        matrix = W if exact else symmetric(W)
        scaled = error(r, exact)
        rounding = 1e-14 * (abs(matrix) @ np.abs(r)).max() / np.linalg.norm(q)
        assert got.scaled == pytest.approx(scaled, rel=1e-6, abs=rounding + 1e-13)
        # a point that is no solution, where every digit counts
        away = loader.project(
            1.1 * r + 0.01 * np.abs(r).max(), given["mu"], given.get("mu_rolling")
        )
        got = am.residuals(problem, length * away, exact=exact)
        expected = error(away, exact)
        assert got.scaled == pytest.approx(expected, rel=1e-6)


def test_reference_solutions_are_solutions(reference):
    problem, _, solutions, _, _ = reference
    if solutions["ccp_W_shift"] == 0.0:
        found = am.residuals(problem, solutions["ccp_r"])
        assert found.scaled <= 1e-8
        assert found.objective == pytest.approx(float(solutions["ccp_objective"]), rel=1e-8)
    found = am.residuals(problem, solutions["exact_r"], exact=True)
    assert found.scaled <= 1.1e-9
    assert found.exact


def test_unscaled_measures_on_reference_solutions(reference, loader):
    """Paper 1 and 3's residuals are the unscaled natural map at a step of 1e-6."""
    problem, given, solutions, W, q = reference
    given, W, q, length = in_speeds(given, W, q)
    S = symmetric(W)
    mu, rolling, d = given["mu"], given.get("mu_rolling"), given["dimension"]
    for exact in (False, True):
        r = loader.project(0.9 * solutions["ccp_r"] / length + 1e-3, mu, rolling)
        u = (W if exact else S) @ r + q
        if exact:
            U = u.reshape(-1, d)
            slip = mu * np.hypot(U[:, 1], U[:, 2])
            slip = slip + (rolling * np.hypot(U[:, 3], U[:, 4]) if d == 5 else 0.0)
            U[:, 0] += slip
        step = 1e-6
        e = np.linalg.norm(r - loader.project(r - step * u, mu, rolling)) / step
        got = am.residuals(problem, length * r, exact=exact)
        rounding = 1e-14 * np.linalg.norm(r) / step
        assert got.paper1 == pytest.approx(e, rel=1e-5, abs=rounding)
        assert got.paper3 == pytest.approx(e / r.size, rel=1e-5, abs=rounding / r.size)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_every_measure_against_formulas(name, exact):
    made = case(name)
    rng = np.random.default_rng(0)
    for spread in (0.0, 1.0):
        gamma = made.projected(spread * rng.standard_normal(made.linear.size))
        got = am.residuals(made.problem, gamma, exact=exact)
        for measure in am.Measure:
            expected = made.error(gamma, exact=exact, measure=measure.value)
            assert got[measure] == got[measure.value] == getattr(got, measure.value)
            assert got[measure] == pytest.approx(
                expected, rel=1e-9, abs=made.noise(gamma, measure.value)
            )
        assert got.objective == pytest.approx(made.objective(gamma), rel=1e-9, abs=1e-13)


def test_measures_of_infeasible_impulses():
    """Whatever anybody hands in is judged: also what is outside its set."""
    made = case("mixed")
    gamma = np.random.default_rng(1).standard_normal(made.linear.size)
    got = am.residuals(made.problem, gamma)
    assert got.scaled == pytest.approx(made.error(gamma))
    assert got.impulse_violation > 0.1


def test_by_hand_one_contact():
    """W = 2I, q = (−4, 1, 0), μ = 0.5, γ = (2, 0, 0): u = (0, 1, 0)."""
    problem = am.ConeProblem.from_matrix(2.0 * np.eye(3), [-4.0, 1.0, 0.0], friction=0.5)
    got = am.residuals(problem, [2.0, 0.0, 0.0])
    # ρ = 3/6, x − ρu = (2, −0.5, 0), which is in the cone: e = (0, 0.5, 0)/0.5
    assert got.scaled == pytest.approx(1.0 / np.sqrt(17.0))
    assert got.paper1 == pytest.approx(1.0)
    assert got.paper3 == pytest.approx(1.0 / 3.0)
    assert got.objective == pytest.approx(0.5 * 2 * 4 - 8)
    assert got.impulse_violation == 0.0
    assert got.velocity_violation == pytest.approx(0.5)  # u_n ≥ μ‖u_t‖ is missed by μ
    assert got.complementarity == 0.0
    # De Saxcé: û = (0.5, 1, 0); x − ρû = (1.75, −0.5, 0), still in the cone
    exact = am.residuals(problem, [2.0, 0.0, 0.0], exact=True)
    assert exact.scaled == pytest.approx(np.sqrt(1.25) / np.sqrt(17.0))
    assert exact.velocity_violation == pytest.approx(0.0)
    assert exact.complementarity == pytest.approx(1.0)


def test_by_hand_interval():
    """u must vanish inside, and point inwards at an end."""
    sets = [am.Interval([-1.0, -1.0, -1.0, -np.inf], [1.0, 1.0, 1.0, 1.0])]
    problem = am.ConeProblem.from_matrix(np.eye(4), [3.0, -3.0, 0.0, 0.0], sets=sets)
    good = am.residuals(problem, [-1.0, 1.0, 0.0, 0.0])
    assert good.scaled == good.velocity_violation == good.complementarity == 0.0
    bad = am.residuals(problem, [0.0, 1.0, 2.0, -3.0])
    assert bad.impulse_violation == 1.0
    # |(x − end) u| of the first three rows, the last one has no end to lean on
    assert bad.complementarity == pytest.approx(3.0 + 0.0 + 6.0 + 12.0)


def test_solution_is_judged_zero_everywhere():
    for name in CASES:
        made = case(name)
        solution = am.APGD(tolerance=1e-11, max_iterations=100_000).solve(made.problem)
        found = solution.residuals
        size = np.abs(solution.velocities).max() + np.abs(made.linear).max()
        assert solution.converged
        assert found.velocity_violation <= 1e-8 * size
        assert found.complementarity <= 1e-7 * size * (np.abs(solution.impulses).max() + 1.0)
        assert found.impulse_violation <= 1e-12 * (1.0 + np.abs(solution.impulses).max())


@pytest.mark.parametrize("name", CASES)
def test_scaled_error_does_not_depend_on_units(name):
    made = case(name)
    gamma = made.projected(np.random.default_rng(2).standard_normal(made.linear.size))
    plain = am.residuals(made.problem, gamma)
    exact = am.residuals(made.problem, gamma, exact=True)
    for units in (Units(2.0**40, 2.0**-30), Units(2.0**-50, 2.0**20), Units(1e-3, 1e3)):
        other = build(name, units).problem
        got = am.residuals(other, units.impulse * gamma)
        assert got.scaled == pytest.approx(plain.scaled, rel=1e-9)
        assert got.objective == pytest.approx(
            plain.objective * units.impulse * units.speed, rel=1e-9
        )
        got = am.residuals(other, units.impulse * gamma, exact=True)
        assert got.scaled == pytest.approx(exact.scaled, rel=1e-9)


def test_scaled_error_cannot_be_fooled_by_large_impulses():
    """Adding what the matrix does not see changes nothing."""
    rng = np.random.default_rng(3)
    G = rng.standard_normal((9, 4))
    W, q = G @ G.T, G @ rng.standard_normal(4)
    unseen = np.linalg.svd(G.T)[2][-1]
    problem = am.ConeProblem.from_matrix(W, q, sets=[am.Free(9)])
    gamma = rng.standard_normal(9)
    one = am.residuals(problem, gamma).scaled
    other = am.residuals(problem, gamma + 1e4 * unseen).scaled
    assert other == pytest.approx(one, rel=1e-8)


def test_right_hand_side_of_zero_leaves_the_error_as_it_is():
    problem = am.ConeProblem.from_matrix(np.eye(3), np.zeros(3), sets=[am.Free(3)])
    assert am.residuals(problem, [3.0, 0.0, 4.0]).scaled == pytest.approx(5.0)


def test_bad_arguments_are_refused():
    problem = case("coulomb").problem
    with pytest.raises(am.InputError, match="15 entries"):
        am.residuals(problem, np.zeros(14))
    with pytest.raises(am.InputError, match=r"impulses\[3\] is nan"):
        am.residuals(problem, np.where(np.arange(15) == 3, np.nan, 0.0))
    with pytest.raises(am.InputError, match="unknown measure 'best'"):
        Gauge.of(problem, "best")
    with pytest.raises(ValueError, match="best"):
        am.residuals(problem, np.zeros(15))["best"]


def test_exact_and_convex_agree_where_nothing_slides():
    """Without slip the De Saxcé term vanishes: sticking solutions solve both."""
    problem = am.ConeProblem.from_matrix(np.eye(3), [-1.0, 0.1, 0.1], friction=0.8)
    solution = am.APGD(tolerance=1e-12).solve(problem)
    assert np.abs(solution.velocities).max() <= 1e-10
    assert am.residuals(problem, solution.impulses, exact=True).scaled <= 1e-11


def test_exact_solution_slides_where_the_convex_one_lifts():
    """A sliding block: the convex problem lifts it by μ‖u_t‖, exact friction does not."""
    mu = 0.3
    problem = am.ConeProblem.from_matrix(np.eye(3), [-1.0, 2.0, 0.0], friction=mu)
    convex = am.APGD(tolerance=1e-12).solve(problem)
    exact = am.ExactCoulomb(tolerance=1e-11).solve(problem)
    slip = np.linalg.norm(convex.velocities[1:])
    assert convex.velocities[0] == pytest.approx(mu * slip)
    assert exact.velocities[0] == pytest.approx(0.0, abs=1e-9)
    assert exact.impulses[0] == pytest.approx(1.0)
    assert np.linalg.norm(exact.impulses[1:]) == pytest.approx(mu)
    blocks = naive.blocks_of([am.CoulombCone([mu])])
    assert (
        naive.error(np.eye(3), np.array([-1.0, 2.0, 0.0]), blocks, exact.impulses, exact=True)
        <= 1e-10
    )
