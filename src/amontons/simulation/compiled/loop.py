"""Loops over steps of small worlds in one compiled call: which worlds, and their tables."""

from __future__ import annotations

import contextlib
import dataclasses
import operator
from typing import Any, NamedTuple

import numpy as np

from amontons.array_types import Flags, Floats, Longs
from amontons.collision.body_parts import Poses
from amontons.collision.detector import DetectorTables
from amontons.collision.narrow.narrow_phase import KINDS, NARROW, RANK, ByKernel
from amontons.collision.pair_contacts import empty_slots
from amontons.dynamics.contact_laws import ContactRules, Laws, Limits
from amontons.dynamics.joints.step import Targets, targets_of
from amontons.problem.units import Yardstick
from amontons.simulation.compiled.small_world import writable
from amontons.simulation.compiled.world_store import WorldStore
from amontons.simulation.detection.margins import LEVELS
from amontons.simulation.model import Model
from amontons.simulation.rules import Rules, SolverChoice
from amontons.simulation.solve.impulses import SLACK
from amontons.simulation.state import State
from amontons.small_worlds.crew import in_parts
from amontons.small_worlds.detection import DetectionTable
from amontons.small_worlds.kernel import small_step
from amontons.small_worlds.loop import small_run
from amontons.small_worlds.pointers import Held, address_of, caller_of, put_in_memory
from amontons.small_worlds.tables import RESULTS, BodiesNow, BodiesThen, Found, StepSettings
from amontons.small_worlds.worlds import RECORDED, Call, LoopSettings, LoopTable
from amontons.solvers import Auto
from amontons.solvers.direct.method import MOST_STEPS


def obstacle(model: Model, choice: SolverChoice, rules: Rules) -> str | None:
    """Why no loop can step a world; None where one can, unless its state is :func:`unfit`."""
    if model.small is None:
        return "it is large, or has loads, prescribed motions, sensors, bonds or a cell"
    if type(choice.few) is not Auto:
        return "it has a solver of its own"
    if rules.sleeping is not None:
        return "its bodies may fall asleep"
    if not model.pairs.plain:
        return "its contacts have more than friction and restitution"
    return None


def unfit(state: State) -> str | None:
    """Why no loop can go on from a state; None where one can."""
    if np.count_nonzero(state.bodies.asleep):  # three times as quick as any()
        return "bodies of it sleep"
    if np.count_nonzero(state.bodies.surface_velocity):
        return "surfaces run over bodies"
    if np.count_nonzero(state.broken):
        return "a joint has broken"
    return None


def follows_time(model: Model, state: State) -> bool:
    """Whether any target is a function of time, and not told otherwise."""
    told = ~np.isnan(state.joints.command)
    return any(not told[row] for row, _ in model.joints.tables.functions)


def targets_ahead(model: Model, state: State, h: float, steps: int) -> Floats:
    """Targets of rows at the ends of as many steps as functions of time answer for.

    Row k is that at the beginning of step k, and the last that at the end of the last step; shape
    (steps + 1, rows), or (1, rows) where nothing changes.
    """
    own = model.joints.tables.rows.target
    if not follows_time(model, state):
        return own[None].copy()
    found: list[Floats] = []
    time = state.time
    with contextlib.suppress(Exception):  # what it is, the staged step will say
        for _ in range(steps):
            targets = targets_of(model.joints, state.joints, time, h)
            found += [targets.then] if found else [targets.now, targets.then]
            time += h
    return np.array(found).reshape(-1, own.size)


def same_world(one: Model, other: Model) -> bool:
    """Whether two models are of the same bodies, joints, materials and shapes, number by number."""
    return one is other or _same(_made_of(one), _made_of(other))


def _made_of(model: Model) -> tuple[object, ...]:
    detector = model.detector.tables([model.masses.typical_size])
    pairs = tuple(getattr(model.pairs, each.name) for each in dataclasses.fields(model.pairs))
    return model.bodies, model.masses, model.joints.tables, pairs, detector


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        equal_nan = one.dtype.kind == "f"
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=equal_nan)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(one == other)


