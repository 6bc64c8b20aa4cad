"""Solvers on problems in files: optima that are known, and an honest word where they fail."""

import importlib.util

import numpy as np
import pytest

import amontons as am
from amontons.solvers import SOLVERS
from helpers.stored_problems import OWN, load, own, reference

TOLERANCE, LIMIT = 1e-6, 20_000

every_problem = pytest.mark.parametrize("path", own(), ids=lambda path: path.stem)


@every_problem
@pytest.mark.parametrize("kind", [am.APGD, am.Auto, am.InteriorPoint])
def test_robust_solvers_reach_the_optimum(kind, path):
    found = kind(tolerance=TOLERANCE, max_iterations=LIMIT).solve(load(path))
    assert found.converged
    expected = float(reference(path)["ccp_objective"])
    assert found.objective == pytest.approx(expected, rel=1e-7)


@every_problem
@pytest.mark.parametrize("name", SOLVERS)
def test_no_solver_boasts(name, path):
    problem = load(path)
    solver = SOLVERS[name](tolerance=TOLERANCE, max_iterations=300)
    try:
        found = solver.solve(problem)
    except am.UnsupportedProblemError:
        assert name in ("conjugate-gradient", "minimum-residual", "direct")
        return
    judged = am.residuals(problem, found.impulses)
    assert found.residual == pytest.approx(judged.scaled, rel=1e-6, abs=1e-12)
    assert found.converged == (found.residual <= TOLERANCE)
    best = float(reference(path)["ccp_objective"])
    assert found.objective >= best - 1e-7 * abs(best)  # of feasible points, none is below


@every_problem
@pytest.mark.parametrize("inner", [am.APGD(), am.SpectralGradient(), am.GaussSeidel()], ids=repr)
def test_exact_friction_in_one_loop(inner, path):
    """Whatever the loop and its safeguard find, is judged by the exact law and said as it is."""
    problem = load(path)
    solver = am.ExactCoulomb(tolerance=1e-3, max_iterations=2000, inner=inner, persist=False)
    found = solver.solve(problem)
    judged = am.residuals(problem, found.impulses, exact=True).scaled
    assert found.residual == pytest.approx(judged, rel=1e-6, abs=1e-12)
    assert found.converged == (judged <= 1e-3)
    if isinstance(inner, am.APGD):
        assert found.converged


@every_problem
def test_exact_friction(path):
    problem = load(path)
    found = am.ExactCoulomb(tolerance=TOLERANCE, max_iterations=LIMIT).solve(problem)
    assert found.converged
    assert am.residuals(problem, found.impulses, exact=True).scaled <= TOLERANCE


@pytest.mark.parametrize("name", ["wall", "plates", "rolling_balls"])
def test_the_script_still_makes_them(name, tmp_path):
    spec = importlib.util.spec_from_file_location("make_problems", OWN / "make.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.make(name, tmp_path)
    made, stored = tmp_path / f"{name}.npz", OWN / f"{name}.npz"
    with np.load(made) as new, np.load(stored) as old:
        assert set(new) == set(old)
        # how many entries of a matrix are exactly zero is a matter of rounding
        fixed = [key for key in old if not key.endswith(("_data", "_indices"))]
        assert {key: new[key].shape for key in fixed} == {key: old[key].shape for key in fixed}
    assert reference(made)["ccp_objective"] == pytest.approx(
        float(reference(stored)["ccp_objective"]), rel=1e-6
    )
