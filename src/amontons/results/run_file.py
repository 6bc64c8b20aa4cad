"""The growing HDF5 file of a run. Whatever happens, earlier data stays readable.

HDF5 writes in an order that readers can follow at any moment (SWMR). No compressed chunk is written
twice, and the time of a frame comes last: a frame is either whole or absent. Checksums are
written along with their data (`amontons.results.checksums`).
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

import amontons
from amontons.errors import AmontonsError, OutputError
from amontons.frames.surfaces import shape_arrays
from amontons.model.world import World
from amontons.results.checksums import MOMENT, of_array, of_constants, of_records, of_rows
from amontons.results.deflate import packed_chunk
from amontons.results.layout import (
    ADDED,
    COLUMNS,
    CONTACT,
    CRC,
    FRAME,
    HDF5_VERSIONS,
    NOTE,
    PACKED,
    ROWS,
    VERSION,
    checked_names,
)
from amontons.results.roster import Roster, add_tables, append_records, body_names
from amontons.results.schema import CONSTANT, Arrays, Outline, constant_names
from amontons.simulation.reports.contacts import Contacts
from amontons.simulation.reports.notes import Note
from amontons.simulation.reports.report import StepReport
from amontons.storage.writing import beside, take_place

NOTHING_MORE: Mapping[str, str] = MappingProxyType({})

SPARE = 1 << 20
"""Free disk space required beyond the data about to be written [bytes]."""


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the system's error about a failed write into an `OutputError`."""
    try:
        yield
    except AmontonsError:
        raise
    except (OSError, RuntimeError, ValueError) as reason:
        raise OutputError(
            f"cannot write {path}: {reason}; earlier data can still be read"
        ) from reason


