"""`StoredRun`: the file of a run, which returns only data that matches its checksums."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from amontons.errors import FileFormatError
from amontons.results.checksums import MOMENT, of_array, of_records, of_rows
from amontons.results.claim import is_claimed
from amontons.results.constants import check_constants, read_constants
from amontons.results.layout import CRC, FRAME, PRESENT, RECORDS, checked_names
from amontons.results.roster import read_added, with_added
from amontons.results.schema import Arrays, Outline, outlined
from amontons.storage.guarded_hdf5 import HDF5_ERRORS, GuardedFile, is_growing
from amontons.storage.reading import brief

T = TypeVar("T")
Moments = NDArray[Any]

PAUSES = (0.01, 0.03, 0.1, 0.2, 0.4)
"""Seconds before rereading a file that is being written and looks inconsistent."""

GROWS = ("added/bodies", "added/shapes", "materials")
"""Tables whose lengths show whether anything was added since the last refresh."""

AT_ONCE = 1 << 24
"""Bytes of an array that are read at once."""


class StoredRun:
    """Arrays of a run's file, checked as they are read; `refresh` looks for more of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: GuardedFile
        self._counts: list[int] = []
        self.outline: Outline
        self._read("", self._open)

    def _open(self) -> None:
        """Open the current file; cached data is kept as long as it is unchanged."""
        file = GuardedFile(self.path)
        try:
            outline = outlined(file, self.path.stat().st_size)
            frames, steps = (file.dataset(name).shape[0] for name in ("frames/time", "steps"))
            if outline != getattr(self, "outline", None):
                self.begun: Arrays = read_constants(file, outline)
                self.added: Arrays = {}
                self.constants: Arrays = {}
            self._read_added(file, outline)
        except BaseException:
            file.close()
            raise
        self._file, self.outline = file, outline
        self.frames, self.steps = int(frames), int(steps)
        self._steps_checked = not outline.checked
        for name in ("moments", "bodies_in_frames", "added_in_frames"):
            self.__dict__.pop(name, None)

    def _read_added(self, file: GuardedFile, outline: Outline) -> None:
        """Additions since the start; frames are counted first, so that none is incomplete."""
        counts = [file.dataset(name).shape[0] for name in GROWS] if outline.open else []
        if self.constants and counts == self._counts:
            return
        self.added = read_added(file) if outline.open else {}
        constants = with_added(self.begun, self.added) if outline.open else self.begun
        check_constants(constants)
        self.constants, self._counts = constants, counts

    @property
    def bodies(self) -> int:
        """Number of bodies that were ever in a frame."""
        return len(self.constants["bodies/id"])

    def _reopen(self) -> None:
        self.close()
        self._open()

    @property
    def file(self) -> Any:
        """The HDF5 file itself, of h5py; data read from it directly is not checked."""
        return self._file.file

    def refresh(self) -> None:
        """Read again: a run that is still going on has more frames by now."""
        self._read("", self._reopen)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __bool__(self) -> bool:
        return bool(self._file)

    # -- frames -----------------------------------------------------------------------------------

    @cached_property
    def moments(self) -> Moments:
        """Step, time and range of contacts of every frame, rows of `MOMENT`."""
        return self._read("what it says of its frames", self._moments)

    def _moments(self) -> Moments:
        found = np.zeros(self.frames, dtype=MOMENT)
        names = MOMENT.names if self.outline.contact_arrays else ("step", "time")
        for name in names or ():
            found[name] = self._rows(f"frames/{name}", 0, self.frames)
        if self.outline.checked:
            told = self._rows("frames/check", 0, self.frames)[:, 0]
            _agree("frame", np.arange(self.frames), of_rows(0, found), told)
        if not np.isfinite(found["time"]).all() or (np.diff(found["time"]) < 0.0).any():
            raise FileFormatError("the times of its frames are not increasing")
        if (found["step"] < 0).any() or (np.diff(found["step"]) < 0).any():
            raise FileFormatError("the steps of its frames are not increasing")
        if min(found["first_contact"].min(initial=0), found["contacts"].min(initial=0)) < 0:
            raise FileFormatError("a frame has a negative number of contacts")
        return found

    def frame_arrays(self, name: str, first: int, last: int) -> Iterator[NDArray[Any]]:
        """An array of the frames from `first` to before `last`, some at a time."""
        size = 8 * self.bodies * FRAME[name][1][0]
        some = max(1, AT_ONCE // max(1, size))
        for start in range(first, last, some):
            end = min(start + some, last)
            yield self._read(_frames(start, end), partial(self._frames, name, start, end))

    def _frames(self, name: str, first: int, last: int) -> NDArray[Any]:
        found = self._rows(f"frames/{name}", first, last)
        if not self.outline.open:
            there = np.ones(found.shape[:2], dtype=bool)
        else:
            found, there = self._with_added(name, first, found)
        present = [each[here] for each, here in zip(found, there, strict=True)]
        self._check_frames(name, first, present)
        if not np.isfinite(found[there]).all():
            raise FileFormatError(f"its {name} has a number that is not finite")
        if name == "orientation" and (np.abs((found[there] ** 2).sum(axis=1) - 1.0) > 0.01).any():
            raise FileFormatError("an orientation is not a unit quaternion")
        return found

    def _with_added(
        self, name: str, first: int, begun: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """An array of frames with rows for all bodies, NaN for absent ones; and who is present."""
        last, here = first + len(begun), begun.shape[1]
        found = np.full((len(begun), self.bodies, *begun.shape[2:]), np.nan, dtype=begun.dtype)
        found[:, :here] = begun
        starts, counts = (each[first:last] for each in self.added_in_frames)
        told = self._rows("frames/bodies", first, last)
        there: NDArray[np.bool_] = np.asarray(~np.isnan(found).all(axis=2))
        for i, (start, count) in enumerate(zip(starts.tolist(), counts.tolist(), strict=True)):
            if count:
                rows = self._rows("added/row", start, start + count)
                if (rows < here).any() or (rows >= self.bodies).any():
                    raise FileFormatError("a frame has a body that does not exist")
                found[i, rows] = self._rows(f"added/{name}", start, start + count)
                there[i, rows] = True
        _agree("the bodies of frame", np.arange(first, last), there.sum(axis=1), told)
        self._check_frames(PRESENT, first, [np.flatnonzero(each) for each in there])
        return found, there

    @cached_property
    def bodies_in_frames(self) -> NDArray[np.int64]:
        """How many bodies are in each frame, shape (frames,)."""
        if not self.outline.open:
            return np.full(self.frames, self.bodies)
        return self._read("bodies of frames", lambda: self._rows("frames/bodies", 0, self.frames))

    @cached_property
    def added_in_frames(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First row and number of each frame's later additions, both of shape (frames,)."""
        if not self.outline.open:
            return np.zeros(self.frames, np.int64), np.zeros(self.frames, np.int64)
        return self._read("what it says of bodies that came", self._added_in_frames)

    def _added_in_frames(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        starts = self._rows("frames/first_added", 0, self.frames).astype(np.int64)
        counts = self._rows("frames/added", 0, self.frames).astype(np.int64)
        most = self._file.dataset("added/row").shape[0]
        if starts.min(initial=0) < 0 or counts.min(initial=0) < 0 or counts.max(initial=0) > most:
            raise FileFormatError("a frame has bodies in rows that do not exist")
        ends = starts + counts
        if (starts[1:] < ends[:-1]).any() or ends.max(initial=0) > most:
            raise FileFormatError("a frame has bodies in rows of another, or that do not exist")
        return starts, counts

    def contacts_of(self, number: int) -> Arrays:
        """The arrays of a frame's contacts by their names in the file."""
        moment = self.moments[number]
        first, count = int(moment["first_contact"]), int(moment["contacts"])
        return self._read(
            f"contacts of frame {number}",
            lambda: {
                name: self._contacts(name, number, first, count)
                for name in self.outline.contact_arrays
            },
        )

    def _contacts(self, name: str, number: int, first: int, count: int) -> NDArray[Any]:
        found = self._rows(f"contacts/{name}", first, first + count)
        self._check_frames(f"contacts/{name}", number, [found])
        if name == "bodies" and not np.isin(found, self.constants["bodies/id"]).all():
            raise FileFormatError("a contact names a body that does not exist")
        if name != "bodies" and not np.isfinite(found).all():
            raise FileFormatError(f"contacts/{name} has a number that is not finite")
        return found

    def chunk(self, name: str, where: tuple[int, ...]) -> tuple[int, bytes]:
        """A compressed chunk as stored, and the mask of filters that were skipped."""

        def read() -> tuple[int, bytes]:
            found: tuple[int, bytes] = self._file.dataset(name).id.read_direct_chunk(where)
            return found

        return self._read(f"a part of {name}", read)

    def _check_frames(self, name: str, first: int, arrays: Sequence[NDArray[Any]]) -> None:
        """Raise if arrays of consecutive frames do not match their checksums."""
        if not self.outline.checked:
            return
        names = checked_names(self.outline.contact_arrays, self.outline.version)
        column = names.index(name)
        told = self._rows("frames/check", first, first + len(arrays))[:, column]
        numbers = np.arange(first, first + len(arrays))
        made = [of_array(int(i), array) for i, array in zip(numbers, arrays, strict=True)]
        _agree(f"{name} of frame", numbers, np.array(made, dtype=np.uint32), told)

    # -- steps and notes --------------------------------------------------------------------------

    def column(self, name: str) -> NDArray[np.float64]:
        """A reading of all steps."""
        place = self.outline.columns.index(name)
        return self._read("readings of steps", lambda: self._column(place))

    def _column(self, place: int) -> NDArray[np.float64]:
        if not self._steps_checked:
            for _ in self.step_rows():
                pass
            self._steps_checked = True
        self._enough("steps", self.steps)
        return np.asarray(self._file.dataset("steps")[: self.steps, place], dtype=np.float64)

    def step_rows(self) -> Iterator[NDArray[np.float64]]:
        """All rows of steps without their checksums, some at a time."""
        some = max(1, AT_ONCE // (8 * len(self.outline.columns)))
        for first in range(0, self.steps, some):
            rows = self._rows("steps", first, min(first + some, self.steps))
            if self.outline.checked:
                rows, told = rows[:, :-1], rows[:, -1]
                _agree("step", np.arange(first, first + len(rows)), of_rows(first, rows), told)
            yield rows

    def note_rows(self) -> NDArray[Any]:
        """All notes, rows of `NOTE`."""
        return self._read("notes", self._notes)

    def _notes(self) -> NDArray[Any]:
        if not self.outline.noted:
            return np.empty(0)
        rows: NDArray[Any] = self._file.dataset("notes")[()]
        if self.outline.checked:
            _agree("note", np.arange(len(rows)), of_records(0, rows), rows[CRC])
        return rows

    def table(self, name: str) -> NDArray[Any]:
        """The rows of one of the tables of `RECORDS`, such as "meters"."""
        if not self.outline.open:
            return np.empty(0, dtype=RECORDS[name])
        return self._read(name, partial(self._table, name))

    def _table(self, name: str) -> NDArray[Any]:
        rows: NDArray[Any] = self._file.dataset(name)[()]
        _agree(f"row of {name}", np.arange(len(rows)), of_records(0, rows), rows[CRC])
        return rows

    # -- reading ----------------------------------------------------------------------------------

    def _rows(self, name: str, first: int, last: int) -> NDArray[Any]:
        self._enough(name, last)
        rows: NDArray[Any] = self._file.dataset(name)[first:last]
        return rows

    def _enough(self, name: str, rows: int) -> None:
        """Raise if an array is too short."""
        there = self._file.dataset(name).shape[0]
        if there < rows:
            raise FileFormatError(f"{name} has {there} rows, and {rows} are needed")

    def _read(self, what: str, read: Callable[[], T]) -> T:
        """What `read` returns; a file that is being written is read again for up to a second."""
        for pause in (*PAUSES, None):
            try:
                return read()
            except HDF5_ERRORS as reason:
                said = brief(reason)
            if pause is None or not (is_growing(self.path) and is_claimed(self.path.parent)):
                break
            time.sleep(pause)
            if what:
                with contextlib.suppress(*HDF5_ERRORS):  # the next attempt will raise it
                    self._reopen()
        how = f": {what} cannot be read" if what else " cannot be read as a run"
        raise FileFormatError(f"{self.path}{how}: {said}")


def _agree(what: str, numbers: NDArray[Any], made: NDArray[Any], told: NDArray[Any]) -> None:
    """Raise if a checksum does not match."""
    wrong = made != told
    if wrong.any():
        raise FileFormatError(
            f"damaged: {what} {numbers[np.argmax(wrong)]} does not match its checksum"
        )


def _frames(first: int, last: int) -> str:
    return f"frame {first}" if last == first + 1 else f"frames {first} to {last - 1}"
