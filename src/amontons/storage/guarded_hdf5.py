"""Untrusted HDF5 files, opened for reading: never waiting, never following links to other files.

HDF5's own mode for files that still grow (SWMR) rereads a block with a wrong checksum again and
again, doubling its sleep each time: on a damaged file it never returns and ignores Ctrl-C. So HDF5
is shown a file that nobody is writing, whatever its flags say, and gives up at the first wrong
checksum. Readers of a growing file open it again.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py

from amontons.errors import FileFormatError
from amontons.storage.reading import brief
from amontons.storage.superblock import SIZE, Superblock

HDF5_ERRORS = (
    KeyError, IndexError, OSError, RuntimeError, TypeError, ValueError, OverflowError, MemoryError,
    NotImplementedError, AttributeError,
)  # fmt: skip
"""What h5py raises for malformed files."""


ENDLESS = 1 << 60
"""Size that is reported to HDF5, which refuses to read past the end: a growing file may be
longer by then, and what is left of a truncated one can still be read."""


class SettledFile(io.RawIOBase):
    """A file presented as if nobody were writing it: flags cleared, and without an end."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        try:
            self._head = Superblock.parse(self._file.read(SIZE)).settled(ENDLESS)
        except BaseException:
            self._file.close()
            raise
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = (0, self._place, ENDLESS)[whence]
        self._place = start + offset
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; past the end of the file it gets zeros, which checksums detect."""
        view = memoryview(buffer).cast("B")
        done = 0
        if self._place < SIZE:
            head = self._head[self._place : self._place + len(view)]
            view[: len(head)] = head
            done = len(head)
        self._file.seek(self._place + done)
        while done < len(view):
            got = self._file.readinto(view[done:])
            if not got and not done:
                raise OSError(f"truncated: it ends before byte {self._place}")
            if not got:
                view[done:] = bytes(len(view) - done)
                got = len(view) - done
            done += got
        if bytes(view[:4]) == b"GCOL":
            _check_heap(view)
        self._place += done
        return done

    def close(self) -> None:
        self._file.close()
        super().close()


def _check_heap(block: memoryview) -> None:
    """Raise where a heap of strings, which has no checksum, could not have been written by HDF5."""
    size, place = int.from_bytes(block[8:16], "little"), 16
    while place + 16 <= min(size, len(block)):
        number = int.from_bytes(block[place : place + 2], "little")
        length = int.from_bytes(block[place + 8 : place + 16], "little")
        if length > size or (number == 0 and length != size - place):
            raise OSError("a heap of texts is damaged")
        place += 16 + -(-length // 8) * 8 if number else length


class GuardedFile:
    """An HDF5 file, opened for reading; paths never lead out of this file."""

    def __init__(self, path: Path) -> None:
        self.stream = SettledFile(path)
        try:
            self.file = h5py.File(self.stream, "r")
        except HDF5_ERRORS as reason:
            self.stream.close()
            raise FileFormatError(f"truncated or damaged: {brief(reason)}") from None

    def close(self) -> None:
        """Close the file."""
        self.file.close()
        self.stream.close()

    def __bool__(self) -> bool:
        return bool(self.file)

    def names(self, path: str) -> list[str]:
        """The members of a group; none if there is no such group."""
        group = self._object(path)
        if group is None:
            return []
        if not isinstance(group, h5py.Group):
            raise FileFormatError(f"{path} is not a group")
        return [str(name) for name in group]

    def dataset(self, path: str) -> h5py.Dataset:
        """A dataset stored in this file itself."""
        found = self._object(path)
        if found is None:
            raise FileFormatError(f"there is no {path}")
        if not isinstance(found, h5py.Dataset):
            raise FileFormatError(f"{path} is not an array")
        if found.external or found.is_virtual:
            raise FileFormatError(f"{path} stores its numbers in another file, which is not opened")
        return found

    def __contains__(self, path: str) -> bool:
        return self._object(path) is not None

    def _object(self, path: str) -> Any:
        """The object at a path, following hard links only; None if there is none."""
        group: Any = self.file
        for name in _parts(path):
            if not isinstance(group, h5py.Group):
                return None
            link = group.get(name, getlink=True)
            if link is None:
                return None
            if not isinstance(link, h5py.HardLink):
                raise FileFormatError(
                    f"{path} is a link, perhaps to another file, and is not followed"
                )
            group = group[name]
        return group


def is_growing(path: Path) -> bool:
    """Whether a file says that it is being written, or was when its writer died."""
    try:
        with path.open("rb") as stream:
            return Superblock.parse(stream.read(SIZE)).growing
    except (OSError, FileFormatError):
        return False


def _parts(path: str) -> Iterator[str]:
    return (part for part in path.split("/") if part)
