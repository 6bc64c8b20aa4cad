"""The interior point method and the automatic choice, as their users meet them."""

import logging
from pathlib import Path

import numpy as np
import pytest

import amontons as am
from amontons.solvers.interior_point.linear_system import cost
from amontons.testing import case
from amontons.testing.problems import build
from helpers.stored_problems import load, own, reference, shared

QUICK = [
    "Box_Stacks-i0035-31-0",
    "BoxesStack1-i100000-32",
    "Capsules-i122-1617",
    "Confeti-ex03",
    "OneObject-i100000-316",
    "RFC3D_cube_1",
    "RockPile_tob1",
    "Rover1041",
]


@pytest.mark.parametrize("path", own() + shared(QUICK), ids=lambda path: path.stem)
def test_real_problems_to_1e_10_in_few_iterations(path):
    problem = load(path)
    solution = am.InteriorPoint(tolerance=1e-10, max_iterations=40).solve(problem)
    assert solution.converged
    known = reference(path)
    if not known["ccp_W_shift"]:
        assert solution.objective == pytest.approx(float(known["ccp_objective"]), rel=1e-9)


@pytest.mark.parametrize("start", ["nocedal", "dapuzzo"])
@pytest.mark.parametrize("warm", ["none", "partial", "full"])
def test_every_start_leads_to_the_optimum(start, warm):
    solver = am.InteriorPoint(tolerance=1e-9, start=start, warm=warm)
    for name in ("mixed", "bodies-extras", "compliance-cohesion"):
        problem = case(name).problem
        guess = am.APGD(tolerance=1e-12, max_iterations=8).solve(problem)
        found = solver.solve(problem, guess=guess.impulses)
        assert found.converged
        best = am.APGD(tolerance=1e-9).solve(problem).objective
        assert found.objective == pytest.approx(best, rel=1e-7)


def stack(ratio=1.0, count=10, *, mass=None, sideways=0.05):
    """Plates on four feet each: hyperstatic, so that impulses are not unique."""
    mass = np.geomspace(1.0, ratio, count) if mass is None else np.asarray(mass)
    upper = np.repeat(np.arange(count), 4)
    feet = 0.5 * np.array([[x, y, 0.0] for x in (-1, 1) for y in (-1, 1)])
    up = np.array([0.0, 0.0, 0.05])
    return am.ConeProblem.from_contacts(
        inverse_mass=1.0 / mass,
        inverse_inertia=np.eye(3) * (6.0 / mass)[:, None, None],
        bodies_a=upper - 1,
        bodies_b=upper,
        normals=np.tile([0.0, 0.0, 1.0], (4 * count, 1)),
        arms_a=np.tile(feet + up, (count, 1)),
        arms_b=np.tile(feet - up, (count, 1)),
        free_velocity=np.tile([sideways, 0.0, -0.1, 0.0, 0.0, 0.0], (count, 1)),
        friction=0.5,
    )


def test_mass_ratios_hardly_change_the_number_of_iterations():
    counts = []
    for ratio in (1.0, 1e3, 1e6):
        solution = am.InteriorPoint(tolerance=1e-8).solve(stack(ratio))
        assert solution.converged
        counts.append(solution.iterations)
    assert max(counts) <= 1.3 * np.mean(counts)


@pytest.mark.parametrize("count", [6, 20])
def test_light_and_heavy_plates_in_turns(count):
    """The regularisation outweighs what carries the heavy ones; plain refinement took 86."""
    mass = np.where(np.arange(count) % 2, 1e6, 1.0)
    solution = am.InteriorPoint(tolerance=1e-8).solve(stack(count=count, mass=mass, sideways=0.04))
    assert solution.converged
    assert solution.iterations <= 30


def test_warm_start_saves_iterations():
    problem = stack()
    solver = am.InteriorPoint(tolerance=1e-9)
    cold = solver.solve(problem)
    shaken = problem.with_linear(problem.linear * 1.001)
    warm = solver.solve(shaken, guess=cold.impulses)
    assert warm.converged
    assert warm.iterations < solver.solve(shaken).iterations


def test_spaces_and_libraries_agree():
    problem = stack(100.0)
    best = am.InteriorPoint(tolerance=1e-10).solve(problem)
    for settings in (
        {"space": "bodies"},
        {"space": "contacts"},
        {"factorisation": "superlu"},
    ):
        other = am.InteriorPoint(tolerance=1e-10, **settings).solve(problem)
        assert other.converged
        assert other.objective == pytest.approx(best.objective, rel=1e-10)


def test_stopping_test_of_the_paper():
    solution = am.InteriorPoint(tolerance=1e-15, stop_as_paper=True).solve(stack())
    assert solution.status is am.Status.STOPPED
    assert "eq. 38" in solution.message
    assert solution.residual < 1e-2


def test_redundant_joints_are_solved_and_exact():
    rng = np.random.default_rng(0)
    G = rng.standard_normal((12, 5))
    W = G @ G.T  # twelve rows of rank five
    q = W @ rng.standard_normal(12)
    problem = am.ConeProblem.from_matrix(W, q, sets=[am.Free(12)])
    for solver in (am.InteriorPoint(tolerance=1e-9), am.Auto(tolerance=1e-9)):
        solution = solver.solve(problem)
        assert solution.converged
        np.testing.assert_allclose(W @ solution.impulses, -q, atol=1e-7)


# -- bad input ------------------------------------------------------------------------------------


