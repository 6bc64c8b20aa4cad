"""Cutting a run's file back to a step, from which a resumed run continues."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from amontons.errors import FileFormatError
from amontons.results.checksums import of_array, of_records, of_rows
from amontons.results.extra_columns import EXTRA
from amontons.results.layout import (
    ADDED,
    COLUMNS,
    CRC,
    FRAME,
    HDF5_VERSIONS,
    NOTE,
    PACKED,
    PRESENT,
    ROWS,
    SURFACES,
    checked_names,
)
from amontons.results.roster import add_tables, append, append_records
from amontons.results.run_file import (
    RunFile,
    add_checks,
    add_constants,
    add_rows,
    add_steps,
    describe,
    require_space,
    writing,
)
from amontons.results.stored_run import StoredRun
from amontons.storage.writing import beside, take_place


def cut_back(path: Path, step: int, about: Mapping[str, Any]) -> RunFile:
    """Drop everything after a step; the old file is kept until the new one is complete.

    A file whose writer was killed cannot be reopened for writing, so all of it is copied:
    compressed chunks as they are, even damaged ones, which their checksums reveal.
    """
    old = StoredRun(path)
    try:
        with writing(path):
            fresh = beside(path)
            require_space(path, path.stat().st_size)
            with h5py.File(fresh, "x", libver=HDF5_VERSIONS) as new:
                _fill(new, old, step, about)
    finally:
        old.close()
    with writing(path):
        take_place(fresh, path)
        return RunFile.reopened(path)


def _fill(new: h5py.File, old: StoredRun, step: int, about: Mapping[str, Any]) -> None:
    """Write a run up to a step."""
    moments, outline = old.moments, old.outline
    frames = int(np.searchsorted(moments["step"], step, side="right"))
    add_constants(new, old.begun)
    _write_added(new, old, step, frames)
    names = ["step", "time"]
    if outline.contact_arrays:
        names += ["first_contact", "contacts"]
        last = moments[frames - 1 : frames]
        rows = int((last["first_contact"] + -(-last["contacts"] // ROWS) * ROWS).sum())
        for name in outline.contact_arrays:
            _copy_chunks(old, new, f"contacts/{name}", rows)
    for name in FRAME:
        _copy_chunks(old, new, f"frames/{name}", frames)
    _write(add_rows(new, "frames/bodies", np.int64), old.bodies_in_frames[:frames])
    for name in names:
        _write(add_rows(new, f"frames/{name}", moments[name].dtype), moments[name][:frames])
    _write_checks(new, old, frames)
    _write_steps(new, old, step)
    _write_notes(new, old, step)
    describe(new, outline.rate, about)


def _write_added(new: h5py.File, old: StoredRun, step: int, frames: int) -> None:
    """Additions up to a step, and their rows in the frames up to it."""
    add_tables(new)
    starts, counts = (each[:frames] for each in old.added_in_frames)
    if old.outline.open:
        _copy_records(new, old, step)
    rows = int((starts[-1:] + -(-counts[-1:] // ROWS) * ROWS).sum())
    for name in ADDED:
        if old.outline.open:
            _copy_chunks(old, new, f"added/{name}", rows)
        else:
            kind, each = FRAME.get(name, (np.int64, ()))
            add_rows(new, f"added/{name}", kind, each, chunk=ROWS, **PACKED)
    _write(add_rows(new, "frames/first_added", np.int64), starts)
    _write(add_rows(new, "frames/added", np.int64), counts)


def _copy_records(new: h5py.File, old: StoredRun, step: int) -> None:
    """What had been added up to a step, the counts of meters, and the bonds that had broken."""
    tables = {name: old.added[name] for name in ("added/bodies", "added/shapes", "materials")}
    for name, rows in {**tables, **{each: old.table(each) for each in ("meters", "bonds")}}.items():
        append_records(new[name], rows[rows["step"] <= step])
    for name in SURFACES:
        count = int(new["added/shapes"][name].sum())
        append(new[f"added/{name}"], old.added[f"added/{name}"][:count])


def _write_checks(new: h5py.File, old: StoredRun, frames: int) -> None:
    """Checksums of frames, copied; for older files they are computed."""
    names = checked_names(old.outline.contact_arrays)
    checks = add_checks(new, len(names))
    if old.outline.open:
        _write(checks, old.file["frames/check"][:frames])
        return
    rows = np.arange(old.bodies)  # files in which bodies are never removed
    present = [of_array(number, rows) for number in range(frames)]
    if old.outline.checked:
        _write(checks, np.column_stack([old.file["frames/check"][:frames], present]))
        return
    made = np.empty((frames, len(names)), dtype=np.uint32)
    made[:, 0] = of_rows(0, old.moments[:frames])
    for number in range(frames):
        found = old.contacts_of(number) if old.outline.contact_arrays else {}
        arrays = {f"contacts/{name}": array for name, array in found.items()} | {PRESENT: rows}
        for name in FRAME:
            (arrays[name],) = next(old.frame_arrays(name, number, number + 1))
        made[number, 1:] = [of_array(number, arrays[name]) for name in names[1:]]
    _write(checks, made)


def _write_steps(new: h5py.File, old: StoredRun, step: int) -> None:
    numbers = old.column("number")
    if (np.diff(numbers) <= 0.0).any():
        raise FileFormatError(f"{old.path}: the numbers of its steps are not increasing")
    kept = int(np.searchsorted(numbers, step, side="right"))
    columns = [name for name in old.outline.columns if name != CRC]
    told = dict(zip(old.outline.columns, old.outline.units, strict=False))
    unknown = [name for name in columns if name not in COLUMNS and not name.startswith(EXTRA)]
    if unknown:
        raise FileFormatError(f"{old.path} has readings of another release: {', '.join(unknown)}")
    units = [COLUMNS[name].unit if name in COLUMNS else told[name] for name in columns]
    steps = add_steps(new, columns, units)
    for rows in old.step_rows():
        first = steps.shape[0]
        rows = rows[: kept - first]
        _write(steps, np.column_stack([rows, of_rows(first, rows)]))


def _write_notes(new: h5py.File, old: StoredRun, step: int) -> None:
    found = old.note_rows()
    notes = np.zeros(len(found), dtype=NOTE)
    for name in found.dtype.names or ():
        notes[name] = found[name]
    notes = notes[notes["step"] <= step]
    notes[CRC] = of_records(0, notes)
    _write(add_rows(new, "notes", NOTE, chunk=64), notes)


def _write(dataset: h5py.Dataset, rows: Any) -> None:
    """Append rows."""
    first = dataset.shape[0]
    dataset.resize(first + len(rows), axis=0)
    dataset[first:] = rows


def _copy_chunks(old: StoredRun, new: h5py.File, name: str, rows: int) -> None:
    """The first rows of an array that grows."""
    source = old.file[name]
    found = {key: getattr(source, key) for key in PACKED}
    if found != PACKED or source.fletcher32 or source.scaleoffset is not None:
        raise FileFormatError(
            f"{old.path}: {name} is compressed in another way; it cannot be continued"
        )
    dataset = new.create_dataset(
        name, (rows, *source.shape[1:]), source.dtype, maxshape=source.maxshape,
        chunks=source.chunks, **PACKED,
    )  # fmt: skip
    for first in range(0, rows if dataset.size else 0, source.chunks[0]):
        where = (first, *(0,) * (source.ndim - 1))
        mask, chunk = old.chunk(name, where)
        dataset.id.write_direct_chunk(where, chunk, mask)