class Orders(NamedTuple):
    """Steps that a loop is to take, the last members of its `Call`."""

    which: Longs  # worlds
    steps: Longs  # of each at most
    until: Floats  # [s], (1,)
    asked: Floats  # as from :func:`targets_ahead`
    taken: Longs  # ← steps of each
    how: Longs  # ← how the last attempt of each ended
    records: Floats  # ← of each step of a single world, (steps, RECORDED); or (0, RECORDED)

    @classmethod
    def of(
        cls, which: Longs, steps: Longs, asked: Floats, until: float = np.inf, records: int = 0
    ) -> Orders:
        """Up to steps[i] for world which[i], while its time is below `until` [s]."""
        none = np.zeros(which.size, dtype=np.int64)
        return cls(
            which, steps, np.full(1, until), asked, none, none.copy(), np.empty((records, RECORDED))
        )


class Loop:
    """What compiled loops over steps of one model read, and what calls them."""

    def __init__(self, table: LoopTable, settings: LoopSettings, call: Call, wait: bool) -> None:
        self.table, self.settings = table, settings
        address_of(put_in_memory, call, 0, wait=wait)  # raises before anything is compiled
        held = Held(call)
        self._call = caller_of(small_run, held.kind, wait)
        self._held = [(call, held)]  # of the last two calls: what they write takes turns

    @classmethod
    def of(
        cls, model: Model, state: State, h: float, choice: SolverChoice, rules: Rules,
        store: WorldStore, *, wait: bool = True,
    ) -> Loop | None:  # fmt: skip
        """That for steps of h [s]; None where two meshes may meet, which is worth a warning.

        Raises `NotCompiledError` where kernels have to be compiled, and nobody is to `wait` for it.
        """
        contact_rules = rules.of_contacts(
            model.masses.typical_size, state.gravity, h, choice.many.exact
        )
        small, pairs, solver = model.small, model.pairs, choice.few
        assert small is not None
        detection = _detection(model, state, contact_rules, wait)
        if detection is None:
            return None
        yardstick: Yardstick = contact_rules.yardstick
        table = LoopTable(
            small.bodies, small.joints, writable(detection), np.array(model.masses.reach),
            writable(Laws(pairs.friction, pairs.restitution, pairs.compliance, pairs.damping)),
            Limits(
                contact_rules.near, contact_rules.recovery_speed, contact_rules.bounce_speed,
                contact_rules.lift_speed,
            ),
        )  # fmt: skip
        settings = LoopSettings(
            StepSettings(
                h, solver.tolerance, min(solver.max_iterations, MOST_STEPS), yardstick.least,
                yardstick.most, SLACK * contact_rules.near,
            ),
            contact_rules.near, rules.watch != "off",
            max(contact_rules.recovery_speed, 100.0 * contact_rules.slip_speed),
            model.masses.total, 0,
        )  # fmt: skip
        settings = settings._replace(small_step=_address(table, settings, store, wait))
        nothing = Orders.of(
            np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64),
            np.empty((0, table.joints.rows.target.size)),
        )  # fmt: skip
        return cls(table, settings, cls._call_of(table, settings, store, nothing), wait)

    @staticmethod
    def _call_of(
        table: LoopTable, settings: LoopSettings, store: WorldStore, orders: Orders
    ) -> Call:
        return Call(table, settings, store.inputs, store.current, store.before, *orders)

    def run(self, store: WorldStore, orders: Orders) -> None:
        """Take steps in some worlds, and note in the orders how many each took, and how it ended.

        Several worlds are shared out among threads; each takes the same steps whoever takes them.
        """
        address = self._address_of(self._call_of(self.table, self.settings, store, orders))
        if orders.which.size == 1:
            self._call(address, 0, 1)
        else:
            in_parts(orders.which.size, lambda low, high: self._call(address, low, high))

    def _address_of(self, call: Call) -> int:
        """Where a call is held in memory."""
        for known, held in self._held:
            if all(map(operator.is_, known, call)):
                return held.address
        if len(self._held) < 2:
            self._held.append((call, Held(call)))
        else:
            _, held = self._held.pop(0)
            held.put(call)
            self._held.append((call, held))
        return self._held[-1][1].address


