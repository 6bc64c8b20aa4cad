"""The solver that chooses: a first-order method while that pays, then the interior point method.

Small problems over bodies are first tried directly (:mod:`amontons.solvers.direct`), which mostly
is all there is to do; what follows is for the others.

First-order iterations are cheap and, at first, gain much; on badly conditioned problems they then
gain little. An interior point iteration costs a factorisation and always gains. So a run begins
with the former and compares, now and then, what either would still take to the tolerance: the
former at the rate seen last, the latter from the sizes of its matrices. Where neither reaches the
tolerance, Newton's method is tried on small problems. Costs are modelled from counts, never
measured by a clock: the same problem is always solved the same way.
"""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Generator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import ClassVar

from amontons.algebra.cones import SetKind
from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.problem.problem import ConeProblem
from amontons.problem.residuals import Measure
from amontons.problem.solution import Status
from amontons.solvers.apgd import APGD
from amontons.solvers.apgd.bursts import come_in_bursts
from amontons.solvers.base import Buffers, Ending, Iterate, Solver
from amontons.solvers.direct import Direct, directly, solves_directly
from amontons.solvers.gauge import Gauge
from amontons.solvers.interior_point import InteriorPoint
from amontons.solvers.interior_point.linear_system.cost import (
    FactorCost,
    available_memory,
    problem_cost,
)
from amontons.solvers.krylov import ConjugateGradient
from amontons.solvers.semismooth_newton import can_finish, finish
from amontons.solvers.spectral_gradient import SpectralGradient

logger = logging.getLogger("amontons")

FEW_BLOCKS = 16
"""Blocks up to which SpectralGradient begins where there are no joints: contacts that do not share
bodies, it solves at once and to the last digit, so that an impact keeps its energy."""

FIRST_LOOK = 16
"""Iterations before the first comparison; each later one comes after half as many more."""

PATIENCE_WITH_JOINTS, FEW_ROWS = 128, 64
"""First-order iterations after which Newton's method is tried on a problem with joints and so few
rows: from a warm start it takes a step or two, as long as some hundred iterations."""

NEAR = 1e-3
"""Error below which Newton's method is tried."""

RUNAWAY = 1e4
"""An error this many times the best one so far is more than a detour."""

COUNTED_ABOVE = 2000
"""Rows from which the size of a factor is counted before it is compared."""

# microseconds, fitted on a 2026 server core; their ratios are what matters
FIRST_ORDER_CALL, FIRST_ORDER_BLOCK, FIRST_ORDER_ENTRY = 14.0, 0.04, 0.0015
FIRST_ORDER_IN_BURSTS = 3.0  # instead of FIRST_ORDER_CALL
INTERIOR_CALL, INTERIOR_BLOCK, INTERIOR_ENTRY, INTERIOR_OPERATION = 350.0, 4.5, 0.008, 5e-5

INTERIOR_OVERHEAD, INTERIOR_A_DECADE = 5.0, 2.0
"""Interior point iterations from a warm start: some, and more for each power of ten to gain."""


