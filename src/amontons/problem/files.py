"""Problems on disk: which format a file has, checked reading, and writing all or nothing.

`.npz` is this package's own format and holds every problem exactly (:mod:`amontons.problem.npz`);
`.hdf5` and `.h5` are FCLIB, the exchange format of the field (:mod:`amontons.problem.fclib`).
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import secrets
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from amontons.errors import FileFormatError, InputError, OutputError
from amontons.problem.problem import ConeProblem

FORMATS = {".npz": "npz", ".hdf5": "fclib", ".h5": "fclib"}
"""Formats by the file name's suffix."""

ZIP_START = b"PK"
HDF5_START = b"\x89HDF\r\n\x1a\n"

Floats = NDArray[np.float64]

DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)
"""What numpy and zipfile raise for archives that are truncated, damaged or hold pickles."""


def load(path: str | os.PathLike[str]) -> ConeProblem:
    """Read a problem. The suffix must be a known one; what the file begins with decides.

    Raises
    ------
    InputError
        For a suffix other than `.npz`, `.hdf5` and `.h5`.
    FileNotFoundError
        If there is no such file.
    FileFormatError
        If the file is empty, truncated, foreign, damaged, or newer than this release.
    """
    from amontons.problem import fclib, npz

    place = Path(path)
    _format_of(place)
    require_file(place)
    with place.open("rb") as stream:
        start = stream.read(len(HDF5_START))
    if start.startswith(ZIP_START):
        return npz.read(place)
    if start == HDF5_START:
        return fclib.read(place)
    raise FileFormatError(
        f"{place} is not a problem file: expected a NumPy archive (.npz) or FCLIB's HDF5, "
        + (f"but it begins with {start!r}" if start else "but it is empty")
    )


def save(problem: ConeProblem, path: str | os.PathLike[str]) -> None:
    """Write a problem as `.npz` or as FCLIB's HDF5, by the suffix; an old file is replaced whole.

    Raises
    ------
    InputError
        For an unknown suffix, and for a problem that FCLIB has no words for.
    OutputError
        If the file cannot be written; what was there before is untouched.
    """
    from amontons.problem import fclib, npz

    place = Path(path)
    if _format_of(place) == "npz":
        arrays = npz.arrays_of(problem)
        with replacing(place) as stream:
            np.savez_compressed(stream, **arrays)
    else:
        content = fclib.encode(problem)
        with replacing(place) as stream:
            stream.write(content)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file to write, which takes the place of `path` once all of it is on the disk."""
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f"{_unfinished(target)}{secrets.token_hex(8)}.tmp")
    try:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except OSError as reason:
        why = reason.strerror or str(reason)
        if not target.parent.is_dir():
            why = f"the folder {target.parent} does not exist"
        failure = OutputError(f"cannot write {path}: {why}")
        failure.errno = reason.errno
        raise failure from reason
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def remove_unfinished(path: Path) -> None:
    """Remove what processes that were killed while they replaced `path` have left behind.

    Only for those who know that nobody is replacing that file now.
    """
    target = Path(os.path.realpath(path))
    for left in target.parent.glob(f"{glob.escape(_unfinished(target))}*.tmp"):
        with contextlib.suppress(OSError):
            left.unlink()


def _unfinished(target: Path) -> str:
    """How the names of the temporary files of a file begin, short enough for any file system."""
    return f".{target.name[:50]}."


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Put the file's name in front of whatever is found wrong with its content."""
    try:
        yield
    except (FileFormatError, InputError) as reason:
        raise FileFormatError(f"{path}: {reason}") from reason


def require_file(path: Path) -> None:
    """Raise FileNotFoundError or FileFormatError where `path` is no file."""
    if path.is_dir():
        raise FileFormatError(f"{path} is a folder; expected a problem file")
    if not path.exists():
        hint = "no such problem file"
        if not path.parent.is_dir():
            hint += f"; the folder {path.parent} does not exist"
        raise FileNotFoundError(errno.ENOENT, hint, str(path))


