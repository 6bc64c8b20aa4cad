"""The required structure of a run's file, checked before any of it is used."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from amontons.errors import FileFormatError
from amontons.results.layout import (
    CHECKED,
    CONTACT,
    CRC,
    FORMAT,
    FRAME,
    NOTE,
    OPEN,
    READABLE,
    RECORDS,
    SURFACES,
    checked_names,
)
from amontons.storage.guarded_hdf5 import GuardedFile

Arrays = dict[str, NDArray[Any]]
Shape = tuple[int | str, ...]
"""The shape of an array: lengths, or names of lengths, equal wherever the name occurs."""

MOST_PACKED = 1100
"""Largest compression ratio of deflate; an array that claims more cannot be in the file."""

BODIES: dict[str, tuple[str, Shape]] = {
    "bodies/id": ("i", ("bodies",)),
    "bodies/shape": ("i", ("bodies",)),
    "bodies/mass": ("f", ("bodies",)),
    "bodies/fixed": ("b", ("bodies",)),
    "bodies/kinematic": ("b", ("bodies",)),
    "bodies/name": ("S", ("bodies",)),
    "bodies/material": ("i", ("bodies",)),
}
SHAPES: dict[str, tuple[str, Shape]] = {
    "shapes/kind": ("S", ("shapes",)),
    "shapes/half": ("f", ("shapes", 3)),
    "shapes/middle": ("f", ("shapes", 3)),
    "shapes/vertices": ("f", ("vertices", 3)),
    "shapes/triangles": ("i", ("triangles", 3)),
    "shapes/vertex_start": ("i", ("starts",)),
    "shapes/triangle_start": ("i", ("starts",)),
}
CONSTANT = BODIES | SHAPES
"""Constant arrays: the kind of their numbers (numpy's letter) and their shapes."""

NEW = ("bodies/material",)
"""Arrays that older files do not have."""


def constant_names(version: int) -> list[str]:
    """Names of the constant arrays in a file of this version."""
    return [name for name in CONSTANT if version >= OPEN or name not in NEW]


@dataclass(frozen=True)
class Outline:
    """The metadata of a file, checked."""

    version: int
    written_by: str
    """Version of amontons."""
    rate: float
    """Frames per simulated second [1/s]."""
    about: dict[str, Any]
    columns: list[str]
    """Columns of the steps, including their checksum."""
    units: list[str]
    contact_arrays: list[str]
    """Arrays of contacts; none if contacts were not recorded."""
    noted: bool
    """Whether there is a list of notes, even an empty one."""
    digest: str

    @property
    def open(self) -> bool:
        """Whether bodies may be added and removed."""
        return self.version >= OPEN

    @property
    def checked(self) -> bool:
        """Whether everything has a checksum."""
        return self.version >= CHECKED

    def attributes(self) -> dict[str, Any]:
        """What the digest of constants covers beside arrays."""
        return {
            "format": FORMAT,
            "version": self.version,
            "amontons": self.written_by,
            "rate": self.rate,
            "about": self.about,
            "columns": self.columns,
            "units": self.units,
            "contacts": self.contact_arrays,
        }


def outlined(file: GuardedFile, size: int) -> Outline:
    """The metadata of a file of `size` bytes; every array to be read is checked against it."""
    found, version = attribute(file.file, "format"), attribute(file.file, "version")
    if found != FORMAT or version not in READABLE or "steps" not in file:
        what = f"its version is {version}" if found == FORMAT else "it is another file"
        raise FileFormatError(f"it is not a run of version {READABLE[-1]} or older: {what}")
    steps = file.dataset("steps")
    columns = _text(steps, "columns").split(",")
    units = _text(steps, "units").split(",") if "units" in steps.attrs else []
    outline = Outline(
        int(version),
        _text(file.file, "amontons"),
        _rate(file.file),
        _about(_text(file.file, "about")),
        columns,
        units,
        [name for name in CONTACT if name in file.names("contacts")],
        "notes" in file,
        _text(file.file, "digest") if version >= CHECKED else "",
    )
    _check_arrays(file, outline, size)
    return outline


def attribute(holder: Any, name: str) -> Any:
    """A number or text; None if there is no such attribute."""
    if name not in holder.attrs:
        return None
    value = holder.attrs[name]
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str):
        return value
    raise FileFormatError(f"its attribute {name} is neither a number nor text")


def _text(holder: Any, name: str) -> str:
    value = attribute(holder, name)
    if not isinstance(value, str):
        raise FileFormatError(f"its attribute {name} is {value!r}; it must be text")
    return value


def _rate(file: h5py.File) -> float:
    rate = attribute(file, "rate")
    if not isinstance(rate, int | float) or not (math.isfinite(rate) and rate > 0.0):
        raise FileFormatError(f"its rate is {rate!r}; it must be positive")
    return float(rate)


