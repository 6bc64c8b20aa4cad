"""Memory that is reused from step to step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SPARE = 2
"""Free blocks that are kept: contacts of one step are remembered while those of the next are made,
with one block in between."""


class Loan:
    """A block of memory on loan: it is returned when the last array in it is deleted.

    Arrays and their views hold a reference to the owner of their memory. Another array would
    not do as the lender: numpy lets views of views hold the first array of all.
    """

    def __init__(self, block: NDArray[np.float64], free: list[NDArray[np.float64]]) -> None:
        self._block, self._free = block, free

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self._block.__array_interface__

    def __del__(self) -> None:
        self._free.append(self._block)
        del self._free[:-SPARE]


class ReusedMemory:
    """Lends blocks of memory, again and again.

    A block belongs to whoever holds an array in it. It is here only while nobody does.

    The operating system hands out large blocks one by one, and fills their pages with zeros when
    they are touched: for a million contacts that took longer than writing the contacts.
    """

    def __init__(self) -> None:
        self._free: list[NDArray[np.float64]] = []

    def lend(self, size: int) -> NDArray[np.float64]:
        """An uninitialised array of `size` numbers."""
        block = self._fitting(size)
        if block is None:
            # a little more: numbers of contacts creep up from step to step
            block = np.empty(size + size // 16)
        return np.asarray(Loan(block, self._free))[:size]

    def _fitting(self, size: int) -> NDArray[np.float64] | None:
        """A free block that is large enough and not far too large; others are released."""
        while self._free:
            try:
                block = self._free.pop()  # so that no other thread can take it
            except IndexError:
                break
            if size <= block.size <= 2 * size:
                return block
        return None

    def __reduce__(self) -> tuple[type[ReusedMemory], tuple[()]]:
        return ReusedMemory, ()  # copies of its owner start without blocks
