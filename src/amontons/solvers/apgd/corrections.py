"""Iterates kept as float32 corrections of a base point: iterative refinement of a convex problem.

An impulse deep in a bed is hundreds of times what it changes, so that rounded to float32 it leaves
an error of 1e-5 and more. What is rounded here is only d = x − x₀. The base x₀ follows x now and
then; the velocities u₀ = N x₀ + r there are computed in float64 and then rounded, so that

    minimise ½dᵀNd + u₀ᵀd  over  x₀ + d ∈ Υ

is the given problem, in unknowns and velocities that are as small as the progress since.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from amontons._jit import heavy_kernel, prange
from amontons.algebra.cones import head, rows_of
from amontons.algebra.sums import column_sum
from amontons.problem.problem import ConeProblem
from amontons.solvers.apgd.propose import Origin
from amontons.solvers.base import Floats

Singles = NDArray[np.float32]

ROUNDING = 2.0**-24
"""Largest relative error of a number that is rounded to float32."""


@heavy_kernel
def move_base(base, rows, now):
    """base ← base + rows[now], rounded; rows ← corrections of the new base to the same points."""
    for i in prange(base.size):
        here = np.float64(base[i])
        rounded = base.dtype.type(here + rows[now, i])
        base[i] = rounded
        for k in range(rows.shape[0]):
            rows[k, i] = (here - rounded) + rows[k, i]


@heavy_kernel
def steep_square(sets, rho, x, partial):
    """Σ‖x/ρ‖² over all blocks: x as the speeds that its rows by themselves would give."""
    for c in prange(sets.chunks.shape[0]):
        kind, first, count, row = head(sets.chunks, c)
        total = 0.0
        for k in range(rows_of(kind)):
            for j in range(sets.chunks[c, 4], sets.chunks[c, 5]):
                speed = np.float64(x[row + k * count + j]) / rho[first + j]
                total += speed * speed
        partial[c, 0] = total
    return column_sum(partial, 0)


class Corrections:
    """Rows of float32 that are corrections of one base point."""

    def __init__(self, problem: ConeProblem, x: Floats, count: int) -> None:
        self.problem = problem
        self.rows: Singles = np.zeros((count, problem.rows), dtype=np.float32)
        self.base: Singles = x.astype(np.float32)
        self._list: list[Singles] = list(self.rows)
        self.rows[0] = x - self.base
        self._look()

    def _look(self) -> None:
        """What is computed at a new base, in double precision."""
        problem, x = self.problem, self.base.astype(np.float64)
        u = problem.product(x)
        self.objective = 0.5 * problem.inner(x, u) + problem.inner(problem.linear, x)
        """Of the base, the problem's offset aside."""
        u += problem.linear
        self.speed = problem.norm(u)
        """‖u₀‖ [m/s]."""
        self.origin = Origin(self.base, u.astype(np.float32))

    def __getitem__(self, row: int) -> Singles:
        """The array that is this row."""
        return self._list[row]

    def free(self, *used: int) -> int:
        """The first row that is not in use."""
        return next(k for k in range(len(self._list)) if k not in used)

    def rebase(self, row: int) -> None:
        """Make this row's point the base, to the digits of float32; no point moves."""
        move_base.parallel(self.base, self.rows, row)
        self._look()

    def noise(self, row: int, rho: Singles) -> float:
        """Speeds that rounding may add to Nd of this row, in the norm of errors [m/s]."""
        sets = self.problem.sets.arrays
        partial = np.empty((sets.chunks.shape[0], 1))
        square = steep_square.parallel(sets, rho, self[row], partial)
        return ROUNDING * math.sqrt(self.problem.total((square,))[0])

    def point(self, row: int) -> Floats:
        """The point in double precision, shape (rows,)."""
        x = self.base.astype(np.float64)
        x += self[row]
        return x


class CorrectedPoint:
    """A feasible point that :class:`Corrections` hold, until somebody asks for it."""

    def __init__(self, corrections: Corrections, row: int) -> None:
        self.corrections, self.row = corrections, row

    def unknowns(self) -> Floats:
        """x = Π(x₀ + d) in double precision, shape (rows,)."""
        return self.corrections.problem.project(self.corrections.point(self.row))
