"""The first block of an HDF5 file, checked before HDF5 itself may read the rest.

HDF5 trusts most of the content of a damaged file. In files of superblock version 2 and 3, which
amontons writes, every block of metadata has a checksum; others are refused.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from amontons.errors import FileFormatError
from amontons.storage.reading import HDF5_START

FIELDS = struct.Struct("<8sBBBBQQQQ")
"""Signature, version, sizes of offsets and of lengths, flags; addresses: base, extension, end of
the file, root group. A checksum of all that follows."""

SIZE = FIELDS.size + 4
CHECKED = (2, 3)
"""Versions in which blocks of metadata have checksums."""

BEING_WRITTEN = 0b101
"""Flags of a file that is open for writing, or whose writer died."""


@dataclass(frozen=True)
class Superblock:
    """The content of the first block of a file."""

    version: int
    flags: int
    extension: int
    root: int

    @classmethod
    def parse(cls, start: bytes) -> Superblock:
        """The block at the start of a file."""
        if not start.startswith(HDF5_START):
            raise FileFormatError("it is not an HDF5 file")
        if len(start) < SIZE:
            raise FileFormatError("truncated: it ends within its first block")
        _, version, offsets, lengths, flags, base, extension, _, root = FIELDS.unpack_from(start)
        if version not in CHECKED:
            raise FileFormatError(
                f"damaged, or an HDF5 file without checksums (superblock version {version})"
            )
        (checksum,) = struct.unpack_from("<I", start, FIELDS.size)
        if checksum != lookup3(start[: FIELDS.size]):
            raise FileFormatError("damaged: the checksum of its first block is wrong")
        if (offsets, lengths, base) != (8, 8, 0):
            raise FileFormatError("an HDF5 file of another kind than amontons writes")
        return cls(version, flags, extension, root)

    @property
    def growing(self) -> bool:
        """Whether the file is being written, or was when its writer died."""
        return bool(self.flags & BEING_WRITTEN)

    def settled(self, size: int) -> bytes:
        """The same block for a file of `size` bytes that nobody is writing."""
        said = FIELDS.pack(HDF5_START, self.version, 8, 8, 0, 0, self.extension, size, self.root)
        return said + struct.pack("<I", lookup3(said))


def lookup3(content: bytes) -> int:
    """Bob Jenkins' hash (public domain), which HDF5 uses as the checksum of its metadata."""
    mask = 0xFFFFFFFF
    a: int
    b: int
    c: int
    a = b = c = (0xDEADBEEF + len(content)) & mask

    def turned(x: int, by: int) -> int:
        return ((x << by) | (x >> (32 - by))) & mask

    while len(content) > 12:
        x, y, z = struct.unpack_from("<III", content)
        a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
        a = ((a - c) & mask) ^ turned(c, 4)
        c = (c + b) & mask
        b = ((b - a) & mask) ^ turned(a, 6)
        a = (a + c) & mask
        c = ((c - b) & mask) ^ turned(b, 8)
        b = (b + a) & mask
        a = ((a - c) & mask) ^ turned(c, 16)
        c = (c + b) & mask
        b = ((b - a) & mask) ^ turned(a, 19)
        a = (a + c) & mask
        c = ((c - b) & mask) ^ turned(b, 4)
        b = (b + a) & mask
        content = content[12:]
    if not content:
        return c
    x, y, z = struct.unpack("<III", content.ljust(12, b"\0"))
    a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
    c = ((c ^ b) - turned(b, 14)) & mask
    a = ((a ^ c) - turned(c, 11)) & mask
    b = ((b ^ a) - turned(a, 25)) & mask
    c = ((c ^ b) - turned(b, 16)) & mask
    a = ((a ^ c) - turned(c, 4)) & mask
    b = ((b ^ a) - turned(a, 14)) & mask
    return ((c ^ b) - turned(b, 24)) & mask
