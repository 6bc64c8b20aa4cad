"""Problems on disk, in several formats.

`.npz` is this package's own format and holds every problem exactly (:mod:`amontons.problem.npz`);
`.hdf5` and `.h5` are FCLIB, the exchange format of the field (:mod:`amontons.problem.fclib`).
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from amontons.errors import FileFormatError, InputError
from amontons.problem import fclib, npz
from amontons.problem.problem import ConeProblem
from amontons.storage.reading import HDF5_START, ZIP_START, require_file
from amontons.storage.writing import replacing

FORMATS = {".npz": "npz", ".hdf5": "fclib", ".h5": "fclib"}
"""Formats by the file name's suffix."""


def load(path: str | os.PathLike[str]) -> ConeProblem:
    """Read a problem. The suffix must be a known one; the format is detected from the content.

    Raises
    ------
    InputError
        For a suffix other than `.npz`, `.hdf5` and `.h5`.
    FileNotFoundError
        If there is no such file.
    FileFormatError
        If the file is empty, truncated, foreign, damaged, or newer than this release.
    """
    place = Path(path)
    _format_of(place)
    require_file(place, "problem")
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
    """Write a problem as `.npz` or as FCLIB's HDF5, by the suffix; replaces a file atomically.

    Raises
    ------
    InputError
        For an unknown suffix, and for a problem that FCLIB cannot express.
    OutputError
        If the file cannot be written; an existing file is untouched.
    """
    place = Path(path)
    if _format_of(place) == "npz":
        arrays = npz.arrays_of(problem)
        with replacing(place) as stream:
            np.savez_compressed(stream, **arrays)
    else:
        content = fclib.encode(problem)
        with replacing(place) as stream:
            stream.write(content)


def _format_of(path: Path) -> str:
    try:
        return FORMATS[path.suffix.lower()]
    except KeyError:
        raise InputError(
            f"{path} has the suffix {path.suffix!r}; problem files end in .npz (amontons) or in "
            ".hdf5 or .h5 (FCLIB)"
        ) from None
