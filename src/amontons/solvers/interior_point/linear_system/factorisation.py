"""Cholesky-like factorisations of sparse symmetric matrices, from the library that is at hand.

A matrix comes as the lower triangle in CSC form: the pattern once, values as often as they change.
CHOLMOD (in cvxopt's wheel) is the fastest of those tried here, Pardiso (pypardiso) is as fast and
large; SuperLU, which scipy brings, always works. Small or nearly full matrices go to LAPACK.
"""

from __future__ import annotations

import hashlib
import threading
from abc import ABC, abstractmethod
from functools import cache
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack

from amontons._blas import one_blas_thread
from amontons.array_types import Floats, Longs
from amontons.errors import InputError

DENSE_BELOW = 200
"""Unknowns up to which a full factorisation is the fastest, whatever the pattern."""

DENSE_SHARE = 0.35
"""Share of a lower triangle's entries from which a matrix counts as full."""


class NotPositiveDefiniteError(ArithmeticError):
    """A matrix that cannot be factorised as it is: regularise it more."""


class Pattern:
    """Where the entries of a lower triangle are, in CSC form with sorted rows."""

    def __init__(self, indptr: Longs, indices: Longs) -> None:
        self.indptr, self.indices = indptr, indices
        self.size = int(indptr.size - 1)
        self.entries = int(indices.size)

    @property
    def key(self) -> bytes:
        """A digest that two patterns share if they are the same."""
        digest = hashlib.blake2b(self.indptr.tobytes(), digest_size=16)
        digest.update(self.indices.tobytes())
        return digest.digest()

    @property
    def columns(self) -> Longs:
        """Column of each entry."""
        return np.repeat(np.arange(self.size), np.diff(self.indptr))

    def full(self, data: Floats) -> Floats:
        """The lower triangle as a full Fortran-ordered array."""
        A = np.zeros((self.size, self.size), order="F")
        A[self.indices, self.columns] = data
        return A


@cache
def cvxopt_modules() -> tuple[Any, Any, Any, Any]:
    """amd, cholmod, matrix and spmatrix of cvxopt, whose BLAS is held to one thread in a solve.

    Fronts of contact graphs are too small for more, whose waiting costs dearly on a busy machine;
    and results must not depend on their number.
    """
    from cvxopt import amd, cholmod, matrix, spmatrix

    one_blas_thread.look_again()
    return amd, cholmod, matrix, spmatrix


class Factorisation(ABC):
    """One pattern's factorisation: analysed once, computed for many values."""

    name: ClassVar[str]

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern

    @classmethod
    def available(cls) -> bool:
        """Whether the library is installed."""
        return True

    @abstractmethod
    def factorise(self, data: Floats) -> None:
        """Factorise the matrix with these values; raise `NotPositiveDefiniteError` if it is not."""

    @abstractmethod
    def solve(self, b: Floats) -> Floats:
        """A⁻¹ b, a new array."""


class Dense(Factorisation):
    """LAPACK's Cholesky of the full matrix."""

    name = "LAPACK, full"

    def __init__(self, pattern: Pattern) -> None:
        super().__init__(pattern)
        self._place = pattern.indices + pattern.columns * pattern.size
        self._matrix = np.zeros((pattern.size, pattern.size), order="F")

    def factorise(self, data: Floats) -> None:
        flat = self._matrix.reshape(-1, order="F")
        flat[:] = 0.0
        flat[self._place] = data
        self._factor, info = lapack.dpotrf(self._matrix, lower=1, clean=0, overwrite_a=0)
        if info:
            raise NotPositiveDefiniteError

    def solve(self, b: Floats) -> Floats:
        if not b.size:  # no body can move
            return b.copy()
        x, _ = lapack.dpotrs(self._factor, b, lower=1)
        return np.asarray(x)


