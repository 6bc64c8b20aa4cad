"""All bodies, shapes and materials that were ever in a run: initial ones, and later additions.

Ids increase as bodies are added, so that a body keeps its row, and the rows of one frame are in
increasing order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from amontons.errors import FileFormatError
from amontons.frames.surfaces import shape_arrays
from amontons.model.materials import PROPERTIES, Material
from amontons.model.world import World
from amontons.results.checksums import of_records, of_surface
from amontons.results.layout import (
    ADDED_BODY,
    ADDED_SHAPE,
    CRC,
    MATERIAL,
    NAME_LENGTH,
    PACKED,
    RECORDS,
    SURFACES,
)
from amontons.results.schema import Arrays
from amontons.storage.guarded_hdf5 import GuardedFile

Ids = NDArray[np.int64]

FEW, MANY = 16, 1024
"""Rows in a chunk of tables and of surfaces."""


def add_tables(file: h5py.File) -> None:
    """The tables of later additions, still empty."""
    for name, kind in RECORDS.items():
        file.create_dataset(name, (0,), kind, maxshape=(None,), chunks=(FEW,))
    for name, number in SURFACES.items():
        file.create_dataset(
            f"added/{name}", (0, 3), number, maxshape=(None, 3), chunks=(MANY, 3), **PACKED
        )


def body_names(world: World, ids: Ids) -> NDArray[np.bytes_]:
    """Names of bodies as they are stored in a file."""
    names = [world.name_of(int(each)).encode()[:NAME_LENGTH] for each in ids]
    return np.array(names, dtype=f"S{NAME_LENGTH}")


class Roster:
    """The bodies, shapes and materials in a file, to which more are added."""

    def __init__(self, file: h5py.File) -> None:
        self._file = file
        self.ids: Ids = np.concatenate([file["bodies/id"][()], file["added/bodies"]["id"]])
        """Ids of all bodies that were ever in a frame, increasing."""
        self.begun = len(file["bodies/id"])
        """Number of initial bodies."""
        self._shapes = len(file["shapes/kind"]) + len(file["added/shapes"])
        self._materials = len(file["materials"])

    def __len__(self) -> int:
        return len(self.ids)

    def rows_of(self, world: World, step: int) -> Ids:
        """Rows of the current bodies; new bodies and shapes are added."""
        self._add_materials(world.materials.list, step)
        self._add_shapes(world, step)
        here = world.bodies.id
        new = np.flatnonzero(~np.isin(here, self.ids))
        if new.size:
            self._add_bodies(world, new, step)
        return np.searchsorted(self.ids, here)

    def _add_bodies(self, world: World, new: Ids, step: int) -> None:
        bodies = world.bodies
        rows = np.zeros(len(new), dtype=ADDED_BODY)
        rows["step"] = step
        for name in ("id", "shape", "material", "mass", "fixed", "kinematic"):
            rows[name] = getattr(bodies, name)[new]
        rows["name"] = body_names(world, rows["id"])
        append_records(self._file["added/bodies"], rows)
        self.ids = np.concatenate([self.ids, rows["id"]])

    def _add_shapes(self, world: World, step: int) -> None:
        first = self._shapes
        if len(world.shapes) == first:
            return
        made = shape_arrays(world.shapes[first:], world.origins[first:])
        rows = np.zeros(len(made["kind"]), dtype=ADDED_SHAPE)
        rows["step"] = step
        for name in ("kind", "half", "middle"):
            rows[name] = made[name]
        rows["vertices"] = np.diff(made["vertex_start"])
        rows["triangles"] = np.diff(made["triangle_start"])
        rows["surface"] = surface_checks(rows, made["vertices"], made["triangles"])
        for name in SURFACES:
            append(self._file[f"added/{name}"], made[name])
        append_records(self._file["added/shapes"], rows)
        self._shapes = len(world.shapes)

    def _add_materials(self, materials: Sequence[Material], step: int) -> None:
        first = self._materials
        if len(materials) == first:
            return
        rows = np.zeros(len(materials) - first, dtype=MATERIAL)
        rows["step"] = step
        for row, material in zip(rows, materials[first:], strict=True):
            for name in PROPERTIES:
                row[name] = material.property(name)
        append_records(self._file["materials"], rows)
        self._materials = len(materials)


def append_records(dataset: h5py.Dataset, rows: NDArray[Any]) -> None:
    """Append rows of a table, with their checksums."""
    rows[CRC] = of_records(dataset.shape[0], rows)
    append(dataset, rows)


def append(dataset: h5py.Dataset, rows: NDArray[Any]) -> None:
    """Append rows."""
    if not len(rows):
        return
    first = dataset.shape[0]
    dataset.resize(first + len(rows), axis=0)
    dataset[first:] = rows
    dataset.flush()


def surface_checks(
    shapes: NDArray[Any], vertices: NDArray[Any], triangles: NDArray[Any]
) -> NDArray[np.uint32]:
    """Checksums of the surfaces of shapes, whose corners and triangles are end to end."""
    corner = np.concatenate([[0], np.cumsum(shapes["vertices"])]).tolist()
    first = np.concatenate([[0], np.cumsum(shapes["triangles"])]).tolist()
    return np.array(
        [
            of_surface(vertices[corner[i] : corner[i + 1]], triangles[first[i] : first[i + 1]])
            for i in range(len(shapes))
        ],
        dtype=np.uint32,
    )


def read_added(file: GuardedFile) -> Arrays:
    """The tables of later additions, checked, by their names.

    A growing file is read in the reverse order of writing, so that there may be more shapes
    than bodies need, but never fewer.
    """
    tables: Arrays = {"added/bodies": file.dataset("added/bodies")[()]}
    tables["added/shapes"] = file.dataset("added/shapes")[()]
    tables["materials"] = file.dataset("materials")[()]
    for name, rows in tables.items():
        wrong = of_records(0, rows) != rows[CRC]
        if wrong.any():
            raise FileFormatError(
                f"damaged: row {np.argmax(wrong)} of {name} does not match its checksum"
            )
    shapes = tables["added/shapes"]
    if (shapes["vertices"] < 0).any() or (shapes["triangles"] < 0).any():
        raise FileFormatError("a shape has a negative number of corners")
    for name in SURFACES:
        count = int(shapes[name].sum())
        found = file.dataset(f"added/{name}")[:count]
        if len(found) < count:
            raise FileFormatError(f"added/{name} has {len(found)} rows, and {count} are needed")
        tables[f"added/{name}"] = found
    surfaces = tables["added/vertices"], tables["added/triangles"]
    wrong = surface_checks(shapes, *surfaces) != shapes["surface"]
    if wrong.any():
        raise FileFormatError(
            f"damaged: the surface of shape {np.argmax(wrong)} that was added does not match its "
            "checksum"
        )
    return tables


def with_added(constants: Arrays, added: Arrays) -> Arrays:
    """All bodies and shapes: initial ones, then later additions."""
    bodies, shapes = added["added/bodies"], added["added/shapes"]
    if not len(bodies) and not len(shapes):
        return constants
    whole = dict(constants)
    for name in ("id", "shape", "material", "mass", "fixed", "kinematic", "name"):
        whole[f"bodies/{name}"] = np.concatenate([constants[f"bodies/{name}"], bodies[name]])
    for name in ("kind", "half", "middle"):
        whole[f"shapes/{name}"] = np.concatenate([constants[f"shapes/{name}"], shapes[name]])
    for one, many in (("vertex", "vertices"), ("triangle", "triangles")):
        starts = constants[f"shapes/{one}_start"]
        whole[f"shapes/{one}_start"] = np.append(starts, starts[-1] + np.cumsum(shapes[many]))
        whole[f"shapes/{many}"] = np.concatenate(
            [constants[f"shapes/{many}"], added[f"added/{many}"]]
        )
    return whole
