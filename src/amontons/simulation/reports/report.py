"""Reports: one per step, and all of them as arrays."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from amontons.dynamics.energy import Mechanics
from amontons.dynamics.energy_ledger import CAUSES, Work
from amontons.dynamics.joints.readings import JointReadings
from amontons.errors import InputError, ProblemWarning
from amontons.problem.solution import Status
from amontons.simulation.model import Model
from amontons.simulation.reports.notes import Note, NoteSummary, brief, summaries
from amontons.simulation.reports.readings import along_axes, declared_readings, reading
from amontons.simulation.reports.stopwatch import STAGES, Stopwatch
from amontons.simulation.solve.step_solution import StepSolution
from amontons.simulation.state import State

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class StepReport:
    """Summary of one step."""

    number: int = reading()
    """Steps taken so far, this one included."""
    time: float = reading("s")
    """At its end [s]."""
    step: float = reading("s")
    """Its length [s]."""
    contacts: int = reading(total="largest")
    """Contacts in the problem."""
    joint_rows: int = reading(total="largest")
    """Rows of joints, motors, springs and bonds in the problem."""
    iterations: int = reading(total="mean")
    """Iterations of the solver."""
    status: Status = reading(attribute="converged", total="sum")
    """How its solve ended; as a reading, 1 if it converged, else 0."""
    residual: float = reading(total="largest")
    """Independent residual of the solution, in the solver's measure."""
    penetration: float = reading("m", total="largest")
    """Largest overlap of two bodies when the step began [m]."""
    joint_error: float = reading("m or rad", total="largest")
    """Largest error of a rigid joint at its end [m or rad]."""
    kinetic_energy: float = reading("J")
    """At its end [J]."""
    potential_energy: float = reading("J")
    """In gravity, springs, compliant contacts and users' forces at its end [J]."""
    dissipated_energy: float = reading("J")
    """Energy dissipated since the start by friction, impacts, dampers and drag [J]."""
    work: Work = reading("J", columns=tuple(f"work_{cause}" for cause in CAUSES))
    """Energy supplied to bodies and springs since the start, by cause [J]: its sum is the
    kinetic and potential energy at the end of the step."""
    momentum: Floats = reading("kg m/s", columns=along_axes("momentum"))
    """At its end [kg m/s], shape (3,)."""
    angular_momentum: Floats = reading("kg m²/s", columns=along_axes("angular_momentum"))
    """About the origin of the world at its end [kg m²/s], shape (3,)."""
    awake: int = reading()
    """Dynamic bodies that are not asleep."""
    seconds: Floats = reading("s", total="sum", columns=STAGES)
    """Wall-clock time of each of the `STAGES` [s]."""
    notes: tuple[Note, ...] = ()
    """What a careful user should know: no convergence, too large a step, overlaps, broken joints;
    of all substeps where there are any."""

    @property
    def converged(self) -> bool:
        """Whether the solver met its tolerance."""
        return self.status is Status.CONVERGED

    def with_notes(self, notes: Iterable[Note]) -> StepReport:
        """The same with these notes."""
        said = tuple(notes)
        return self if said == self.notes else replace(self, notes=said)


def report_on(
    model: Model,
    state: State,
    solved: StepSolution,
    joints: JointReadings,
    held: Mechanics,
    notes: tuple[Note, ...],
    watch: Stopwatch,
) -> StepReport:
    """The report on a step that led to this state, in which bodies hold this and joints are so."""
    worst, work, gaps = solved.worst, state.energy.by_cause, solved.detected.gaps
    driven, asleep = model.masses.driven, state.bodies.asleep
    awake = model.masses.dynamic
    if asleep.any():
        awake = int(np.count_nonzero(~(driven | asleep)))
    return StepReport(
        number=state.steps,
        time=state.time,
        step=solved.step,
        contacts=solved.share.number(solved.terms.contacts),
        joint_rows=solved.joint_rows,
        iterations=sum(solution.iterations for solution in solved.solutions),
        status=worst.status,
        residual=worst.residual,
        penetration=solved.share.largest(max(0.0, -float(gaps.min(initial=0.0)))),
        joint_error=joints.largest_error,
        kinetic_energy=held.kinetic,
        potential_energy=held.potential + state.energy.stored,
        dissipated_energy=work.dissipated,
        work=work,
        momentum=held.momentum,
        angular_momentum=held.angular_momentum,
        awake=awake,
        seconds=watch.seconds,
        notes=notes,
    )


