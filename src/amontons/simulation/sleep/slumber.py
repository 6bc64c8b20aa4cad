"""Steps in which everybody sleeps: the clock goes on, and nothing else."""

from __future__ import annotations

import numpy as np

from amontons.problem.solution import Status
from amontons.simulation.model import Model
from amontons.simulation.reports.report import StepReport
from amontons.simulation.reports.stopwatch import Stopwatch
from amontons.simulation.sleep.waking import Astir
from amontons.simulation.state import State


def nobody_stirs(model: Model, astir: Astir) -> bool:
    """Whether nothing can happen in a step, as in the last one.

    There may be joints, loads or prescribed motions whose readings change all the same, or bodies
    that were in no step yet: then a step is taken as always.
    """
    active, rest = astir.active, astir.state.rest
    if active is None or active.any():
        return False
    if model.joints.joints or model.loads.loads or model.masses.kinematic.size:
        return False
    return not np.isnan(rest.seen).any()


def slumber(state: State, h: float, watch: Stopwatch | None = None) -> tuple[State, StepReport]:
    """The state a step of h [s] later, and the report on it."""
    watch = watch or Stopwatch()
    after = state._replace(time=state.time + h, steps=state.steps + 1)
    watch.lap("advance")
    none, work = np.zeros(3), state.energy.by_cause
    return after, StepReport(
        number=after.steps,
        time=after.time,
        step=h,
        contacts=0,
        joint_rows=0,
        iterations=0,
        status=Status.CONVERGED,
        residual=0.0,
        penetration=0.0,
        joint_error=0.0,
        kinetic_energy=0.0,
        potential_energy=state.energy.held,
        dissipated_energy=work.dissipated,
        work=work,
        momentum=none,
        angular_momentum=none.copy(),
        awake=0,
        seconds=watch.seconds,
    )
