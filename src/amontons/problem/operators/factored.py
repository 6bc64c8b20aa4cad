"""N = Hᵀ M⁻¹ H with a sparse mass matrix M that is factorised once: the "global" form."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph as csgraph
import scipy.sparse.linalg as spla
from numpy.typing import NDArray

from amontons.algebra.cones import ROWS_OF_KIND, SetArrays
from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.problem.operators.base import MassForm, Operator
from amontons.problem.operators.matrix import MatrixOperator

MOST_ROWS_FORMED = 20_000
"""Most rows for which N is formed; beyond, it would take too much memory."""

LARGEST_BODY = 12
"""Most unknowns of a connected part of M that is inverted explicitly, like a rigid body's."""


def inverse_mass(M: sp.csc_array) -> sp.csr_array | None:
    """M⁻¹ where M is block diagonal with small blocks (rigid bodies), else None."""
    count, part = csgraph.connected_components(M, directed=False)
    sizes = np.bincount(part, minlength=count)
    if sizes.size and sizes.max() > LARGEST_BODY:
        return None
    order = np.argsort(part, kind="stable")
    first = np.concatenate([[0], np.cumsum(sizes)])
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size) - first[part[order]]
    coo = M.tocoo()
    rows: list[Any] = []
    columns: list[Any] = []
    values: list[Any] = []
    for size in np.unique(sizes):
        parts = np.flatnonzero(sizes == size)
        place = np.full(count, -1)
        place[parts] = np.arange(parts.size)
        dense = np.zeros((parts.size, size, size))
        mine = place[part[coo.row]] >= 0
        dense[place[part[coo.row[mine]]], rank[coo.row[mine]], rank[coo.col[mine]]] = coo.data[mine]
        members = order[first[parts][:, None] + np.arange(size)]
        try:
            inverse = np.linalg.inv(dense)
        except np.linalg.LinAlgError:
            raise InputError("the mass matrix M is singular; every body needs a mass") from None
        rows.append(np.repeat(members, size, axis=1).ravel())
        columns.append(np.tile(members, (1, size)).ravel())
        values.append(inverse.ravel())
    triplets = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    inverse_matrix = sp.csr_array(triplets, shape=M.shape)
    inverse_matrix.eliminate_zeros()
    return inverse_matrix


class MassInverse:
    """x ↦ M⁻¹ x, by explicit blocks for bodies or by a sparse factorisation otherwise."""

    matrix: sp.csc_array
    """M itself."""

    def __init__(self, M: sp.csc_array) -> None:
        self.matrix = M
        self.explicit = inverse_mass(M)
        self._factors = None
        if self.explicit is None:
            try:
                self._factors = spla.splu(M)
            except RuntimeError as reason:
                raise InputError(f"the mass matrix M cannot be factorised: {reason}") from None

    def __call__(self, x: Any) -> Any:
        if self.explicit is not None:
            return self.explicit @ x
        assert self._factors is not None
        if sp.issparse(x):
            return sp.csr_array(self._factors.solve(x.toarray()))
        return self._factors.solve(x)

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        if self.explicit is not None:
            return int(self.explicit.data.nbytes + self.explicit.indices.nbytes)
        assert self._factors is not None
        return int(12 * (self._factors.L.nnz + self._factors.U.nnz))


class FactoredOperator(Operator):
    """N = Hᵀ M⁻¹ H, applied factor by factor and never formed."""

    form: ClassVar[str] = "factored"

    def __init__(self, mass_inverse: MassInverse, H: sp.csc_array) -> None:
        self.mass_inverse = mass_inverse
        self.H = H.tocsr()
        self.Ht = H.T.tocsr()
        self.rows = int(H.shape[1])

    def scaled(self, factors: Floats) -> Self:
        return type(self)(self.mass_inverse, sp.csc_array(self.H @ sp.diags_array(factors)))

    def apply(self, x: Floats, out: Floats, scratch: Any) -> None:
        out[:] = self.Ht @ self.mass_inverse(self.H @ x)

    def curvatures(self, sets: SetArrays) -> Floats:
        return MatrixOperator(self._block_diagonal(sets)).curvatures(sets)

    def diagonal_blocks(self, sets: SetArrays) -> tuple[Floats, NDArray[np.int64]]:
        return MatrixOperator(self._block_diagonal(sets)).diagonal_blocks(sets)

    def _block_diagonal(self, sets: SetArrays, batch: int = 256) -> sp.csr_array:
        """The diagonal blocks of N, a batch at a time."""
        H = self.H.tocsc()
        rows, columns, values = [np.empty(0, int)], [np.empty(0, int)], [np.empty(0)]
        for kind, _, count, row in sets.groups:
            size = int(ROWS_OF_KIND[kind])
            for first in range(0, count, batch):
                block = np.arange(first, min(first + batch, count))
                index = row + block[:, None] + count * np.arange(size)  # (blocks, rows per block)
                part = H[:, index.ravel()]
                local = (part.T @ self.mass_inverse(part)).toarray()
                local = local.reshape(block.size, size, block.size, size)
                values.append(local[np.arange(block.size), :, np.arange(block.size)].ravel())
                rows.append(np.repeat(index, size, axis=1).ravel())
                columns.append(np.tile(index, (1, size)).ravel())
        triplets = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return sp.csr_array(triplets, shape=(self.rows, self.rows))

    @property
    def mass_form(self) -> MassForm:
        return MassForm(self.mass_inverse.matrix, self.H, self.Ht)

    def inverse_mass_form(self) -> tuple[sp.csr_array, sp.csr_array] | None:
        inverse = self.mass_inverse.explicit
        return None if inverse is None else (inverse, self.H)

    @property
    def entries(self) -> int:
        return int(2 * self.H.nnz)

    @property
    def forms_rows(self) -> bool:
        return self.rows <= MOST_ROWS_FORMED

    def whole_matrix(self) -> sp.csr_array:
        """Hᵀ M⁻¹ H as computed, only as symmetric as M is."""
        return sp.csr_array(self.Ht @ self.mass_inverse(self.H))

    def as_matrix(self) -> sp.csr_array:
        product = self.whole_matrix()
        return sp.csr_array((product + product.T) / 2)

    @property
    def nbytes(self) -> int:
        return int(2 * (self.H.data.nbytes + self.H.indices.nbytes) + self.mass_inverse.nbytes)
