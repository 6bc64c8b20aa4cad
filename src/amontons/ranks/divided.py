"""APGD on one problem by many processes: the same iterates, bit for bit, on any number of them.

An iteration takes one exchange, of the velocities of bodies that blocks of several processes touch,
and one reduction, in which the sums over units of all processes are put together and added up in
their order.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from amontons.algebra.cones import Metric
from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.problem import kernels
from amontons.problem.problem import ConeProblem
from amontons.ranks.border import SharedOperator, SharedSums
from amontons.solvers.apgd.accept import BOUNDED, UNBOUNDED, Pace, accept, recalled
from amontons.solvers.apgd.method import APGD
from amontons.solvers.apgd.propose import Origin, propose
from amontons.solvers.base import Buffers, Iterate
from amontons.solvers.gauge import Gauge

SUMS = 5
"""Sums over blocks that a proposal makes."""


@dataclass(frozen=True, kw_only=True)
class DividedAPGD(APGD):
    """`APGD` whose iterations several processes share; made by a simulation that has ranks.

    A problem that one process has to itself it solves as `APGD` does. Vectors are in double
    precision.
    """

    precision: str = "double"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.precision != "double":
            raise InputError("iterations that processes share are in double precision")

    def iterations(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate]:
        """Algorithm 1 of paper 3, as `APGD` has it; comments give its line numbers."""
        if not isinstance(problem.operator, SharedOperator):
            yield from super().iterations(problem, x, gauge, buffers)
            return
        part = _Part(problem)
        metric = problem.metric(self.scaling)
        pace = Pace(part.first_curvature(metric), 1.0, 0.0)  # 3, 4
        sets, origin = problem.sets.arrays, Origin(np.empty(0), problem.linear)
        go = propose.sized(problem.blocks)
        partial = np.empty((len(sets.chunks), SUMS))
        x_now = x_old = buffers.projected(problem, x)  # 2
        N_now, N_old, N_new = (np.empty(problem.rows) for _ in range(3))
        v_now, v_old, v_new = (problem.operator.scratch() for _ in range(3))
        problem.product(x_now, N_now, v_now)
        N_old[:], v_old[:] = N_now, v_now
        traffic = part.ranks.division.communicator.traffic
        judged, span = False, BOUNDED if problem.sets.exact else UNBOUNDED
        while True:  # 6
            x_new, beta = buffers.free(x_now, x_old), pace.beta
            go(
                sets, metric, gauge.rho, x_now, x_old, N_now, N_old, origin, beta, 1.0 / pace.L,
                x_new, partial,
            )  # fmt: skip  # 7, 8
            problem.product(x_new, N_new, v_new)
            bends = part.bends((x_new, x_now, x_old), (v_new, v_now, v_old), beta)
            error, quadratic, linear, uphill, length, bend = part.total(partial, bends)
            traffic.proposals += 1
            if not judged:
                objective = 0.5 * quadratic + linear + problem.objective_offset
                yield Iterate(x_now, gauge.factor * math.sqrt(error), objective)  # 17 to 24
                span = recalled(span, error)
            accepted, pace = accept(  # 9 to 30
                pace, bend, length, uphill, self.shrink, self.restart, span
            )
            if accepted:
                x_old, x_now = x_now, x_new
                N_old, N_now, N_new = N_now, N_new, N_old
                v_old, v_now, v_new = v_now, v_new, v_old
            judged = not accepted


class _Part:
    """What this process adds to the numbers of an iteration."""

    def __init__(self, problem: ConeProblem) -> None:
        assert isinstance(problem.operator, SharedOperator)
        assert isinstance(problem.ranks, SharedSums)
        self.problem, self.operator, self.ranks = problem, problem.operator, problem.ranks
        self._square = kernels.compliance_square.sized(problem.blocks)

    def first_curvature(self, metric: Metric) -> float:
        """1ᵀN1 / 1ᵀS⁻¹1 (line 4, in the metric): a first guess that backtracking corrects."""
        problem = self.problem
        bend = self.ranks.of_rows(problem.product(np.ones(problem.rows)))
        length = self.ranks.of_blocks(1.0 / metric.normal + 2.0 / metric.tangential)
        bent, long = self.ranks.division.added(np.hstack([bend, length]))
        return bent / long if bent > 0.0 else 1.0

    def bends(
        self,
        points: tuple[Floats, Floats, Floats],
        velocities: tuple[Floats, Floats, Floats],
        beta: float,
    ) -> Floats:
        """dᵀ(N + E)d by units, d = new − old − β(old − older), shape (units, 1)."""
        squares = self.operator.squares(*velocities, beta)
        if self.problem.compliance is not None:
            sets = self.problem.sets.arrays
            partial = np.empty((len(sets.chunks), 1))
            self._square(sets, self.problem.compliance, *points, beta, partial)
            squares += self.ranks.by_units(partial)
        return squares

    def total(self, partial: Floats, bends: Floats) -> list[float]:
        """Sums over the whole problem: one reduction."""
        return self.ranks.division.added(np.hstack([self.ranks.by_units(partial), bends]))
