"""Algorithm 1 with its vectors in single precision, for problems that wait for memory.

The same `propose` and `accept` as in :mod:`amontons.solvers.apgd.method`; what is stored between
them is float32. Corrections of a base point (:mod:`~amontons.solvers.apgd.corrections`) keep what
that rounds away far below the error of the iterate. Where they cannot, this ends, and the loop in
double precision goes on from the same two points at the same pace.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from amontons.algebra.cones import Metric
from amontons.problem import kernels
from amontons.problem.operators import SingleBodies
from amontons.problem.problem import ConeProblem
from amontons.solvers.apgd.accept import BOUNDED, UNBOUNDED, Pace, accept, recalled
from amontons.solvers.apgd.corrections import ROUNDING, CorrectedPoint, Corrections, Singles
from amontons.solvers.apgd.propose import propose
from amontons.solvers.base import Buffers, Floats, Iterate
from amontons.solvers.gauge import Gauge

if TYPE_CHECKING:
    from amontons.solvers.apgd.method import APGD

MIXED_ABOVE = 100_000
"""Blocks from which vectors are stored in single precision: fewer stay in the cache anyway."""

SHARE = 0.002
"""Share of an iterate's error that rounding may have."""

LOOK = 16
"""Iterations between two looks at what rounding does."""

IDLE = 2000
"""Iterations without a better error after which double precision is tried."""


class Handover(NamedTuple):
    """Where the loop in double precision goes on."""

    x: Floats
    x_old: Floats
    pace: Pace


def waits_for_memory(problem: ConeProblem) -> bool:
    """Whether a problem's iterations do: it is over bodies, and large. Its size alone decides."""
    return (
        problem.operator.over_bodies is not None
        and problem.blocks >= MIXED_ABOVE
        and problem.ranks.count == 1
    )


class _Products:
    """Products (N + E) d of the three points of an iteration, and what they leave."""

    def __init__(self, problem: ConeProblem) -> None:
        operator = problem.operator.over_bodies
        assert operator is not None
        self.problem, self.single = problem, SingleBodies(operator)
        self.now, self.old = (np.empty(problem.rows, dtype=np.float32) for _ in range(2))
        self.v_now, self.v_old, self.v_new = (self.single.scratch() for _ in range(3))

    def restart(self, x: Singles, x_old: Singles) -> None:
        """Both products anew, at a new base."""
        for point, velocity, out in ((x, self.v_now, self.now), (x_old, self.v_old, self.old)):
            self.single.gather(point, velocity)
            self._spread(point, velocity, out)

    def bend(self, x_new: Singles, x: Singles, x_old: Singles, beta: float) -> float:
        """dᵀ(N + E)d for d = x_new − x − β(x − x_old)."""
        self.single.gather(x_new, self.v_new)
        square = self.single.quadratic(self.v_new, self.v_now, self.v_old, beta)
        square += self.problem.compliance_square((x_new, x, x_old), beta)
        return self.problem.total((square,))[0]

    def advance(self, x_new: Singles) -> None:
        """The proposal is the next point: only now its product is needed."""
        self._spread(x_new, self.v_new, self.old)
        self.old, self.now = self.now, self.old
        self.v_old, self.v_now, self.v_new = self.v_now, self.v_new, self.v_old

    def _spread(self, x: Singles, velocity: Singles, out: Singles) -> None:
        self.single.spread(velocity, out)
        if self.problem.compliance is not None:
            add = kernels.add_compliance.sized(self.problem.blocks)
            add(self.problem.sets.arrays, self.problem.compliance, x, out)


def in_single_precision(
    solver: APGD, problem: ConeProblem, start: Floats, metric: Metric, pace: Pace, gauge: Gauge,
    buffers: Buffers,
) -> Generator[Iterate, None, Handover]:  # fmt: skip
    """Iterates of APGD from `start`, until rounding is too large a share of the error.

    Rounding has two parts. What it does to products of corrections falls with a new base; what it
    does to the velocities u₀ at the base does not, and ends the loop: at an error of 3e-5 ‖u₀‖/‖r‖.
    """
    sets, go = problem.sets.arrays, propose.sized(problem.blocks)
    steps = Metric(*(part.astype(np.float32) for part in metric))  # type: ignore[arg-type]
    rho = gauge.rho.astype(np.float32)
    finest = rho
    if gauge.rho is not problem.mean_steps:
        finest = np.minimum(gauge.rho, problem.mean_steps).astype(np.float32)
    partial = np.empty((sets.chunks.shape[0], 5))
    store = Corrections(problem, problem.project(start.copy()), solver.buffers)  # 2
    del start, metric
    products = _Products(problem)
    x = x_old = 0
    span = BOUNDED if problem.sets.exact else UNBOUNDED
    products.restart(store[x], store[x_old])
    judged, count, age, best, best_at = False, 0, 0, math.inf, 0
    try:
        while True:  # 6
            kept = buffers.best
            taken = kept.row if isinstance(kept, CorrectedPoint) else x
            x_new = store.free(x, x_old, taken)
            vectors = store[x], store[x_old], products.now, products.old
            found = go(
                sets, steps, rho, *vectors, store.origin, pace.beta, 1.0 / pace.L, store[x_new],
                partial,
            )  # fmt: skip  # 7, 8
            square, quadratic, linear, uphill, length = problem.total(found)
            if not judged:
                error = gauge.factor * math.sqrt(square)
                asked = error <= gauge.wanted
                value = store.objective + 0.5 * quadratic + linear + problem.objective_offset
                yield Iterate(CorrectedPoint(store, x), error, value)  # 17 to 24
                count, age, span = count + 1, age + 1, recalled(span, square)
                best, best_at = (error, count) if error < best else (best, best_at)
                if asked or age % LOOK == 0:
                    allowed = SHARE * error / gauge.factor
                    refused = asked and age < LOOK and not problem.judged_by_more
                    idle = count - best_at >= IDLE
                    if refused or idle or ROUNDING * store.speed > allowed:
                        break
                    if asked or store.noise(x, finest) > allowed:
                        store.rebase(x)
                        products.restart(store[x], store[x_old])
                        judged, age = True, 0
                        continue
            bend = products.bend(store[x_new], store[x], store[x_old], pace.beta)
            # 9 to 30
            accepted, pace = accept(pace, bend, length, uphill, solver.shrink, solver.restart, span)
            if accepted:
                products.advance(store[x_new])
                x_old, x = x, x_new
            judged = not accepted
        last, before = CorrectedPoint(store, x).unknowns(), store.point(x_old)
    finally:  # also where the run ends here: nobody else knows of corrections
        if isinstance(buffers.best, CorrectedPoint):
            buffers.best = buffers.best.unknowns()
    return Handover(last, before, pace)
