"""The direct solver against dense algebra, the interior point method and closed forms."""

import numpy as np
import pytest

import amontons as am
from amontons.problem.operators import BodyOperator
from amontons.problem.problem import ConeProblem
from amontons.problem.sets import Free, Interval, NonNegative
from amontons.testing import build
from amontons.testing.scenes import RigidScene


def scene(seed: int, **options: int) -> RigidScene:
    return RigidScene(np.random.default_rng(seed), **options)


def of_scalars(rows: RigidScene, sets: list, **options) -> tuple[ConeProblem, np.ndarray]:
    """A problem of scalar rows alone, and its dense matrix."""
    operator = BodyOperator(
        inverse_mass=rows.inverse_mass,
        inverse_inertia=rows.inverse_inertia,
        bodies_a=rows.a,
        bodies_b=rows.b,
        jacobian=rows.jacobian,
    )
    D = np.vstack([rows.scalar_row(s) for s in range(rows.scalars)])
    q = rows.rng.standard_normal(rows.scalars)
    return ConeProblem(operator, q, sets, **options), D @ rows.inverse_mass_matrix() @ D.T


@pytest.mark.parametrize("seed", range(4))
def test_bilateral_rows_are_a_linear_system(seed):
    problem, W = of_scalars(scene(seed, bodies=6, contacts=0, scalars=12), [Free(12)])
    found = am.Direct(tolerance=1e-12).solve(problem)
    assert found.converged
    assert found.iterations == 1
    assert np.allclose(found.impulses, np.linalg.solve(W, -problem.given_linear), rtol=1e-9)


def test_compliance_of_bilateral_rows_counts():
    rng = np.random.default_rng(3)
    soft = rng.uniform(0.1, 1.0, 12)
    rows = scene(5, bodies=3, contacts=0, scalars=12)  # more rows than three bodies can hold
    problem, W = of_scalars(rows, [Free(12)], compliance=soft)
    found = am.Direct(tolerance=1e-12).solve(problem)
    expected = np.linalg.solve(W + np.diag(soft), -problem.given_linear)
    assert np.allclose(found.impulses, expected, rtol=1e-8)


def test_rows_that_say_the_same_twice_are_no_obstacle():
    rows = scene(1, bodies=4, contacts=0, scalars=6)
    rows.a[3:], rows.b[3:], rows.jacobian[3:] = rows.a[:3], rows.b[:3], rows.jacobian[:3]
    problem, W = of_scalars(rows, [Free(6)])
    q = np.tile(problem.given_linear[:3], 2)
    problem = ConeProblem(problem.operator, q, [Free(6)])
    assert np.linalg.matrix_rank(W) == 3
    found = am.Direct(tolerance=1e-10).solve(problem)
    assert found.converged
    assert np.abs(found.velocities).max() < 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_limits_and_bounded_motors_agree_with_the_interior_point_method(seed):
    rows = scene(seed, bodies=6, contacts=0, scalars=14)
    sets = [Free(5), NonNegative(5), Interval(np.full(4, -0.2), np.full(4, 0.3))]
    problem, _ = of_scalars(rows, sets)
    found = am.Direct(tolerance=1e-10).solve(problem)
    other = am.InteriorPoint(tolerance=1e-11).solve(problem)
    assert found.converged
    assert np.allclose(found.velocities, other.velocities, atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_contacts_agree_with_the_interior_point_method(seed):
    problem = scene(seed, bodies=5, contacts=8).of_contacts("contacts").problem
    found = am.Direct(tolerance=1e-10).solve(problem)
    other = am.InteriorPoint(tolerance=1e-11).solve(problem)
    assert found.converged
    assert np.allclose(found.velocities, other.velocities, atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_exact_friction_is_confirmed_by_the_judge(seed):
    problem = scene(seed, bodies=5, contacts=6).of_contacts("exact").problem
    found = am.Direct(tolerance=1e-9, exact=True).solve(problem)
    assert found.converged
    judged = am.residuals(problem, found.impulses, exact=True)
    assert judged.scaled <= 1e-9
    relaxed = am.Direct(tolerance=1e-9).solve(problem)
    assert am.residuals(problem, relaxed.impulses, exact=True).scaled > 1e-3


@pytest.mark.parametrize("exact", [False, True])
def test_a_sliding_point_feels_coulombs_law(exact):
    """A point of mass 2 that comes down at 1 m/s and slides at 5 m/s: γ_n = m v, γ_t = μ m v.

    The relaxation lifts it by μ‖u_t‖, and so pushes harder.
    """
    mass, mu = 2.0, 0.4
    problem = ConeProblem.from_contacts(
        inverse_mass=[0.0, 1.0 / mass],
        inverse_inertia=np.zeros((2, 3, 3)),
        bodies_a=[0],
        bodies_b=[1],
        normals=[[0.0, 0.0, 1.0]],
        arms_a=np.zeros((1, 3)),
        arms_b=np.zeros((1, 3)),
        free_velocity=[[0.0] * 6, [5.0, 0.0, -1.0, 0.0, 0.0, 0.0]],
        friction=mu,
    )
    found = am.Direct(tolerance=1e-12, exact=exact).solve(problem)
    push = mass * 1.0 if exact else mass * (1.0 + mu * 5.0) / (1.0 + mu * mu)
    assert np.allclose(found.impulses, [-mu * push, 0.0, push], atol=1e-10)


@pytest.mark.parametrize("name", ["bodies-torque", "coulomb", "factored"])
def test_refuses_what_it_cannot_do(name):
    with pytest.raises(am.UnsupportedProblemError, match="use Auto"):
        am.Direct().solve(build(name).problem)


def test_auto_begins_with_it():
    problem, _ = of_scalars(scene(2, bodies=8, contacts=0, scalars=20), [Free(20)])
    found = am.Auto(tolerance=1e-10).solve(problem)
    direct = am.Direct(tolerance=1e-10).solve(problem)
    assert found.iterations == direct.iterations == 1
    assert np.array_equal(found.impulses, direct.impulses)
