"""Projected Jacobi iterations: papers 2 and 4, and algorithm 2 of paper 3 without its line 6."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons._jit import kernel, prange
from amontons.algebra.cones import COULOMB, head, rows_of
from amontons.array_types import Floats
from amontons.problem.problem import ConeProblem
from amontons.solvers.base import Buffers, Iterate, Solver
from amontons.solvers.gauge import Gauge
from amontons.solvers.relaxation import Damper, Relaxation, relax_block


@kernel
def sweep(sets, tuning, omega, x, product, linear, out):
    """One step of every block, all from the same x."""
    steps, blocks, offsets = tuning.steps, tuning.blocks, tuning.offsets
    damping = omega, tuning.sharpness, tuning.full
    for c in prange(sets.chunks.shape[0]):
        kind, first, count, row = head(sets.chunks, c)
        rows = rows_of(kind)
        new, old, u, work = np.empty(6), np.empty(6), np.empty(6), np.empty(6)
        for j in range(sets.chunks[c, 4], sets.chunks[c, 5]):
            for k in range(rows):
                i = row + k * count + j
                old[k] = x[i]
                u[k] = product[i] + linear[i]
            b, index = first + j, first + j if kind >= COULOMB else j
            at = offsets[b] if tuning.full else 0
            relax_block(sets, kind, index, rows, steps[b], blocks, at, damping, old, u, new, work)
            for k in range(rows):
                out[row + k * count + j] = new[k]


@dataclass(frozen=True, kw_only=True)
class Jacobi(Relaxation, Solver):
    """Projected Jacobi: γ ← λ Π(γ − ωB(Nγ + r)) + (1 − λ)γ, all blocks at once.

    Simple, parallel, and slow: ω must stay below 2/λ_max(BN), which is about 0.3 in packings.

    Parameters
    ----------
    relaxation, sharpness:
        ω and λ. ω is halved whenever the objective rises.
    step:
        "block" is B = 3/trace(N_ii) (paper 3, eq. 27); "full" minimises over the block exactly.
    """

    relaxation: float = 0.2

    buffers: ClassVar[int] = 3
    thrifty: ClassVar[bool] = True
    follows_slip: ClassVar[bool] = True

    def iterations(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate]:
        """Algorithm 2 of paper 3, every block seeing the last iterate."""
        scratch, tuning = problem.operator.scratch(), self.tuning(problem)
        go = sweep.sized(problem.blocks)
        x = buffers.projected(problem, x)
        Nx = np.empty(problem.rows)
        damper = Damper(self.relaxation)
        while True:
            problem.product(x, Nx, scratch)
            error, objective = gauge.error(problem, x, Nx)
            yield Iterate(x, error, objective)
            new = buffers.free(x)
            omega = damper.after(objective, error if problem.sets.exact else np.inf)
            go(problem.sets.arrays, tuning, omega, x, Nx, problem.linear, new)
            x = new
