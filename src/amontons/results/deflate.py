"""Chunks as HDF5's filters shuffle and gzip make them, in a third of the time.

Bytes are sorted by their significance, as the filter has it. The last digits of positions are
noise, on which deflate spends most of its time in vain, so incompressible bytes are only stored:
deflate's format (RFC 1951) has blocks for that. Every reader of HDF5 reads it.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEVEL = 1
SAMPLE = 1024
"""Size of the sample that decides whether an array is compressed [bytes]."""

WORTH = 0.9
"""Ratio to which the sample must shrink."""

LONGEST = 0xFFFF
"""Largest size of a stored block [bytes]."""

HEADER, END = b"\x78\x01", b"\x01\x00\x00\xff\xff"
"""Of a zlib stream (RFC 1950): fast deflate; the last block, empty."""


def packed_chunk(array: NDArray[Any]) -> bytes:
    """An array's bytes, shuffled and deflated."""
    planes = np.ascontiguousarray(
        np.ascontiguousarray(array).view(np.uint8).reshape(-1, array.itemsize).T
    )
    parts = [HEADER]
    shrinks = [_shrinks(plane) for plane in planes]
    first = 0
    while first < len(planes):
        last = first + 1
        while last < len(planes) and shrinks[last] == shrinks[first]:
            last += 1
        together = planes[first:last].tobytes()
        parts += [_deflated(together)] if shrinks[first] else _stored(together)
        first = last
    return b"".join([*parts, END, struct.pack(">I", zlib.adler32(planes.data))])


def _shrinks(plane: NDArray[np.uint8]) -> bool:
    """Whether deflate shrinks these bytes, judged by a sample from their middle."""
    start = max(0, (len(plane) - SAMPLE) // 2)
    sample = plane[start : start + SAMPLE].tobytes()
    return len(zlib.compress(sample, LEVEL)) < WORTH * len(sample)


def _deflated(content: bytes) -> bytes:
    """Blocks that refer to no earlier data and end at a whole byte."""
    press = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return press.compress(content) + press.flush(zlib.Z_FULL_FLUSH)


def _stored(content: bytes) -> list[bytes]:
    """Blocks of bytes as they are."""
    parts = []
    for start in range(0, len(content), LONGEST):
        block = content[start : start + LONGEST]
        parts += [struct.pack("<BHH", 0, len(block), LONGEST ^ len(block)), block]
    return parts
