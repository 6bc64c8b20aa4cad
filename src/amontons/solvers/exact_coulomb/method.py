"""Exact Coulomb friction by De Saxcé's term, which moves along with the iterates of any solver.

The convex problem lifts a sliding contact by μ‖u_t‖ (paper 3, §2.3). Adding s = μ‖u_t‖ to the
normal component of r takes that back, but s depends on the solution.

**Direct.** Small problems over bodies go to `Direct` first: Newton's method in one compiled call.

**One loop.** First-order methods read s off each iterate and use it in the next step. That costs
nothing beside an iteration, and from the warm starts of a simulation it takes about as many of them
as the convex problem. The term is no gradient, so nothing guarantees that it converges: when it
gains no more, the safeguard takes over from its best point.

**Safeguard.** With s frozen the problem is convex: solve it, read s off the solution, repeat (paper
3 calls it the dual approach). Where that is slow, Anderson's method extrapolates from the last few
(Walker and Ni, SIAM J. Numer. Anal. 49, 2011), and is dropped when it does harm. On small problems
Newton's method takes over (`proximal_newton`). A matrix that is not symmetric is treated likewise:
in the one loop it is used whole, and when s is frozen its skew part times the last γ goes into r.
"""

from __future__ import annotations

import dataclasses
import logging
import math
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.problem.exact_friction import exact_linear
from amontons.problem.problem import ConeProblem
from amontons.problem.residuals import Measure
from amontons.solvers.apgd import APGD
from amontons.solvers.base import Buffers, Iterate, Solver
from amontons.solvers.direct import Direct, directly, solves_directly
from amontons.solvers.exact_coulomb.proximal_newton import proximal_newton
from amontons.solvers.gauge import Gauge
from amontons.solvers.semismooth_newton import can_finish

logger = logging.getLogger("amontons")

LOOP_BEFORE_NEWTON = 3000
"""Iterations of the one loop at most, where Newton's method can take over."""

LOOP_STALLS, LOOP_SHARE, GAIN = 400, 1.0, 0.99
"""The one loop ends after so many iterations, or this share of those before, without a gain."""

RETRY = 0.1
"""Newton's method is tried at the first solution of a convex problem, and again once the error has
fallen by so much."""

IDLE_STEPS, IDLE_SHARE = 200, 2
"""Newton steps that may gain nothing: so many, or this many times those of all gains so far."""


