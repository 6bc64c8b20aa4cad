"""What a solver asks of N, the matrix of a cone problem, whatever its form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from amontons.algebra.cones import ROWS_OF_KIND, SetArrays

Floats = NDArray[np.float64]


class Operator(ABC):
    """A symmetric positive semi-definite map N on the rows of a problem, in internal order."""

    rows: int
    """Number of rows."""

    skew: sp.csr_array | None = None
    """What the caller's matrix has beyond its symmetric part: exact Coulomb friction uses it."""

    @abstractmethod
    def apply(self, x: Floats, out: Floats, scratch: Any) -> float | None:
        """out ← N x. `scratch` comes from :meth:`scratch`, one for each concurrent use.

        Returns xᵀNx, or None where that is not known on the way.
        """

    def check(self, sets: SetArrays) -> None:
        """Raise `InputError` where the operator's structure is not that of the sets."""

    @abstractmethod
    def scaled(self, factors: Floats) -> Self:
        """S N S with S the diagonal matrix of `factors`, shape (rows,); shares what it can."""

    def scratch(self) -> Any:
        """Memory that :meth:`apply` needs beside its arguments."""
        return None

    def quadratic(self, new: Any, old: Any, older: Any, beta: float) -> float | None:
        """dᵀNd for d = new − old − β(old − older), from the scratch memory of their products.

        None where an operator has no shorter way than over the rows.
        """
        return None

    @abstractmethod
    def curvatures(self, sets: SetArrays) -> Floats:
        """Mean diagonal of N over each block's normal, tangential and torque rows, (blocks, 3)."""

    @abstractmethod
    def diagonal_blocks(self, sets: SetArrays) -> tuple[Floats, NDArray[np.int64]]:
        """The blocks N_bb, row by row in one flat array, and where each begins, (blocks + 1,)."""

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
