"""Helpers of the contract checks: contexts, refusals, and comparison with the naive oracle."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NoReturn

import numpy as np

from amontons import _jit
from amontons.array_types import Floats
from amontons.errors import InputError, UnsupportedProblemError
from amontons.problem.problem import ConeProblem
from amontons.problem.solution import Solution, Status
from amontons.solvers.base import Progress, Solver
from amontons.testing import naive
from amontons.testing.problems import CASES, Case, case, many_bilateral, many_contacts

Kinds = Sequence[str] | None
NamedCheck = tuple[str, Callable[[], None]]

PREFERRED = ("bodies-extras", "mixed", "coulomb", "nonnegative", "free")
"""Cases for checks of behaviour: the first of these that a solver supports."""

EXACT = 1e-9
"""Relative error of values that should agree up to rounding."""

SLACK = 1e-6
"""Relative difference between a claimed residual and the naive one that counts as rounding."""


class ContractError(AssertionError):
    """The contract is broken; the message says where and how."""


@contextmanager
def parallel_kernels() -> Iterator[None]:
    """Problems of any size use the parallel form of every kernel within this context."""
    before = _jit.PARALLEL_ABOVE
    _jit.PARALLEL_ABOVE = 0
    try:
        yield
    finally:
        _jit.PARALLEL_ABOVE = before


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Parallel kernels use this many threads within this context."""
    before = _jit.get_threads()
    _jit.set_threads(count)
    try:
        yield
    finally:
        _jit.set_threads(before)


def named_checks(checks: Sequence[Callable[..., None]], *subject: object) -> Iterator[NamedCheck]:
    """The checks of a contract on one subject, with their names."""
    for check in checks:
        yield check.__name__.removeprefix("check_"), partial(check, *subject)


def fail(message: str) -> NoReturn:
    """The contract is broken."""
    raise ContractError(message)


def expect(condition: bool, message: str) -> None:
    """Raise `ContractError` unless a condition holds."""
    if not condition:
        fail(message)


def refused(call: Callable[[], object], what: str) -> None:
    """Raise `ContractError` unless a call raises `InputError`."""
    try:
        call()
    except InputError:
        return
    fail(f"{what} should raise InputError")


def changed(solver: Solver, **settings: Any) -> Solver:
    """The solver with other settings."""
    return dataclasses.replace(solver, **settings)


def supports(solver: Solver, problem: ConeProblem) -> bool:
    """Whether `solve` takes the problem. A refusal must come before any work."""
    calls: list[Progress] = []

    def watch(progress: Progress) -> bool:
        calls.append(progress)
        return True

    try:
        changed(solver, max_iterations=0).solve(problem, callback=watch)
    except UnsupportedProblemError as refusal:
        expect(not calls, f"it refused {problem!r} after it had begun to iterate")
        expect(len(str(refusal)) > 10, "a refusal must say why")
        return False
    return True


def supported(solver: Solver, kinds: Kinds, names: Sequence[str] = tuple(CASES)) -> list[str]:
    """Cases that the solver must solve."""
    if kinds is not None:
        unknown = [name for name in kinds if name not in CASES]
        if unknown:
            raise InputError(f"unknown kinds {unknown}; choose from {', '.join(CASES)}")
        names = [name for name in names if name in kinds]
    taken = [name for name in names if supports(solver, case(name).problem)]
    if kinds is not None and names is not PREFERRED:
        refused = [name for name in names if name not in taken]
        expect(not refused, f"it must solve {refused}, but refuses")
    return taken


def example(solver: Solver, kinds: Kinds) -> Case:
    """A case for checks of behaviour."""
    taken = supported(solver, kinds, PREFERRED) or supported(solver, kinds)
    if not taken:
        fail("it refuses problems of every kind")
    return case(taken[0])


def close(case: Case, claimed: float, measured: float, at: Floats, measure: str) -> bool:
    """Whether two evaluations of a residual agree up to rounding."""
    return abs(claimed - measured) <= SLACK * measured + case.noise(at, measure)


