"""Every solver keeps the contract of `amontons.testing`, and a dishonest one is found out."""

import dataclasses
from dataclasses import dataclass

import numpy as np
import pytest

import amontons as am
from amontons.solvers.base import Iterate
from amontons.testing import CASES, ContractError, case, check_solver, judging, solver_checks
from amontons.testing import solvers as contract

pytestmark = pytest.mark.usefixtures("one_thread")  # the contract tries two by itself

SOLVERS = {
    "apgd": am.APGD(),
    "apgd-block": am.APGD(scaling="block", restart=False),
    "apgd-paper1": am.APGD(measure="paper1", tolerance=1e-4),
    "apgd-paper3": am.APGD(measure="paper3", tolerance=1e-5),
    "spectral-gradient": am.SpectralGradient(),
    "gauss-seidel": am.GaussSeidel(),
    "gauss-seidel-parallel": am.GaussSeidel(parallel=True),
    "gauss-seidel-symmetric": am.GaussSeidel(symmetric=True),
    "gauss-seidel-full": am.GaussSeidel(step="full"),
    "sor": am.GaussSeidel(relaxation=1.3),
    "auto": am.Auto(),
    "interior-point": am.InteriorPoint(),
    "interior-point-dapuzzo": am.InteriorPoint(start="dapuzzo", tolerance=1e-10),
    "jacobi": am.Jacobi(),
    "jacobi-full": am.Jacobi(step="full"),
    "conjugate-gradient": am.ConjugateGradient(),
    "minimum-residual": am.MinimumResidual(),
    "direct": am.Direct(),
    "direct-exact": am.Direct(exact=True),
    "exact-coulomb": am.ExactCoulomb(),
    "exact-coulomb-gauss-seidel": am.ExactCoulomb(inner=am.GaussSeidel(step="full")),
}

USUAL = ("apgd", "spectral-gradient", "gauss-seidel", "auto", "interior-point", "jacobi",
         "conjugate-gradient", "minimum-residual", "exact-coulomb")  # fmt: skip
"""With their settings as they come; the fast set leaves the others out."""

LONG = "units_do_not_matter"
"""The check that takes a third of the time of all seventeen."""

BILATERAL = ("free", "bodies-free", "factored-free")


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(
            check,
            id=f"{solver}-{name}",
            marks=pytest.mark.slow if name == LONG or solver not in USUAL else (),
        )
        for solver, instance in SOLVERS.items()
        for name, check in solver_checks(instance)
    ],
)
def test_contract(check):
    check()


@pytest.mark.parametrize(
    "name", [name for name in SOLVERS if "gradient" not in name and "direct" not in name]
)
def test_general_solvers_refuse_nothing(name):
    if name == "minimum-residual":
        assert judging.supported(SOLVERS[name], None) == list(BILATERAL)
    else:
        assert judging.supported(SOLVERS[name], None) == list(CASES)


def test_krylov_solvers_take_bilateral_problems_only():
    for solver in (am.ConjugateGradient(), am.MinimumResidual()):
        dict(solver_checks(solver, kinds=["free"]))["solves_every_kind"]()
        with pytest.raises(am.UnsupportedProblemError, match="coulomb"):
            solver.solve(case("coulomb").problem)
        with pytest.raises(ContractError, match="must solve"):
            dict(solver_checks(solver, kinds=["free", "coulomb"]))["solves_every_kind"]()


@pytest.mark.parametrize("tolerance", [1e-2, 1e-10])
def test_contract_holds_at_other_tolerances(tolerance):
    for solver in (am.APGD(tolerance=tolerance), am.SpectralGradient(tolerance=tolerance)):
        for name, check in solver_checks(solver):
            if name in ("solves_every_kind", "warm_start_ends_at_once", "history_is_consistent"):
                check()


