"""`Results`: a recorded run as arrays, also while it still grows and after a crash."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, Self

import h5py
import numpy as np
from numpy.typing import NDArray

from amontons.errors import FileFormatError, InputError
from amontons.results import tables
from amontons.results.layout import COLUMNS, CONTACT, FORMAT, READABLE, WORK, run_file
from amontons.results.run_file import columns_of
from amontons.results.surfaces import Surface, surfaces_of
from amontons.simulation.contacts import Contacts
from amontons.simulation.notes import Note, NoteSummary, brief, summaries

Floats = NDArray[np.float64]


class Inventory(Protocol):
    """What frames know of their run: bodies and shapes, which stay the same."""

    @property
    def bodies(self) -> BodyList: ...

    @property
    def shapes(self) -> Sequence[Surface]: ...


@dataclass(frozen=True, repr=False)
class Frame:
    """All bodies at one moment."""

    number: int
    step: int
    """Steps taken before it."""
    time: float
    """[s]"""
    position: Floats
    """Centres of mass [m], shape (bodies, 3)."""
    orientation: Floats
    """Unit quaternions (w, x, y, z), shape (bodies, 4)."""
    twist: Floats
    """Velocity and angular velocity in world axes [m/s, rad/s], shape (bodies, 6)."""
    contacts: Contacts | None
    """Contacts of the step that led here, if they were recorded."""
    run: Inventory | None = field(default=None, compare=False)
    """What it is a frame of, which knows the bodies and their shapes."""

    @property
    def velocity(self) -> Floats:
        """Of the centres of mass [m/s], shape (bodies, 3)."""
        return self.twist[:, :3]

    @property
    def speed(self) -> Floats:
        """Of the centres of mass [m/s], shape (bodies,)."""
        return np.asarray(np.linalg.norm(self.velocity, axis=1))

    def __repr__(self) -> str:
        return (
            f"<Frame {self.number}: {len(self.position)} bodies at {self.time:.4g} s, after "
            f"{self.step} steps>"
        )


@dataclass(frozen=True, repr=False)
class BodyList:
    """What does not change about the bodies of a run; one entry per body."""

    id: NDArray[np.int64]
    shape: NDArray[np.int32]
    """Numbers of shapes."""
    mass: Floats
    """[kg]"""
    fixed: NDArray[np.bool_]
    kinematic: NDArray[np.bool_]
    names: list[str]

    @property
    def dynamic(self) -> NDArray[np.bool_]:
        """Which bodies move as forces have it."""
        return ~(self.fixed | self.kinematic)

    def __len__(self) -> int:
        return len(self.id)

    def __repr__(self) -> str:
        moving, fixed = int(self.dynamic.sum()), int(self.fixed.sum())
        return (
            f"<BodyList: {moving} dynamic, {fixed} fixed, {len(self) - moving - fixed} kinematic>"
        )


class Results:
    """A run that `Recorder` wrote: ``Results(folder)``. Use as a context, or close it.

    ``results.position[10]`` reads one frame, ``results.position[:]`` all of them; so do
    ``orientation`` and ``twist``. ``results.readings("kinetic_energy")`` has one entry per step.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = run_file(Path(path))
        self.file = _opened(self.path)
        """The HDF5 file itself, laid out as `amontons.results.layout` says."""
        self.refresh()

    def refresh(self) -> None:
        """Look again: a run that still goes on has more frames by now."""
        for name in ("frames/time", "steps", "notes"):
            if name in self.file:
                self.file[name].refresh()
        self.frames: int = int(self.file["frames/time"].shape[0])
        """Whole frames."""
        self.steps: int = int(self.file["steps"].shape[0])
        """Steps that were read."""
        if self.frames:
            for name in self.file["frames"]:
                self.file["frames"][name].refresh()
            for name in self.file.get("contacts", ()):
                self.file["contacts"][name].refresh()

    # -- what does not change ---------------------------------------------------------------------

    @cached_property
    def about(self) -> dict[str, Any]:
        """Scene, parameters and settings, as the recorder was told."""
        said: dict[str, Any] = json.loads(self.file.attrs["about"])
        return said

    @property
    def scene(self) -> str:
        """Name of the scene; empty where the world was not made by one."""
        return str(self.about.get("scene", ""))

    @property
    def rate(self) -> float:
        """Frames per simulated second [1/s]."""
        return float(self.file.attrs["rate"])

    @property
    def version(self) -> str:
        """Version of amontons that wrote the file."""
        return str(self.file.attrs["amontons"])

    @cached_property
    def bodies(self) -> BodyList:
        """Ids, shapes, masses and names."""
        group = self.file["bodies"]
        columns = {name: group[name][:] for name in ("id", "shape", "mass", "fixed", "kinematic")}
        return BodyList(**columns, names=[each.decode(errors="replace") for each in group["name"]])

    @cached_property
    def shapes(self) -> list[Surface]:
        """Every shape as triangles."""
        return surfaces_of({name: dataset[:] for name, dataset in self.file["shapes"].items()})

    # -- frames -----------------------------------------------------------------------------------

    @property
    def time(self) -> Floats:
        """Of every frame [s], shape (frames,)."""
        return np.asarray(self.file["frames/time"][: self.frames])

    @property
    def position(self) -> Series:
        """Centres of mass [m], shape (frames, bodies, 3)."""
        return Series(self.file["frames/position"], self.frames)

    @property
    def orientation(self) -> Series:
        """Unit quaternions (w, x, y, z), shape (frames, bodies, 4)."""
        return Series(self.file["frames/orientation"], self.frames)

    @property
    def twist(self) -> Series:
        """Velocity and angular velocity [m/s, rad/s], shape (frames, bodies, 6)."""
        return Series(self.file["frames/twist"], self.frames)

    @property
    def has_contacts(self) -> bool:
        """Whether contacts were recorded."""
        return "contacts" in self.file

    def __len__(self) -> int:
        return self.frames

    def __getitem__(self, number: int) -> Frame:
        """A frame; negative numbers count from the end."""
        if not -self.frames <= number < self.frames:
            raise InputError(f"there is no frame {number}; the run has {self.frames}")
        number %= self.frames
        return Frame(
            number,
            int(self.file["frames/step"][number]),
            float(self.file["frames/time"][number]),
            self.position[number],
            self.orientation[number],
            self.twist[number],
            self.contacts(number) if self.has_contacts else None,
            self,
        )

    def __iter__(self) -> Iterator[Frame]:
        return (self[number] for number in range(self.frames))

    def contacts(self, number: int) -> Contacts:
        """Contacts of the step that led to a frame, with their forces.

        Torques are NaN in files of version 1, which do not have them.
        """
        if not self.has_contacts:
            raise InputError(f"{self.path} has no contacts: record them (run --contacts)")
        number %= max(self.frames, 1)
        first = int(self.file["frames/first_contact"][number])
        rows = slice(first, first + int(self.file["frames/contacts"][number]))
        group = self.file["contacts"]
        count = rows.stop - rows.start
        read = {field: np.full((count, *each), np.nan) for _, each, field in CONTACT.values()}
        read |= {CONTACT[name][2]: group[name][rows] for name in group}
        read["normals"] = read["normals"].astype(np.float64)
        length = self._length_of_step(int(self.file["frames/step"][number]))
        return Contacts(
            read["bodies"], read["points"], read["normals"], read["gaps"], read["force"],
            read["torque"], length,
        )  # fmt: skip

    def _length_of_step(self, number: int) -> float:
        """Of the step with this number, counted from 1 [s]; NaN where it is not known."""
        if "step" not in self.columns or not 0 < number <= self.steps:
            return np.nan
        return float(self.file["steps"][number - 1, self.columns.index("step")])

    # -- readings ---------------------------------------------------------------------------------

    @property
    def columns(self) -> list[str]:
        """Names of the readings."""
        return columns_of(self.file)

    def readings(self, name: str) -> Floats:
        """One reading of every step, shape (steps,)."""
        if name not in self.columns:
            raise InputError(f"there is no reading {name!r}; there are {', '.join(self.columns)}")
        return np.asarray(self.file["steps"][: self.steps, self.columns.index(name)])

    @property
    def work(self) -> dict[str, Floats]:
        """Energy that came to the bodies since the start, by cause [J], each of shape (steps,).

        Runs that were recorded before there were such readings have none: the dictionary is empty.
        """
        return {cause: self.readings(name) for cause, name in WORK.items() if name in self.columns}

    def totals(self) -> dict[str, float]:
        """Each reading summed up over the run: the last, the largest, the mean or the sum.

        Which of them is said where it is declared, in `amontons.simulation.report.StepReport`.
        """
        return {name: COLUMNS[name].of_run(self.readings(name)) for name in self.columns}

    # -- notes ------------------------------------------------------------------------------------

    @property
    def notes(self) -> list[Note]:
        """What there was to note in the run, in the order of the steps."""
        rows = self.file["notes"][:] if "notes" in self.file else ()
        return [
            Note(
                kind=_text(row["kind"]),
                message=_text(row["message"]),
                step=int(row["step"]),
                time=float(row["time"]),
                bodies=tuple(_text(row["bodies"]).split("\n")) if row["bodies"] else (),
                value=float(row["value"]),
            )
            for row in rows
        ]

    @property
    def note_summaries(self) -> list[NoteSummary]:
        """What the notes come to, kind by kind; each prints as a sentence."""
        return summaries(self.notes, self.steps)

    # -- tables of other libraries ----------------------------------------------------------------

    def to_pandas(self, table: str, frames: Sequence[int] | slice | None = None) -> Any:
        """A `pandas.DataFrame` of "bodies", "contacts", "steps" or "notes"; all frames, or some.

        It has a row per frame and body, per frame and contact, per step, per note, and units in
        its `attrs`.
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
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self.file:
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
    """An array on the disk, one entry per frame: slices of it are numpy arrays."""

    def __init__(self, dataset: h5py.Dataset, frames: int) -> None:
        self._dataset = dataset
        self.shape = (frames, *dataset.shape[1:])

    def __len__(self) -> int:
        return int(self.shape[0])

    def __repr__(self) -> str:
        return f"<Series: shape {self.shape}, read from the disk when indexed>"

    def __getitem__(self, where: Any) -> Floats:
        first = where[0] if isinstance(where, tuple) else where
        if isinstance(first, slice):
            first = slice(*first.indices(len(self)))
        elif isinstance(first, int | np.integer):
            if not -len(self) <= first < len(self):
                raise IndexError(f"there is no frame {first}; the run has {len(self)}")
            first = int(first) % len(self)
        rest = where[1:] if isinstance(where, tuple) else ()
        return np.asarray(self._dataset[(first, *rest)], dtype=np.float64)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self[:].astype(dtype or np.float64, copy=False)


def _opened(path: Path) -> h5py.File:
    if not path.is_file():
        raise InputError(
            f"{path.parent} holds no run: there is no {path.name}; `amontons run` makes one"
        )
    try:
        file = h5py.File(path, "r", libver="latest", swmr=True)
    except OSError as reason:
        raise FileFormatError(f"{path} cannot be read as a run: {reason}") from None
    found, version = file.attrs.get("format"), file.attrs.get("version")
    if found != FORMAT or version not in READABLE or "steps" not in file:
        file.close()
        what = f"its version is {version}" if found == FORMAT else "it is another file"
        raise FileFormatError(f"{path} is not a run of version {READABLE[-1]} or older: {what}")
    return file
