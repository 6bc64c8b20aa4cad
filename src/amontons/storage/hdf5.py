"""HDF5 files whose datasets are checked for presence, type and size."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.errors import FileFormatError, InputError

Floats = NDArray[np.float64]


@contextlib.contextmanager
def opened_hdf5(stream: Any, mode: str) -> Iterator[Any]:
    """An HDF5 file over a Python stream; malformed content raises FileFormatError."""
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