def expect_honest(solver: Solver, case: Case, solution: Solution) -> None:
    """Everything that a solution reports agrees with naive numpy."""
    where, at = f"on {case.name}: ", solution.impulses
    expect(isinstance(solution.status, Status), where + f"status is {solution.status!r}")
    expect(at.shape == case.linear.shape, where + f"impulses have shape {at.shape}")
    expect(bool(np.isfinite(at).all()), where + "impulses are not finite")
    measure = str(solution.measure)
    error = case.error(at, exact=solver.exact, measure=measure)
    if not close(case, solution.residual, error, at, measure):
        fail(where + f"it reports the residual {solution.residual:.6e}, but it is {error:.6e}")
    if solution.status is Status.CONVERGED and error > solver.tolerance:
        enough = error <= solver.tolerance * (1 + SLACK) + case.noise(at, measure)
        expect(enough, where + f"it claims to have converged, but the error is {error:.3e}")
    if solution.status is not Status.CONVERGED and solution.status is not Status.INVALID:
        missed = error > solver.tolerance * (1 - SLACK) - case.noise(at, measure)
        expect(missed, where + f"it says {solution.status}, but the error is {error:.3e}")
    reach = abs(at) + 2.0 * abs(naive.shift(case.blocks, at.size))
    size = float(abs(case.linear) @ reach + reach @ abs(case.matrix) @ reach)
    expect(
        abs(solution.objective - case.objective(at)) <= 1e-12 * size,
        where + f"objective {solution.objective!r}, but it is {case.objective(at)!r}",
    )
    u = case.velocities(at)
    size = float((abs(case.matrix) @ abs(at) + abs(case.linear)).max())
    expect(
        bool((abs(solution.velocities - u) <= 1e-12 * size).all()),
        where + "velocities are not Wγ + r",
    )
    outside = naive.violation(case.blocks, at)
    size = float(abs(at).max()) + float(abs(naive.shift(case.blocks, at.size)).max())
    expect(outside <= 1e-12 * size, where + f"impulses leave their sets by {outside:.3e}")


def same_bits(one: Solution, other: Solution) -> bool:
    """Whether two runs are identical apart from their times."""
    return (
        one.impulses.tobytes() == other.impulses.tobytes()
        and one.history.residual.tobytes() == other.history.residual.tobytes()
        and one.history.objective.tobytes() == other.history.objective.tobytes()
        and (one.status, one.iterations) == (other.status, other.iterations)
    )


def fingerprint(problem: ConeProblem) -> list[bytes]:
    """All that defines a problem."""
    matrix = problem.operator.as_matrix()
    arrays = [problem.linear, problem.given_linear, matrix.data, matrix.indices, matrix.indptr]
    arrays += [problem.compliance, problem.cohesion, problem.shift, problem.frames]
    arrays += list(problem.sets.arrays)
    return [b"" if array is None else array.tobytes() for array in arrays]


def large(solver: Solver) -> ConeProblem:
    """A problem of several chunks, of a kind that the solver supports."""
    for make in (many_contacts, many_bilateral):
        problem = make()
        if supports(solver, problem):
            return problem
    return example(solver, None).problem


def empty_problems() -> list[ConeProblem]:
    """Problems without rows: from a matrix, and from bodies without contacts."""
    nothing = np.empty((0, 3))
    free = ConeProblem.from_contacts(
        inverse_mass=np.ones(2),
        inverse_inertia=np.stack([np.eye(3)] * 2),
        bodies_a=np.empty(0, dtype=int),
        bodies_b=np.empty(0, dtype=int),
        normals=nothing,
        arms_a=nothing,
        arms_b=nothing,
        free_velocity=np.zeros((2, 6)),
    )
    return [ConeProblem.from_matrix(np.empty((0, 0)), []), free]
