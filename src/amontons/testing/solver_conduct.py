"""How a solver must behave, whatever the answer: settings, limits, history, callbacks."""

from __future__ import annotations

import dataclasses
import math
import time
from functools import partial
from itertools import pairwise

import numpy as np

from amontons import _jit
from amontons.problem.solution import Status
from amontons.solvers.base import Progress, Solver
from amontons.testing.judging import (
    Kinds,
    changed,
    close,
    example,
    expect,
    expect_honest,
    fail,
    fingerprint,
    large,
    parallel_kernels,
    refused,
    same_bits,
    supported,
    threads,
)
from amontons.testing.problems import build


def check_settings_are_frozen_and_keyword_only(solver: Solver, kinds: Kinds) -> None:
    """Settings form a frozen, keyword-only dataclass that rejects bad values."""
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
        refused(partial(changed, solver, **nonsense), f"the setting {nonsense}")


def check_respects_the_iteration_limit(solver: Solver, kinds: Kinds) -> None:
    """There are never more than `max_iterations`, and the status says so when they are used up."""
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
    """An entry for the start and one per iterate, times in order, each as naive numpy has it."""
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


def check_guess_and_problem_are_left_alone(solver: Solver, kinds: Kinds) -> None:
    """Neither the guess nor the problem is modified, and the result shares no memory with them."""
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
        what = f"a guess of {np.asarray(guess)[:1]}..., shape {np.shape(guess)},"
        refused(partial(solver.solve, case.problem, guess=guess), what)
    refused(partial(solver.solve, case.matrix), "solve() of a matrix")  # type: ignore[arg-type]
