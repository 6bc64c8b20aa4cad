"""Definitions shared by reading and writing of archives."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from amontons.problem.sets import RUNS, Product, Run

NEWEST = 2
"""The newest format version that this release writes and reads."""

KINDS: dict[str, type[Run]] = {kind.name.lower(): run for kind, run in RUNS.items()}
"""Sets by the names of their kinds."""


def inward(matrix: Any, sets: Product) -> sp.csr_array:
    """A matrix of the caller's rows and columns in internal order."""
    order = np.argsort(sets.row_order)
    return sp.csr_array(matrix[order][:, order])


def outward(matrix: Any, sets: Product) -> sp.csr_array:
    """A matrix of internal rows and columns in the caller's order."""
    return sp.csr_array(matrix[sets.row_order][:, sets.row_order])
