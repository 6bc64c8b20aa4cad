"""The interface of N, the matrix of a cone problem, whatever its form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from amontons.algebra.cones import ROWS_OF_KIND, SetArrays

if TYPE_CHECKING:
    from amontons.problem.operators.bodies import BodyOperator

Floats = NDArray[np.float64]


class CsrArrays(NamedTuple):
    """A CSR matrix in the form that kernels use."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: Floats

    @classmethod
    def of(cls, matrix: sp.csr_array) -> CsrArrays:
        """The arrays of a scipy matrix, in the types that kernels are compiled for."""
        return cls(
            indptr=matrix.indptr.astype(np.int64),
            indices=matrix.indices.astype(np.int32),
            data=np.ascontiguousarray(matrix.data, dtype=np.float64),
        )


class MassForm(NamedTuple):
    """N = Hᵀ M⁻¹ H with a sparse mass matrix."""

    M: sp.csc_array  # shape (unknowns, unknowns)
    H: sp.csr_array  # shape (unknowns, rows)
    Ht: sp.csr_array  # its transpose


class Operator(ABC):
    """A symmetric positive semi-definite map N on the rows of a problem, in internal order."""

    form: ClassVar[str]
    """The name of this kind of operator in files."""

    rows: int
    """Number of rows."""

    skew: sp.csr_array | None = None
    """The skew part of the caller's matrix, which exact Coulomb friction uses."""

    def whole(self) -> Operator:
        """The map with its skew part, as the caller gave it."""
        return self

    @abstractmethod
    def apply(self, x: Floats, out: Floats, scratch: Any) -> float | None:
        """out ← N x. `scratch` comes from :meth:`scratch`, one for each concurrent use.

        Returns xᵀNx, or None if that is not a by-product.
        """

    def check(self, sets: SetArrays) -> None:
        """Raise `InputError` if the operator's structure is not that of the sets."""

    @abstractmethod
    def scaled(self, factors: Floats) -> Self:
        """S N S with S the diagonal matrix of `factors`, shape (rows,); shares what it can."""

    def scratch(self) -> Any:
        """Memory that :meth:`apply` needs beside its arguments."""
        return None

    def quadratic(self, new: Any, old: Any, older: Any, beta: float) -> float | None:
        """dᵀNd for d = new − old − β(old − older), from the scratch memory of their products.

        None if an operator has no shorter way than over the rows.
        """
        return None

    @abstractmethod
    def curvatures(self, sets: SetArrays) -> Floats:
        """Mean diagonal of N over each block's normal, tangential and torque rows, (blocks, 3)."""

    @abstractmethod
    def diagonal_blocks(self, sets: SetArrays) -> tuple[Floats, NDArray[np.int64]]:
        """The blocks N_bb, row by row in one flat array, and where each begins, (blocks + 1,)."""

    # -- what only some operators offer -------------------------------------------------------

    @property
    def over_bodies(self) -> BodyOperator | None:
        """Itself as an operator over rigid bodies, if it is one."""
        return None

    @property
    def mass_form(self) -> MassForm | None:
        """Its factors, for methods that factorise over the unknowns of M."""
        return None

    def inverse_mass_form(self) -> tuple[sp.csr_array, sp.csr_array] | None:
        """M⁻¹ and H, where N = Hᵀ M⁻¹ H and both are known as sparse matrices."""
        return None

    @property
    def entries(self) -> int:
        """Entries of sparse matrices that a product reads, a measure of its cost."""
        return 0

    @property
    def forms_rows(self) -> bool:
        """Whether :meth:`as_csr` is affordable."""
        return True

    def as_csr(self) -> CsrArrays:
        """N row by row, for methods that relax one block at a time."""
        return CsrArrays.of(self.as_matrix())

    @abstractmethod
    def as_matrix(self) -> sp.csr_array:
        """N as a sparse matrix, for small problems, tests and files."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Memory held, in bytes."""


def block_offsets(sets: SetArrays) -> NDArray[np.int64]:
    """Where each block's d × d entries begin in a flat array of all diagonal blocks."""
    squares = np.repeat(ROWS_OF_KIND[sets.groups[:, 0]] ** 2, sets.groups[:, 2])
    return np.concatenate([[0], np.cumsum(squares, dtype=np.int64)])
