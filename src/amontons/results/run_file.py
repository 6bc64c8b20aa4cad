"""The growing HDF5 file of a run. Whatever happens, what was written before can be read.

HDF5 writes in an order that readers can follow at any moment (SWMR). No compressed chunk is written
twice, and the time of a frame comes last: a frame is whole or not there.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

import amontons
from amontons.errors import OutputError
from amontons.model.world import World
from amontons.results.deflate import packed_chunk
from amontons.results.layout import COLUMNS, CONTACT, FORMAT, FRAME, NOTE, PACKED, ROWS, VERSION
from amontons.results.surfaces import shape_arrays
from amontons.simulation.contacts import Contacts
from amontons.simulation.notes import Note
from amontons.simulation.report import StepReport

NAME_LENGTH = 64
"""Bytes of a body's name that are kept."""

SPARE = 1 << 20
"""Bytes that must be free beside what is about to be written."""


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system says about a failed write into an `OutputError`."""
    try:
        yield
    except OutputError:
        raise
    except (OSError, RuntimeError, ValueError) as reason:
        raise OutputError(
            f"cannot write {path}: {reason}; what was written before can still be read"
        ) from reason


class RunFile:
    """A file that frames and readings are appended to."""

    def __init__(self, path: Path, file: h5py.File) -> None:
        self.path, self.file = path, file
        file.swmr_mode = True
        self._frames = dict(file["frames"].items())
        self._contacts = dict(file["contacts"].items()) if "contacts" in file else {}
        self._columns = [COLUMNS[name] for name in columns_of(file)]

    @classmethod
    def create(
        cls, path: Path, world: World, *, rate: float, contacts: bool, about: Mapping[str, Any]
    ) -> RunFile:
        """A new file with everything that does not change; it is there whole or not at all."""
        fresh = path.with_name(f".{path.name}.new")
        with writing(path):
            require_space(path, SPARE)
            with h5py.File(fresh, "w", libver="latest") as file:
                describe(file, rate, about)
                for name, array in shape_arrays(world).items():
                    packed = PACKED if len(array) > ROWS else {}  # a chunk has its price, too
                    file.create_dataset(f"shapes/{name}", data=array, **packed)
                bodies = world.bodies
                for name in ("id", "shape", "mass", "fixed", "kinematic"):
                    file.create_dataset(f"bodies/{name}", data=getattr(bodies, name))
                names = [world.name_of(int(each)).encode()[:NAME_LENGTH] for each in bodies.id]
                file.create_dataset("bodies/name", data=np.array(names, dtype=f"S{NAME_LENGTH}"))
                _add_growing(file, len(bodies), contacts)
            os.replace(fresh, path)
            return cls(path, h5py.File(path, "r+", libver="latest"))

    @property
    def frames(self) -> int:
        """Whole frames so far."""
        return int(self._frames["time"].shape[0])

    def append_frame(
        self, step: int, time: float, state: Mapping[str, NDArray[Any]], contacts: Contacts | None
    ) -> None:
        """Write a frame: `state` has the arrays that `FRAME` names."""
        with writing(self.path):
            size = sum(array.nbytes for array in state.values())
            size += 0 if contacts is None else 100 * (len(contacts) + ROWS)
            require_space(self.path, size + SPARE)
            frames, number = self._frames, self.frames
            if self._contacts:
                self._append_contacts(number, contacts or Contacts.none())
            for name, array in state.items():
                kind, _ = FRAME[name]
                _put_chunks(frames[name], number, array[None].astype(kind))
            _put(frames["step"], number, step)
            _put(frames["time"], number, time)

    def _append_contacts(self, number: int, contacts: Contacts) -> None:
        frames, count = self._frames, len(contacts)
        first = 0
        if number:
            before = int(frames["first_contact"][number - 1]) + int(frames["contacts"][number - 1])
            first = -(-before // ROWS) * ROWS
        for name, dataset in self._contacts.items():
            kind, each, field = CONTACT[name]
            whole = np.zeros((-(-count // ROWS) * ROWS, *each), dtype=kind)
            whole[:count] = getattr(contacts, field)
            _put_chunks(dataset, first, whole)
        _put(frames["first_contact"], number, first)
        _put(frames["contacts"], number, count)

    def row_of(self, report: StepReport) -> list[float]:
        """The readings of a step that this file has columns for."""
        return [column.of(report) for column in self._columns]

    def append_steps(self, rows: Sequence[Sequence[float]]) -> None:
        """Write readings, one row per step as `row_of` makes it."""
        if not rows:
            return
        with writing(self.path):
            require_space(self.path, SPARE)
            dataset = self.file["steps"]
            before = dataset.shape[0]
            dataset.resize(before + len(rows), axis=0)
            dataset[before:] = np.array(rows, dtype=np.float64)
            dataset.flush()

    def append_notes(self, notes: Sequence[Note]) -> None:
        """Write notes, one row each as `NOTE` says."""
        if not notes:
            return
        with writing(self.path):
            require_space(self.path, len(notes) * NOTE.itemsize + SPARE)
            dataset = self.file["notes"]
            before = dataset.shape[0]
            dataset.resize(before + len(notes), axis=0)
            dataset[before:] = note_rows(notes)
            dataset.flush()

    def sync(self) -> None:
        """Have everything on the disk."""
        with writing(self.path):
            self.file.flush()
            os.fsync(self.file.id.get_vfd_handle())

    def close(self) -> None:
        """Close the file; it can then be opened like any other."""
        with writing(self.path):
            self.file.close()


def note_rows(notes: Sequence[Note]) -> NDArray[Any]:
    """Notes as rows of the file, shape (notes,)."""
    rows = np.empty(len(notes), dtype=NOTE)
    for row, note in zip(rows, notes, strict=True):
        row["step"], row["time"], row["value"] = note.step, note.time, note.value
        texts = {"kind": note.kind, "bodies": "\n".join(note.bodies), "message": note.message}
        for name, text in texts.items():
            row[name] = text.encode()
    return rows


def columns_of(file: h5py.File) -> list[str]:
    """Names of the readings that a file has."""
    return str(file["steps"].attrs["columns"]).split(",")


def describe(
    file: h5py.File, rate: float, about: Mapping[str, Any], version: int = VERSION
) -> None:
    """Write the attributes of a run."""
    file.attrs["format"] = FORMAT
    file.attrs["version"] = version
    file.attrs["amontons"] = amontons.__version__
    file.attrs["rate"] = rate
    file.attrs["about"] = json.dumps(dict(about), ensure_ascii=False)


def require_space(path: Path, size: int) -> None:
    """Raise `OutputError` where so many bytes are not free; HDF5 itself fails badly then."""
    free = shutil.disk_usage(path.parent).free
    if free < size:
        raise OutputError(
            f"cannot write {path}: the disk is full ({free / 1e6:.1f} MB are free, "
            f"{size / 1e6:.1f} MB are needed); what was written before can still be read"
        )


def _add_growing(file: h5py.File, bodies: int, contacts: bool) -> None:
    """The datasets that grow, still empty."""
    frames = file.create_group("frames")
    for name, (kind, each) in FRAME.items():
        shape = (bodies, *each)
        frames.create_dataset(
            name, (0, *shape), kind, maxshape=(None, *shape), chunks=(1, *shape), **PACKED
        )
    growing = ["step", "time"]
    if contacts:
        growing += ["first_contact", "contacts"]
        for name, (kind, each, _) in CONTACT.items():
            file.create_dataset(
                f"contacts/{name}", (0, *each), kind,
                maxshape=(None, *each), chunks=(ROWS, *each), **PACKED,
            )  # fmt: skip
    for name in growing:
        kind = np.float64 if name == "time" else np.int64
        frames.create_dataset(name, (0,), kind, maxshape=(None,), chunks=(256,))
    width = len(COLUMNS)
    steps = file.create_dataset(
        "steps", (0, width), np.float64, maxshape=(None, width), chunks=(256, width)
    )
    steps.attrs["columns"] = ",".join(COLUMNS)
    steps.attrs["units"] = ",".join(each.unit for each in COLUMNS.values())
    add_notes(file)


def add_notes(file: h5py.File) -> None:
    """The dataset of notes, still empty."""
    file.create_dataset("notes", (0,), NOTE, maxshape=(None,), chunks=(64,))


def _put_chunks(dataset: h5py.Dataset, first: int, rows: NDArray[Any]) -> None:
    """Append whole chunks, at a row that begins one."""
    dataset.id.set_extent((first + len(rows), *dataset.shape[1:]))
    thick, others = dataset.chunks[0], (0,) * (dataset.ndim - 1)
    for start in range(0, len(rows), thick):
        chunk = packed_chunk(rows[start : start + thick])
        dataset.id.write_direct_chunk((first + start, *others), chunk)
    dataset.flush()


def _put(dataset: h5py.Dataset, number: int, value: Any) -> None:
    dataset.resize(number + 1, axis=0)
    dataset[number] = value
    dataset.flush()
