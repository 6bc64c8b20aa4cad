"""Sums, norms and maxima that are the same on any number of threads.

BLAS sums long vectors in as many parts as it has threads, and numpy's `@` and `norm` call it.
Kernels sum chunks of fixed size, and then these partial sums in their order. A problem that several
processes share adds up their parts in its `Ranks`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons._jit import CHUNK, routine, serial_kernel

Floats = NDArray[np.float64]


def inner(a: Floats, b: Floats) -> float:
    """aᵀb of flat arrays, summed in one order."""
    return float(np.einsum("i,i->", a, b))


@serial_kernel
def largest_and_square(a):
    """Largest |a_i|, and aᵀa, of a short array; both NaN if any entry is."""
    largest, square = 0.0, 0.0
    for i in range(a.size):
        largest = max(largest, abs(a[i]))
        square += a[i] * a[i]
    return (largest, square) if square == square else (square, square)


class Ranks:
    """The processes that share a problem: here, this one alone.

    Whatever a problem, its judge and the first-order methods add up over rows comes as a part,
    summed chunk by chunk in one order, and goes through :meth:`total`; every largest value goes
    through :meth:`maximum`. A class for many processes overrides both, and `count`. All processes
    must call them in the same order: any condition for a call must itself be a total or a
    maximum, never a size or a clock of one process.
    """

    count: int = 1
    """Number of processes."""

    def total(self, parts: tuple[float, ...]) -> tuple[float, ...]:
        """Sums over the whole problem, from this process's parts of them."""
        return parts

    def sums(self, found: tuple[float, ...], partial: Floats) -> tuple[float, ...]:
        """Sums over all blocks of the whole problem, from those over this process's.

        `found` has them over its blocks, and `partial` over each of their chunks, (chunks, n).
        """
        return self.total(found)

    def size(self, rows: int, blocks: int, one_sided: bool) -> tuple[float, float, bool]:
        """Rows and blocks of the whole problem, and whether any is one-sided, from this part's."""
        all_rows, all_blocks, found = self.total((float(rows), float(blocks), float(one_sided)))
        return all_rows, all_blocks, found > 0.0

    def any(self, flag: bool) -> bool:
        """Whether it is so for any process."""
        return self.maximum((float(flag),))[0] > 0.0

    def arranged(self, sets: Any) -> Any:
        """The sets of this process's blocks, with the chunks over which it is to sum."""
        return sets

    def maximum(self, parts: tuple[float, ...]) -> tuple[float, ...]:
        """Largest values of the whole problem, from those of this process."""
        return parts

    def inner(self, a: Floats, b: Floats) -> float:
        """aᵀb of flat arrays over the rows."""
        return self.total((inner(a, b),))[0]

    def norm(self, a: Floats) -> float:
        """‖a‖ of a flat array over the rows; of huge entries, too."""
        if a.size <= CHUNK and a.dtype == np.float64:
            largest, square = largest_and_square(np.ascontiguousarray(a))
        else:
            largest, square = float(np.abs(a).max(initial=0.0)), inner(a, a)
        (largest,) = self.maximum((largest,))
        if not 1e-150 < largest < 1e150:
            scaled = a / (largest or 1.0)
            return largest * math.sqrt(self.inner(scaled, scaled))
        return math.sqrt(self.total((square,))[0])


ALONE = Ranks()
"""One process, which has all rows."""


def norm(a: Floats) -> float:
    """‖a‖ of a flat array that one process has; of huge entries, too."""
    return ALONE.norm(a)


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
