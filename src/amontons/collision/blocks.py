"""Memory that is used again from step to step."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

KEPT = 3
"""Blocks that are kept: those of two steps and one that is being written."""


def _references_of_a_free_block() -> int:
    """References to a block that nobody holds an array in, counted just as `_unused` does.

    Python up to 3.13 counts the question itself, later ones do not.
    """
    blocks = [np.empty(1)]
    block = blocks.pop(0)
    return sys.getrefcount(block)


FREE = _references_of_a_free_block()


class Blocks:
    """Blocks of memory, each lent again once nobody holds an array in it any more.

    The operating system hands out large blocks one by one, and fills their pages with zeros when
    they are touched: for a million contacts that took longer than writing the contacts.
    """

    def __init__(self) -> None:
        self._blocks: list[NDArray[np.float64]] = []

    def take(self, size: int) -> NDArray[np.float64]:
        """Room for `size` numbers, with anything in them.

        It is free again when the last array that was made of it is gone.
        """
        block = self._unused(size)
        if block is None:
            # a little more: numbers of contacts creep up from step to step
            block = np.empty(size + size // 16)
        lent = block[:size]
        self._blocks.append(block)
        del self._blocks[:-KEPT]
        return lent

    def _unused(self, size: int) -> NDArray[np.float64] | None:
        """A block that is large enough, not far too large and held by nobody."""
        for _ in range(len(self._blocks)):
            try:
                block = self._blocks.pop(0)  # while it is out, no other thread can take it
            except IndexError:
                break
            if sys.getrefcount(block) > FREE:
                self._blocks.append(block)
            elif size <= block.size <= 2 * size:
                return block
        return None

    def __reduce__(self) -> tuple[type[Blocks], tuple[()]]:
        return Blocks, ()  # copies of whoever owns it start with none
