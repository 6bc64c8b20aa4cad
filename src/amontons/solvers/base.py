"""The base of solvers: limits, best iterate, history, callback, and an independent verdict.

A solver is a frozen dataclass of settings with one method to write, :meth:`Solver.iterations`: a
generator that yields an :class:`Iterate` at the start and after each iteration, which
:meth:`Solver.solve` drives. So a method's file holds the method, in the order of its paper, and
nothing else.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons._blas import one_blas_thread
from amontons.errors import InputError
from amontons.judge import evaluate
from amontons.problem.problem import ConeProblem
from amontons.problem.residuals import Measure, Residuals
from amontons.problem.solution import History, Solution, Status
from amontons.solvers.gauge import Gauge

Floats = NDArray[np.float64]


SETTLED = 1e-2
"""Share of the tolerance at which a run may end before its least number of iterations."""


class StoredPoint(Protocol):
    """A feasible point that a method keeps in its own way."""

    def unknowns(self) -> Floats:
        """The point as an array, shape (rows,)."""


class Iterate(NamedTuple):
    """One point that a method visits."""

    x: Floats | StoredPoint
    """Unknowns, feasible. The array may be kept as the best one: see :class:`Buffers`."""
    error: float
    """Residual in the solver's measure, by the method's own arithmetic."""
    objective: float
    cost: int = 1
    """Iterations that it took: more than one where a solver runs inside another."""
    clock: float | None = None
    """Time at which it was found, of `time.perf_counter` [s]; by default just now."""


class Ending(NamedTuple):
    """Why a method ends by itself: what its generator may return."""

    status: Status
    message: str


@dataclass(frozen=True)
class Progress:
    """The argument of callbacks after each iteration; return True from one to stop the run."""

    iteration: int
    residual: float
    best_residual: float
    objective: float
    time: float
    tolerance: float
    max_iterations: int


Callback = Callable[[Progress], bool | None]


class Buffers:
    """A few arrays that iterates rotate through, so that keeping the best one copies nothing.

    With `watched` somebody looks at every iterate: a method must not run ahead.
    """

    def __init__(self, rows: int, count: int, *, watched: bool = False) -> None:
        self._shape = count, rows
        self.watched = watched
        self.best: Any = None
        """The best iterate so far: an array, or a `StoredPoint` while its method runs."""

    @cached_property
    def block(self) -> Floats:
        """The same arrays in one, shape (count, rows); a method may do without them."""
        return np.empty(self._shape)

    @cached_property
    def _arrays(self) -> list[Floats]:
        return list(self.block)

    def place(self, array: Floats | None) -> int:
        """Row of the block that one of the arrays is, or −1."""
        return next((k for k, mine in enumerate(self._arrays) if mine is array), -1)

    def __getitem__(self, row: int) -> Floats:
        """The array that is this row of the block."""
        return self._arrays[row]

    def projected(self, problem: ConeProblem, x: Floats, *used: Floats) -> Floats:
        """A buffer that is not in use and holds the projection of x."""
        start = self.free(*used)
        start[:] = x
        return problem.project(start)

    def free(self, *used: Floats) -> Floats:
        """An array that is neither in use nor the best iterate."""
        taken = [*used, self.best]
        for array in self._arrays:
            if not any(array is other for other in taken):
                return array
        raise RuntimeError("a solver asked for more buffers than it declared")


@dataclass(frozen=True, kw_only=True)
class Solver(ABC):
    """Settings that every solver has.

    Parameters
    ----------
    tolerance:
        The run ends once the residual is at most this.
    measure:
        Which residual: "scaled" (default), "paper1" or "paper3"; see `Measure`.
    max_iterations, time_limit:
        The run ends after this many iterations, or seconds.
    patience:
        The run ends as stalled after this many iterations without a better residual.
    min_iterations:
        Until so many are done, only an error of a hundredth of the tolerance ends a run. None
        means 0, and in large scenes of a simulation 20, for methods whose iterations are cheap.
    """

    tolerance: float = 1e-6
    measure: Measure | str = Measure.SCALED
    max_iterations: int = 10_000
    time_limit: float = math.inf
    patience: int = 10_000
    min_iterations: int | None = None

    buffers: ClassVar[int] = 3
    """Arrays that the method's iterates rotate through, the best one included."""
    exact: ClassVar[bool] = False
    """Whether the method solves exact Coulomb friction instead of the convex problem."""
    thrifty: ClassVar[bool] = False
    """Whether iterations are cheap, as a product and a pass: a simulation may ask for some more."""
    follows_slip: ClassVar[bool] = False
    """Whether the method adds De Saxcé's term, iterate by iterate, where the sets ask for it."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.tolerance) and self.tolerance >= 0):
            raise InputError(f"tolerance must be a finite number ≥ 0, got {self.tolerance}")
        for name in ("max_iterations", "patience"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 0:
                raise InputError(f"{name} must be an integer ≥ 0, got {value!r}")
        least = self.min_iterations
        if least is not None and (not isinstance(least, int) or least < 0):
            raise InputError(f"min_iterations must be an integer ≥ 0 or None, got {least!r}")
        if not self.time_limit > 0:
            raise InputError(f"time_limit must be positive, got {self.time_limit}")
        object.__setattr__(self, "measure", Measure.named(self.measure))

    @abstractmethod
    def iterations(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate, None, Ending | None]:
        """Yield the (projected) start x, then one iterate per iteration; return when stuck.

        An `Ending` says why; without one, the method cannot improve on its last point.
        """

    def follower(self, problem: ConeProblem) -> Solver | None:
        """The method that follows De Saxcé's term on this problem: itself, or None if it cannot."""
        return self if self.follows_slip else None

    def check(self, problem: ConeProblem) -> None:
        """Raise `UnsupportedProblemError` where the method does not apply. The default: always."""

    def solve(
        self,
        problem: ConeProblem,
        *,
        guess: ArrayLike | None = None,
        callback: Callback | None = None,
    ) -> Solution:
        """Solve a problem.

        Parameters
        ----------
        guess:
            Impulses to start from, in the problem's coordinates, shape (rows,); zero by default.
        callback:
            Called with a `Progress` after each iteration; the run stops when it returns True.
        """
        if not isinstance(problem, ConeProblem):
            raise InputError(f"solve() takes a ConeProblem, got {type(problem).__name__}")
        self.check(problem)
        start = time.perf_counter()
        with one_blas_thread:
            if problem.all_rows:
                return self._drive(problem, problem.unknowns(guess), callback, start)
            x, nothing = problem.unknowns(guess), "nothing to solve"
            verdict = self._judge(problem, x)
            return self._finish(problem, x, verdict, Status.CONVERGED, 0, _Log(), start, nothing)

    def _drive(
        self, given: ConeProblem, x: Floats, callback: Callback | None, start: float
    ) -> Solution:
        problem, x = given.even, given.to_even(x)
        gauge = Gauge.of(problem, self.measure, self.tolerance)
        gauge.least = self.min_iterations or 0
        if gauge.least:
            gauge.wanted = SETTLED * self.tolerance
        buffers = Buffers(problem.rows, self.buffers, watched=callback is not None)
        log = _Log()
        best, best_at, count = math.inf, 0, 0
        status, message = Status.STALLED, "the method cannot improve on this point"
        confirmed: _Verdict | None = None
        iterations = self.iterations(problem, x, gauge, buffers)
        del x  # the method has its own copy in the buffers
        while True:
            try:
                iterate = next(iterations)
            except StopIteration as end:
                if end.value is not None:
                    status, message = end.value
                break
            if len(log.residual):
                count += iterate.cost
            clock = iterate.clock
            now = (time.perf_counter() if clock is None else clock) - start
            log.append(iterate.error, iterate.objective, now)
            if count >= gauge.least > 0:
                gauge.least, gauge.wanted = 0, self.tolerance
            if not math.isfinite(iterate.error):
                status, message = Status.INVALID, f"iteration {count} produced {iterate.error}"
                break
            if iterate.error < best or buffers.best is None:
                best, best_at, buffers.best = iterate.error, count, iterate.x
            stop = callback is not None and callback(
                Progress(
                    iteration=count,
                    residual=iterate.error,
                    best_residual=best,
                    objective=iterate.objective,
                    time=now,
                    tolerance=self.tolerance,
                    max_iterations=self.max_iterations,
                )
            )
            if iterate.error <= gauge.wanted:
                found = iterate.x if isinstance(iterate.x, np.ndarray) else iterate.x.unknowns()
                verdict = self._judge(problem, found)
                judged = verdict.residuals[self.measure]
                if judged <= self.tolerance:
                    # this very point, even if another one that was not confirmed seemed better
                    status, message = Status.CONVERGED, "the residual is within the tolerance"
                    buffers.best, confirmed = found, verdict
                    break
                del found, verdict
                if problem.judged_by_more and judged > 1.1 * iterate.error:
                    # a single block is worse than the sum tells: ask again when that is smaller
                    gauge.wanted = max(0.5, 0.9 * self.tolerance / judged) * iterate.error
            if stop:
                status, message = Status.STOPPED, "the callback asked to stop"
                break
            if count >= self.max_iterations:
                status, message = Status.ITERATION_LIMIT, f"reached {count} iterations"
                break
            if self.time_limit < math.inf and problem.maximum((now,))[0] >= self.time_limit:
                status, message = Status.TIME_LIMIT, f"reached {self.time_limit:g} s"
                break
            if count - best_at >= self.patience > 0:
                message = f"no better residual in the last {count - best_at} iterations"
                break
        iterations.close()  # frees the method's memory before results are made
        chosen = problem.unknowns(None) if buffers.best is None else buffers.best
        verdict = confirmed or self._judge(problem, chosen)
        del buffers, iterate
        return self._finish(given, chosen, verdict, status, count, log, start, message)

    def _judge(self, problem: ConeProblem, x: Floats) -> _Verdict:
        """The judge's verdict on x, independent of the method's own arithmetic."""
        gathered = problem.operator.scratch()
        product = problem.product(x, scratch=gathered)
        return _Verdict(evaluate(problem, x, product, exact=self.exact), product, gathered)

    def _finish(
        self,
        problem: ConeProblem,
        x: Floats,
        verdict: _Verdict,
        status: Status,
        count: int,
        log: _Log,
        start: float,
        message: str,
    ) -> Solution:
        measured = verdict.residuals
        residual = measured[Measure(self.measure)]
        if problem.all_rows and residual <= self.tolerance and status is not Status.INVALID:
            status, message = Status.CONVERGED, "the residual is within the tolerance"
        x, product = problem.from_even(x), problem.to_even(verdict.product)
        return Solution(
            impulses=problem.impulses(x),
            velocities=problem.velocities(x, product),
            velocity_change=problem.velocity_change(x, verdict.gathered),
            status=status,
            message=message,
            iterations=count,
            residual=residual,
            residuals=measured,
            measure=Measure(self.measure),
            objective=measured.objective,
            time=time.perf_counter() - start,
            history=log.history(),
            solver=type(self).__name__,
        )


class _Verdict(NamedTuple):
    """The judge's verdict on a point, and its product (N + E) x with its scratch memory."""

    residuals: Residuals
    product: Floats
    gathered: Any  # the operator's scratch memory


class _Log:
    """History in the making."""

    def __init__(self) -> None:
        self.residual: list[float] = []
        self.objective: list[float] = []
        self.time: list[float] = []

    def append(self, residual: float, objective: float, seconds: float) -> None:
        self.residual.append(residual)
        self.objective.append(objective)
        self.time.append(seconds)

    def history(self) -> History:
        return History(np.array(self.residual), np.array(self.objective), np.array(self.time))