@dataclass(frozen=True, kw_only=True)
class Auto(Solver):
    """Chooses by size, kinds of sets and observed convergence; logs why ("amontons" logger).

    Parameters
    ----------
    interior:
        The interior point method's own settings; tolerance and limits are this solver's.
    budget:
        Seconds, as modelled, that the interior point method may take; beyond, the first-order
        method goes on alone. A simulation sets it: its next step begins where this one ended.
    """

    max_iterations: int = 100_000
    patience: int = 50_000
    interior: InteriorPoint = field(default_factory=InteriorPoint)
    budget: float = math.inf

    buffers: ClassVar[int] = 5
    thrifty: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.interior, InteriorPoint):
            raise InputError(f"interior must be an InteriorPoint, got {self.interior!r}")
        if not self.budget >= 0.0:
            raise InputError(f"budget must be a time, zero or more [s], got {self.budget}")

    def iterations(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate, None, Ending | None]:
        """First-order iterates, then those of the interior point method if it takes over."""
        tried = 0
        if solves_directly(problem):
            method = _ready(Direct, Measure(self.measure), self.tolerance, self.max_iterations)
            x, tried = yield from directly(method, problem, x, gauge, buffers)
        begin, costs = self._first_order(problem), _Costs(problem)
        logger.info("auto: %s begins on %r", type(begin).__name__, problem)
        first = begin.iterations(problem, x, gauge, buffers)
        if tried:
            next(first)  # the start, or the point that was found: either has been yielded
        limit = PATIENCE_WITH_JOINTS if _few_with_joints(problem) else None
        stuck, spent = yield from self._while_it_pays(type(begin).__name__, first, costs, limit)
        spent += tried
        if limit is not None:
            yield from self._finished(problem, gauge, buffers, self.max_iterations - spent)
        ending: Ending | None = None
        if costs.fits:
            settings = {"measure": self.measure, "tolerance": self.tolerance}
            method = dataclasses.replace(self.interior, **settings)  # type: ignore[arg-type]
            assert buffers.best is not None
            later = method.iterations(problem, buffers.best.copy(), gauge, buffers)
            next(later)  # the guess, which has been yielded
            ending, more = yield from self._while_it_gains(later)
            if ending is not None and ending.status is Status.INFEASIBLE:
                return ending
            spent += more
        yield from self._finished(problem, gauge, buffers, self.max_iterations - spent)
        if not stuck:
            logger.info("auto: %s goes on from the best point", type(begin).__name__)
            assert buffers.best is not None
            rest = begin.iterations(problem, buffers.best.copy(), gauge, buffers)
            next(rest)
            ending = yield from rest
        return ending

    def follower(self, problem: ConeProblem) -> Solver | None:
        """The first-order method that it begins with."""
        return self._first_order(problem).follower(problem)

    def _finished(
        self, problem: ConeProblem, gauge: Gauge, buffers: Buffers, most_steps: int
    ) -> Generator[Iterate, None, None]:
        """Where Newton's method leads from the best point, if the problem is small and it near."""
        assert buffers.best is not None
        product = problem.product(buffers.best)
        error, _ = gauge.error(problem, buffers.best, product)
        near = error <= NEAR and most_steps > 0
        if problem.bilateral or not near or not can_finish(problem):
            return
        found, closer, steps = finish(
            problem,
            buffers.best,
            gauge,
            tolerance=0.5 * self.tolerance,
            most_steps=most_steps,
        )
        logger.info("auto: Newton's method from %.1e to %.1e in %d steps", error, closer, steps)
        x = buffers.free()
        x[:] = found
        yield Iterate(x, closer, gauge.error(problem, x, problem.product(x))[1], max(steps, 1))

    def _first_order(self, problem: ConeProblem) -> Solver:
        kind: type[Solver] = APGD
        if problem.bilateral:
            kind = ConjugateGradient
        elif problem.blocks <= FEW_BLOCKS and SetKind.FREE not in problem.sets.kinds:
            kind = SpectralGradient
        return _ready(kind, Measure(self.measure), self.tolerance, self.max_iterations)

    def _while_it_pays(
        self,
        name: str,
        iterations: Generator[Iterate, None, Ending | None],
        costs: _Costs,
        limit: int | None,
    ) -> Generator[Iterate, None, tuple[bool, int]]:
        """Iterates of a first-order method until another is cheaper, at most `limit` of them.

        Returns whether it got stuck, and its iterations.
        """
        best: list[float] = []
        least, count, look = math.inf, -1, FIRST_LOOK
        for iterate in iterations:
            yield iterate
            error = iterate.error
            if error < least:
                least = error
            best.append(least)
            count += 1
            if error > RUNAWAY * least and costs.fits:
                iterations.close()
                logger.info("auto: %s runs away; InteriorPoint takes over", name)
                return False, count
            if count == limit:
                iterations.close()
                logger.info("auto: %s is at %.1e; Newton's method takes over", name, least)
                return False, count
            if count < look:
                continue
            look += look // 2
            left = self._left_to_do(best)
            mine = left * costs.first_order
            decades = math.log10(max(least / max(self.tolerance, 1e-16), 1.0))
            its = INTERIOR_OVERHEAD + INTERIOR_A_DECADE * decades
            other = its * costs.interior_at_least
            if other < mine:
                other = its * costs.interior
            logger.info(
                "auto: after %d iterations at %.1e, %s would take %.3g more (%.3g ms), "
                "InteriorPoint about %d (%.3g ms or more)",
                count,
                least,
                name,
                left,
                mine / 1e3,
                its,
                other / 1e3,
            )
            if other < mine and other <= 1e6 * self.budget and costs.fits:
                iterations.close()
                logger.info("auto: InteriorPoint takes over")
                return False, count
        logger.info("auto: %s can do no more at %.1e", name, least)
        return True, count

    def _left_to_do(self, best: list[float]) -> float:
        """Iterations to the tolerance at the rate of the last third of the run."""
        now = len(best) - 1
        before = (2 * now) // 3
        if not 0.0 < best[now] < best[before]:
            return math.inf
        rate = math.log(best[before] / best[now]) / (now - before)
        return max(math.log(best[now] / max(self.tolerance, 1e-16)), 0.0) / rate

    def _while_it_gains(
        self, iterations: Generator[Iterate, None, Ending | None]
    ) -> Generator[Iterate, None, tuple[Ending | None, int]]:
        """Interior point iterates until they have gained nothing for a while.

        Returns how they ended, and how many there were.
        """
        best, since, count = math.inf, 0, 0
        while since < self.interior.patience:
            try:
                iterate = next(iterations)
            except StopIteration as end:
                return end.value, count
            yield iterate
            count += 1
            best, since = (iterate.error, 0) if iterate.error < best else (best, since + 1)
        iterations.close()
        return None, count


