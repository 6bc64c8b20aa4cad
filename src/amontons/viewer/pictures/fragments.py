"""Pixels that may show something, and which of the things there is in front.

The buffer keeps one 64-bit number per pixel: the bits of the depth above those of the drawn thing's
number, so that one minimum decides both. The order of drawing does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats, Longs

AT_ONCE = 1 << 20
"""Fragments that are processed together, unless a single thing has more."""

NOTHING = np.uint64(0xFFFFFFFFFFFFFFFF)
NUMBER = np.uint64(0xFFFFFFFF)


class Visibility:
    """Depth and number of what is visible at each pixel."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._keys = np.full(width * height, NOTHING)

    def copy(self) -> Visibility:
        """A copy, to draw more on."""
        other = Visibility.__new__(Visibility)
        other.width, other.height, other._keys = self.width, self.height, self._keys.copy()
        return other

    def offer(self, pixel: Longs, depth: Floats, number: Longs) -> None:
        """Show a thing at pixels, wherever nothing nearer is shown."""
        bits = depth.astype(np.float32).view(np.uint32).astype(np.uint64)
        keys = (bits << np.uint64(32)) | number.astype(np.uint64)
        np.minimum.at(self._keys, pixel, keys)

    @property
    def depth(self) -> NDArray[np.float32]:
        """[m], infinite where nothing is; shape (pixels,)."""
        depth = (self._keys >> np.uint64(32)).astype(np.uint32).view(np.float32)
        depth[self._keys == NOTHING] = np.inf
        return depth

    @property
    def number(self) -> Longs:
        """Number of what is visible, −1 for nothing; shape (pixels,)."""
        number = (self._keys & NUMBER).astype(np.int64)
        number[self._keys == NOTHING] = -1
        return number


@dataclass(frozen=True)
class Boxes:
    """Rectangles of pixels, one per thing, cut to the picture; empty ones are allowed."""

    left: Longs
    right: Longs
    """One past the last."""
    top: Longs
    bottom: Longs
    """One past the last."""

    @classmethod
    def around(
        cls, left: Floats, right: Floats, top: Floats, bottom: Floats, width: int, height: int
    ) -> Boxes:
        """The pixels whose centres lie between these edges [pixels]."""

        def cut(edges: Floats, most: int) -> Longs:
            return np.clip(np.ceil(edges - 0.5), 0, most).astype(np.int64)

        return cls(cut(left, width), cut(right, width), cut(top, height), cut(bottom, height))

    def fragments(self) -> Iterator[tuple[Longs, Longs, Longs]]:
        """Rows of things and the x and y of their pixels, some at a time."""
        width = np.maximum(self.right - self.left, 0)
        counts = width * np.maximum(self.bottom - self.top, 0)
        some = np.flatnonzero(counts)
        ends = np.cumsum(counts[some])
        first = 0
        while first < len(some):
            before = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(ends, before + AT_ONCE, side="right")))
            rows = some[first:last]
            owner = np.repeat(rows, counts[rows])
            place = np.arange(len(owner)) - np.repeat(
                ends[first:last] - counts[rows] - before, counts[rows]
            )
            y, x = np.divmod(place, width[owner])
            yield owner, x + self.left[owner], y + self.top[owner]
            first = last