class Archive:
    """An open archive whose entries are checked for presence, type and shape."""

    def __init__(self, archive: Any) -> None:
        self._archive = archive

    def __contains__(self, key: str) -> bool:
        return key in self._archive.files

    def array(self, key: str, types: str, expected: str) -> NDArray[Any]:
        """One entry, whose dtype must be of a kind in `types`."""
        if key not in self:
            present = ", ".join(sorted(self._archive.files)) or "nothing"
            raise FileFormatError(f"no {key!r}; expected a cone problem, found only: {present}")
        try:
            value: NDArray[Any] = self._archive[key]
        except DAMAGE as reason:
            raise FileFormatError(
                f"{key!r} is damaged, or a pickle, which is never loaded: {reason}"
            ) from reason
        if value.dtype.kind not in types:
            raise FileFormatError(f"{key!r} holds {value.dtype}; expected {expected}")
        return value

    def floats(self, key: str, *shape: int | None) -> Floats:
        """Real numbers of the given shape; None stands for any length."""
        return _shaped(key, self.array(key, "fiu", "real numbers"), shape).astype(np.float64)

    def finite(self, key: str, *shape: int | None) -> Floats:
        """Finite real numbers of the given shape."""
        value = self.floats(key, *shape)
        if not np.isfinite(value).all():
            raise FileFormatError(f"{key!r} has an entry that is not a finite number")
        return value

    def integers(self, key: str, *shape: int | None) -> NDArray[Any]:
        """Integers of the given shape; None stands for any length."""
        return _shaped(key, self.array(key, "iu", "integers"), shape)

    def integer(self, key: str, least: int = 0) -> int:
        """One integer of at least `least`."""
        value = int(self.integers(key).item())
        if value < least:
            raise FileFormatError(f"{key!r} is {value}; expected at least {least}")
        return value

    def text(self, key: str, *shape: int | None) -> NDArray[Any]:
        """Text of the given shape."""
        return _shaped(key, self.array(key, "U", "text"), shape)

    def sparse(self, key: str, *, by_columns: bool = False) -> Any:
        """A CSR or CSC matrix from the entries `key`_data, _indices, _indptr and _shape."""
        rows, columns = self.integers(f"{key}_shape", 2).tolist()
        if min(rows, columns) < 0:
            raise FileFormatError(f"'{key}_shape' is ({rows}, {columns}); it must not be negative")
        return compressed(
            key,
            self.finite(f"{key}_data", None),
            self.integers(f"{key}_indices", None),
            self.integers(f"{key}_indptr", None),
            (rows, columns),
            by_columns=by_columns,
        )


def _shaped(key: str, value: NDArray[Any], shape: tuple[int | None, ...]) -> NDArray[Any]:
    fits = value.ndim == len(shape) and all(
        want is None or have == want for have, want in zip(value.shape, shape, strict=True)
    )
    if not fits:
        wanted = ", ".join("any" if want is None else str(want) for want in shape)
        raise FileFormatError(f"{key!r} has shape {value.shape}; expected ({wanted})")
    return value


@contextlib.contextmanager
def opened_hdf5(stream: Any, mode: str) -> Iterator[Any]:
    """An HDF5 file over a Python stream; what HDF5 cannot make sense of is a FileFormatError."""
    import h5py

    try:
        with h5py.File(stream, mode) as file:
            yield file
    except (FileFormatError, InputError):
        raise
    except (KeyError, OSError, RuntimeError, TypeError, ValueError) as reason:
        raise FileFormatError(f"truncated or damaged, expected HDF5: {reason}") from reason


def dataset(group: Any, key: str, types: str, expected: str) -> NDArray[Any]:
    """A flat HDF5 dataset, whose dtype must be of a kind in `types`."""
    if key not in group:
        raise FileFormatError(f"{group.name} has no {key!r}; expected {expected}")
    value = group[key]
    if getattr(value, "ndim", 2) > 1 or value.dtype.kind not in types:
        raise FileFormatError(f"{group.name}/{key} is {value!r}; expected {expected}")
    return np.atleast_1d(value[()])


def integer(group: Any, key: str) -> int:
    """A dataset of one integer."""
    value = dataset(group, key, "iu", "one integer")
    if value.size != 1:
        raise FileFormatError(f"{group.name}/{key} has {value.size} entries; expected one integer")
    return int(value[0])


def vector(group: Any, key: str, size: int) -> Floats:
    """A dataset of `size` real numbers."""
    value = dataset(group, key, "fiu", f"{size} real numbers").astype(np.float64)
    if value.size != size:
        raise FileFormatError(f"{group.name}/{key} has {value.size} entries; expected {size}")
    return value


def compressed(
    name: str, data: Any, indices: Any, indptr: Any, shape: tuple[int, int], *, by_columns: bool
) -> sp.csr_array | sp.csc_array:
    """A CSR (or CSC) matrix of checked arrays: scipy itself would read outside of bad ones."""
    major, minor = shape[::-1] if by_columns else shape
    if indptr.shape != (major + 1,):
        raise FileFormatError(
            f"{name} has {indptr.size} pointers; expected {major + 1} for shape {shape}"
        )
    if indptr[0] != 0 or (np.diff(indptr) < 0).any():
        raise FileFormatError(f"the pointers of {name} must begin with 0 and never fall")
    if not indptr[-1] <= min(indices.size, data.size):
        raise FileFormatError(
            f"the pointers of {name} promise {indptr[-1]} entries, but there are "
            f"{indices.size} indices and {data.size} values"
        )
    indices, data = indices[: indptr[-1]], data[: indptr[-1]]
    if indices.size and not 0 <= indices.min() <= indices.max() < minor:
        raise FileFormatError(
            f"an index of {name} is outside of its shape {shape}: they run from "
            f"{indices.min()} to {indices.max()}; expected 0 to {minor - 1}"
        )
    form = sp.csc_array if by_columns else sp.csr_array
    return form((data, indices, indptr), shape=shape)


def _format_of(path: Path) -> str:
    try:
        return FORMATS[path.suffix.lower()]
    except KeyError:
        raise InputError(
            f"{path} has the suffix {path.suffix!r}; problem files end in .npz (amontons) or in "
            ".hdf5 or .h5 (FCLIB)"
        ) from None
