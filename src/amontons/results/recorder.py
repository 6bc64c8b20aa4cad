"""`Recorder`: records a simulation as it runs."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from amontons.checks import positive
from amontons.errors import InputError, OutputError
from amontons.results.broken_bonds import broken_rows
from amontons.results.claim import FolderClaim
from amontons.results.extra_columns import ExtraColumns
from amontons.results.layout import CHECKPOINT, RUN_FILE
from amontons.results.meters import meter_rows
from amontons.results.resuming import reopened, require_free
from amontons.results.run_file import RunFile
from amontons.simulation.reports.notes import Note
from amontons.simulation.reports.report import StepReport
from amontons.simulation.simulation import Simulation
from amontons.storage.writing import remove_unfinished

ROUNDING = 1e-6
"""Fraction of a frame's interval by which a step may be too early for it."""

HELD_BACK = 100
"""Largest number of readings held in memory."""


class Recorder:
    """Frames, readings, notes and checkpoints of a simulation, in a folder.

    ::

        with am.Recorder(sim, "folder", resume=True) as recorder:
            sim.run(until=2.0, on_step=recorder)

    Parameters
    ----------
    folder:
        Created if it does not exist; without `resume` it must not already hold a run.
    rate:
        Frames per simulated second [1/s]; by default 60, or as many as the run that goes on has.
    contacts:
        Whether to record contact points and forces; by default no, or as the run that goes on.
    joints:
        Whether to record positions, speeds, efforts and reactions of joints in every step; by
        default up to 64 joints, or as the run that goes on. Sensors are always recorded.
    about:
        What else to keep: anything that JSON can hold.
    checkpoint_every:
        Seconds of the wall clock between two checkpoints.
    resume:
        Where the folder holds a run of this simulation, go on with it: the simulation, which must
        be as it was when that recorder began, is put where the last checkpoint was taken, what the
        file has beyond that is dropped, and the rest is bit for bit that of an unbroken run. Where
        there is no run yet, begin one.
    claim:
        The right to write in the folder, of who has it already.
    """

    def __init__(
        self,
        simulation: Simulation,
        folder: str | os.PathLike[str],
        *,
        rate: float | None = None,
        contacts: bool | None = None,
        joints: bool | None = None,
        about: Mapping[str, Any] | None = None,
        checkpoint_every: float = 20.0,
        resume: bool = False,
        claim: FolderClaim | None = None,
    ) -> None:
        folder = Path(folder)
        rate = None if rate is None else positive("rate", rate)
        self._claim = claim or FolderClaim(folder)
        try:
            if not resume or not (folder / RUN_FILE).exists():
                require_free(folder)
            remove_unfinished(folder / CHECKPOINT)
            self._joints = joints
            self._open(simulation, folder, rate, contacts, about, checkpoint_every)
        except BaseException:
            self._claim.release()
            raise

    def _open(
        self,
        simulation: Simulation,
        folder: Path,
        rate: float | None,
        contacts: bool | None,
        about: Mapping[str, Any] | None,
        every: float,
    ) -> None:
        """Start a file, or continue the existing one."""
        _refuse_what_several_lack(simulation, bool(contacts))
        path = folder / RUN_FILE
        if path.exists():
            file = reopened(simulation, folder, rate=rate, contacts=contacts, about=about)
            self._begin(simulation, file, every)
            if file.frames:
                self._latest = self._due(float(file.file["frames/time"][file.frames - 1]))
                return
        else:
            file = RunFile.create(
                path, simulation.world, rate=rate or 60.0, contacts=bool(contacts),
                about=about or {}, extra=ExtraColumns(simulation, self._joints).units,
            )  # fmt: skip
            self._begin(simulation, file, every)
        self._write_frame()
        self.checkpoint()

    def _begin(self, simulation: Simulation, file: RunFile, every: float) -> None:
        _refuse_what_several_lack(simulation, "contacts" in file.file)
        self.simulation, self.folder = simulation, file.path.parent
        self.rate = float(file.file.attrs["rate"])
        self._file, self._contacts = file, "contacts" in file.file
        self._every, self._last_checkpoint = every, time.monotonic()
        self._rows: list[list[float]] = []
        self._notes: list[Note] = []
        self._extra = ExtraColumns.in_file(simulation, file.extra, self.folder)
        self._latest, self._told = -1, simulation.time
        self.closed = False

    def __call__(self, report: StepReport) -> None:
        """Record a step."""
        if self.closed:
            raise InputError("this recorder is closed")
        self._rows.append(self._file.row_of(report, self._extra.values(report)))
        self._notes.extend(report.notes)
        self._file.append_table("bonds", broken_rows(self.simulation, self._told))
        self._told = report.time
        if self._due(report.time) > self._latest:
            self._write_frame()
        if len(self._rows) >= HELD_BACK:
            self._write_rows()
        if time.monotonic() - self._last_checkpoint > self._every:
            self.checkpoint()

    def checkpoint(self) -> None:
        """Write everything held in memory, and a checkpoint to resume from."""
        self._write_rows()
        self._file.sync()
        self.simulation.save(self.folder / CHECKPOINT)
        self._last_checkpoint = time.monotonic()

    def close(self) -> None:
        """Write a last checkpoint and close the file."""
        if self.closed:
            return
        try:
            self.checkpoint()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Close the file and write nothing more, as after an error."""
        self.closed = True
        with contextlib.suppress(OutputError):  # the disk is full: keep what has been written
            self._file.close()
        self._claim.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # a step that was interrupted may have left half of a new state
        if isinstance(error, OutputError) or not isinstance(error, Exception | None):
            self.abandon()
        else:
            self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{self._file.frames} frames"
        return f"<Recorder: {self.folder}, {self.rate:g} frames per second, {state}>"

    def _due(self, moment: float) -> int:
        """Number of the frame that is due at a time [s]."""
        return math.floor(moment * self.rate + ROUNDING)

    def _write_frame(self) -> None:
        sim = self.simulation
        self._write_rows()
        contacts = None
        if self._contacts:
            contacts = sim.contacts.among(sim.bodies.id)  # some bodies may have been removed since
        self._file.append_table("meters", meter_rows(sim))
        self._file.append_frame(sim.steps, sim.time, sim.world, contacts)
        self._latest = self._due(sim.time)

    def _write_rows(self) -> None:
        self._file.append_notes(self._notes)
        self._notes.clear()
        self._file.append_steps(self._rows)
        self._rows.clear()


def _refuse_what_several_lack(simulation: Simulation, contacts: bool) -> None:
    """Raise where one of several processes would record what it does not know."""
    if simulation.ranks is None or simulation.ranks.count == 1:
        return
    for what, wanted in (("contacts", contacts), ("probes", len(simulation.world.probes) > 0)):
        if wanted:
            raise InputError(
                f"each process has contacts of its own bodies alone, so that a run of several "
                f"cannot record {what}: record without {what}, or go on with one process"
            )