def test_contradictory_joints_are_named():
    # rows 1 and 3 are the same constraint with different right-hand sides
    A = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]])
    problem = am.ConeProblem.from_matrix(A @ A.T, [0.1, 1.0, 0.2, -1.0], sets=[am.Free(4)])
    for solver in (am.InteriorPoint(), am.Auto()):
        solution = solver.solve(problem)
        assert solution.status is am.Status.INFEASIBLE
        assert "blocks 1, 3 at once" in solution.message


def test_contact_that_nothing_can_part_is_named():
    # block 1 is between immovable bodies that approach each other: unbounded below
    W = np.diag([1.0, 0.0, 2.0])
    problem = am.ConeProblem.from_matrix(W, [-1.0, -1.0, 0.5])
    solution = am.InteriorPoint().solve(problem)
    assert solution.status is am.Status.INFEASIBLE
    assert "blocks 1 at once" in solution.message


def test_memory_is_estimated_before_it_is_asked_for(monkeypatch):
    problem = stack(count=400)
    monkeypatch.setattr(cost, "available_memory", lambda: 1e5)
    with pytest.raises(am.InsufficientMemoryError, match="GB are free; use APGD"):
        am.InteriorPoint().solve(problem)


@pytest.mark.parametrize(
    "wrong",
    [
        {"start": "anywhere"},
        {"warm": "hot"},
        {"space": "outer"},
        {"factorisation": "guess"},
        {"regularisation": 0.0},
        {"regularisation": np.nan},
    ],
)
def test_unknown_settings_are_refused(wrong):
    with pytest.raises(am.InputError):
        am.InteriorPoint(**wrong)


def test_missing_library_is_named(monkeypatch):
    from amontons.solvers.interior_point.linear_system import factorisation

    monkeypatch.setattr(factorisation.Pardiso, "available", classmethod(lambda cls: False))
    with pytest.raises(am.InputError, match="pypardiso"):
        am.InteriorPoint(factorisation="pardiso")


# -- the automatic choice -------------------------------------------------------------------------


def test_auto_says_why_it_switches(caplog):
    with caplog.at_level(logging.INFO, logger="amontons"):
        solution = am.Auto(tolerance=1e-8).solve(stack(1e6, count=20))
    assert solution.converged
    assert "InteriorPoint takes over" in caplog.text
    assert "would take" in caplog.text


def test_auto_stays_with_what_converges(caplog):
    with caplog.at_level(logging.INFO, logger="amontons"):
        solution = am.Auto(tolerance=1e-4).solve(case("coulomb").problem)
    assert solution.converged
    assert "takes over" not in caplog.text


def test_auto_needs_no_factorisation_that_does_not_fit(monkeypatch):
    from amontons.solvers import auto

    monkeypatch.setattr(auto, "available_memory", lambda: 10.0)
    solution = am.Auto(tolerance=1e-6).solve(stack(10.0))
    assert solution.converged


def test_auto_refuses_another_interior():
    with pytest.raises(am.InputError, match="InteriorPoint"):
        am.Auto(interior=am.APGD())


def test_exact_friction_with_the_interior_point_inside():
    for name in ("coulomb", "rolling", "bodies-torque"):
        solver = am.ExactCoulomb(inner=am.InteriorPoint(), tolerance=1e-10)
        assert solver.solve(case(name).problem).converged


@pytest.mark.parametrize("name", ["pressed_bed_hardly_held", "pressed_bed_sliding"])
def test_regularisation_that_refinement_does_not_remove_is_lowered(name):
    """Steps of `PressedBed(60, width=1.0)`, a few directions of which hardly any contact holds.

    With a δ of 1e-8 throughout, iterations stall at residuals of 1.5e-8 and 5.4e-8; with the matrix
    over bodies to the end, at 1e-11 to 4e-10, as the last digits of the problem have it.
    """
    problem = am.ConeProblem.load(Path(__file__).parent / "data" / f"{name}.npz")
    solution = am.InteriorPoint(tolerance=1e-12).solve(problem)
    assert solution.converged
    assert solution.iterations <= 40
    other = am.APGD(tolerance=1e-5, max_iterations=20_000).solve(problem)
    assert other.converged
    assert other.objective - 1e-4 * abs(other.objective) < solution.objective <= other.objective


def shaken(problem, seed):
    """A problem whose linear term is off in its last digit, in place."""
    rng, linear = np.random.default_rng(seed), problem.even.linear
    linear.flags.writeable = True
    linear *= 1.0 + np.finfo(float).eps * rng.integers(-1, 2, linear.size)
    return problem


@pytest.mark.parametrize("start", ["nocedal", "dapuzzo"])
@pytest.mark.parametrize("name", ["bodies", "bodies-torque", "bodies-mixed", "factored"])
def test_last_digits_of_a_problem_decide_nothing(name, start):
    """More rows than freedoms; with a σ down to zero, errors end between 1e-12 and 1e-10."""
    solver = am.InteriorPoint(start=start, tolerance=1e-12)
    found = [solver.solve(shaken(build(name).problem, seed)) for seed in range(6)]
    assert all(each.converged for each in found)
    assert np.ptp([each.iterations for each in found]) <= 1


@pytest.mark.parametrize("start", ["nocedal", "dapuzzo"])
def test_last_digits_of_a_bed_decide_nothing(start):
    """Contacts at the edge of their cones that do not slip: no strict complementarity."""
    solver = am.InteriorPoint(start=start, tolerance=1e-12)
    path = Path(__file__).parent / "data" / "pressed_bed_hardly_held.npz"
    for seed in range(3):
        assert solver.solve(shaken(am.ConeProblem.load(path), seed)).converged
