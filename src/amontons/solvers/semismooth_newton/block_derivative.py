"""Derivatives of maps that act on each block by itself, by central differences.

Such a derivative is block diagonal: as many evaluations as the largest block has rows, for all
blocks at once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from amontons.algebra.cones import ROWS_OF_KIND
from amontons.array_types import Floats
from amontons.problem import kernels
from amontons.problem.problem import ConeProblem

NUDGE = 1e-6
"""Of differences, in sizes of a block."""


class BlockDerivative:
    """Where the rows of a problem's blocks are, and derivatives with that pattern."""

    def __init__(self, problem: ConeProblem) -> None:
        self.blocks = problem.blocks
        self.block = np.empty(problem.rows, dtype=np.int64)  # which block a row belongs to
        self.component = np.empty(problem.rows, dtype=np.int64)  # and which of its rows it is
        for kind, first, count, row in problem.sets.arrays.groups:
            width = int(ROWS_OF_KIND[kind])
            rows = slice(row, row + width * count)
            self.block[rows] = np.tile(first + np.arange(count), width)
            self.component[rows] = np.repeat(np.arange(width), count)
        # column j of a block's derivative is a difference along its component j
        partners = np.lexsort((self.component, self.block))
        start = np.searchsorted(self.block[partners], np.arange(problem.blocks + 1))
        widths = np.diff(start)[self.block]
        self._rows = np.repeat(np.arange(problem.rows), widths)
        nth = np.arange(len(self._rows)) - np.repeat(np.cumsum(widths) - widths, widths)
        self._columns = partners[start[self.block[self._rows]] + nth]

    def of(self, function: Callable[[Floats], Floats], at: Floats) -> sp.csr_array:
        """The derivative of a map at a point, shape (rows, rows)."""
        largest = np.zeros(self.blocks)
        np.maximum.at(largest, self.block, np.abs(at))
        h = (NUDGE * largest + 1e-300)[self.block]
        dense = [
            (function(at + nudge) - function(at - nudge)) / (2.0 * h) for nudge in self._nudges(h)
        ]
        return self._sparse(np.array(dense))

    def of_linear(self, function: Callable[[Floats], Floats]) -> sp.csr_array:
        """The matrix of a linear map, without rounding."""
        one = np.ones(self.block.size)
        return self._sparse(np.array([function(nudge) for nudge in self._nudges(one)]))

    def _nudges(self, h: Floats) -> list[Floats]:
        """h in one component of all blocks, zero elsewhere; one for each component."""
        return [np.where(self.component == k, h, 0.0) for k in range(self.component.max() + 1)]

    def _sparse(self, dense: Floats) -> sp.csr_array:
        values = dense[self.component[self._columns], self._rows]
        shape = (self.block.size, self.block.size)
        return sp.csr_array((values, (self._rows, self._columns)), shape=shape)


def whole_matrix(problem: ConeProblem, blocks: BlockDerivative, *, skew: bool) -> sp.csr_array:
    """N with its compliance, and with its skew part if asked for."""
    matrix = problem.operator.as_matrix()
    if skew and problem.operator.skew is not None:
        matrix = matrix + problem.operator.skew

    def compliance(x: Floats) -> Floats:
        out = np.zeros_like(x)
        add = kernels.add_compliance.sized(problem.blocks)
        add(problem.sets.arrays, problem.compliance, x, out)
        return out

    if problem.compliance is not None:
        matrix = matrix + blocks.of_linear(compliance)
    return sp.csr_array(matrix)
