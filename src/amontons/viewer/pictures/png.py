"""PNG files, written with zlib alone."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

START = b"\x89PNG\r\n\x1a\n"
TRUE_COLOUR = 2
UP = 2
"""The filter that stores each byte's difference from the one above it."""


def png_bytes(pixels: NDArray[np.uint8]) -> bytes:
    """A picture (height, width, 3) as the content of a PNG file."""
    height, width, _ = pixels.shape
    rows = pixels.reshape(height, 3 * width)
    above = np.vstack([np.zeros_like(rows[:1]), rows[:-1]])
    lines = np.full((height, 3 * width + 1), UP, dtype=np.uint8)
    lines[:, 1:] = rows - above  # modulo 256, as PNG defines it
    header = struct.pack(">IIBBBBB", width, height, 8, TRUE_COLOUR, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 6)), (b"IEND", b""))
    return START + b"".join(_chunk(name, content) for name, content in parts)


def _chunk(name: bytes, content: bytes) -> bytes:
    check = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)
