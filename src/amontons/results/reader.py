"""`Results`: a recorded run as arrays, even while it still grows, or after a crash."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import h5py
import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.frames import BodyList, Frame, FrameCell
from amontons.frames.surfaces import Surface, surfaces_of
from amontons.model.materials import PROPERTIES, Material
from amontons.results import tables
from amontons.results.cell_columns import CELL, cell_after
from amontons.results.constants import part
from amontons.results.layout import COLUMNS, CONTACT, CRC, FRAME, WORK, run_file
from amontons.results.probe_tables import probe_names
from amontons.results.stored_run import StoredRun
from amontons.simulation.reports.contacts import Contacts
from amontons.simulation.reports.notes import Note, NoteSummary, brief, summaries

Floats = NDArray[np.float64]


class Results:
    """A run that `Recorder` wrote: ``Results(folder)``. Use as a context, or close it.

    ``results.position[10]`` reads one frame, ``results.position[:]`` all of them; so do
    ``orientation`` and ``twist``. ``results.readings("kinetic_energy")`` has one entry per step.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = run_file(Path(path))
        if not self.path.is_file():
            raise InputError(
                f"{self.path.parent} holds no run: there is no {self.path.name}; `amontons run` "
                "makes one"
            )
        self._stored = StoredRun(self.path)

    def refresh(self) -> None:
        """Read again: a run that is still going on has more frames by now."""
        known = self._stored.bodies, len(self._stored.constants["shapes/kind"])
        self._stored.refresh()
        self.__dict__.pop("_cell_readings", None)
        if known != (self._stored.bodies, len(self._stored.constants["shapes/kind"])):
            for name in ("bodies", "shapes", "materials"):
                self.__dict__.pop(name, None)

    @property
    def file(self) -> h5py.File:
        """The HDF5 file, laid out as `amontons.results.layout` says; `refresh` opens it anew.

        Data read from it directly is not checked for damage.
        """
        return self._stored.file

    @property
    def frames(self) -> int:
        """Whole frames."""
        return self._stored.frames

    @property
    def steps(self) -> int:
        """Steps that have been read."""
        return self._stored.steps

    # -- what does not change ---------------------------------------------------------------------

    @property
    def about(self) -> dict[str, Any]:
        """Scene, parameters and settings, as given to the recorder."""
        return self._stored.outline.about

    @property
    def scene(self) -> str:
        """Name of the scene; empty if the world was not made by one."""
        return str(self.about.get("scene", ""))

    @property
    def rate(self) -> float:
        """Frames per simulated second [1/s]."""
        return self._stored.outline.rate

    @property
    def version(self) -> str:
        """Version of amontons that wrote the file."""
        return self._stored.outline.written_by

    @cached_property
    def bodies(self) -> BodyList:
        """Ids, shapes, masses and names of all bodies that were ever in a frame."""
        arrays = part(self._stored.constants, "bodies")
        names = [each.decode(errors="replace") for each in arrays.pop("name")]
        return BodyList(**arrays, names=names)

    @cached_property
    def shapes(self) -> list[Surface]:
        """Every shape as triangles."""
        return surfaces_of(part(self._stored.constants, "shapes"))

    @cached_property
    def materials(self) -> list[Material]:
        """Materials by their numbers; none in files of older releases."""
        rows = self._stored.added.get("materials", ())
        return [Material(**{name: float(row[name]) for name in PROPERTIES}) for row in rows]

    @property
    def bodies_in_frames(self) -> NDArray[np.int64]:
        """Number of bodies in each frame, shape (frames,)."""
        return self._stored.bodies_in_frames

    @property
    def come_and_go(self) -> bool:
        """Whether some bodies are missing from some frames."""
        return bool((self.bodies_in_frames != len(self.bodies)).any())

    # -- frames -----------------------------------------------------------------------------------

    @property
    def time(self) -> Floats:
        """Of every frame [s], shape (frames,)."""
        return np.array(self._stored.moments["time"], dtype=np.float64)

    @property
    def position(self) -> Series:
        """Centres of mass [m], shape (frames, bodies, 3); NaN for bodies not in a frame."""
        return Series(self._stored, "position")

    @property
    def orientation(self) -> Series:
        """Unit quaternions (w, x, y, z), shape (frames, bodies, 4)."""
        return Series(self._stored, "orientation")

    @property
    def twist(self) -> Series:
        """Velocity and angular velocity [m/s, rad/s], shape (frames, bodies, 6)."""
        return Series(self._stored, "twist")

    @property
    def has_contacts(self) -> bool:
        """Whether contacts were recorded."""
        return bool(self._stored.outline.contact_arrays)

    def __len__(self) -> int:
        return self.frames

    def __getitem__(self, number: int) -> Frame:
        """A frame; negative numbers count from the end."""
        if not -self.frames <= number < self.frames:
            raise InputError(f"there is no frame {number}; the run has {self.frames}")
        number %= self.frames
        arrays = {name: Series(self._stored, name)[number] for name in FRAME}
        row = None
        if self.bodies_in_frames[number] != len(self.bodies):
            row = np.flatnonzero(~np.isnan(arrays["position"][:, 0]))
            arrays = {name: each[row] for name, each in arrays.items()}
        return Frame(
            number,
            int(self._stored.moments["step"][number]),
            float(self._stored.moments["time"][number]),
            **arrays,
            contacts=self.contacts(number) if self.has_contacts else None,
            run=self,
            row=row,
            cell=self.cell(number),
        )

    def __iter__(self) -> Iterator[Frame]:
        return (self[number] for number in range(self.frames))

    def contacts(self, number: int) -> Contacts:
        """Contacts of the step that ended at a frame, with their forces.

        Torques are NaN in files of version 1, which do not have them.
        """
        if not self.has_contacts:
            raise InputError(f"{self.path} has no contacts: record them (run --contacts)")
        if not -self.frames <= number < self.frames:
            raise InputError(f"there is no frame {number}; the run has {self.frames}")
        number %= self.frames
        found = self._stored.contacts_of(number)
        count = len(found["gap"])
        read = {field: np.full((count, *each), np.nan) for _, each, field in CONTACT.values()}
        read |= {CONTACT[name][2]: array for name, array in found.items()}
        read["normals"] = read["normals"].astype(np.float64)
        length = self._length_of_step(int(self._stored.moments["step"][number]))
        return Contacts(
            read["bodies"], read["points"], read["normals"], read["gaps"], read["force"],
            read["torque"], length,
        )  # fmt: skip

    def cell(self, number: int) -> FrameCell | None:
        """The cell that repeats itself at a frame; None where there is none, or no step yet."""
        read = self._cell_readings
        if not len(read.get("number", ())):
            return None
        step = self._stored.moments["step"][number % self.frames]
        row = int(np.searchsorted(read["number"], step))
        if row < len(read["number"]) and read["number"][row] == step:
            return cell_after(read, row)
        return cell_after(read, 0).before(float(read["step"][0]))  # a frame of the start

    @cached_property
    def _cell_readings(self) -> dict[str, Floats]:
        """What steps say of the cell, their numbers and lengths; nothing where there is none."""
        wanted = [name for name in self.columns if name.startswith(CELL)]
        return {name: self.readings(name) for name in (*wanted, "number", "step") if wanted}

    def _length_of_step(self, number: int) -> float:
        """Time of the step with this number, counted from 1 [s]; NaN if it is not known."""
        if "step" not in self.columns or not 0 < number <= self.steps:
            return np.nan
        return float(self.readings("step")[number - 1])

    # -- readings ---------------------------------------------------------------------------------

    @property
    def columns(self) -> list[str]:
        """Names of the readings."""
        return [name for name in self._stored.outline.columns if name != CRC]

    @property
    def units(self) -> dict[str, str]:
        """Units of the columns, by their names; empty for columns without a unit."""
        outline = self._stored.outline
        return {
            name: unit
            for name, unit in zip(outline.columns, outline.units, strict=False)
            if name != CRC
        }

    def readings(self, name: str) -> Floats:
        """One reading of every step, shape (steps,)."""
        if name not in self.columns:
            raise InputError(f"there is no reading {name!r}; there are {', '.join(self.columns)}")
        return self._stored.column(name)

    @property
    def work(self) -> dict[str, Floats]:
        """Energy added to the bodies since the start, by cause [J], each of shape (steps,).

        For runs recorded by releases without such readings, the dictionary is empty.
        """
        return {cause: self.readings(name) for cause, name in WORK.items() if name in self.columns}

    def totals(self) -> dict[str, float]:
        """A summary of each reading over the run: its last, largest or mean value, or its sum.

        Which of them is declared with the reading, in `amontons.StepReport`.
        """
        known = [name for name in self.columns if name in COLUMNS]
        return {name: COLUMNS[name].of_run(self.readings(name)) for name in known}

    # -- notes ------------------------------------------------------------------------------------

    @property
    def notes(self) -> list[Note]:
        """The notes of the run, in the order of the steps."""
        return [
            Note(
                kind=_text(row["kind"]),
                message=_text(row["message"]),
                step=int(row["step"]),
                time=float(row["time"]),
                bodies=tuple(_text(row["bodies"]).split("\n")) if row["bodies"] else (),
                value=float(row["value"]),
            )
            for row in self._stored.note_rows()
        ]

    @property
    def note_summaries(self) -> list[NoteSummary]:
        """Summaries of the notes, one per kind; each prints as a sentence."""
        return summaries(self.notes, self.steps)

    @property
    def meters(self) -> NDArray[Any]:
        """What sources, sinks and flow meters had counted at each frame, rows of `METER`.

        `to_pandas("meters")` has the same as a table.
        """
        return self._stored.table("meters")

    @property
    def broken_bonds(self) -> NDArray[Any]:
        """Bonds that broke, rows of `BROKEN`; `to_pandas("bonds")` has the same as a table."""
        return self._stored.table("bonds")

    @property
    def probes(self) -> list[str]:
        """Names of the probes, of which there are tables: ``to_pandas("probe:sample")``."""
        return probe_names(self.columns)

    # -- tables of other libraries ----------------------------------------------------------------

    def to_pandas(self, table: str, frames: Sequence[int] | slice | None = None) -> Any:
        """A `pandas.DataFrame` of a table: "bodies", "contacts", "steps", "meters", "bonds", ...

        It has a row per frame and body; per frame and contact (of all frames, or of some); per
        step; per note; per frame, meter and material; per bond that broke; or, for "probe:sample",
        per reading of the probe of that name. Units are in its `attrs`.
        """
        return tables.to_pandas(self, table, frames)

    def to_arrow(self, table: str, frames: Sequence[int] | slice | None = None) -> Any:
        """The same as a `pyarrow.Table`, to be written as Parquet or Feather."""
        return tables.to_arrow(self, table, frames)

    def to_xarray(self, table: str, frames: Sequence[int] | slice | None = None) -> Any:
        """An `xarray.Dataset`: "bodies" over time and body, others over their rows."""
        return tables.to_xarray(self, table, frames)

    # -- the file ---------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the file."""
        self._stored.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self._stored:
            return f"<Results: {self.path}, closed>"
        last = self.time[-1] if self.frames else 0.0
        said = brief(self.note_summaries)
        return (
            f"<Results: {self.scene or self.path}, {len(self.bodies)} bodies, {self.frames} "
            f"frames to {last:.4g} s, {self.steps} steps, {said or 'nothing to note'}>"
        )


