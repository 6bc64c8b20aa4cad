"""Inner products that give the same bits on any number of threads.

BLAS sums long vectors in as many parts as it has threads, and numpy's `@` and `norm` call it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

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
