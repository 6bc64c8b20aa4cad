"""Many steps of a simulation in one compiled call, and the reports on them."""

from __future__ import annotations

import dataclasses
import time
from typing import NamedTuple

import numpy as np

from amontons.array_types import Floats
from amontons.dynamics.energy_ledger import Work
from amontons.dynamics.joints.coordinates import Measured
from amontons.simulation.compiled.compiled_step import Compiled, report_of
from amontons.simulation.compiled.loop import (
    Loop,
    follows_time,
    obstacle,
    targets_ahead,
)
from amontons.simulation.compiled.world_store import WorldStore
from amontons.simulation.model import Model
from amontons.simulation.reports.report import StepReport
from amontons.simulation.rules import Rules, SolverChoice
from amontons.simulation.state import State
from amontons.small_worlds import tables as at
from amontons.small_worlds.worlds import RECORDED, TIME

FEWEST = 3
"""Steps for which a call pays: fewer are taken one by one."""

MOST_AT_ONCE = 200
"""Steps of one call: so long a process does not answer to Ctrl-C."""


class LoopTaken(NamedTuple):
    """Steps that a loop took."""

    state: State  # after them
    last: Compiled  # the last of them
    reports: list[StepReport]
    complete: bool  # whether the next step need not be taken stage by stage


class ManySteps:
    """The loop of one simulation, as long as nothing but its state changes."""

    def __init__(self) -> None:
        self._loop: Loop | None = None
        self._made_for: tuple[object, ...] = ()
        self._store: WorldStore | None = None

    def take(
        self, model: Model, state: State, measured: Measured, h: float, choice: SolverChoice,
        rules: Rules, steps: int, until: float,
    ) -> LoopTaken | None:  # fmt: skip
        """Up to so many steps while the time is below `until` [s]; None: not a single one."""
        if (
            steps < FEWEST
            or not rules.compiled
            or obstacle(model, state, choice, rules) is not None
        ):
            return None
        loop, store = self._ready(model, state, h, choice, rules)
        if loop is None:
            return None
        store.like = state
        store.load(0, state, measured)
        began = time.perf_counter()
        asked = targets_ahead(model, state, h, min(steps, MOST_AT_ONCE))
        most = len(asked) - 1 if follows_time(model, state) else min(steps, MOST_AT_ONCE)
        if most < 1:
            return None
        records, which = np.empty((most, RECORDED)), np.zeros(1, dtype=np.int64)
        counts, ways = loop.run(store, which, np.array([most]), asked, until, records)
        taken, how = int(counts[0]), int(ways[0])
        if how == at.CROWDED:
            store.make_room(2 * store.current.keys.shape[1])
        if not taken:
            return None
        if how != at.TAKEN:  # what was before the last step was lost on the next
            store.load(0, state, measured)
            loop.run(store, which, counts, asked)
        spent = (time.perf_counter() - began) / taken
        store.seen[0] |= taken > 1
        begun = store.begun(0, taken)
        store.seen[0] = True
        pairs = model.pairs
        frozen = dataclasses.replace(model, pair_table=lambda: pairs)
        return LoopTaken(
            store.state(0)._replace(gravity=state.gravity),
            Compiled(frozen, begun, h, choice, rules, store.measured(0)),
            reports_of(records[:taken], state.steps, h, spent, model.masses.dynamic),
            how in (at.TAKEN, at.CROWDED),
        )

    def __reduce__(self) -> tuple[type[ManySteps], tuple[()]]:
        return type(self), ()  # addresses of kernels are those of one process

    def _ready(
        self, model: Model, state: State, h: float, choice: SolverChoice, rules: Rules
    ) -> tuple[Loop | None, WorldStore]:
        """The loop and the arrays of a model."""
        made_for = (model, model.pairs, h, choice, rules, tuple(state.gravity.tolist()))
        if self._store is None or not self._made_for or self._made_for[0] is not model:
            self._store = WorldStore(state, model.joints.first.size - 1)
        if not _same(self._made_for, made_for):
            self._loop = Loop.of(model, state, h, choice, rules, self._store)
            self._made_for = made_for
        return self._loop, self._store


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    if len(one) != len(other):
        return False
    return all(
        a is b or (i > 1 and a == b) for i, (a, b) in enumerate(zip(one, other, strict=True))
    )


def reports_of(
    records: Floats, before: int, h: float, seconds: float, awake: int
) -> list[StepReport]:
    """Reports on steps that were taken in one call, after so many `before` them.

    The time that each took [s] is the mean of all, and counts as that of the solver.
    """
    spent, found = np.array([0.0, 0.0, seconds, 0.0]), []
    for i, (time_then, stored, *works) in enumerate(records[:, TIME:].tolist()):
        work = Work(*works)
        found.append(
            report_of(records[i], before + i + 1, time_then, h, work, stored, awake, spent)
        )
    return found
