"""The states of several worlds in arrays that begin with an axis of worlds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats, Ints, Longs
from amontons.dynamics.contact_laws import Laws, Limits
from amontons.dynamics.energy_ledger import CAUSES
from amontons.dynamics.joints.tables import JointState
from amontons.small_worlds.detection import DetectionTable
from amontons.small_worlds.tables import RESULTS, BodyTable, JointTable, StepSettings

CARRIED = 8
"""Numbers that a contact carries on, as in `simulation.step_solution`; a test compares them."""


class WorldArrays(NamedTuple):
    """What steps change in worlds, as in `State`."""

    time: Floats  # [s], (worlds,)
    steps: Longs  # (worlds,)
    position: Floats  # (worlds, bodies, 3)
    orientation: Floats  # (worlds, bodies, 4)
    twist: Floats  # (worlds, bodies, 6)
    turned: Floats  # (worlds, bodies, 3)
    joints: JointState  # each array with an axis of worlds first
    values: Floats  # of the joints' coordinates, (worlds, coordinates)
    jacobian: Floats  # (worlds, coordinates, 12)
    contacts: Longs  # how many there are, (worlds,)
    pairs: Ints  # bodies of contacts, (worlds, most, 2)
    keys: NDArray[np.uint64]  # of contacts, (worlds, most)
    first: Longs  # where contacts of bodies begin, (worlds, bodies + 1)
    carried: Floats  # by contacts, (worlds, most, 8)
    normals: Floats  # of contacts in the last step, (worlds, most, 3)
    margin: Longs  # doublings and calm, (worlds, 2)
    work: Floats  # by cause, (worlds, causes)
    holds: Floats  # held, in loads, in springs, in contacts, (worlds, 4)
    recent: Floats  # (worlds, 10, 2)
    known: Floats  # supplied, peak, last, (worlds, 3)
    alarm: Longs  # strikes, changed, (worlds, 2)


class WorldInputs(NamedTuple):
    """What acts on worlds from outside."""

    force: Floats  # (worlds, bodies, 3)
    torque: Floats  # (worlds, bodies, 3)
    gravity: Floats  # (worlds, 3)


class LoopTable(NamedTuple):
    """What all worlds have in common."""

    bodies: BodyTable
    joints: JointTable
    detection: DetectionTable
    reach: Floats  # of bodies [m], (bodies,)
    laws: Laws
    limits: Limits


class LoopSettings(NamedTuple):
    """Numbers that rule the steps of a loop."""

    one: StepSettings
    near: float  # [m]
    watched: bool  # whether energy is
    speed: float  # of recovery, as the watch has it [m/s]
    mass: float  # of all that moves [kg]
    small_step: int  # address


class Call(NamedTuple):
    """What a loop reads and writes: see `loop.small_run`."""

    table: LoopTable
    settings: LoopSettings
    inputs: WorldInputs
    current: WorldArrays
    before: WorldArrays
    which: Longs  # worlds
    steps: Longs  # of each at most
    until: Floats  # [s], (1,)
    asked: Floats  # targets of rows, (steps + 1, rows) or (1, rows)
    taken: Longs  # steps of each
    how: Longs  # the last attempt of each ended
    records: Floats  # (steps, RECORDED), or (0, RECORDED)


TIME, STORED = RESULTS, RESULTS + 1
RECORDED = RESULTS + 2 + len(CAUSES)
"""Columns of a record: the results of a step, its end, energy stored beside, and work by cause."""


def room_for_worlds(
    worlds: int, bodies: int, joints: JointState, coordinates: int, most: int
) -> WorldArrays:
    """Arrays for so many worlds with joints such as these and at most `most` contacts, zeros."""
    shape = (worlds, bodies)
    return WorldArrays(
        time=np.zeros(worlds),
        steps=np.zeros(worlds, dtype=np.int64),
        position=np.zeros((*shape, 3)),
        orientation=np.zeros((*shape, 4)),
        twist=np.zeros((*shape, 6)),
        turned=np.zeros((*shape, 3)),
        joints=JointState._make(
            np.zeros((worlds, *each.shape), dtype=each.dtype) for each in joints
        ),
        values=np.zeros((worlds, coordinates)),
        jacobian=np.zeros((worlds, coordinates, 12)),
        contacts=np.zeros(worlds, dtype=np.int64),
        pairs=np.zeros((worlds, most, 2), dtype=np.int32),
        keys=np.zeros((worlds, most), dtype=np.uint64),
        first=np.zeros((worlds, bodies + 1), dtype=np.int64),
        carried=np.zeros((worlds, most, CARRIED)),
        normals=np.zeros((worlds, most, 3)),
        margin=np.zeros((worlds, 2), dtype=np.int64),
        work=np.zeros((worlds, len(CAUSES))),
        holds=np.zeros((worlds, 4)),
        recent=np.zeros((worlds, 10, 2)),
        known=np.zeros((worlds, 3)),
        alarm=np.zeros((worlds, 2), dtype=np.int64),
    )
