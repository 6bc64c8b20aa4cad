"""Sparse matrices from arrays that a file holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from amontons.errors import FileFormatError


def compressed(
    name: str, data: Any, indices: Any, indptr: Any, shape: tuple[int, int], *, by_columns: bool
) -> sp.csr_array | sp.csc_array:
    """A CSR (or CSC) matrix from checked arrays: scipy itself would read out of bounds."""
    indptr = indptr.astype(np.int64)  # differences of 32 bits may wrap around
    major, minor = shape[::-1] if by_columns else shape
    if indptr.shape != (major + 1,):
        raise FileFormatError(
            f"{name} has {indptr.size} pointers; expected {major + 1} for shape {shape}"
        )
    if indptr[0] != 0 or (np.diff(indptr) < 0).any():
        raise FileFormatError(f"the pointers of {name} must begin with 0 and never fall")
    if not indptr[-1] <= min(indices.size, data.size):
        raise FileFormatError(
            f"the pointers of {name} promise {indptr[-1]} entries, but there are "
            f"{indices.size} indices and {data.size} values"
        )
    indices, data = indices[: indptr[-1]], data[: indptr[-1]]
    if indices.size and not 0 <= indices.min() <= indices.max() < minor:
        raise FileFormatError(
            f"an index of {name} is outside its shape {shape}: they run from "
            f"{indices.min()} to {indices.max()}; expected 0 to {minor - 1}"
        )
    form = sp.csc_array if by_columns else sp.csr_array
    return form((data, indices, indptr), shape=shape)
