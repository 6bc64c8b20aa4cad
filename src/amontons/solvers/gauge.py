"""How a method reads the error of an iterate: fast, in its solver's measure, every iteration.

This steers a run. Whether an answer is good is not asked here but of :mod:`amontons.judge`, which
shares no arithmetic with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons._jit import TILE, kernel, prange
from amontons.algebra.sums import column_sum
from amontons.problem.problem import ConeProblem
from amontons.problem.residuals import SMALL_STEP, Measure, share_of_row
from amontons.solvers.tiles import STEP_SIZE, natural_tile

Floats = NDArray[np.float64]


@kernel
def natural_map(sets, rho, x, product, linear, partial):
    """Squared natural-map residual and the objective's two terms at x: (‖e‖², xᵀNx, linearᵀx)."""
    for c in prange(sets.chunks.shape[0]):
        work = np.empty(STEP_SIZE)
        total, quad, lin = 0.0, 0.0, 0.0
        for t in range(sets.chunks[c, 4], sets.chunks[c, 5], TILE):
            m = min(TILE, sets.chunks[c, 5] - t)
            e, q, p = natural_tile(sets, sets.chunks[c], t, m, rho, x, product, linear, work)
            total += e
            quad += q
            lin += p
        partial[c, 0], partial[c, 1], partial[c, 2] = total, quad, lin
    return column_sum(partial, 0), column_sum(partial, 1), column_sum(partial, 2)


@dataclass
class Gauge:
    """A measure made ready for one problem: error = factor · ‖(x − Π(x − ρu))/ρ‖.

    `wanted` is the error at which it is worth asking for the judge's verdict; it may change once
    there were `least` iterations.
    """

    rho: Floats
    factor: float
    wanted: float = 0.0
    least: int = 0

    @classmethod
    def of(cls, problem: ConeProblem, measure: Measure | str, wanted: float = 0.0) -> Gauge:
        """The gauge of a measure, given by name or as a `Measure`."""
        measure = Measure.named(measure)
        if measure is Measure.SCALED:
            return cls(problem.mean_steps, 1.0 / problem.speed_unit, wanted)
        rho = np.full(problem.blocks, SMALL_STEP)
        return cls(rho, 1.0 if measure is Measure.PAPER1 else share_of_row(problem), wanted)

    def error(
        self, problem: ConeProblem, x: Floats, product: Floats, linear: Floats | None = None
    ) -> tuple[float, float]:
        """Error and objective at x, whose product N x is given; `linear` may replace r."""
        r = problem.linear if linear is None else linear
        partial = np.empty((problem.sets.arrays.chunks.shape[0], 3))
        found = natural_map.sized(problem.blocks)(
            problem.sets.arrays, self.rho, x, product, r, partial
        )
        square, quadratic, lin = problem.sums(found, partial)
        return self.factor * math.sqrt(square), 0.5 * quadratic + lin + problem.objective_offset
