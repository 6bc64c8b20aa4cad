"""What a step tells: one report a step, and all of them as arrays."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from amontons.dynamics.energy import mechanics_of
from amontons.dynamics.masses import Masses
from amontons.model.world import World
from amontons.problem.solution import Status
from amontons.simulation.solved import Solved
from amontons.simulation.step_size import travels

if TYPE_CHECKING:
    from amontons.simulation.simulation import Simulation

Floats = NDArray[np.float64]

STAGES = ("detect", "assemble", "solve", "advance")


class Stopwatch:
    """Wall-clock time of the stages of a step."""

    def __init__(self) -> None:
        self._spent = dict.fromkeys(STAGES, 0.0)
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """Count the time since the last lap as that of a stage."""
        now = time.perf_counter()
        self._spent[stage] += now - self._last
        self._last = now

    @property
    def seconds(self) -> Floats:
        """Time of each of the `STAGES` [s], shape (stages,)."""
        return np.array(list(self._spent.values()))


@dataclass(frozen=True, kw_only=True)
class StepReport:
    """One step, looked at from outside."""

    number: int
    """Steps taken so far, this one included."""
    time: float
    """At its end [s]."""
    step: float
    """Its length [s]."""
    contacts: int
    """Contacts in the problem."""
    joint_rows: int
    """Rows of joints, motors and springs in the problem."""
    iterations: int
    status: Status
    residual: float
    """Independent residual of the solution, in the solver's measure."""
    penetration: float
    """Largest overlap of two bodies when the step began [m]."""
    joint_error: float
    """Largest error of a rigid joint at its end [m or rad]."""
    kinetic_energy: float
    """At its end [J]."""
    potential_energy: float
    """In gravity and springs at its end [J]."""
    dissipated_energy: float
    """Taken by contacts and joints since the start [J]; motors make it less."""
    momentum: Floats = field(repr=False)
    """At its end [kg m/s], shape (3,)."""
    angular_momentum: Floats = field(repr=False)
    """About the origin of the world at its end [kg m²/s], shape (3,)."""
    awake: int
    """Dynamic bodies that are not asleep."""
    seconds: Floats = field(repr=False)
    """Wall-clock time of each of the `STAGES`."""
    notes: tuple[str, ...] = ()
    """What a careful user should know: no convergence, a step that is too large, broken joints."""

    @property
    def converged(self) -> bool:
        """Whether the solver met its tolerance."""
        return self.status is Status.CONVERGED


def report_on(
    simulation: Simulation, solved: Solved, broken: list[int], stored: float, watch: Stopwatch
) -> StepReport:
    """The report on the step that a simulation has just taken; `stored` is the loads' energy."""
    bodies, joints = simulation.bodies, simulation.joints
    state = mechanics_of(simulation.world, bodies.twist)
    return StepReport(
        number=simulation.steps,
        time=simulation.time,
        step=solved.step,
        contacts=len(solved.terms),
        joint_rows=int(np.count_nonzero(solved.acting)),
        iterations=solved.solution.iterations,
        status=solved.solution.status,
        residual=solved.solution.residual,
        penetration=max(0.0, -float(solved.detected.gaps.min(initial=0.0))),
        joint_error=joints.largest_error,
        kinetic_energy=state.kinetic,
        potential_energy=state.potential + stored + joints.potential_energy(),
        dissipated_energy=simulation.dissipated,
        momentum=state.momentum,
        angular_momentum=state.angular_momentum,
        awake=len(bodies) - int(np.count_nonzero(simulation.masses.driven | bodies.asleep)),
        seconds=watch.seconds,
        notes=notes_of(simulation.world, simulation.masses, solved, broken),
    )


def notes_of(world: World, masses: Masses, solved: Solved, broken: list[int]) -> tuple[str, ...]:
    """What a careful user should know of a step."""
    notes = []
    if not solved.solution.converged:
        notes.append(
            f"the solver did not converge: {solved.solution.message}, residual "
            f"{solved.solution.residual:.2e}"
        )
    covered = solved.step * travels(solved.velocity, masses)
    if covered.max(initial=0.0) > 1.0:
        i = int(np.argmax(covered))
        notes.append(
            f"the step of {solved.step:g} s is too large: {world.name_of(int(world.bodies.id[i]))} "
            f"moved {covered[i]:.2g} times half its thickness"
        )
    for joint in broken:
        notes.append(f"joint {joint} broke")
    return tuple(notes)


_COLUMNS = tuple(
    each.name for each in dataclasses.fields(StepReport) if each.name not in ("notes", "status")
)


class Readings:
    """Every step's report, as arrays: `readings.kinetic_energy` has one entry a step."""

    def __init__(self) -> None:
        self.reports: list[StepReport] = []

    def append(self, report: StepReport) -> None:
        """Keep a report."""
        self.reports.append(report)

    def __len__(self) -> int:
        return len(self.reports)

    def __getitem__(self, number: int) -> StepReport:
        return self.reports[number]

    def __getattr__(self, name: str) -> NDArray[np.float64]:
        if name not in _COLUMNS and name != "converged":
            raise AttributeError(
                f"there is no reading {name!r}; there are {', '.join(_COLUMNS)} and converged"
            )
        return np.array([getattr(report, name) for report in self.reports])

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_COLUMNS, "converged"]

    @property
    def energy(self) -> Floats:
        """Kinetic and potential energy after each step [J], shape (steps,)."""
        return np.asarray(self.kinetic_energy + self.potential_energy)

    @property
    def notes(self) -> list[tuple[float, str]]:
        """All notes, with the times of their steps [s]."""
        return [(report.time, note) for report in self.reports for note in report.notes]

    def clear(self) -> None:
        """Forget everything so far, as a long run may want to."""
        self.reports.clear()

    def __repr__(self) -> str:
        if not self.reports:
            return "<Readings: no steps yet>"
        stuck = sum(not report.converged for report in self.reports)
        return f"<Readings: {len(self)} steps, {stuck} without convergence>"
