"""NumPy archives whose entries are checked for presence, type and shape."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.errors import FileFormatError
from amontons.storage.matrices import compressed
from amontons.storage.reading import DAMAGE, brief

Floats = NDArray[np.float64]


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
                f"{key!r} is damaged, or a pickle, which is never loaded: {brief(reason)}"
            ) from reason
        if not isinstance(value, np.ndarray):
            raise FileFormatError(f"{key!r} is damaged: it is not a NumPy array")
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
