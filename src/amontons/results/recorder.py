"""`Recorder`: writes a simulation down as it runs."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from amontons.errors import InputError, OutputError
from amontons.model.shapes.checks import positive
from amontons.results.layout import CHECKPOINT, FRAME, RUN_FILE
from amontons.results.run_file import RunFile
from amontons.simulation.report import StepReport
from amontons.simulation.simulation import Simulation

ROUNDING = 1e-6
"""Share of a frame's time by which a step may come too early for it."""

HELD_BACK = 100
"""Readings that wait in memory at most."""


class Recorder:
    """Frames, readings and checkpoints of a simulation, in a folder.

    ::

        with am.Recorder(sim, "folder") as recorder:
            sim.run(2.0, on_step=recorder)

    Parameters
    ----------
    folder:
        Made if it is not there; it must not hold a run already.
    rate:
        Frames a simulated second [1/s].
    contacts:
        Whether to record contact points and forces.
    about:
        What else to keep: anything that JSON can hold.
    checkpoint_every:
        Seconds of the wall clock between two checkpoints.
    """

    def __init__(
        self,
        simulation: Simulation,
        folder: str | os.PathLike[str],
        *,
        rate: float = 60.0,
        contacts: bool = False,
        about: Mapping[str, Any] | None = None,
        checkpoint_every: float = 20.0,
    ) -> None:
        folder = Path(folder)
        path = folder / RUN_FILE
        if path.exists():
            raise InputError(
                f"{folder} holds a run already: resume it (`amontons resume {folder}`), or "
                "choose another folder"
            )
        rate = positive("rate", rate)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as reason:
            raise OutputError(f"cannot make the folder {folder}: {reason.strerror}") from None
        file = RunFile.create(
            path, simulation.world, rate=rate, contacts=contacts, about=about or {}
        )
        self._begin(simulation, file, rate, contacts, checkpoint_every)
        self._write_frame()
        self.checkpoint()

    @classmethod
    def going_on(
        cls,
        simulation: Simulation,
        file: RunFile,
        *,
        checkpoint_every: float = 20.0,
    ) -> Recorder:
        """The recorder of a run that was cut back to where the simulation stands."""
        recorder = cls.__new__(cls)
        attributes = file.file.attrs
        recorder._begin(
            simulation, file, float(attributes["rate"]), "contacts" in file.file, checkpoint_every
        )
        if file.frames:
            recorder._latest = recorder._due(float(file.file["frames/time"][file.frames - 1]))
        else:
            recorder._write_frame()
        return recorder

    def _begin(
        self, simulation: Simulation, file: RunFile, rate: float, contacts: bool, every: float
    ) -> None:
        self.simulation, self.folder, self.rate = simulation, file.path.parent, rate
        self._file, self._contacts = file, contacts
        self._every, self._last_checkpoint = every, time.monotonic()
        self._rows: list[list[float]] = []
        self._ids = simulation.bodies.id.copy()
        self._latest = -1
        self.closed = False

    def __call__(self, report: StepReport) -> None:
        """Take note of a step."""
        if self.closed:
            raise InputError("this recorder is closed")
        self._rows.append(_row(report))
        if self._due(report.time) > self._latest:
            self._write_frame()
        if len(self._rows) >= HELD_BACK:
            self._write_rows()
        if time.monotonic() - self._last_checkpoint > self._every:
            self.checkpoint()

    def checkpoint(self) -> None:
        """Write down all that is held back, and a checkpoint from which a run can go on."""
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
        with contextlib.suppress(OutputError):  # the disk is full: what is there is there
            self._file.close()

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
        return f"<Recorder: {self.folder}, {self.rate:g} frames a second, {state}>"

    def _due(self, moment: float) -> int:
        """Number of the frame that is due at a time [s]."""
        return math.floor(moment * self.rate + ROUNDING)

    def _write_frame(self) -> None:
        sim, bodies = self.simulation, self.simulation.bodies
        if len(bodies) != len(self._ids) or (bodies.id != self._ids).any():
            raise InputError("bodies were added or removed: a recorded run keeps those it has")
        self._write_rows()
        state = {name: getattr(bodies, name) for name in FRAME}
        self._file.append_frame(
            sim.steps, sim.time, state, sim.contacts if self._contacts else None
        )
        self._latest = self._due(sim.time)

    def _write_rows(self) -> None:
        self._file.append_steps(self._rows)
        self._rows.clear()


def _row(report: StepReport) -> list[float]:
    """The readings of a step in the order of `COLUMNS`."""
    return [
        report.number, report.time, report.step, report.contacts, report.joint_rows,
        report.iterations, float(report.converged), report.residual, report.penetration,
        report.joint_error, report.kinetic_energy, report.potential_energy,
        report.dissipated_energy, report.awake, *report.seconds.tolist(),
    ]  # fmt: skip
