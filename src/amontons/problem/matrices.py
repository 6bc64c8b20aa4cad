"""Checks of matrices before a problem is made of them, and their error messages."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from amontons.errors import InputError, ProblemWarning
from amontons.problem.sets import Product

ASYMMETRY = 1e-12
"""Relative asymmetry of a matrix that counts as rounding and is removed silently."""

MASS_ROUNDING, LARGEST_MASS_ASYMMETRY = 1e-9, 1e-2
"""Asymmetries of a mass matrix, max |M_ij − M_ji| / √(M_ii M_jj), whatever the units of its rows:
up to the first it counts as rounding, up to the second it is removed with a warning, beyond that it
is an error."""


def finite_matrix(name: str, matrix: Any) -> sp.csr_array:
    """Any matrix as finite CSR, square or not, or an error that says what is wrong with it."""
    try:
        csr = sp.csr_array(matrix).astype(np.float64)
    except (TypeError, ValueError) as reason:
        raise InputError(f"{name} must be a matrix of numbers: {reason}") from None
    csr.sum_duplicates()
    if not np.isfinite(csr.data).all():
        entry = int(np.argmax(~np.isfinite(csr.data)))
        row = int(np.searchsorted(csr.indptr, entry, side="right")) - 1
        raise InputError(
            f"{name}[{row}, {csr.indices[entry]}] is {csr.data[entry]}; every entry must be finite"
        )
    return csr


def reordered(W: sp.csr_array, product: Product) -> sp.csr_array:
    """W with rows and columns in internal order."""
    order = np.argsort(product.row_order)
    return sp.csr_array(W[order][:, order])


def checked_mass(M: Any) -> tuple[sp.csc_array, sp.csc_array, float]:
    """M without rounding errors, its symmetric part, and the asymmetry, 0 if there is none.

    The first two are the same object where M is symmetric.
    """
    if M.shape[0] != M.shape[1]:
        raise InputError(f"M must be square, got {M.shape[0]} × {M.shape[1]}")
    diagonal = M.diagonal()
    if (diagonal <= 0).any():
        row = int(np.argmax(diagonal <= 0))
        raise InputError(f"M[{row}, {row}] is {diagonal[row]}; masses must be positive")
    symmetric = sp.csc_array((M + M.T) / 2)
    apart = sp.coo_array(M - M.T)
    size = np.sqrt(diagonal)  # |M_ij| ≤ √(M_ii M_jj), as M is positive definite
    relative = np.abs(apart.data) / size[apart.row] / size[apart.col]
    worst = float(relative.max(initial=0.0))
    if worst > LARGEST_MASS_ASYMMETRY:
        row, column = (int(each[np.argmax(relative)]) for each in (apart.row, apart.col))
        raise InputError(
            f"the mass matrix M must be symmetric; M[{row}, {column}] is {M[row, column]:.6g}, but "
            f"M[{column}, {row}] is {M[column, row]:.6g}: they differ by {worst:.1e} of the masses "
            f"on the diagonal, and at most {LARGEST_MASS_ASYMMETRY:g} counts as an error of "
            "rounding"
        )
    if worst <= MASS_ROUNDING:
        return symmetric, symmetric, 0.0
    return sp.csc_array(M), symmetric, worst


def warn_of_mass(asymmetry: float, *, condensed: bool) -> None:
    """Warn of a mass matrix that is not symmetric, and say how it is used."""
    if asymmetry == 0.0:
        return
    done = (
        "The convex problem uses the symmetric part of W = HᵀM⁻¹H, as its objective does; "
        "ExactCoulomb uses all of it"
        if condensed
        else "Its symmetric part (M + Mᵀ)/2 is used"
    )
    warnings.warn(
        f"M is not symmetric (relative asymmetry {asymmetry:.1e}). {done}",
        ProblemWarning,
        stacklevel=3,
    )


def halves(W: sp.csr_array) -> tuple[sp.csr_array, sp.csr_array | None]:
    """(W + Wᵀ)/2 and the rest of W, if that is more than rounding."""
    symmetric = sp.csr_array((W + W.T) / 2)
    symmetric.sort_indices()
    skew = sp.csr_array(W - symmetric)
    skew.eliminate_zeros()
    size = float(np.abs(W.data).max(initial=0.0))
    if np.abs(skew.data).max(initial=0.0) <= ASYMMETRY * size:
        return symmetric, None
    return symmetric, skew


def symmetric_part(W: sp.csr_array) -> tuple[sp.csr_array, sp.csr_array | None]:
    """The two :func:`halves` of W, with a warning if there is a second."""
    symmetric, skew = halves(W)
    if skew is not None:
        relative = float(np.linalg.norm(skew.data) / np.linalg.norm(W.data))
        warnings.warn(
            f"W is not symmetric (relative asymmetry {relative:.1e}). The convex problem uses its "
            "symmetric part, as its objective does; ExactCoulomb uses all of it",
            ProblemWarning,
            stacklevel=3,
        )
    return symmetric, skew


def warn_if_indefinite(W: sp.csr_array, steps: int = 30) -> None:
    """Warn if a few Lanczos steps, or the diagonal, reveal a clearly negative eigenvalue."""
    rows = W.shape[0]
    scale = float(np.abs(W.data).max(initial=0.0))
    if scale == 0.0:
        return
    basis = np.zeros((min(steps, rows), rows))
    basis[0] = np.cos(np.arange(1, rows + 1))  # any fixed vector without symmetries
    basis[0] /= np.linalg.norm(basis[0])
    used = 1
    for i in range(1, basis.shape[0]):
        w = W @ basis[i - 1]
        for _ in range(2):
            w -= basis[:i].T @ (basis[:i] @ w)
        length = np.linalg.norm(w)
        if not length > 1e-12 * scale:
            break
        basis[i] = w / length
        used += 1
    Q = basis[:used]
    ritz = np.linalg.eigvalsh(Q @ (W @ Q.T))
    smallest = min(float(ritz[0]), float(W.diagonal().min()))
    if smallest < -1e-8 * max(abs(float(ritz[-1])), abs(smallest)):
        warnings.warn(
            f"W is indefinite: it has an eigenvalue below {smallest:.2g}. It is used as it is: "
            "solvers then look for a stationary point of a problem that is not convex, may find "
            "none, and say so in their status",
            ProblemWarning,
            stacklevel=3,
        )
