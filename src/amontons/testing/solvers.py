"""The contract of a solver: small named checks, each of which raises `ContractError` if broken.

Every number a solution claims is compared with `naive`, which shares no kernel with the package.
"""

from __future__ import annotations

import dataclasses
import math
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import numpy as np

from amontons import _jit
from amontons.errors import InputError
from amontons.problem.solution import Status
from amontons.solvers.base import Progress, Solver
from amontons.testing.judging import (
    Kinds,
    changed,
    close,
    empty_problems,
    example,
    expect,
    expect_honest,
    fail,
    fingerprint,
    large,
    parallel_kernels,
    same_bits,
    supported,
    supports,
    threads,
)
from amontons.testing.problems import HARD, Units, build, case

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


def solver_checks(
    solver: Solver, *, kinds: Kinds = None
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check, one by one, for `pytest.mark.parametrize`."""
    for check in CHECKS:
        yield check.__name__.removeprefix("check_"), partial(check, solver, kinds)


# -- the checks -----------------------------------------------------------------------------------


def check_settings_are_frozen_and_keyword_only(solver: Solver, kinds: Kinds) -> None:
    """Settings are those of a frozen, keyword-only dataclass that rejects nonsense."""
    expect(dataclasses.is_dataclass(solver), "a solver must be a dataclass of settings")
    fields = dataclasses.fields(solver)
    try:
        setattr(solver, fields[0].name, getattr(solver, fields[0].name))
    except dataclasses.FrozenInstanceError:
        pass
    else:
        fail("settings can be changed; make the class a frozen dataclass")
    positional = [field.name for field in fields if field.init and not field.kw_only]
    expect(not positional, f"settings {positional} are not keyword-only")
    expect(changed(solver) == solver, "two solvers with the same settings must be equal")
    for nonsense in (
        {"tolerance": -1.0},
        {"tolerance": math.nan},
        {"max_iterations": -1},
        {"max_iterations": 1.5},
        {"time_limit": 0.0},
        {"measure": "guesswork"},
    ):
        try:
            changed(solver, **nonsense)
        except InputError:
            continue
        fail(f"{nonsense} must raise InputError")


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


def check_respects_the_iteration_limit(solver: Solver, kinds: Kinds) -> None:
    """Never more than `max_iterations`, and the status says that they were used up."""
    case = example(solver, kinds)
    for limit in (0, 1, 4):
        strict = changed(solver, tolerance=0.0, max_iterations=limit)
        solution = strict.solve(case.problem)
        expect_honest(strict, case, solution)
        expect(
            solution.iterations <= limit,
            f"{solution.iterations} iterations with max_iterations={limit}",
        )
        ended = solution.status in (Status.STALLED, Status.CONVERGED)
        expect(
            ended or (solution.status is Status.ITERATION_LIMIT and solution.iterations == limit),
            f"status is {solution.status} after {solution.iterations} of {limit} iterations",
        )


def check_respects_the_time_limit(solver: Solver, kinds: Kinds) -> None:
    """A run ends soon after `time_limit`, whatever the other limits allow."""
    problem = large(solver)
    endless = changed(solver, tolerance=0.0, max_iterations=10**9, patience=10**9, time_limit=0.05)
    endless.solve(problem)  # compiles and caches what is needed
    begin = time.perf_counter()
    solution = endless.solve(problem)
    spent = time.perf_counter() - begin
    expect(spent < 1.5, f"it ran {spent:.2f} s with time_limit=0.05")
    expect(
        solution.status in (Status.TIME_LIMIT, Status.STALLED),
        f"status is {solution.status} after time_limit",
    )
    if solution.status is Status.TIME_LIMIT:
        expect(solution.time >= 0.05, "it says 'time limit' before the time was up")


def check_returns_the_best_iterate(solver: Solver, kinds: Kinds) -> None:
    """Stopped early, it returns the point of its history with the smallest residual."""
    case = example(solver, kinds)
    rng = np.random.default_rng(1)
    guesses = [None, 3.0 * rng.standard_normal(case.linear.size)]
    for guess in guesses:
        for limit in (3, 11):
            strict = changed(solver, tolerance=0.0, max_iterations=limit)
            solution = strict.solve(case.problem, guess=guess)
            best = float(solution.history.residual.min())
            if not close(case, solution.residual, best, solution.impulses, str(solution.measure)):
                fail(f"it returns residual {solution.residual:.6e}, its history has {best:.6e}")


def check_history_is_consistent(solver: Solver, kinds: Kinds) -> None:
    """One entry for the start and one an iterate, times in order, each as naive numpy has it."""
    case = example(solver, kinds)
    guess = np.random.default_rng(2).standard_normal(case.linear.size)
    solution = solver.solve(case.problem, guess=guess)
    history, measure = solution.history, str(solution.measure)
    sizes = {history.residual.size, history.objective.size, history.time.size, len(history)}
    expect(len(sizes) == 1, f"the histories have different lengths {sizes}")
    expect(
        1 <= len(history) <= solution.iterations + 1,
        f"{len(history)} entries for {solution.iterations} iterations",
    )
    expect(bool((np.diff(history.time) >= 0).all()), "times go backwards")
    expect(
        history.time[0] >= 0 and history.time[-1] <= solution.time,
        "times are not those of the run",
    )
    start = case.start(guess)
    error = case.error(start, exact=solver.exact, measure=measure)
    first = float(history.residual[0])
    if not close(case, first, error, start, measure):
        fail(f"the history begins with residual {first:.6e}, but that of the start is {error:.6e}")
    expect(
        math.isclose(history.objective[0], case.objective(start), rel_tol=1e-9),
        "the history does not begin with the objective of the start",
    )
    smallest = float(history.residual.min())
    if not close(case, solution.residual, smallest, solution.impulses, measure):
        fail(f"the history's best is {smallest:.6e}, the solution's {solution.residual:.6e}")


def check_callback_sees_every_iteration(solver: Solver, kinds: Kinds) -> None:
    """The callback is told each entry of the history, in order."""
    case = example(solver, kinds)
    for settings in ({}, {"tolerance": 0.0, "max_iterations": 6}):
        seen: list[Progress] = []
        run = changed(solver, **settings)
        solution = run.solve(case.problem, callback=seen.append)
        told = np.array([progress.residual for progress in seen])
        entries = solution.history.residual
        expect(
            told.tobytes() == entries.tobytes(),
            f"the callback was told {told.size} residuals, the history has {entries.size} "
            f"(status {solution.status})",
        )
        numbers = [progress.iteration for progress in seen]
        expect(
            numbers[0] == 0 and all(a < b for a, b in pairwise(numbers)),
            f"iterations are numbered {numbers}",
        )
        expect(numbers[-1] == solution.iterations, "the last number is not that of iterations")
        best = np.array([progress.best_residual for progress in seen])
        expect(bool((best == np.minimum.accumulate(told)).all()), "best_residual is not the best")
        limits = {(progress.tolerance, progress.max_iterations) for progress in seen}
        expect(limits == {(run.tolerance, run.max_iterations)}, "limits are not the settings")


def check_callback_can_stop(solver: Solver, kinds: Kinds) -> None:
    """A callback that returns True ends the run there, and the status says so."""
    case = example(solver, kinds)
    calls: list[Progress] = []

    def stop(progress: Progress) -> bool:
        calls.append(progress)
        return len(calls) == 2

    strict = changed(solver, tolerance=0.0, max_iterations=1000)
    solution = strict.solve(case.problem, callback=stop)
    expect(len(calls) == 2, f"the callback was called {len(calls)} times; it stops at the second")
    expect(solution.status is Status.STOPPED, f"status is {solution.status}, not 'stopped'")
    expect(len(solution.history) == 2, f"the history has {len(solution.history)} entries, not 2")
    expect_honest(strict, case, solution)


def check_warm_start_ends_at_once(solver: Solver, kinds: Kinds) -> None:
    """Given its own solution, a solver has nothing to do; given a near one, it has less to do."""
    for name in supported(solver, kinds):
        problem = case(name).problem
        cold = solver.solve(problem)
        warm = solver.solve(problem, guess=cold.impulses)
        expect(
            warm.iterations == 0 and warm.converged,
            f"on {name}: {warm.iterations} iterations from the solution ({warm.status})",
        )
        expect_honest(solver, case(name), warm)


def check_guess_and_problem_are_left_alone(solver: Solver, kinds: Kinds) -> None:
    """Neither the guess nor the problem is written to, and the result is nobody else's memory."""
    for name in supported(solver, kinds):
        fresh = build(name)
        problem = fresh.problem
        guess = fresh.projected(np.random.default_rng(3).standard_normal(fresh.linear.size))
        kept, before = guess.copy(), fingerprint(problem)
        solution = changed(solver, max_iterations=25).solve(problem, guess=guess)
        expect(guess.tobytes() == kept.tobytes(), f"on {name}: it modified the guess")
        expect(fingerprint(problem) == before, f"on {name}: it modified the problem")
        shared = np.shares_memory(solution.impulses, guess)
        expect(not shared, f"on {name}: the solution is the guess's memory")


def check_empty_problem(solver: Solver, kinds: Kinds) -> None:
    """Nothing to solve is solved, in no iteration."""
    for problem in empty_problems():
        solution = solver.solve(problem)
        expect(solution.converged, f"an empty problem: {solution.status}")
        expect(solution.iterations == 0, f"an empty problem took {solution.iterations} iterations")
        expect(solution.impulses.shape == (0,), f"shape {solution.impulses.shape} of no impulses")
        expect(solution.residual == 0.0, "an empty problem has a residual")
        expect(solution.objective == 0.0, "an empty problem has an objective")


def check_zero_right_hand_side(solver: Solver, kinds: Kinds) -> None:
    """With r = 0 nothing need push: zero impulses, at once."""
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


def check_runs_are_repeatable(solver: Solver, kinds: Kinds) -> None:
    """Two runs are the same bit for bit, on one thread or two, serial or parallel kernels."""
    short = changed(solver, tolerance=0.0, max_iterations=12)
    small = example(solver, kinds)
    expect(
        same_bits(short.solve(small.problem), short.solve(build(small.name).problem)),
        f"two runs on {small.name} differ",
    )
    counts = [count for count in (1, 2) if count <= _jit.max_threads()]
    for forced in (False, True):
        with parallel_kernels() if forced else threads(_jit.get_threads()):
            problem = large(solver)
            runs = []
            for count in (*counts, counts[-1]):
                with threads(count):
                    runs.append(short.solve(problem))
        form = "parallel" if forced else "serial"
        expect(same_bits(runs[-1], runs[-2]), f"two runs on {problem!r} differ ({form})")
        expect(same_bits(runs[0], runs[-1]), f"one thread and two differ ({form} kernels)")


def check_bad_guess_is_refused(solver: Solver, kinds: Kinds) -> None:
    """A guess of the wrong size, or with NaN or infinity, raises `InputError`."""
    case = example(solver, kinds)
    rows = case.linear.size
    hole = np.zeros(rows)
    hole[-1] = math.nan
    beyond = np.zeros(rows)
    beyond[0] = math.inf
    for guess in (np.zeros(rows + 1), np.zeros((rows, 1)), hole, beyond, ["a"] * rows):
        try:
            solver.solve(case.problem, guess=guess)
        except InputError:
            continue
        fail(f"a guess of {np.asarray(guess)[:1]}..., shape {np.shape(guess)}, was taken")
    try:
        solver.solve(case.matrix)  # type: ignore[arg-type]
    except InputError:
        return
    fail("solve() takes a ConeProblem only")


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