def _few_with_joints(problem: ConeProblem) -> bool:
    kinds = problem.sets.kinds
    return SetKind.FREE in kinds and not problem.bilateral and problem.rows <= FEW_ROWS


@lru_cache
def _ready(kind: type[Solver], measure: Measure, tolerance: float, most: int) -> Solver:
    """A solver by its class; made once, as that takes as long as iterations on a few contacts."""
    return kind(measure=measure, tolerance=tolerance, max_iterations=most)


class _Costs:
    """Modelled costs of one iteration of either method on one problem [µs]."""

    def __init__(self, problem: ConeProblem) -> None:
        self.problem = problem

    @cached_property
    def first_order(self) -> float:
        joints = SetKind.FREE in self.problem.sets.kinds
        bursts = come_in_bursts(self.problem) and (joints or self.problem.blocks > FEW_BLOCKS)
        call = FIRST_ORDER_IN_BURSTS if bursts else FIRST_ORDER_CALL
        return (
            call
            + FIRST_ORDER_BLOCK * self.problem.blocks
            + FIRST_ORDER_ENTRY * self.problem.operator.entries
        )

    @cached_property
    def interior_at_least(self) -> float:
        """Without the factor, which takes as long to count as dozens of first-order iterations."""
        return INTERIOR_CALL + INTERIOR_BLOCK * self.problem.blocks

    @cached_property
    def interior(self) -> float:
        return (
            self.interior_at_least
            + INTERIOR_ENTRY * self.factor.entries
            + INTERIOR_OPERATION * self.factor.operations
        )

    @cached_property
    def factor(self) -> FactorCost:
        """Counted for large problems; for small ones a guess will do."""
        n, entries = self.problem.rows, self.problem.operator.entries
        if n > COUNTED_ABOVE:
            return problem_cost(self.problem)
        return FactorCost(n, min(3.0 * entries, 0.5 * n * n), min(n**3 / 3, 1e3 * n))

    @cached_property
    def fits(self) -> bool:
        """Whether an interior point method can take over, with memory to spare."""
        return self.problem.sets.second_order and self.factor.nbytes < 0.8 * available_memory()