class RunFile:
    """A file that frames and readings are appended to."""

    def __init__(self, path: Path, file: h5py.File) -> None:
        self.path, self.file = path, file
        file.swmr_mode = True
        self._frames = dict(file["frames"].items())
        self._contacts = dict(file["contacts"].items()) if "contacts" in file else {}
        names = columns_of(file)
        self._columns = [COLUMNS[name] for name in names if name in COLUMNS]
        self.extra = [name for name in names if name not in COLUMNS]
        """Columns specific to this run: its joints and sensors."""
        self._notes = int(file["notes"].shape[0])
        self._roster = Roster(file)
        self._added = {name: file[f"added/{name}"] for name in ADDED}

    @classmethod
    def create(
        cls,
        path: Path,
        world: World,
        *,
        rate: float,
        contacts: bool,
        about: Mapping[str, Any],
        extra: Mapping[str, str] = NOTHING_MORE,
    ) -> RunFile:
        """A new file with all constants, created whole or not at all.

        `extra` are columns of the steps beyond `COLUMNS`, with their units.
        """
        with writing(path):
            fresh = beside(path)
            require_space(path, SPARE)
            with h5py.File(fresh, "x", libver=HDF5_VERSIONS) as file:
                add_constants(file, {**_shapes(world), **_bodies(world)})
                _add_growing(file, len(world.bodies), contacts, extra)
                describe(file, rate, about)
            take_place(fresh, path)
            return cls.reopened(path)

    @classmethod
    def reopened(cls, path: Path) -> RunFile:
        """A file that was closed, reopened to continue it."""
        return cls(path, h5py.File(path, "r+", libver=HDF5_VERSIONS))

    @property
    def frames(self) -> int:
        """Whole frames so far."""
        return int(self._frames["time"].shape[0])

    def append_frame(self, step: int, time: float, world: World, contacts: Contacts | None) -> None:
        """Write a frame: the current state of a world's bodies, and their contacts."""
        with writing(self.path):
            bodies = world.bodies
            arrays = {name: getattr(bodies, name).astype(FRAME[name][0]) for name in FRAME}
            size = 2 * sum(array.nbytes for array in arrays.values())
            size += 0 if contacts is None else 100 * (len(contacts) + ROWS)
            require_space(self.path, size + SPARE)
            rows = self._roster.rows_of(world, step)
            frames, number = self._frames, self.frames
            first, count = 0, 0
            checks: list[int] = []
            if self._contacts:
                first, count, checks = self._append_contacts(number, contacts or Contacts.none())
            begun = np.searchsorted(rows, self._roster.begun)
            for name, array in arrays.items():
                block = np.full((self._roster.begun, *array.shape[1:]), np.nan, dtype=array.dtype)
                block[rows[:begun]] = array[:begun]
                _put_chunks(frames[name], number, block[None])
            self._append_added(number, rows[begun:], {k: v[begun:] for k, v in arrays.items()})
            moment = np.array([(step, time, first, count)], dtype=MOMENT)
            states = [of_array(number, arrays[name]) for name in FRAME]
            checks += [of_array(number, rows)]
            _put(frames["step"], number, step)
            _put(frames["bodies"], number, len(rows))
            _put(frames["check"], number, [*of_rows(number, moment).tolist(), *states, *checks])
            _put(frames["time"], number, time)

    def _append_added(self, number: int, rows: NDArray[np.int64], arrays: Arrays) -> None:
        """Write a frame's bodies that were added after the start."""
        frames, count = self._frames, len(rows)
        first = self._free_row("added", number)
        for name, array in {"row": rows, **arrays}.items():
            whole = np.zeros((-(-count // ROWS) * ROWS, *array.shape[1:]), dtype=array.dtype)
            whole[:count] = array
            _put_chunks(self._added[name], first, whole)
        _put(frames["first_added"], number, first)
        _put(frames["added"], number, count)

    def _free_row(self, what: str, number: int) -> int:
        """The row where a frame's "contacts" or "added" bodies begin: that of a new chunk."""
        if not number:
            return 0
        name = {"contacts": "first_contact", "added": "first_added"}[what]
        before = int(self._frames[name][number - 1]) + int(self._frames[what][number - 1])
        return -(-before // ROWS) * ROWS

    def _append_contacts(self, number: int, contacts: Contacts) -> tuple[int, int, list[int]]:
        """Write a frame's contacts; return the first row, the number of rows, and checksums."""
        frames, count = self._frames, len(contacts)
        first, checks = self._free_row("contacts", number), []
        for name in (name for name in CONTACT if name in self._contacts):
            kind, each, field = CONTACT[name]
            whole = np.zeros((-(-count // ROWS) * ROWS, *each), dtype=kind)
            whole[:count] = getattr(contacts, field)
            checks.append(of_array(number, whole[:count]))
            _put_chunks(self._contacts[name], first, whole)
        _put(frames["first_contact"], number, first)
        _put(frames["contacts"], number, count)
        return first, count, checks

    def row_of(self, report: StepReport, extra: Sequence[float] = ()) -> list[float]:
        """The readings of a step for which this file has columns, extra ones last."""
        return [*(column.of(report) for column in self._columns), *extra]

    def append_steps(self, rows: Sequence[Sequence[float]]) -> None:
        """Write readings, one row per step as `row_of` makes it."""
        if not rows:
            return
        with writing(self.path):
            require_space(self.path, SPARE)
            dataset = self.file["steps"]
            before = dataset.shape[0]
            dataset.resize(before + len(rows), axis=0)
            numbers = np.array(rows, dtype=np.float64)
            dataset[before:] = np.column_stack([numbers, of_rows(before, numbers)])
            dataset.flush()

    def append_notes(self, notes: Sequence[Note]) -> None:
        """Write notes, one row each as `NOTE` says."""
        if not notes:
            return
        with writing(self.path):
            require_space(self.path, len(notes) * NOTE.itemsize + SPARE)
            dataset, before = self.file["notes"], self._notes
            self._notes += len(notes)
            dataset.resize(self._notes, axis=0)
            dataset[before:] = note_rows(notes, before)
            dataset.flush()

    def append_table(self, name: str, rows: NDArray[Any]) -> None:
        """Write rows of one of the tables of `RECORDS`, such as the counts of meters."""
        if not len(rows):
            return
        with writing(self.path):
            require_space(self.path, rows.nbytes + SPARE)
            append_records(self.file[name], rows)

    def sync(self) -> None:
        """Flush everything to disk."""
        with writing(self.path):
            self.file.flush()
            os.fsync(self.file.id.get_vfd_handle())

    def close(self) -> None:
        """Close the file; it can then be opened like any other."""
        with writing(self.path):
            self.file.close()


def note_rows(notes: Sequence[Note], first: int) -> NDArray[Any]:
    """Notes as rows of the file, the first of which has the number `first`, shape (notes,)."""
    rows = np.zeros(len(notes), dtype=NOTE)
    for row, note in zip(rows, notes, strict=True):
        row["step"], row["time"], row["value"] = note.step, note.time, note.value
        texts = {"kind": note.kind, "bodies": "\n".join(note.bodies), "message": note.message}
        for name, text in texts.items():
            row[name] = text.encode()
    rows[CRC] = of_records(first, rows)
    return rows


def columns_of(file: h5py.File) -> list[str]:
    """Names of the readings that a file has."""
    return [name for name in file["steps"].attrs["columns"].decode().split(",") if name != CRC]


def describe(file: h5py.File, rate: float, about: Mapping[str, Any]) -> None:
    """Write the attributes of a run whose arrays are complete, and the digest of constants."""
    steps = file["steps"]
    outline = Outline(
        VERSION,
        amontons.__version__,
        float(rate),
        json.loads(json.dumps(dict(about))),
        steps.attrs["columns"].decode().split(","),
        steps.attrs["units"].decode().split(","),
        [name for name in CONTACT if name in file.get("contacts", ())],
        True,
        "",
    )
    for name in ("format", "amontons"):
        put_text(file, name, outline.attributes()[name])
    file.attrs["version"], file.attrs["rate"] = outline.version, outline.rate
    put_text(file, "about", json.dumps(outline.about, ensure_ascii=False))
    put_text(file["frames/check"], "of", ",".join(checked_names(outline.contact_arrays)))
    arrays = {name: file[name][()] for name in constant_names(VERSION)}
    put_text(file, "digest", of_constants(outline.attributes(), arrays))


def put_text(holder: Any, name: str, text: str) -> None:
    """Write text as an attribute, in a block with a checksum."""
    content = text.encode()
    holder.attrs.create(name, content, dtype=h5py.string_dtype("utf-8", max(1, len(content))))


def require_space(path: Path, size: int) -> None:
    """Raise `OutputError` if `size` bytes are not free: HDF5 does not survive a full disk."""
    free = shutil.disk_usage(path.parent).free
    if free < size:
        raise OutputError(
            f"cannot write {path}: the disk is full ({free / 1e6:.1f} MB are free, "
            f"{size / 1e6:.1f} MB are needed); earlier data can still be read"
        )


def add_constants(file: h5py.File, arrays: Arrays) -> None:
    """Write the constants, by the names of `CONSTANT`."""
    for name in CONSTANT:
        packed = PACKED if len(arrays[name]) > ROWS else {}  # chunks have a cost, too
        file.create_dataset(name, data=arrays[name], **packed)


def _shapes(world: World) -> Arrays:
    made = shape_arrays(world.shapes, world.origins)
    return {f"shapes/{name}": array for name, array in made.items()}


def _bodies(world: World) -> Arrays:
    bodies = world.bodies
    arrays = {
        f"bodies/{name}": getattr(bodies, name)
        for name in ("id", "shape", "material", "mass", "fixed", "kinematic")
    }
    return arrays | {"bodies/name": body_names(world, bodies.id)}


def _add_growing(file: h5py.File, bodies: int, contacts: bool, extra: Mapping[str, str]) -> None:
    """The growing datasets, still empty."""
    for name, (kind, each) in FRAME.items():
        add_frames(file, name, kind, 0, bodies)
        add_rows(file, f"added/{name}", kind, each, chunk=ROWS, **PACKED)
    add_rows(file, "added/row", np.int64, chunk=ROWS, **PACKED)
    add_tables(file)
    growing = ["step", "time", "bodies", "first_added", "added"]
    if contacts:
        growing += ["first_contact", "contacts"]
        for name, (kind, each, _) in CONTACT.items():
            add_rows(file, f"contacts/{name}", kind, each, chunk=ROWS, **PACKED)
    for name in growing:
        add_rows(file, f"frames/{name}", np.float64 if name == "time" else np.int64)
    add_checks(file, len(checked_names(CONTACT if contacts else ())))
    units = [each.unit for each in COLUMNS.values()]
    add_steps(file, [*COLUMNS, *extra], [*units, *extra.values()])
    add_rows(file, "notes", NOTE, chunk=64)


def add_rows(
    file: h5py.File, name: str, kind: Any, each: tuple[int, ...] = (), *, chunk: int = 256,
    **packed: Any,
) -> h5py.Dataset:  # fmt: skip
    """A dataset to which rows of a given shape are appended, still empty."""
    return file.create_dataset(
        name, (0, *each), kind, maxshape=(None, *each), chunks=(chunk, *each), **packed
    )


def add_frames(file: h5py.File, name: str, kind: Any, frames: int, bodies: int) -> h5py.Dataset:
    """The dataset of an array of frames for the initial bodies, still empty."""
    each, most = FRAME[name][1], max(bodies, 1)  # chunks must not be empty
    return file.create_dataset(
        f"frames/{name}", (frames, bodies, *each), kind, maxshape=(None, most, *each),
        chunks=(1, most, *each), **PACKED,
    )  # fmt: skip


def add_checks(file: h5py.File, width: int) -> h5py.Dataset:
    """The dataset of frames' checksums, still empty."""
    return add_rows(file, "frames/check", np.uint32, (width,), chunk=64)


def add_steps(file: h5py.File, columns: list[str], units: list[str]) -> h5py.Dataset:
    """The dataset of steps, still empty."""
    steps = add_rows(file, "steps", np.float64, (len(columns) + 1,))
    put_text(steps, "columns", ",".join([*columns, CRC]))
    put_text(steps, "units", ",".join([*units, ""]))
    return steps


def _put_chunks(dataset: h5py.Dataset, first: int, rows: NDArray[Any]) -> None:
    """Append whole chunks, from the first row of a chunk on."""
    dataset.id.set_extent((first + len(rows), *dataset.shape[1:]))
    thick, others = dataset.chunks[0], (0,) * (dataset.ndim - 1)
    for start in range(0, len(rows) if rows.size else 0, thick):
        chunk = packed_chunk(rows[start : start + thick])
        dataset.id.write_direct_chunk((first + start, *others), chunk)
    dataset.flush()


def _put(dataset: h5py.Dataset, number: int, value: Any) -> None:
    """Append a row, by HDF5's own calls: h5py's indexing takes longer than all the rest."""
    row = np.asarray(value, dtype=dataset.dtype)[None]
    dataset.id.set_extent((number + 1, *row.shape[1:]))
    where = dataset.id.get_space()
    where.select_hyperslab((number, *(0,) * (row.ndim - 1)), row.shape)
    dataset.id.write(h5py.h5s.create_simple(row.shape), where, np.ascontiguousarray(row))
    dataset.flush()