def _detection(
    model: Model, state: State, rules: ContactRules, wait: bool
) -> DetectionTable | None:
    joined = model.joined(state)
    found = model.detector.tables([rules.near * 2.0**level for level in range(LEVELS)])
    if found.meshes_may_meet:
        return None
    parts, numbers, first = found.parts, found.numbers, found.searches[0]
    alone = parts.offset is None or parts.turn is None
    return DetectionTable(
        shapes=parts.shapes,
        shape=parts.shape,
        body=parts.body,
        offset=np.empty((0, 3)) if parts.offset is None else parts.offset,
        turn=np.empty((0, 4)) if parts.turn is None else parts.turn,
        alone=alone,
        only_spheres=found.only_spheres,
        kind=numbers.kind,
        local=numbers.local,
        first=numbers.first,
        radius=np.ascontiguousarray(parts.shapes.size[parts.shape, 0]),
        parts=first.parts,
        planes=first.parts.plane.size,
        boxes=first.boxes,
        filters=first.filters,
        grids=tuple(each.grid for each in found.searches),
        slots=np.array([each.slots for each in found.searches], dtype=np.int64),
        ranks=RANK,
        narrow=_narrow(found, model.masses.driven[parts.body], wait),
        piece=joined.welded,
        welds=joined.welds,
        nobody_meets=joined.nobody_meets,
    )


def _narrow(found: DetectorTables, driven: Flags, wait: bool) -> Longs:
    """Ranks and addresses of the kernels for pairs of kinds that a world has, (kernels, 3)."""
    parts, kind = found.parts, found.numbers.kind.astype(np.int64)
    apart = (parts.body[:, None] != parts.body) & ~(driven[:, None] & driven)
    codes = KINDS * np.minimum(kind[:, None], kind) + np.maximum(kind[:, None], kind)
    ranks = np.unique(RANK[codes[apart]])
    poses = Poses(np.zeros((1, 3)), np.zeros((1, 4)), parts.shape)
    arguments = parts.shapes, poses, np.zeros((1, 2), dtype=np.int32), 0.0, empty_slots(1)
    rows = []
    for narrow, low, high in NARROW:
        meant = isinstance(narrow, ByKernel) and ((low <= ranks) & (ranks < high)).any()
        kernel = narrow.kernel.serial if isinstance(narrow, ByKernel) else None
        address = address_of(kernel, *arguments, wait=wait) if meant else 0
        rows.append((low, high, address))
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _address(table: LoopTable, settings: LoopSettings, store: WorldStore, wait: bool) -> int:
    """Where the code of the compiled step is, for arrays of these types."""
    of, inputs = store.current, store.inputs
    joints = type(of.joints)._make(each[0] for each in of.joints)
    asked = table.joints.rows.target.copy()
    return address_of(
        small_step, table.bodies, table.joints,
        BodiesNow(
            of.position[0], of.orientation[0], of.twist[0], of.turned[0], of.twist[0],
            inputs.gravity[0],
        ),
        Found(
            of.pairs[0], of.turned[0], of.turned[0], of.turned[0], of.time, of.keys[0],
            of.pairs[0], of.keys[0], of.first[0], of.carried[0],
        ),
        table.laws, table.limits, settings.one, Targets(asked, asked), joints,
        BodiesThen(
            of.position[0], of.orientation[0], of.twist[0], of.carried[0], of.values[0],
            of.jacobian[0],
        ),
        np.empty(RESULTS), wait=wait,
    )  # fmt: skip
