"""Steps of a simulation in compiled calls, one or many in each, and the reports on them."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from amontons.array_types import Floats
from amontons.dynamics.energy_ledger import Work
from amontons.dynamics.joints.coordinates import Measured
from amontons.simulation.compiled.compiled_step import Compiled, report_of
from amontons.simulation.compiled.loop import (
    Loop,
    Orders,
    follows_time,
    obstacle,
    targets_ahead,
    unfit,
)
from amontons.simulation.compiled.world_store import WorldStore
from amontons.simulation.model import Model
from amontons.simulation.reports.report import StepReport
from amontons.simulation.rules import Rules, SolverChoice
from amontons.simulation.state import State
from amontons.small_worlds import tables as at
from amontons.small_worlds.pointers import NotCompiledError
from amontons.small_worlds.worlds import TIME

MOST_AT_ONCE = 200
"""Steps of one call: so long a process does not answer to Ctrl-C."""

FIRST_STEPS = 50
"""Steps of a model that are taken stage by stage where nobody asked for compiled ones: to load
their kernels takes 0.2 s, once in a process, and tables some ms, so they are for who goes on."""

LONGEST_PAUSE = 31
"""Steps for which no other attempt is made after some have failed in a row, at most."""


NOT_TAKEN = {
    at.IDLE_ROWS: "a joint holds bodies that cannot move",
    at.OVERLAPS: "bodies overlap and are parted",
    at.BOUNCES: "an impact gives something back",
    at.NOT_SOLVED: "its problem was not solved at the first try",
    at.LATE_HITS: "a contact came up that had been left out",
    at.SURGES: "joints gave bodies much energy",
    at.BREAKS: "a joint broke",
    at.TRAVELS: "a body travelled farther than its size",
    at.TOO_LARGE: "it has too many contacts and joint rows to be solved directly",
    at.NOT_DETECTED: "too many bodies are near each other",
    at.CROWDED: "room for more contacts was made",
}
"""Why a compiled step was not taken, in words."""

CHANGED = "the world was changed"
ELSEWHERE = "its step has parts or no fixed length, is shared, or sources and sinks follow it"
COMPILE = "its kernels are not compiled yet: run `amontons warmup` once, or give compiled=True"


class LoopTaken(NamedTuple):
    """Steps that a loop took."""

    state: State  # after them
    last: Compiled  # the last of them
    place: Floats  # of bodies before that [m], (bodies, 3)
    reports: list[StepReport]
    complete: bool  # whether the next step need not be taken stage by stage


class ManySteps:
    """The loop of one simulation, as long as nothing but its state changes.

    What it takes and what it leaves to staged steps makes no difference to the numbers.
    """

    def __init__(self) -> None:
        self._loop: Loop | None = None
        self._made_for: tuple[object, ...] = (None, None, None)
        self._store: WorldStore | None = None
        self._one: Orders | None = None  # a single step
        self._waiting = self._pause = self._next_pause = 0
        self._made = False
        self._hindrance: str | None = None
        self._failed = ""
        self.reason: str | None = "no step has been taken yet"
        """Why the last step was not taken here; None where it was."""

    def leaves(self, changed: bool, elsewhere: object) -> bool:
        """Whether a step is left to the stages, which check a world that was `changed`."""
        if changed or elsewhere:
            self.reason = CHANGED if changed else ELSEWHERE
        return bool(changed or elsewhere)

    def take(
        self, model: Model, state: State, measured: Measured, h: float, choice: SolverChoice,
        rules: Rules, steps: int, until: float,
    ) -> LoopTaken | None:  # fmt: skip
        """Up to so many steps while the time is below `until` [s]; None: not a single one."""
        if rules.compiled is False:
            self.reason = "compiled is False"
            return None
        loop = self._ready(model, state, h, choice, rules)
        if loop is None:
            self.reason = self._hindrance
            return None
        self.reason = unfit(state) or (self._failed if self._pause else None)
        self._pause = max(0, self._pause - 1)
        if self.reason is not None:
            return None
        began, store = time.perf_counter(), self._store
        assert store is not None
        store.load_again(state, measured)
        orders = self._orders(model, state, h, min(steps, MOST_AT_ONCE), until)
        if not orders.steps[0]:
            self.reason = "a function of time gave no number"
            return None
        loop.run(store, orders)
        taken, how = orders.taken.item(0), orders.how.item(0)
        if how == at.CROWDED:
            store.make_room(2 * store.current.keys.shape[1])
        if not taken:
            self.reason = self._failed = NOT_TAKEN.get(how, "its numbers are beyond it")
            self._pause = self._next_pause
            self._next_pause = min(2 * self._pause + 1, LONGEST_PAUSE)
            return None
        self._next_pause = 0
        records = orders.records[:taken].copy()
        if how != at.TAKEN:  # what was before the last step was lost on the next
            store.load(0, state, measured)
            loop.run(store, orders._replace(steps=orders.taken.copy()))
        spent, place = (time.perf_counter() - began) / taken, store.before.position[0].copy()
        begun = store.begun(state, state.bodies.seen | (taken > 1))
        last = Compiled(model, model.pairs, begun, h, choice, rules, store.measured(0))
        return LoopTaken(
            store.left_behind(state), last, place,
            reports_of(records, state.steps, h, spent, model.masses.dynamic),
            how in (at.TAKEN, at.CROWDED),
        )  # fmt: skip

    def __reduce__(self) -> tuple[type[ManySteps], tuple[()]]:
        return type(self), ()  # addresses of kernels are those of one process

    def _ready(
        self, model: Model, state: State, h: float, choice: SolverChoice, rules: Rules
    ) -> Loop | None:
        """The loop of a model; None where there is none, or not yet."""
        made_for = model, model.pairs, (h, choice, rules, state.gravity.tobytes())
        if not _same(self._made_for, made_for):
            if self._made_for[0] is not model:
                self._store = None
            self._made_for, self._loop, self._made = made_for, None, False
            self._waiting = FIRST_STEPS if rules.compiled is None else 0
            self._pause = self._next_pause = 0
        if self._made:
            return self._loop
        if self._waiting:
            self._waiting -= 1
            self._hindrance = f"the first {FIRST_STEPS} steps of a world are"
            return None
        self._made, self._one = True, None
        self._hindrance = obstacle(model, choice, rules)
        if rules.compiled is None and model.joints.tables.functions:
            self._hindrance = "a joint follows a function of time, and compiled=True was not given"
        if self._hindrance is None:
            self._store = self._store or WorldStore(state, model.joints.first.size - 1)
            wait, self._hindrance = rules.compiled is not None, "two triangle meshes may meet"
            try:
                self._loop = Loop.of(model, state, h, choice, rules, self._store, wait=wait)
            except NotCompiledError:
                self._hindrance = COMPILE
        return self._loop

    def _orders(self, model: Model, state: State, h: float, steps: int, until: float) -> Orders:
        """So many steps, or as many as functions of time answer for."""
        timed = follows_time(model, state)
        usual = steps == 1 and until == np.inf and not timed
        if usual and self._one is not None:
            return self._one
        asked, first = targets_ahead(model, state, h, steps), np.zeros(1, dtype=np.int64)
        most = max(0, len(asked) - 1) if timed else steps
        orders = Orders.of(first, np.array([most]), asked, until, records=most)
        if usual:
            self._one = orders
        return orders


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return one[0] is other[0] and one[1] is other[1] and one[2] == other[2]


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
