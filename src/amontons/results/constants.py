"""The constants of a run, read at once and checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.errors import FileFormatError
from amontons.results.checksums import of_constants
from amontons.results.schema import Arrays, Outline, constant_names
from amontons.storage.guarded_hdf5 import GuardedFile

UNKNOWN = -1
"""Number of a material that a file does not record."""


def read_constants(file: GuardedFile, outline: Outline) -> Arrays:
    """Arrays of shapes and bodies, by their names."""
    arrays: Arrays = {name: file.dataset(name)[()] for name in constant_names(outline.version)}
    if outline.checked and of_constants(outline.attributes(), arrays) != outline.digest:
        raise FileFormatError("damaged: shapes, bodies or attributes do not match their checksum")
    if not outline.open:
        arrays["bodies/material"] = np.full(len(arrays["bodies/id"]), UNKNOWN, dtype=np.int32)
    return arrays


def check_constants(arrays: Arrays) -> None:
    """Raise if shapes or bodies are inconsistent."""
    _check_shapes(arrays)
    _check_bodies(arrays)


def part(arrays: Arrays, group: str) -> Arrays:
    """The arrays of a group, by their names in it."""
    start = f"{group}/"
    return {name[len(start) :]: each for name, each in arrays.items() if name.startswith(start)}


def _check_shapes(arrays: Arrays) -> None:
    shapes = part(arrays, "shapes")
    count, triangles = len(shapes["kind"]), shapes["triangles"]
    for which, among in (("vertex", shapes["vertices"]), ("triangle", triangles)):
        starts = shapes[f"{which}_start"]
        sound = starts.size == count + 1 and starts[0] == 0 and starts[-1] == len(among)
        if not sound or (np.diff(starts) < 0).any():
            raise FileFormatError(f"its {which}_start does not assign them to shapes")
    owner = np.repeat(np.arange(count), np.diff(shapes["triangle_start"]))
    corners = np.diff(shapes["vertex_start"])[owner]
    if ((triangles < 0) | (triangles >= corners[:, None])).any():
        raise FileFormatError("a triangle has a corner that does not exist")
    for name in ("half", "middle", "vertices"):
        if not np.isfinite(shapes[name]).all():
            raise FileFormatError(f"shapes/{name} has a number that is not finite")
    if (shapes["half"] < 0.0).any():
        raise FileFormatError("a shape has a negative size")
    planes = shapes["kind"] == b"Plane"
    if (planes & (np.diff(shapes["triangle_start"]) == 0)).any():
        raise FileFormatError("a plane has no triangles")


def _check_bodies(arrays: Arrays) -> None:
    bodies, count = part(arrays, "bodies"), len(arrays["shapes/kind"])
    _check_within("a body's shape", bodies["shape"], count)
    if np.unique(bodies["id"]).size < bodies["id"].size:
        raise FileFormatError("two bodies have the same id")
    if (np.diff(bodies["id"]) < 0).any():
        raise FileFormatError("the ids of its bodies are not increasing")
    if not (bodies["mass"] >= 0.0).all():
        raise FileFormatError("a body's mass is negative or not a number")


def _check_within(what: str, numbers: NDArray[Any], count: int) -> None:
    outside = (numbers < 0) | (numbers >= count)
    if outside.any():
        raise FileFormatError(f"{what} is {numbers[outside][0]}; there are {count}")