def test_exact_coulomb_keeps_its_time_limit_inside_the_inner_solver():
    # an inner problem that is to be solved far beyond rounding: only the clock can end it
    solver = am.ExactCoulomb(
        tolerance=0.0,
        forcing=1e-12,
        max_iterations=10**9,
        patience=10**9,
        time_limit=0.05,
        inner=am.APGD(patience=10**5),
    )
    problem = case("hard-bodies").problem
    am.ExactCoulomb(max_iterations=2).solve(problem)  # compiles
    assert solver.solve(problem).time < 0.5


@pytest.mark.slow
def test_exact_coulomb_counts_no_more_than_its_iterations():
    for limit in range(1, 60, 7):
        solver = am.ExactCoulomb(tolerance=0.0, max_iterations=limit)
        for name in ("coulomb", "bodies", "mixed"):
            assert solver.solve(case(name).problem).iterations <= limit


@pytest.mark.slow
def test_solvers_agree_on_the_optimum():
    convex = [s for s in SOLVERS.values() if not s.exact and s.measure == "scaled"]
    for name in CASES:
        objectives = []
        for solver in convex:
            try:
                tight = dataclasses.replace(solver, tolerance=1e-8, max_iterations=100_000)
                objectives.append(tight.solve(case(name).problem).objective)
            except am.UnsupportedProblemError:
                continue
        assert len(objectives) >= 8
        assert np.ptp(objectives) <= 1e-9 * max(abs(np.array(objectives)).max(), 1e-3)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Boaster(am.Solver):
    """Thinks that its first point, zero, is better than the solution that it then visits."""

    def iterations(self, problem, x, gauge, buffers):
        zero = buffers.projected(problem, np.zeros(problem.rows))
        yield Iterate(zero, 0.1 * self.tolerance, 0.0)
        found = am.APGD(tolerance=0.1 * self.tolerance, max_iterations=10**5).solve(problem)
        yield Iterate(buffers.projected(problem, problem.unknowns(found.impulses), zero),
                      0.5 * self.tolerance, found.objective)  # fmt: skip


def test_the_point_that_is_confirmed_is_the_one_that_is_returned():
    problem = case("bodies").problem
    solution = Boaster(tolerance=1e-6).solve(problem)
    assert solution.converged
    assert solution.iterations == 1
    assert solution.residual <= 1e-6
    assert am.residuals(problem, solution.impulses).scaled <= 1e-6


# -- dishonest solvers ----------------------------------------------------------------------------


class Liar(am.APGD):
    """Gives up after three iterations and says that it has converged."""

    def solve(self, problem, *, guess=None, callback=None):
        early = am.APGD(tolerance=0.0, max_iterations=3).solve(problem, guess=guess)
        return dataclasses.replace(
            early, status=am.Status.CONVERGED, residual=min(early.residual, 0.5 * self.tolerance)
        )


class Optimist(am.APGD):
    """Reports the true residual, and that it is good enough."""

    def solve(self, problem, *, guess=None, callback=None):
        early = am.APGD(tolerance=0.0, max_iterations=3).solve(problem, guess=guess)
        return dataclasses.replace(early, status=am.Status.CONVERGED)


class Endless(am.APGD):
    """Does not care about `max_iterations`."""

    def solve(self, problem, *, guess=None, callback=None):
        free = am.APGD(tolerance=self.tolerance, max_iterations=400)
        return free.solve(problem, guess=guess, callback=callback)


class Slow(am.APGD):
    """Does not care about `time_limit`."""

    def solve(self, problem, *, guess=None, callback=None):
        if self.time_limit < 1:
            free = am.APGD(tolerance=0.0, time_limit=1.6, max_iterations=10**9, patience=10**9)
            return free.solve(problem, guess=guess, callback=callback)
        return super().solve(problem, guess=guess, callback=callback)


class Scribbler(am.APGD):
    """Uses the guess as its own memory."""

    def solve(self, problem, *, guess=None, callback=None):
        solution = super().solve(problem, guess=guess, callback=callback)
        if isinstance(guess, np.ndarray) and guess.shape == solution.impulses.shape:
            guess[:] = solution.impulses
        return solution


