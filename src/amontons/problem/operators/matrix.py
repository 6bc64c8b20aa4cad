"""N as a sparse matrix in CSR form."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from amontons._jit import kernel, prange, serial_kernel
from amontons.algebra.cones import COULOMB, SetArrays, rows_of
from amontons.array_types import Floats
from amontons.problem.operators.base import CsrArrays, Operator, block_offsets


@kernel
def csr_product(matrix, x, out):
    """out ← N x, each row summed in storage order."""
    for i in prange(out.size):
        total = 0.0
        for p in range(matrix.indptr[i], matrix.indptr[i + 1]):
            total += matrix.data[p] * x[matrix.indices[p]]
        out[i] = total


@serial_kernel
def csr_diagonal_blocks(matrix, sets, offsets, out):
    """Copy the entries of N's diagonal blocks into one flat array."""
    for g in range(sets.groups.shape[0]):
        kind, first, count, row = sets.groups[g]
        rows = rows_of(kind)
        for i in range(rows * count):
            k, j = i // count, i % count
            for p in range(matrix.indptr[row + i], matrix.indptr[row + i + 1]):
                column = matrix.indices[p] - row
                if 0 <= column < rows * count and column % count == j:
                    out[offsets[first + j] + k * rows + column // count] += matrix.data[p]


@serial_kernel
def curvatures_of_blocks(sets, blocks, offsets, out):
    """Mean diagonal over the normal, tangential and torque rows of each diagonal block."""
    for g in range(sets.groups.shape[0]):
        kind = sets.groups[g, 0]
        rows = rows_of(kind)
        for b in range(sets.groups[g, 1], sets.groups[g, 1] + sets.groups[g, 2]):
            at = offsets[b]
            if kind < COULOMB:
                out[b, 0] = blocks[at]
                continue
            trace, along = 0.0, 0.0
            for i in range(3):
                trace += blocks[at + i * rows + i]
                for j in range(3):
                    along += sets.normal[i, b] * blocks[at + i * rows + j] * sets.normal[j, b]
            out[b, 0] = along
            out[b, 1] = 0.5 * (trace - along)
            torque = 0.0
            for i in range(3, rows):
                torque += blocks[at + i * rows + i] / (rows - 3)
            out[b, 2] = torque


class MatrixOperator(Operator):
    """N given as a scipy sparse matrix; the convex problem uses its symmetric part.

    A nonsymmetric matrix is split: :attr:`matrix` is (W + Wᵀ)/2, :attr:`skew` the rest.
    """

    form: ClassVar[str] = "matrix"

    def __init__(self, matrix: sp.csr_array, skew: sp.csr_array | None = None) -> None:
        self.matrix = matrix
        self.skew = skew
        self.rows = int(matrix.shape[0])
        self.arrays = CsrArrays.of(matrix)
        self._product = csr_product.sized(matrix.nnz // 30)

    def scaled(self, factors: Floats) -> Self:
        skew = None if self.skew is None else _scaled(self.skew, factors)
        return type(self)(_scaled(self.matrix, factors), skew)

    def whole(self) -> Operator:
        return self if self.skew is None else type(self)(sp.csr_array(self.matrix + self.skew))

    def apply(self, x: Floats, out: Floats, scratch: Any) -> None:
        self._product(self.arrays, x, out)

    def curvatures(self, sets: SetArrays) -> Floats:
        blocks, offsets = self.diagonal_blocks(sets)
        out = np.zeros((offsets.size - 1, 3))
        curvatures_of_blocks(sets, blocks, offsets, out)
        return out

    def diagonal_blocks(self, sets: SetArrays) -> tuple[Floats, NDArray[np.int64]]:
        offsets = block_offsets(sets)
        out = np.zeros(offsets[-1])
        csr_diagonal_blocks(self.arrays, sets, offsets, out)
        return out, offsets

    @property
    def entries(self) -> int:
        return int(self.matrix.nnz)

    def as_csr(self) -> CsrArrays:
        return self.arrays

    def as_matrix(self) -> sp.csr_array:
        return self.matrix

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays)


def _scaled(matrix: sp.csr_array, factors: Floats) -> sp.csr_array:
    """S A S, as symmetric to the last bit as A is."""
    rows = np.repeat(factors, np.diff(matrix.indptr))
    data = matrix.data * (rows * factors[matrix.indices])
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
