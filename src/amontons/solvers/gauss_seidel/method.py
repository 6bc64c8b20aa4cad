"""Projected Gauss–Seidel and SOR: papers 2 and 4, and algorithm 2 of paper 3.

Over bodies a block's velocity is read from its two bodies and its impulse given to them at once, in
the incremental form of paper 4; with a matrix the block's rows are multiplied by the current x.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons import _jit
from amontons.algebra.cones import ROWS_OF_KIND
from amontons.array_types import Floats
from amontons.errors import UnsupportedProblemError
from amontons.problem.operators import BodyOperator
from amontons.problem.problem import ConeProblem
from amontons.solvers.base import Buffers, Iterate, Solver
from amontons.solvers.gauge import Gauge
from amontons.solvers.gauss_seidel.colouring import (
    COLOURS,
    PACKET,
    by_colour,
    colour_pairs,
    colour_rows,
    in_sequence,
)
from amontons.solvers.gauss_seidel.sweeps import (
    BlockRows,
    sweep_bodies,
    sweep_contacts,
    sweep_matrix,
    where_blocks,
)
from amontons.solvers.relaxation import Damper, Relaxation, Tuning

REFRESH = 100
"""Sweeps after which the bodies' velocities, updated impulse by impulse, are computed anew."""


@dataclass(frozen=True, kw_only=True)
class GaussSeidel(Relaxation, Solver):
    """Projected Gauss–Seidel, or SOR with ω ≠ 1, block by block (papers 2 to 4).

    Parameters
    ----------
    relaxation, sharpness:
        ω and λ of papers 3 and 4. ω is halved whenever the objective rises.
    step:
        "block" is B = 3/trace(N_ii) (paper 3, eq. 27); "full" minimises over the block exactly.
    symmetric:
        Sweep forwards and backwards in turn.
    parallel:
        Relax blocks of one colour at once, on all threads. The default decides by the problem's
        size. The order of blocks, and so the iterates, differ from the serial ones; the number of
        threads changes nothing.
    """

    relaxation: float = 1.0
    symmetric: bool = False
    parallel: bool | None = None

    buffers: ClassVar[int] = 2
    thrifty: ClassVar[bool] = True
    follows_slip: ClassVar[bool] = True

    def check(self, problem: ConeProblem) -> None:
        """A factored problem must be small enough to be condensed."""
        if not problem.operator.forms_rows:
            raise UnsupportedProblemError(
                f"GaussSeidel needs the rows of N, and condensing {problem.rows} of them from a "
                "factored mass matrix would take too much memory; use APGD or SpectralGradient"
            )

    def iterations(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate]:
        """Algorithm 2 of paper 3: sweeps of line 4 to 6 over all blocks."""
        x = buffers.projected(problem, x)
        where, tuning = where_blocks(problem.sets), self.tuning(problem)
        bodies = problem.operator.over_bodies
        if bodies is not None:
            yield from self._on_bodies(problem, bodies, x, gauge, buffers, where, tuning)
        else:
            yield from self._on_matrix(problem, x, gauge, buffers, where, tuning)

    def _on_bodies(
        self,
        problem: ConeProblem,
        operator: BodyOperator,
        x: Floats,
        gauge: Gauge,
        buffers: Buffers,
        where: BlockRows,
        tuning: Tuning,
    ) -> Generator[Iterate]:
        arrays = operator.arrays
        order = in_sequence(problem.blocks)
        if self._in_parallel(problem):
            colour = np.empty(problem.blocks, dtype=np.int32)
            colour_pairs(arrays.body, operator.mobile, operator.bodies, PACKET, COLOURS, colour)
            order = by_colour(colour, PACKET)
        E = _compliance(problem)
        only_contacts = arrays.forces == problem.blocks and not tuning.full and not E.size
        form = "parallel" if self._in_parallel(problem) else "serial"
        velocity, Nx = operator.scratch(), np.empty(problem.rows)
        damper, count = Damper(self.relaxation), 0
        while True:
            if count % REFRESH == 0:
                problem.product(x, Nx, velocity)
            else:
                problem.product_of_velocities(x, velocity, Nx)
            error, objective = gauge.error(problem, x, Nx)
            yield Iterate(x, error, objective)
            x = _writable(x, buffers)
            backward = self.symmetric and count % 2 == 1
            omega = damper.after(objective, error if problem.sets.exact else np.inf)
            sets, r = problem.sets.arrays, problem.linear
            if only_contacts:
                steps = omega * tuning.steps
                go = getattr(sweep_contacts, form)
                go(sets, arrays, steps, self.sharpness, order, backward, x, r, velocity)
            else:
                go = getattr(sweep_bodies, form)
                go(sets, arrays, where, tuning, E, omega, order, backward, x, r, velocity)
            count += 1

    def _on_matrix(
        self,
        problem: ConeProblem,
        x: Floats,
        gauge: Gauge,
        buffers: Buffers,
        where: BlockRows,
        tuning: Tuning,
    ) -> Generator[Iterate]:
        matrix = problem.operator.as_csr()
        order = in_sequence(problem.blocks)
        if self._in_parallel(problem):
            colour = np.empty(problem.blocks, dtype=np.int32)
            rows = ROWS_OF_KIND[where.kind].astype(np.int32)
            block_of_row = np.empty(problem.rows, dtype=np.int32)
            for k in range(int(rows.max())):
                has = rows > k
                block_of_row[(where.first_row + k * where.stride)[has]] = np.flatnonzero(has)
            first_row, stride = where.first_row, where.stride
            colour_rows(
                matrix.indptr,
                matrix.indices,
                block_of_row,
                first_row,
                stride,
                rows,
                COLOURS,
                colour,
            )
            order = by_colour(colour, PACKET)
        sweep = sweep_matrix.parallel if self._in_parallel(problem) else sweep_matrix.serial
        scratch, Nx, E = problem.operator.scratch(), np.empty(problem.rows), _compliance(problem)
        damper, count = Damper(self.relaxation), 0
        while True:
            problem.product(x, Nx, scratch)
            error, objective = gauge.error(problem, x, Nx)
            yield Iterate(x, error, objective)
            x = _writable(x, buffers)
            backward = self.symmetric and count % 2 == 1
            omega = damper.after(objective, error if problem.sets.exact else np.inf)
            sets, r = problem.sets.arrays, problem.linear
            sweep(sets, matrix, where, tuning, E, omega, order, backward, x, r)
            count += 1

    def _in_parallel(self, problem: ConeProblem) -> bool:
        if self.parallel is None:
            return problem.blocks >= 4 * _jit.PARALLEL_ABOVE
        return self.parallel


def _compliance(problem: ConeProblem) -> Floats:
    """Diagonal of E, shape (rows,), or empty where there is none: kernels know no None."""
    return np.empty(0) if problem.compliance is None else problem.compliance


def _writable(x: Floats, buffers: Buffers) -> Floats:
    """x itself, or a copy of it where x is kept as the best iterate."""
    if buffers.best is not x:
        return x
    copy = buffers.free(x)
    copy[:] = x
    return copy
