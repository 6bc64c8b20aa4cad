"""Sums that give the same bits on any number of threads.

BLAS sums long vectors in as many parts as it has threads, and numpy's `@` and `norm` call it.
Kernels sum chunks of fixed size, and then these partial sums in their order.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from amontons._jit import routine

Floats = NDArray[np.float64]


def inner(a: Floats, b: Floats) -> float:
    """aᵀb of flat arrays, summed in one order."""
    return float(np.einsum("i,i->", a, b))


def norm(a: Floats) -> float:
    """‖a‖ of a flat array; of huge entries, too."""
    largest = float(np.abs(a).max(initial=0.0))
    if not 1e-150 < largest < 1e150:
        scaled = a / (largest or 1.0)
        return largest * math.sqrt(inner(scaled, scaled))
    return math.sqrt(inner(a, a))


@routine
def column_sum(partial, k):
    """Sum of the chunks' partial sums, in their order: the same on any number of threads."""
    total = 0.0
    for c in range(partial.shape[0]):
        total += partial[c, k]
    return total


@routine
def column_max(partial, k):
    """Largest of the chunks' partial results."""
    largest = 0.0
    for c in range(partial.shape[0]):
        largest = max(largest, partial[c, k])
    return largest