class Vandal(am.APGD):
    """Leaves the problem other than it was."""

    def solve(self, problem, *, guess=None, callback=None):
        solution = super().solve(problem, guess=guess, callback=callback)
        if guess is not None and problem.rows:
            problem.linear = problem.linear * (1 + 1e-14)
        return solution


class Gambler(am.APGD):
    """Never does the same twice."""

    def solve(self, problem, *, guess=None, callback=None):
        solution = super().solve(problem, guess=guess, callback=callback)
        jitter = np.random.default_rng().uniform(1 - 1e-15, 1 + 1e-15, problem.rows)
        return dataclasses.replace(solution, impulses=solution.impulses * jitter)


class Deaf(am.APGD):
    """Never asks its callback."""

    def solve(self, problem, *, guess=None, callback=None):
        return super().solve(problem, guess=guess)


class Forgetful(am.APGD):
    """Starts from zero whatever it is given."""

    def solve(self, problem, *, guess=None, callback=None):
        return super().solve(problem, callback=callback)


class Metric(am.APGD):
    """Takes an absolute number for small."""

    def solve(self, problem, *, guess=None, callback=None):
        if problem.linear_norm > 1e6:
            quick = am.APGD(tolerance=self.tolerance, max_iterations=2)
            return quick.solve(problem, guess=guess, callback=callback)
        return super().solve(problem, guess=guess, callback=callback)


class Refuser(am.APGD):
    """Supports nothing."""

    def check(self, problem):
        raise am.UnsupportedProblemError("this solver is not made for anything")


@dataclass(frozen=True)
class Positional(am.APGD):
    """Has a setting that may be given by position."""

    extra: int = 3


class LastOne(am.Jacobi):
    """Returns its last iterate, however bad."""

    def solve(self, problem, *, guess=None, callback=None):
        solution = super().solve(problem, guess=guess, callback=callback)
        if solution.converged or not problem.rows:
            return solution
        worse = am.Jacobi(tolerance=0.0, max_iterations=0).solve(problem, guess=guess)
        return dataclasses.replace(
            worse, history=solution.history, iterations=solution.iterations, status=solution.status
        )


@pytest.mark.parametrize(
    ("solver", "broken"),
    [
        (Liar(), "solves_every_kind"),
        (Optimist(), "solves_every_kind"),
        (Endless(), "respects_the_iteration_limit"),
        pytest.param(Slow(), "respects_the_time_limit", marks=pytest.mark.slow),
        (Scribbler(), "guess_and_problem_are_left_alone"),
        (Vandal(), "guess_and_problem_are_left_alone"),
        (Gambler(), "runs_are_repeatable"),
        (Deaf(), "callback_sees_every_iteration"),
        (Deaf(), "callback_can_stop"),
        (Forgetful(), "warm_start_ends_at_once"),
        (Forgetful(), "bad_guess_is_refused"),
        (Metric(), "units_do_not_matter"),
        (Refuser(), "solves_every_kind"),
        (Positional(), "settings_are_frozen_and_keyword_only"),
        (LastOne(), "returns_the_best_iterate"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_dishonest_solver_is_found_out(solver, broken):
    with pytest.raises(ContractError):
        dict(solver_checks(solver))[broken]()


@pytest.mark.parametrize("solver", [Liar(), Optimist(), Endless(), Scribbler(), Refuser()])
def test_whole_contract_finds_a_dishonest_solver_out(solver):
    with pytest.raises(ContractError):
        check_solver(solver)


def test_contract_names_unknown_kinds():
    with pytest.raises(am.InputError, match="unknown kinds"):
        check_solver(am.APGD(), kinds=["no such thing"])


def test_checks_are_named_and_listed():
    names = [name for name, _ in solver_checks(am.APGD())]
    assert len(names) == len(set(names)) == len(contract.CHECKS)
    assert all(check.__doc__ for check in contract.CHECKS)
