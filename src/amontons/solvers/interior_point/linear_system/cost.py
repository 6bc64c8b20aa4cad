"""What a factorisation will cost, known before it is begun: entries, operations, memory."""

from __future__ import annotations

import math
import os
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from amontons._jit import serial_kernel
from amontons.algebra.cones import ROWS_OF_KIND
from amontons.array_types import Longs
from amontons.errors import InsufficientMemoryError
from amontons.problem.operators import BodyOperator
from amontons.problem.problem import ConeProblem
from amontons.solvers.interior_point.linear_system.block_pattern import BlockPattern
from amontons.solvers.interior_point.linear_system.factorisation import cvxopt_modules

BYTES_AN_ENTRY = 16
"""Of a factor, with its indices and the working memory of the libraries."""


class FactorCost(NamedTuple):
    """Size of a Cholesky factor."""

    unknowns: int
    entries: float  # of the factor
    operations: float  # multiplications and additions to compute it

    @property
    def nbytes(self) -> float:
        """Memory that the factorisation needs, about [bytes]."""
        return BYTES_AN_ENTRY * self.entries


def factor_cost(row: Longs, column: Longs, size: Longs) -> FactorCost:
    """Cost of a lower triangle of dense blocks (row ≥ column) with these sizes."""
    blocks, unknowns = size.size, int(size.sum())
    off = row > column
    i, j = row[off], column[off]
    ends = (np.concatenate([i, j]), np.concatenate([j, i]))
    graph = sp.csr_array((np.ones(2 * i.size), ends), shape=(blocks, blocks))
    order = _fill_reducing(graph)
    place = np.empty(blocks, dtype=np.int64)
    place[order] = np.arange(blocks)
    below = eliminate(
        graph.indptr.astype(np.int64), graph.indices.astype(np.int64), order, place, size
    )
    own = size[order].astype(np.float64)
    tall = below + own
    return FactorCost(
        unknowns, float((own * (below + 0.5 * own)).sum()), float((own * tall * tall).sum())
    )


def _fill_reducing(graph: sp.csr_array) -> Longs:
    """AMD's ordering if cvxopt is there, else Cuthill and McKee's, which overestimates."""
    if find_spec("cvxopt") is not None and graph.nnz:
        amd, _, _, spmatrix = cvxopt_modules()
        coo = graph.tocoo()
        pattern = spmatrix(1.0, coo.row, coo.col, graph.shape, "d")
        return np.array(amd.order(pattern)).ravel().astype(np.int64)
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    return np.asarray(reverse_cuthill_mckee(graph, symmetric_mode=True)).astype(np.int64)


@serial_kernel
def eliminate(indptr, indices, order, place, size):
    """Rows below the diagonal block in each column of the factor, in the order of elimination.

    Row i of a factor is what the elimination tree's paths from i's neighbours pass on their way up.
    """
    blocks = order.size
    parent = np.full(blocks, -1)
    ancestor = np.full(blocks, -1)
    mark = np.full(blocks, -1)
    below = np.zeros(blocks)
    for i in range(blocks):
        old = order[i]
        for p in range(indptr[old], indptr[old + 1]):  # the tree, with shortened paths
            k = place[indices[p]]
            while k != -1 and k < i:
                above = ancestor[k]
                ancestor[k] = i
                if above == -1:
                    parent[k] = i
                k = above
    for i in range(blocks):
        mark[i] = i
        for p in range(indptr[order[i]], indptr[order[i] + 1]):
            k = place[indices[p]]
            while k < i and mark[k] != i:
                mark[k] = i
                below[k] += size[order[i]]
                k = parent[k]
    return below


def problem_cost(problem: ConeProblem) -> FactorCost:
    """Cost of one factorisation of the system that an interior point step would use."""
    operator = problem.operator
    if operator.over_bodies is not None:
        pair, bodies = touching_bodies(operator.over_bodies)
        if 6 * bodies <= problem.rows:
            both = pair[(pair >= 0).all(axis=1)]
            row, column = both.max(axis=1), both.min(axis=1)
            return factor_cost(row, column, np.full(bodies, 6))
    if operator.mass_form is not None:
        n = operator.mass_form.H.shape[0]
        return FactorCost(n, 10.0 * n ** (4 / 3), 10.0 * float(n) ** 2)
    coo = operator.as_matrix().tocoo()
    block = np.empty(problem.rows, dtype=np.int64)
    for kind, first, count, row in problem.sets.arrays.groups:
        rows = int(ROWS_OF_KIND[kind])
        block[row : row + rows * count] = np.tile(first + np.arange(count), rows)
    i, j = block[coo.coords[0]], block[coo.coords[1]]
    return factor_cost(i, j, np.bincount(block, minlength=problem.blocks))


def touching_bodies(operator: BodyOperator) -> tuple[Longs, int]:
    """Number of each constraint's two bodies among those that move and touch; −1 for others."""
    body = operator.arrays.body.astype(np.int64)
    mobile = np.append(operator.mobile, False)
    used = np.unique(body[mobile[body]])
    number = np.full(operator.bodies + 1, -1, dtype=np.int64)
    number[used] = np.arange(used.size)
    return number[body], int(used.size)


def available_memory() -> float:
    """Memory that this process may still use [bytes]; infinite where the system does not tell."""
    try:
        with open("/proc/meminfo", encoding="ascii") as listing:
            for line in listing:
                if line.startswith("MemAvailable"):
                    return 1024.0 * int(line.split()[1])
    except OSError:
        pass
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return math.inf


def require_memory(cost: FactorCost) -> None:
    """Raise `InsufficientMemoryError` where a factorisation would not fit."""
    there = available_memory()
    if cost.nbytes > there:
        raise InsufficientMemoryError(
            f"factorising {cost.unknowns} unknowns needs about {cost.nbytes / 1e9:.1f} GB, and "
            f"{there / 1e9:.1f} GB are free; use APGD, which needs no factorisation"
        )


SMALL = 2000
"""Unknowns up to which even a full factor is too small to ask about."""


def require_memory_for(pattern: BlockPattern) -> None:
    """The same for a pattern of blocks."""
    if pattern.first[-1] > SMALL:
        require_memory(factor_cost(pattern.row, pattern.column, np.diff(pattern.first)))
