"""Nesterov's accelerated projected gradient descent: algorithm 1 of paper 3.

Two things differ from the paper, and change no iterate. The extrapolated point y is a combination
of two iterates whose products with N are known, so N y costs nothing and an iteration needs one
product. And since f is quadratic, the test of eq. 24 is just dᵀNd ≤ L dᵀS⁻¹d with d = γ⁺ − y, which
has none of the cancellation of four objective values and stays reliable at convergence.

The algorithm stands in `propose` and `accept`. Here they take turns from Python, for every operator
and any number of threads; `bursts` lets them take turns in compiled code, for small problems, and
`mixed` stores what is between them in single precision, for large ones.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons.algebra.cones import Metric
from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.problem.problem import ConeProblem
from amontons.solvers.apgd.accept import BOUNDED, UNBOUNDED, Pace, accept, recalled
from amontons.solvers.apgd.bursts import bursts, come_in_bursts
from amontons.solvers.apgd.mixed import in_single_precision, waits_for_memory
from amontons.solvers.apgd.propose import Origin, propose
from amontons.solvers.base import Buffers, Iterate, Solver
from amontons.solvers.gauge import Gauge


@dataclass(frozen=True, kw_only=True)
class APGD(Solver):
    """Accelerated projected gradient descent with backtracking, restart and fallback (paper 3).

    Parameters
    ----------
    scaling:
        "split" (default) scales the normal and tangential rows of each contact by their own
        curvature, "block" each contact by one number, "none" is the paper's method.
    shrink:
        L ← shrink·L after each iteration (paper 3, line 29), so that steps can grow again. The
        paper has 0.9; 0.98 needs as many iterations and a sixth of the backtracking.
    restart:
        Reset the momentum when it points uphill (paper 3, line 25).
    precision:
        "mixed" (default) stores vectors in single precision on problems over bodies of 100 000
        blocks and more, until rounding would show, and then goes on in double precision; "double"
        never does. Answers are judged in double precision either way.
    """

    scaling: str = "split"
    shrink: float = 0.98
    restart: bool = True
    precision: str = "mixed"

    buffers: ClassVar[int] = 4
    thrifty: ClassVar[bool] = True
    follows_slip: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.shrink <= 1.0:
            raise InputError(f"shrink must be in (0, 1], got {self.shrink}")
        if self.scaling not in ("none", "block", "split"):
            raise InputError(f"unknown scaling {self.scaling!r}; choose 'none', 'block' or 'split'")
        if self.precision not in ("mixed", "double"):
            raise InputError(f"unknown precision {self.precision!r}; choose 'mixed' or 'double'")

    def iterations(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate]:
        """Algorithm 1 of paper 3; comments give its line numbers."""
        metric = problem.metric(self.scaling)
        pace = Pace(first_curvature(problem, metric), 1.0, 0.0)  # 3, 4
        if self.precision == "mixed" and waits_for_memory(problem):
            single = in_single_precision(self, problem, x, metric, pace, gauge, buffers)
            del x, metric  # it has its own
            x, x_old, pace = yield from single
            metric = problem.metric(self.scaling)
            yield from self._in_double(problem, x, x_old, metric, pace, gauge, buffers)
            return
        x = buffers.projected(problem, x)  # 2
        if come_in_bursts(problem):
            yield from bursts(self, problem, x, metric, pace, gauge, buffers)
            return
        yield from self._in_double(problem, x, x, metric, pace, gauge, buffers)

    def _in_double(
        self,
        problem: ConeProblem,
        x: Floats,
        x_old: Floats,
        metric: Metric,
        pace: Pace,
        gauge: Gauge,
        buffers: Buffers,
    ) -> Generator[Iterate]:
        """Iterates from x and the one before it, which have been yielded if they differ."""
        sets, origin = problem.sets.arrays, Origin(np.empty(0), problem.linear)
        go = propose.sized(problem.blocks)
        partial = np.empty((sets.chunks.shape[0], 5))
        Nx, Nx_old, Nx_new = (np.empty(problem.rows) for _ in range(3))
        memory, memory_old, memory_new = (problem.operator.scratch() for _ in range(3))
        problem.product(x, Nx, memory)
        span = BOUNDED if problem.sets.exact else UNBOUNDED
        judged = x is not x_old
        if judged:
            problem.product(x_old, Nx_old, memory_old)
        else:
            Nx_old[:] = Nx
            if memory is not None:
                memory_old[:] = memory
        while True:  # 6
            x_new, beta = buffers.free(x, x_old), pace.beta
            found = go(
                sets,
                metric,
                gauge.rho,
                x,
                x_old,
                Nx,
                Nx_old,
                origin,
                beta,
                1.0 / pace.L,
                x_new,
                partial,
            )  # 7, 8
            error, quadratic, linear, uphill, length = problem.total(found)
            if not judged:
                objective = 0.5 * quadratic + linear + problem.objective_offset
                yield Iterate(x, gauge.factor * math.sqrt(error), objective)  # 17 to 24
                span = recalled(span, error)
            problem.product(x_new, Nx_new, memory_new)
            bend = problem.quadratic(
                (x_new, x, x_old), (Nx_new, Nx, Nx_old), (memory_new, memory, memory_old), beta
            )
            accepted, pace = accept(  # 9 to 30
                pace, bend, length, uphill, self.shrink, self.restart, span
            )
            if accepted:
                x_old, x = x, x_new
                Nx_old, Nx, Nx_new = Nx, Nx_new, Nx_old
                memory_old, memory, memory_new = memory, memory_new, memory_old
            judged = not accepted


def first_curvature(problem: ConeProblem, metric: Metric) -> float:
    """1ᵀN1 / 1ᵀS⁻¹1 (line 4, in the metric): a first guess that backtracking corrects."""
    ones = np.ones(problem.rows)
    size = float(np.sum(1.0 / metric.normal) + 2.0 * np.sum(1.0 / metric.tangential))
    bend, length = problem.total((float(np.sum(problem.product(ones))), size))
    return bend / length if bend > 0.0 else 1.0
