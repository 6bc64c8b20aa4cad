"""Many copies of one small world, stepped in compiled loops on all threads."""

from __future__ import annotations

import dataclasses
from collections import deque

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats, Longs
from amontons.checks import positive, whole
from amontons.dynamics.joints.coordinates import Measured
from amontons.dynamics.soundness import first_unsound
from amontons.errors import InputError, SimulationError
from amontons.simulation.checks import check_bodies
from amontons.simulation.compiled.loop import (
    Loop,
    Orders,
    follows_time,
    obstacle,
    targets_ahead,
    unfit,
)
from amontons.simulation.compiled.sensing_many import SENSORS, sensed_by_all
from amontons.simulation.compiled.world_store import WorldStore
from amontons.simulation.following import require_alike
from amontons.simulation.reports.notes import Note
from amontons.simulation.simulation import Simulation
from amontons.simulation.state import NOT_SENSED, State
from amontons.simulation.step import staged, take_step
from amontons.small_worlds import tables as at

Bools = NDArray[np.bool_]

NOTES = 1000
"""Notes that are kept."""


class ManyWorlds:
    """Worlds like that of a simulation, which stays as it is: each begins in its present state.

    World for world the numbers are those of the simulation by itself, bit for bit, whatever their
    number and that of threads. Steps that a compiled loop does not take are taken by the staged
    step, one world after the other.
    """

    def __init__(self, simulation: Simulation, worlds: int) -> None:
        self.simulation, self.worlds = simulation, whole("worlds", worlds, 1)
        h = simulation.step_length
        if not isinstance(h, float) or simulation.substeps != 1:
            raise InputError("a batch needs a step of fixed length [s], without substeps")
        model, state, self.step_length = simulation.model, simulation.state.copy(), positive("h", h)
        self._plain = dataclasses.replace(model, sensors=())
        reason = obstacle(self._plain, simulation.solvers, simulation.rules) or unfit(state)
        if any(not isinstance(sensor, SENSORS) for sensor in model.sensors):
            reason = "it has sensors that look at other bodies (RangeFan)"
        if follows_time(model, state):
            reason = "a joint follows a function of time; tell its motor what to do (`ctrl`)"
        if simulation.ranks is not None:
            reason = "several processes share it"
        if len(simulation.world.flows):
            reason = "bodies come and go by its sources and sinks"
        if reason is not None:
            raise InputError(f"a batch cannot have this world: {reason}; simulate it by itself")
        self.model, self.start = model, state
        self.store = WorldStore(state, model.joints.first.size - 1, self.worlds)
        self._asked = targets_ahead(model, state, self.step_length, 1)
        self._rules = dataclasses.replace(simulation.rules, compiled=False)
        self._loop: Loop | None = None
        self._made()
        self.stopped: Bools = np.zeros(self.worlds, dtype=bool)
        """Worlds whose next step failed, as by a runaway: they wait until they are reset."""
        self.reasons: dict[int, str] = {}
        """Why, by the numbers of those worlds."""
        self.notes: deque[tuple[int, Note]] = deque(maxlen=NOTES)
        """The last notes of staged steps, with the numbers of their worlds."""
        self.staged_steps = 0
        """Steps of all worlds that were taken stage by stage."""
        self.sensed: Floats = np.full((self.worlds, state.sensors.size), np.nan)
        """What sensors read of the last step, shape (worlds, numbers)."""
        self._origin = WorldStore(state, model.joints.first.size - 1)
        self._origin.load(0, state, simulation.joints.measured)
        self.restart(np.ones(self.worlds, dtype=bool))

    def load(self, which: Bools, state: State, measured: Measured) -> None:
        """Have some worlds in a state, with these coordinates of joints; shape (worlds,)."""
        require_alike(self.start, state)
        if not np.array_equal(state.gravity, self.start.gravity):
            raise InputError(
                f"all worlds of a batch have one gravity, {self.start.gravity.tolist()}; this "
                f"state has {state.gravity.tolist()}"
            )
        for w in np.flatnonzero(which).tolist():
            self.store.load(w, state, measured)
        self.sensed[which] = state.sensors
        self._freed(which)

    def restart(self, which: Bools) -> None:
        """Put some worlds where all began."""
        self.store.fill(which, self._origin)
        self.sensed[which] = self.start.sensors
        self._freed(which)

    def _freed(self, which: Bools) -> None:
        """Let some worlds take steps again."""
        self.stopped[which] = False
        self.reasons = {w: why for w, why in self.reasons.items() if self.stopped[w]}

    def state(self, w: int) -> State:
        """The state of a world, in arrays of its own."""
        return self.store.state(w)._replace(sensors=self.sensed[w].copy())

    def advance(self, steps: int, which: Bools) -> None:
        """Take so many steps in some worlds, shape (worlds,), but for those that have stopped."""
        going = np.flatnonzero(which & ~self.stopped)
        left = np.full(going.size, whole("steps", steps, 0), dtype=np.int64)
        self._check(going)
        loop, before = self._made(), self.store.current.steps.copy()
        while going.size:
            orders = Orders.of(going, left, self._asked)
            loop.run(self.store, orders)
            taken, how = orders.taken, orders.how
            self.store.seen[going[taken > 0]] = True
            left -= taken
            if (how == at.CROWDED).any():
                self.store.make_room(2 * self.store.current.keys.shape[1])
            for i in np.flatnonzero((how != at.TAKEN) & (how != at.CROWDED)).tolist():
                left[i] = left[i] - 1 if self._take_staged(int(going[i])) else 0
            going, left = going[left > 0], left[left > 0]
        if self.model.sensors:
            stepped = (self.store.current.steps > before) & ~self.stopped
            self.sensed[stepped] = sensed_by_all(self.model, self.store, self.step_length)[stepped]

    def _check(self, going: Longs) -> None:
        """Raise where what was written into a world is not finite, before any takes a step."""
        of, inputs = self.store.current, self.store.inputs
        written = of.position, of.orientation, of.twist, inputs.force, inputs.torque
        row = first_unsound(*(each[going].reshape(-1, each.shape[2]) for each in written))
        if row >= 0:
            w = int(going[row // of.position.shape[1]])
            try:
                check_bodies(self.state(w).bodies, inputs.gravity[w], self.model.name_of)
            except InputError as reason:
                raise InputError(f"world {w} of the batch: {reason}") from reason

    def _made(self) -> Loop:
        """The loop, which knows addresses of kernels in this process."""
        if self._loop is None:
            self._loop = Loop.of(
                self._plain, self.start, self.step_length, self.simulation.solvers, self._rules,
                self.store,
            )  # fmt: skip
        if self._loop is None:
            raise InputError("a batch cannot have this world: two triangle meshes may meet")
        return self._loop

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_loop": None}  # as copies may go to other processes

    def _take_staged(self, w: int) -> bool:
        """Take a step of one world stage by stage; whether that was possible."""
        try:
            state, report, solved = take_step(
                self._plain, self.store.state(w)._replace(sensors=NOT_SENSED), self.step_length,
                self.simulation.solvers,
                self._rules,
            )  # fmt: skip
        except InputError as reason:
            raise InputError(f"world {w} of the batch: {reason}") from reason
        except SimulationError as reason:
            self.stopped[w], self.reasons[w] = True, str(reason)
            return False
        assert solved is not None
        taken = staged(solved)
        self.store.step_from_here(w)
        self.store.load(w, state, taken.coordinates)
        self.store.current.normals[w, : len(taken.detected)] = taken.detected.normals
        self.notes.extend((w, note) for note in report.notes)
        self.staged_steps += 1
        return True

    @property
    def contact_force(self) -> Floats:
        """Sum of contact forces on each body in the last step [N], shape (worlds, bodies, 3)."""
        of = self.store.current
        force = np.zeros_like(of.position)
        # contacts that there are, of those that there is room for
        world, row = np.nonzero(np.arange(of.keys.shape[1]) < of.contacts[:, None])
        a, b = of.pairs[world, row].T
        push = of.carried[world, row, :3]
        np.add.at(force, (world, b), push)
        np.subtract.at(force, (world, a), push)
        return force