@dataclass(frozen=True, kw_only=True)
class ExactCoulomb(Solver):
    """Exact Coulomb friction around a convex solver.

    Tolerance and limits are those of the exact problem; `max_iterations` counts the inner solver's.

    Parameters
    ----------
    inner:
        The convex solver; its tolerance and limits are set anew for each use.
    forcing:
        The inner problem is solved to this share of the current exact error.
    acceleration:
        How many earlier fixed-point steps Anderson's method combines; 0 is the plain iteration.
    newton:
        Whether Newton's method takes over on small problems, of up to 3000 rows.
    persist:
        Whether to go on with one convex problem after the other where the one loop gains no more.
        A simulation does not, on larger problems: its next step begins where this one ended.
    """

    max_iterations: int = 200_000
    patience: int = 50_000
    inner: Solver = field(default_factory=APGD)
    forcing: float = 0.2
    acceleration: int = 5
    newton: bool = True
    persist: bool = True

    buffers: ClassVar[int] = 5
    thrifty: ClassVar[bool] = True
    exact: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.inner, Solver) or self.inner.exact:
            raise InputError("inner must be a convex solver, such as APGD()")
        if not 0.0 < self.forcing < 1.0:
            raise InputError(f"forcing must be between 0 and 1, got {self.forcing}")
        if self.acceleration < 0:
            raise InputError(f"acceleration must not be negative, got {self.acceleration}")

    def check(self, problem: ConeProblem) -> None:
        """The inner solver must support the problem."""
        self.inner.check(problem)

    def iterations(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate]:
        """Iterates of the one loop, then one for each solution of the inner problem."""
        start = time.perf_counter()
        by_newton = self.newton and can_finish(problem) and problem.sets.second_order
        direct_steps = 0
        if self.newton and solves_directly(problem):
            method = Direct(
                exact=True, measure=self.measure, tolerance=self.tolerance,
                max_iterations=self.max_iterations,
            )  # fmt: skip
            x, direct_steps = yield from directly(method, problem, x, gauge, buffers)
        spent = yield from self._in_one_loop(problem, x, gauge, buffers, by_newton, direct_steps)
        if spent and not (self.persist or by_newton):
            return
        x = buffers.projected(problem, x if buffers.best is None else buffers.best)
        product = problem.product(x)
        shifted = exact_linear(problem, x, product)
        error, _ = gauge.error(problem, x, product, shifted)
        if buffers.best is None:
            yield Iterate(x, error, gauge.error(problem, x, product)[1])
        if x.any():
            linear = shifted
        else:
            linear = problem.linear  # from nothing, the convex problem is the best first guess
        mixer = AndersonMixer(self.acceleration)
        tried = math.inf if by_newton else 0.0
        while True:
            left = max(self.time_limit - (time.perf_counter() - start), 1e-6)
            inner, cost = self._solve_inner(problem, linear, x, error, spent, left)
            spent += cost
            new = buffers.free(x)
            new[:] = inner
            product = problem.product(new)
            shifted = exact_linear(problem, new, product)
            error, _ = gauge.error(problem, new, product, shifted)
            yield Iterate(new, error, gauge.error(problem, new, product)[1], max(cost, 1))
            x = new
            if error <= tried and spent < self.max_iterations:
                tried = RETRY * error
                x, closer, steps = yield from self._by_newton(
                    problem, x, gauge, buffers, error, self.max_iterations - spent
                )
                spent += steps
                if closer < 0.5 * error:
                    error, tried = closer, RETRY * closer
                    linear = exact_linear(problem, x, problem.product(x))
                    mixer = AndersonMixer(self.acceleration)
                    continue
            linear = mixer.next(linear, shifted, error)

    def _in_one_loop(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers, by_newton: bool,
        tried: int,
    ) -> Generator[Iterate, None, int]:  # fmt: skip
        """Iterates of the inner solver, De Saxcé's term moving along, until they gain no more.

        Returns how many there were, with those that were `tried` before and led to x. None where
        the inner solver cannot do that.
        """
        method = self.inner.follower(problem)
        if method is None or not problem.has_friction:
            return tried
        method = dataclasses.replace(method, max_iterations=self.max_iterations)
        limit = LOOP_BEFORE_NEWTON if by_newton else math.inf
        least, count, best_at = math.inf, -1, 0
        iterates = method.iterations(problem.with_exact_friction(), x, gauge, buffers)
        if tried:
            next(iterates)  # the point that was found, which has been yielded
            count = 0
        for iterate in iterates:
            count += iterate.cost
            if iterate.error < GAIN * least:
                least, best_at = iterate.error, count
            yield iterate
            if count >= limit or count - best_at > max(LOOP_STALLS, LOOP_SHARE * best_at):
                break
        iterates.close()
        logger.info("exact friction: one loop ends at %.1e after %d iterations", least, count)
        return max(count, 0) + tried

    def _by_newton(
        self,
        problem: ConeProblem,
        x: Floats,
        gauge: Gauge,
        buffers: Buffers,
        error: float,
        most_steps: int,
    ) -> Generator[Iterate, None, tuple[Floats, float, int]]:
        """Iterates of the proximal Newton method while it gains.

        Returns the best of them, or x, with its error, and the steps that all took.
        """
        start, best, steps, last_gain = error, x, 0, 0
        try:
            for found in proximal_newton(problem, x, gauge, most_steps):
                steps += max(found.steps, 1)
                new = buffers.free(x, best)
                new[:] = found.x
                if found.error < error:
                    best, error, last_gain = new, found.error, steps
                objective = gauge.error(problem, new, problem.product(new))[1]
                yield Iterate(new, found.error, objective, max(found.steps, 1))
                idle = steps - last_gain
                if idle > max(IDLE_STEPS, IDLE_SHARE * last_gain):
                    break
        finally:  # also where the run ends here
            logger.info("exact friction: Newton from %.1e to %.1e in %d steps", start, error, steps)
        return best, error, steps

    def _solve_inner(
        self,
        problem: ConeProblem,
        linear: Floats,
        x: Floats,
        error: float,
        spent: int,
        seconds: float,
    ) -> tuple[Floats, int]:
        """Unknowns of the convex problem with this linear term, and the iterations they took."""
        left = max(self.max_iterations - spent, 1)
        target = self.forcing * error if math.isfinite(error) else self.tolerance
        solver = dataclasses.replace(
            self.inner,
            tolerance=max(min(target, 1e-2), 0.05 * self.tolerance),
            measure=Measure(self.measure),
            max_iterations=left,
            time_limit=min(self.inner.time_limit, seconds),
            patience=min(self.inner.patience, left),
        )
        convex = problem.with_linear(linear)
        solution = solver.solve(convex, guess=convex.impulses(x))
        return convex.unknowns(solution.impulses), solution.iterations


class AndersonMixer:
    """Next argument of a fixed-point map from the last few pairs (argument, value)."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.arguments: list[Floats] = []
        self.steps: list[Floats] = []
        self.best = math.inf
        self.last = math.inf

    def next(self, argument: Floats, value: Floats, error: float) -> Floats:
        """Plain value while that converges well or mixing has just done harm, else mixed."""
        slow = error > 0.5 * self.last
        harmed = error > 10.0 * self.best
        self.last, self.best = error, min(error, self.best)
        if harmed:
            self.arguments.clear()
            self.steps.clear()
        self.arguments = [*self.arguments, argument][-self.depth - 1 :]
        self.steps = [*self.steps, value - argument][-self.depth - 1 :]
        if self.depth == 0 or harmed or not slow or len(self.steps) < 3:
            return value
        step = self.steps[-1]
        d_step = np.diff(np.array(self.steps), axis=0).T
        d_argument = np.diff(np.array(self.arguments), axis=0).T
        weight, *_ = np.linalg.lstsq(d_step, step, rcond=1e-10)
        mixed: Floats = argument + step - (d_argument + d_step) @ weight
        return mixed