def _text(text: bytes) -> str:
    return text.decode(errors="replace")


class Series:
    """An array on disk, one entry per frame: slices of it are numpy arrays.

    Each entry has a row for every body that was ever in a frame: NaN for absent ones.
    """

    def __init__(self, stored: StoredRun, name: str) -> None:
        self._stored, self._name = stored, name
        self.shape = (stored.frames, stored.bodies, *FRAME[name][1])

    def __len__(self) -> int:
        return int(self.shape[0])

    def __repr__(self) -> str:
        return f"<Series: shape {self.shape}, read from the disk when indexed>"

    def __getitem__(self, where: Any) -> Floats:
        first, *rest = where if isinstance(where, tuple) else (where,)
        if isinstance(first, int | np.integer):
            if not -len(self) <= first < len(self):
                raise IndexError(f"there is no frame {first}; the run has {len(self)}")
            return np.asarray(self._of([int(first) % len(self)], rest)[0])
        return self._of(np.arange(len(self))[first].tolist(), rest)

    def _of(self, frames: Sequence[int], rest: Sequence[Any]) -> Floats:
        """Entries of frames, or what `rest` selects from each."""
        parts = [
            np.asarray(some, dtype=np.float64)[(slice(None), *rest)]
            for first, last in _runs(frames)
            for some in self._stored.frame_arrays(self._name, first, last)
        ]
        nothing = np.empty((0, *self.shape[1:]))[(slice(None), *rest)]
        return np.asarray(parts[0] if len(parts) == 1 else np.concatenate([nothing, *parts]))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self[:].astype(dtype or np.float64, copy=False)


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Numbers as ranges of consecutive ones, each with its first and one past its last."""
    start = 0
    for i in range(1, len(numbers) + 1):
        if i == len(numbers) or numbers[i] != numbers[i - 1] + 1:
            yield numbers[start], numbers[i - 1] + 1
            start = i
