"""The contract of a solver: small named checks, each of which raises `ContractError` if it fails.

Every number a solution claims is compared with `naive`, which shares no kernel with the package.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator

import numpy as np

from amontons.problem.solution import Status
from amontons.solvers.base import Solver
from amontons.testing.judging import (
    Kinds,
    NamedCheck,
    changed,
    empty_problems,
    expect,
    expect_honest,
    named_checks,
    parallel_kernels,
    supported,
    supports,
    threads,
)
from amontons.testing.problems import HARD, Units, build, case
from amontons.testing.solver_conduct import (
    check_bad_guess_is_refused,
    check_callback_can_stop,
    check_callback_sees_every_iteration,
    check_guess_and_problem_are_left_alone,
    check_history_is_consistent,
    check_respects_the_iteration_limit,
    check_respects_the_time_limit,
    check_returns_the_best_iterate,
    check_runs_are_repeatable,
    check_settings_are_frozen_and_keyword_only,
)

Check = Callable[[Solver, Kinds], None]


def check_solver(solver: Solver, *, kinds: Kinds = None) -> None:
    """Run every check of the contract on a solver; raise `ContractError` at the first that fails.

    Parameters
    ----------
    solver:
        Any instance. It is judged by its own tolerance and measure.
    kinds:
        Names of `amontons.testing.CASES` that it must solve. By default it may refuse any of them
        with `UnsupportedProblemError`, but not all.
    """
    for _, check in solver_checks(solver, kinds=kinds):
        check()


def solver_checks(solver: Solver, *, kinds: Kinds = None) -> Iterator[NamedCheck]:
    """Name and check, one by one, for `pytest.mark.parametrize`."""
    return named_checks(CHECKS, solver, kinds)


# -- the answers ----------------------------------------------------------------------------------


def check_solves_every_kind(solver: Solver, kinds: Kinds) -> None:
    """Every problem is solved to the tolerance, or refused before any work."""
    taken = supported(solver, kinds)
    expect(bool(taken), "it refuses problems of every kind")
    for name in taken:
        solution = solver.solve(case(name).problem)
        expect_honest(solver, case(name), solution)
        expect(
            solution.converged,
            f"on {name}: {solution.status} at {solution.residual:.2e} ({solution.message})",
        )


def check_parallel_kernels_solve_every_kind(solver: Solver, kinds: Kinds) -> None:
    """The same with the parallel form of every kernel, and the two agree."""
    for name in supported(solver, kinds):
        serial = solver.solve(case(name).problem)
        with parallel_kernels(), threads(1):  # two of them are for check_runs_are_repeatable
            other = build(name)
            solution = solver.solve(other.problem)
        expect_honest(solver, other, solution)
        expect(solution.converged, f"on {name}, parallel: {solution.status}")
        scale = max(abs(serial.objective), abs(serial.objective - solution.objective))
        # a point within the tolerance has an objective within about tolerance² of the best one,
        # but for exact friction, which minimises nothing
        allowed = 1e3 * solver.tolerance * scale + 1e-300
        expect(
            abs(serial.objective - solution.objective) <= allowed,
            f"on {name}: objective {serial.objective!r} serial, {solution.objective!r} parallel",
        )


def check_warm_start_ends_at_once(solver: Solver, kinds: Kinds) -> None:
    """Started from its own solution, a solver has nothing to do; from a nearby one, less to do."""
    for name in supported(solver, kinds):
        problem = case(name).problem
        cold = solver.solve(problem)
        warm = solver.solve(problem, guess=cold.impulses)
        expect(
            warm.iterations == 0 and warm.converged,
            f"on {name}: {warm.iterations} iterations from the solution ({warm.status})",
        )
        expect_honest(solver, case(name), warm)


def check_empty_problem(solver: Solver, kinds: Kinds) -> None:
    """An empty problem is solved in no iterations."""
    for problem in empty_problems():
        solution = solver.solve(problem)
        expect(solution.converged, f"an empty problem: {solution.status}")
        expect(solution.iterations == 0, f"an empty problem took {solution.iterations} iterations")
        expect(solution.impulses.shape == (0,), f"shape {solution.impulses.shape} of no impulses")
        expect(solution.residual == 0.0, "an empty problem has a residual")
        expect(solution.objective == 0.0, "an empty problem has an objective")


def check_zero_right_hand_side(solver: Solver, kinds: Kinds) -> None:
    """With r = 0, the answer is zero impulses, at once."""
    for name in supported(solver, kinds):
        full = case(name)
        if any(block.cohesion for block in full.blocks):
            continue
        problem = full.problem.with_linear(np.zeros(full.linear.size))
        problem.linear_norm = 0.0
        solution = solver.solve(problem)
        expect(solution.converged, f"on {name} with r = 0: {solution.status}")
        expect(solution.iterations == 0, f"on {name} with r = 0: {solution.iterations} iterations")
        expect(not solution.impulses.any(), f"on {name} with r = 0: impulses are not zero")


def check_hard_problems_end_honestly(solver: Solver, kinds: Kinds) -> None:
    """Rank-deficient, masses from 1e-6 to 1e6: no exception, no warning, an honest status."""
    for name in HARD:
        hard = case(name)
        if kinds is not None or not supports(solver, hard.problem):
            continue
        for settings in ({"max_iterations": 300}, {"max_iterations": 300, "tolerance": 0.0}):
            run = changed(solver, **settings)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                solution = run.solve(hard.problem)
            expect_honest(run, hard, solution)
            expect(solution.status is not Status.INVALID, f"on {name}: {solution.message}")


def check_units_do_not_matter(solver: Solver, kinds: Kinds) -> None:
    """In other units of mass and time a run is the same: status, iterations and scaled error."""
    if str(solver.measure) != "scaled":
        return
    names = supported(solver, kinds)
    for units in (Units(2.0**40, 2.0**40), Units(2.0**-40, 2.0**-30), Units(1e-3, 1e2)):
        for name in names:
            plain = solver.solve(case(name).problem)
            other = build(name, units)
            solution = solver.solve(other.problem)
            where = f"on {name} in units {units}: "
            expect_honest(solver, other, solution)
            expect(
                solution.status is plain.status, where + f"{solution.status}, not {plain.status}"
            )
            power_of_two = math.frexp(units.mass)[0] == 0.5 and math.frexp(units.speed)[0] == 0.5
            if not power_of_two:
                continue  # rounding differs, and with it may the number of iterations
            expect(
                solution.iterations == plain.iterations,
                where + f"{solution.iterations} iterations, not {plain.iterations}",
            )
            drift = 1e-6 * plain.residual + case(name).noise(plain.impulses)
            expect(
                abs(solution.residual - plain.residual) <= drift,
                where + f"residual {solution.residual!r}, not {plain.residual!r}",
            )
            away = abs(solution.impulses / units.impulse - plain.impulses).max()
            size = abs(plain.impulses).max()
            expect(bool(away <= 1e-6 * size), where + "impulses do not scale")


CHECKS: tuple[Check, ...] = (
    check_settings_are_frozen_and_keyword_only,
    check_solves_every_kind,
    check_parallel_kernels_solve_every_kind,
    check_respects_the_iteration_limit,
    check_respects_the_time_limit,
    check_returns_the_best_iterate,
    check_history_is_consistent,
    check_callback_sees_every_iteration,
    check_callback_can_stop,
    check_warm_start_ends_at_once,
    check_guess_and_problem_are_left_alone,
    check_empty_problem,
    check_zero_right_hand_side,
    check_runs_are_repeatable,
    check_bad_guess_is_refused,
    check_hard_problems_end_honestly,
    check_units_do_not_matter,
)
"""Every check, in the order in which `check_solver` runs them."""
