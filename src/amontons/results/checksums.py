"""Checksums of a run's file: damaged data is detected when it is read, before it is used.

All are CRC-32 (zlib's) of little-endian bytes as they are in memory, and begin with the CRC-32 of
the number of the frame or row, a 64-bit integer, so that swapped records are detected as well.
The constants of a run have one SHA-256.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Mapping
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Checks = NDArray[np.uint32]

NUMBER = struct.Struct("<q")
MOMENT = np.dtype([("step", "<i8"), ("time", "<f8"), ("first_contact", "<i8"), ("contacts", "<i8")])
"""What identifies a frame, without its arrays."""


def of_array(number: int, array: NDArray[Any]) -> int:
    """The checksum of an array of a frame."""
    return crc32(_plain(array), crc32(NUMBER.pack(number)))


def of_rows(first: int, rows: NDArray[Any]) -> Checks:
    """The checksum of each row of a table that begins with row number `first`, shape (rows,)."""
    content = _plain(rows)
    width = len(content) // max(len(rows), 1)
    return np.array(
        [
            crc32(content[i * width : (i + 1) * width], crc32(NUMBER.pack(first + i)))
            for i in range(len(rows))
        ],
        dtype=np.uint32,
    )


def of_records(first: int, rows: NDArray[Any]) -> Checks:
    """The checksum of each record of a table such as that of notes, of its fields but the last."""
    names = rows.dtype.names
    assert names is not None
    fields = [
        np.ascontiguousarray(rows[name]).reshape(len(rows), math.prod(rows.dtype[name].shape))
        for name in names[:-1]
    ]
    return of_rows(first, np.hstack([field.view(np.uint8) for field in fields]))


def of_surface(vertices: NDArray[Any], triangles: NDArray[Any]) -> int:
    """The checksum of the triangles of a shape."""
    return crc32(_plain(triangles), crc32(_plain(vertices)))


def of_constants(attributes: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """The SHA-256 of the constants of a run, in hexadecimal."""
    digest = hashlib.sha256(json.dumps(dict(attributes), sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.newbyteorder('<').str} {array.shape}".encode())
        digest.update(_plain(array))
    return digest.hexdigest()


def _plain(array: NDArray[Any]) -> memoryview:
    """The bytes of an array that enter a checksum."""
    plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    return memoryview(plain.reshape(-1).view(np.uint8))  # type: ignore[arg-type]
