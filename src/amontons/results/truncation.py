"""A run's file, cut back to a step: what a resumed run begins with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from amontons.results.layout import ROWS
from amontons.results.reader import Results
from amontons.results.run_file import RunFile, add_notes, describe, require_space, writing


def cut_back(path: Path, step: int, about: Mapping[str, Any]) -> RunFile:
    """Drop what came after a step, and go on from there; the old file stays until that is done.

    A file whose writer was killed cannot be opened for writing again, so all of it is copied:
    compressed chunks as they are.
    """
    fresh = path.with_name(f".{path.name}.new")
    with Results(path) as old, writing(path):
        require_space(path, path.stat().st_size)
        source = old.file
        frames = int(np.searchsorted(source["frames/step"][: old.frames], step, side="right"))
        steps = int(np.searchsorted(old.readings("number"), step, side="right"))
        with h5py.File(fresh, "w", libver="latest") as new:
            describe(new, old.rate, about, version=int(source.attrs["version"]))
            for name in ("shapes", "bodies"):
                source.copy(name, new)
            for name in source["frames"]:
                _copy(source, new, f"frames/{name}", frames)
            for name in source.get("contacts", ()):
                _copy(source, new, f"contacts/{name}", _contact_rows(source, frames))
            _copy(source, new, "steps", steps)
            new["steps"].attrs.update(source["steps"].attrs)
            if "notes" in source:
                kept = int(np.searchsorted(source["notes"]["step"], step, side="right"))
                _copy(source, new, "notes", kept)
            else:
                add_notes(new)
    with writing(path):
        os.replace(fresh, path)
        return RunFile(path, h5py.File(path, "r+", libver="latest"))


def _contact_rows(source: h5py.File, frames: int) -> int:
    """Rows of all contacts of so many frames, the padding to whole chunks included."""
    if not frames:
        return 0
    last = int(source["frames/first_contact"][frames - 1])
    return last + -(-int(source["frames/contacts"][frames - 1]) // ROWS) * ROWS


def _copy(source: h5py.File, new: h5py.File, name: str, rows: int) -> None:
    """The first rows of a growing dataset."""
    old = source[name]
    shape = (rows, *old.shape[1:])
    packed = {key: getattr(old, key) for key in ("compression", "compression_opts", "shuffle")}
    dataset = new.create_dataset(
        name, shape, old.dtype, maxshape=old.maxshape, chunks=old.chunks, **packed
    )
    if old.compression is None:
        dataset[...] = old[:rows]
        return
    for first in range(0, rows, old.chunks[0]):
        where = (first, *(0,) * (old.ndim - 1))
        mask, chunk = old.id.read_direct_chunk(where)
        dataset.id.write_direct_chunk(where, chunk, mask)