def _about(text: str) -> dict[str, Any]:
    try:
        about = json.loads(text)
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict) or not isinstance(about.get("scene", ""), str):
        raise FileFormatError("its attribute about does not say what was run")
    return about


def _check_arrays(file: GuardedFile, outline: Outline, size: int) -> None:
    """Raise if an array is missing, has the wrong type or shape, or claims too much data."""
    lengths: dict[str, int] = {}
    for name, (kind, shape) in _expected(outline).items():
        _check(file.dataset(name), name, kind, shape, lengths, size)
    names = outline.columns
    if len(set(names)) < len(names) or (names[-1] == CRC) != outline.checked:
        raise FileFormatError("its steps have other columns than its version")
    if outline.noted:
        _check_notes(file.dataset("notes"), outline, size)
    if outline.open:
        for name, record in RECORDS.items():
            found = file.dataset(name)
            if found.dtype != record or found.ndim != 1:
                raise FileFormatError(f"{name} is an array of {found.dtype}")
            _check_size(found, name, size)
    if outline.checked and not outline.noted:
        raise FileFormatError("it has no list of notes")
    if outline.checked:
        of = _text(file.dataset("frames/check"), "of").split(",")
        if of != checked_names(outline.contact_arrays, outline.version):
            raise FileFormatError("its checksums are of other arrays than it has")


def _expected(outline: Outline) -> dict[str, tuple[str, Shape]]:
    expected = {name: CONSTANT[name] for name in constant_names(outline.version)}
    for name, (_, each) in FRAME.items():
        expected[f"frames/{name}"] = ("f", (f"rows of frames/{name}", "bodies", *each))
        if outline.open:
            expected[f"added/{name}"] = ("f", (f"rows of added/{name}", *each))
    growing = {"step": "i", "time": "f"}
    if outline.open:
        growing |= {"bodies": "i", "first_added": "i", "added": "i"}
        expected["added/row"] = ("i", ("rows of added/row",))
        for name, number in SURFACES.items():
            expected[f"added/{name}"] = (np.dtype(number).kind, (f"rows of added/{name}", 3))
    if outline.contact_arrays:
        growing |= {"first_contact": "i", "contacts": "i"}
    for name, kind in growing.items():
        expected[f"frames/{name}"] = (kind, (f"rows of frames/{name}",))
    for name in outline.contact_arrays:
        number, each, _ = CONTACT[name]
        kind = np.dtype(number).kind
        expected[f"contacts/{name}"] = (kind, (f"rows of contacts/{name}", *each))
    if outline.contact_arrays and set(CONTACT) - set(outline.contact_arrays) - {"torque"}:
        raise FileFormatError("some arrays of its contacts are missing")
    if outline.checked:
        width = len(checked_names(outline.contact_arrays, outline.version))
        expected["frames/check"] = ("u", ("rows of frames/check", width))
    expected["steps"] = ("f", ("rows of steps", len(outline.columns)))
    return expected


def _check(
    dataset: h5py.Dataset,
    name: str,
    kind: str,
    shape: Shape,
    lengths: dict[str, int],
    size: int,
) -> None:
    found = dataset.shape
    if found is None or dataset.dtype.kind != kind or len(found) != len(shape):
        raise FileFormatError(f"{name} is an array of {dataset.dtype} of shape {found}")
    for have, want in zip(found, shape, strict=True):
        wanted = lengths.setdefault(want, have) if isinstance(want, str) else want
        if have != wanted:
            raise FileFormatError(f"{name} has shape {found}; {have} should be {wanted}")
    if str(shape[0]).startswith("rows") and not dataset.chunks:
        raise FileFormatError(f"{name} cannot grow")
    _check_size(dataset, name, size)


def _check_size(dataset: h5py.Dataset, name: str, size: int) -> None:
    """Raise if an array is larger than a file of `size` bytes can hold."""
    count = math.prod(dataset.shape) * dataset.dtype.itemsize
    chunk = math.prod(dataset.chunks or ()) * dataset.dtype.itemsize
    if max(count, chunk) > MOST_PACKED * size:
        raise FileFormatError(f"{name} claims {count} bytes, more than can be in the file")


def _check_notes(notes: h5py.Dataset, outline: Outline, size: int) -> None:
    names = set(NOTE.names or ()) - (set() if outline.checked else {CRC})
    fields: Mapping[str, Any] = notes.dtype.fields or {}
    sound = names <= set(fields) and all(fields[name][0].kind == NOTE[name].kind for name in names)
    if not sound or notes.ndim != 1 or (outline.checked and notes.dtype != NOTE):
        raise FileFormatError("its notes are not rows of a note")
    _check_size(notes, "notes", size)