class SuperLU(Factorisation):
    """scipy's splu in symmetric mode: no pivots but the diagonal."""

    name = "SuperLU (scipy)"

    def factorise(self, data: Floats) -> None:
        from scipy.sparse.linalg import splu

        n = self.pattern.size
        lower = sp.csc_array((data, self.pattern.indices, self.pattern.indptr), shape=(n, n))
        both = sp.csc_array(lower + sp.tril(lower, -1).T)
        try:
            self._factors = splu(
                both,
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
        except RuntimeError:
            raise NotPositiveDefiniteError from None
        if not (self._factors.U.diagonal() > 0).all():
            raise NotPositiveDefiniteError

    def solve(self, b: Floats) -> Floats:
        return np.asarray(self._factors.solve(b))


class Cholmod(Factorisation):
    """CHOLMOD of the wheel of cvxopt: supernodal, ordered by AMD."""

    name = "CHOLMOD (cvxopt)"

    def __init__(self, pattern: Pattern) -> None:
        super().__init__(pattern)
        _, cholmod, matrix, spmatrix = cvxopt_modules()
        self._cholmod, self._dense = cholmod, matrix
        n = pattern.size
        self._matrix = spmatrix(1.0, pattern.indices, pattern.columns, (n, n), "d")
        self._factor = cholmod.symbolic(self._matrix, uplo="L")

    @classmethod
    def available(cls) -> bool:
        return find_spec("cvxopt") is not None

    def factorise(self, data: Floats) -> None:
        self._matrix.V = self._dense(data)
        try:
            self._cholmod.numeric(self._matrix, self._factor)
        except ArithmeticError:
            raise NotPositiveDefiniteError from None

    def solve(self, b: Floats) -> Floats:
        x = self._dense(b)
        self._cholmod.solve(self._factor, x)
        return np.array(x).ravel()


class Pardiso(Factorisation):
    """MKL's Pardiso through pypardiso."""

    name = "Pardiso (pypardiso)"

    def __init__(self, pattern: Pattern) -> None:
        super().__init__(pattern)
        from pypardiso import PyPardisoSolver

        one_blas_thread.look_again()
        self._solver = PyPardisoSolver(mtype=2)  # real, symmetric, positive definite
        self._analysed = False

    @classmethod
    def available(cls) -> bool:
        return find_spec("pypardiso") is not None

    def factorise(self, data: Floats) -> None:
        n = self.pattern.size
        # the lower triangle by columns is the upper one by rows
        self._matrix = sp.csr_matrix(
            (data, self.pattern.indices, self.pattern.indptr), shape=(n, n)
        )
        try:
            self._solver.set_phase(22 if self._analysed else 12)
            self._solver._call_pardiso(self._matrix, np.zeros((n, 1)))
        except Exception:
            raise NotPositiveDefiniteError from None
        self._analysed = True

    def solve(self, b: Floats) -> Floats:
        self._solver.set_phase(33)
        return np.asarray(self._solver._call_pardiso(self._matrix, b[:, None])).ravel()


class Qdldl(Factorisation):
    """LDLᵀ of qdldl: small, and at its best on small sparse matrices."""

    name = "QDLDL (qdldl)"

    def __init__(self, pattern: Pattern) -> None:
        super().__init__(pattern)
        self._solver: Any = None

    @classmethod
    def available(cls) -> bool:
        return find_spec("qdldl") is not None

    def factorise(self, data: Floats) -> None:
        import qdldl

        n = self.pattern.size
        lower = sp.csc_matrix((data, self.pattern.indices, self.pattern.indptr), shape=(n, n))
        upper = sp.csc_matrix(lower.T)
        try:
            if self._solver is None:
                self._solver = qdldl.Solver(upper, upper=True)
            else:
                self._solver.update(upper, upper=True)
        except RuntimeError:
            raise NotPositiveDefiniteError from None

    def solve(self, b: Floats) -> Floats:
        return np.asarray(self._solver.solve(b))


BACKENDS: dict[str, type[Factorisation]] = {
    "cholmod": Cholmod,
    "pardiso": Pardiso,
    "superlu": SuperLU,
    "qdldl": Qdldl,
}
"""Sparse factorisations by the names that settings know them by, the preferred first."""


def sparse_backend(name: str = "auto") -> type[Factorisation]:
    """The class of that name, or the first one that is installed."""
    if name == "auto":
        return next(kind for kind in BACKENDS.values() if kind.available())
    kind = BACKENDS.get(name)
    if kind is None:
        raise InputError(
            f"unknown factorisation {name!r}; choose 'auto', {', '.join(map(repr, BACKENDS))}"
        )
    if not kind.available():
        raise InputError(f"{kind.name} is not installed; use factorisation='auto'")
    return kind


class _Analyses:
    """The last few analysed patterns, so that steps with the same graph are analysed once.

    One is taken out while it is used, so that two threads never share it.
    """

    def __init__(self, keep: int = 4) -> None:
        self._keep = keep
        self._held: dict[tuple[str, bytes], Factorisation] = {}
        self._lock = threading.Lock()

    def take(self, kind: type[Factorisation], pattern: Pattern) -> Factorisation:
        with self._lock:
            found = self._held.pop((kind.name, pattern.key), None)
        return kind(pattern) if found is None else found

    def give_back(self, used: Factorisation) -> None:
        with self._lock:
            self._held[(used.name, used.pattern.key)] = used
            while len(self._held) > self._keep:
                self._held.pop(next(iter(self._held)))


ANALYSES = _Analyses()


def factorisation_of(pattern: Pattern, name: str) -> Factorisation:
    """A factorisation for the pattern: full for small or crowded ones, else sparse."""
    n = pattern.size
    crowded = pattern.entries >= DENSE_SHARE * n * (n + 1) / 2 and n < 5000
    if n <= DENSE_BELOW or crowded:
        return Dense(pattern)
    return ANALYSES.take(sparse_backend(name), pattern)