READINGS = tuple(declared_readings(StepReport))
"""Every number that is read of a step: what arrays, files and plots of a run are made of."""

_NAMES = tuple(dict.fromkeys(each.attribute for each in READINGS))


KEPT = 20_000
"""Reports that readings keep by default, some 20 MB: a run of days must not fill the memory."""


class Readings:
    """The reports of steps, as arrays: `readings.kinetic_energy` has one entry per step.

    The last 20 000 steps are kept, and a warning says so once earlier ones are let go. Set `keep`
    to another number, or to None for all of them; a recorded run has all in its file.
    """

    def __init__(self, keep: int | None = KEPT) -> None:
        self.reports: deque[StepReport] = deque(maxlen=_window(keep))
        self.forgotten = 0
        """Reports that were let go because newer ones came."""

    @property
    def keep(self) -> int | None:
        """Most reports that are kept; None for all."""
        return self.reports.maxlen

    @keep.setter
    def keep(self, most: int | None) -> None:
        there = len(self.reports)
        self.reports = deque(self.reports, maxlen=_window(most))
        self.forgotten += there - len(self.reports)

    def append(self, report: StepReport) -> None:
        """Keep a report."""
        if len(self.reports) == self.keep:
            if not self.forgotten:
                warnings.warn(
                    f"readings keep the last {self.keep} steps, and earlier ones are let go from "
                    "now on; set sim.readings.keep to more, or to None for all, or record the run",
                    ProblemWarning,
                    stacklevel=4,
                )
            self.forgotten += 1
        self.reports.append(report)

    def extend(self, reports: Iterable[StepReport]) -> None:
        """Keep some reports."""
        for report in reports:
            self.append(report)

    def __len__(self) -> int:
        return len(self.reports)

    def __getitem__(self, number: int) -> StepReport:
        return self.reports[number]

    def __getattr__(self, name: str) -> NDArray[np.float64]:
        if name not in _NAMES:
            raise AttributeError(f"there is no reading {name!r}; there are {', '.join(_NAMES)}")
        return np.array([getattr(report, name) for report in self.reports])

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_NAMES]

    @property
    def energy(self) -> Floats:
        """Kinetic and potential energy after each step [J], shape (steps,)."""
        return np.asarray(self.kinetic_energy + self.potential_energy)

    @property
    def work(self) -> dict[str, Floats]:
        """Energy supplied to bodies and springs since the start, by cause [J], each (steps,)."""
        table = np.array([report.work for report in self.reports]).reshape(-1, len(CAUSES))
        return dict(zip(CAUSES, table.T, strict=True))

    @property
    def notes(self) -> list[Note]:
        """All notes, in the order of their steps."""
        return [note for report in self.reports for note in report.notes]

    @property
    def note_summaries(self) -> list[NoteSummary]:
        """Summaries of the notes, one per kind."""
        return summaries(self.notes, len(self))

    def summary(self) -> str:
        """The run in a few lines: its notes, how often and when they occurred, and the worst."""
        if not self.reports:
            return "no steps yet"
        found = self.note_summaries
        head = f"{self._counted()} to {self.reports[-1].time:.4g} s"
        return "\n".join([f"{head}:" if found else f"{head}, nothing to note", *map(str, found)])

    def clear(self) -> None:
        """Discard everything so far, as in a long run."""
        self.reports.clear()
        self.forgotten = 0

    def __repr__(self) -> str:
        if not self.reports:
            return "<Readings: no steps yet>"
        found = brief(self.note_summaries) or "nothing to note"
        return f"<Readings: {self._counted()}, {found}>"

    def _counted(self) -> str:
        steps = f"{len(self)} steps"
        return f"the last {steps} of {len(self) + self.forgotten}" if self.forgotten else steps


def _window(keep: int | None) -> int | None:
    if keep is not None and (isinstance(keep, bool) or not isinstance(keep, int) or keep < 1):
        raise InputError(f"keep must be a whole number, 1 or more, or None for all, got {keep!r}")
    return keep
