"""Checks of a file before it is read, and their error messages."""

from __future__ import annotations

import contextlib
import errno
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from amontons.errors import FileFormatError, InputError

ZIP_START = b"PK"
HDF5_START = b"\x89HDF\r\n\x1a\n"

DAMAGE = (
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    MemoryError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)
"""What numpy and zipfile raise for archives that are truncated, damaged or hold pickles."""


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Prefix errors about a file's content with its name."""
    try:
        yield
    except (FileFormatError, InputError) as reason:
        raise FileFormatError(f"{path}: {reason}") from reason


def no_file(path: Path) -> str:
    """What a path is that is no file, to be said after `it`."""
    if path.is_dir():
        return "is a folder"
    return "is a device, a pipe or a socket, not a file" if path.exists() else "does not exist"


def require_file(path: Path, kind: str) -> None:
    """Raise FileNotFoundError or FileFormatError where `path` is not a file of that kind."""
    if path.exists() and not path.is_file():
        raise FileFormatError(f"{path} {no_file(path)}; expected a {kind} file")
    if not path.exists():
        hint = f"no such {kind} file"
        if not path.parent.is_dir():
            hint += f"; the folder {path.parent} does not exist"
        raise FileNotFoundError(errno.ENOENT, hint, str(path))


def brief(reason: BaseException) -> str:
    """A library's error message in one line."""
    said = " ".join(str(reason).split()) or type(reason).__name__
    return said if len(said) <= 160 else f"{said[:157]}..."
