"""One step of joints: coordinates, rows of the problem, and what their impulses do.

Everything here is a function of a `JointModel` and a `JointState`, and changes neither.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from amontons.array_types import Floats, Ints
from amontons.checks import finite
from amontons.dynamics.energy_ledger import OF_JOINTS, room_for_sums, total_of, work_of_rows
from amontons.dynamics.joints.breaking import take_loads
from amontons.dynamics.joints.coordinates import Measured, measure_all
from amontons.dynamics.joints.law import (
    NO_ROWS,
    JointRows,
    assemble_rows,
    room_for,
    share_out,
    speeds_of_targets,
)
from amontons.dynamics.joints.model import JointModel
from amontons.dynamics.joints.tables import JointState

NO_TWIST = np.zeros((0, 6))


class Targets(NamedTuple):
    """Targets of all rows at the beginning and at the end of a step, shape (rows,)."""

    now: Floats
    then: Floats


class JointStep(NamedTuple):
    """The rows of a step, and what their impulses are shared out by."""

    rows: JointRows
    order: Ints  # numbers of the rows in the table, (rows,)
    arm: Floats  # from B's centre of mass to the joints' points [m], (joints, 3)
    turn: Floats  # orientation of the joints' bodies B, (joints, 4)
    lines: Floats  # directions of the joints that have no axis but a line, (lines, 3)
    targets: Targets
    measured: Measured  # coordinates at the start
    step: float  # its length [s]
    retargeted: float  # energy that commands put into servos before it, by moving their rest [J]


_NO_TARGETS = Targets(np.empty(0), np.empty(0))
_NO_COORDINATES = Measured(np.empty(0), np.empty((0, 12)))
NO_JOINTS = JointStep(
    rows=NO_ROWS,
    order=np.empty(0, dtype=np.int32),
    arm=np.empty((0, 3)),
    turn=np.empty((0, 4)),
    lines=np.empty((0, 3)),
    targets=_NO_TARGETS,
    measured=_NO_COORDINATES,
    step=0.0,
    retargeted=0.0,
)


def measure(
    model: JointModel,
    angle: Floats,
    position: Floats,
    orientation: Floats,
    twist: Floats = NO_TWIST,
    step: float = 0.0,
) -> tuple[Floats, Measured]:
    """All coordinates and their derivatives at these poses, or a step [s] further on.

    Angles over full turns go on from the last ones, `angle`, the nearer way; those found come
    first, shape (terms,).
    """
    count, bodies = model.first.size - 1, model.tables.coordinates.bodies
    if not count:
        return angle, _NO_COORDINATES
    out, counted = Measured(np.empty(count), np.empty((count, 12))), angle.copy()
    measure_all.sized(count)(
        bodies, model.first, model.tables.terms, counted, position, orientation, twist, step, *out
    )
    return counted, out


def joint_rows(
    model: JointModel,
    state: JointState,
    position: Floats,
    orientation: Floats,
    twist: Floats,
    time: float,
    step: float,
    recovery_speed: float = math.inf,
) -> tuple[JointState, JointStep]:
    """Rows of the problem of the step from `time` on [s], of length `step` [s].

    Rigid joints mend their errors at no more than `recovery_speed` [m/s, rad/s]. The state that
    comes with the rows has the targets and the angles at the beginning of the step.
    """
    if not model.joints:
        return state, NO_JOINTS
    targets = targets_of(model, state, time, step)
    angle, measured = measure(model, state.angle, position, orientation)
    # how turns are counted must not change by what lies ahead
    _, ahead = measure(model, angle, position, orientation, twist, step)
    t = model.tables
    made = room_for(t.rows.law.size, t.joints.id.size)
    free, one_sided, bounded = assemble_rows(
        t.rows, t.joints, state, t.coordinates.bodies, measured, ahead.values, orientation, twist,
        targets, step, recovery_speed, made,
    )  # fmt: skip
    count = free + one_sided + bounded
    rows = JointRows(
        bodies=made.bodies[:count],
        jacobian=made.jacobian[:count],
        offset=made.offset[:count],
        compliance=made.compliance[:count],
        angular=t.coordinates.angular[t.rows.coordinate[made.order[:count]]],
        free=free,
        one_sided=one_sided,
        bounded=bounded,
        lower=made.lower[free + one_sided : count],
        upper=made.upper[free + one_sided : count],
        guess=made.guess[:count],
    )
    lines = measured.jacobian[model.chosen.lines, 6:9]
    found = JointStep(
        rows, made.order[:count], made.arm, made.turn, lines, targets, measured, step,
        retargeted(model, state, targets, measured.values),
    )  # fmt: skip
    return state._replace(angle=angle, target=targets.now), found


def target_speeds(model: JointModel, found: JointStep) -> Floats:
    """How fast the targets of a step's rows move [m/s, rad/s], shape (rows,)."""
    speeds = np.empty(found.order.size)
    speeds_of_targets(model.tables.rows, found.order, found.targets, found.step, speeds)
    return speeds


def loaded(
    model: JointModel, state: JointState, found: JointStep, impulses: Floats
) -> tuple[JointState, list[int]]:
    """The state after a step with these impulses, shape (rows,), and the ids of what broke.

    Broken joints stay in all readings, and carry nothing any more.
    """
    if not model.joints:
        return state, []
    new = state._replace(
        force=np.empty_like(state.force),
        target=found.targets.then,
        broken=state.broken.copy(),
        broken_by=state.broken_by.copy(),
        broken_at=state.broken_at.copy(),
        left=state.left.copy(),
        reaction_force=np.empty_like(state.reaction_force),
        reaction_torque=np.empty_like(state.reaction_torque),
        average=state.average.copy(),
        loads=np.empty_like(state.loads),
    )
    rows, joints = model.tables.rows, model.tables.joints
    share_out(impulses, found.order, found.rows.jacobian, found.arm, found.step, rows, new)
    owners = model.tables.coordinates.joint[model.chosen.lines]
    if not take_loads(joints, new, found.turn, owners, found.lines, found.step):
        return new, []
    new.force[new.broken[rows.joint]] = 0.0
    return new, [int(id) for id in joints.id[new.broken & ~state.broken]]


def work_of_joints(
    model: JointModel,
    found: JointStep,
    impulses: Floats,
    mean: Floats,
    after: Floats,
    inverse_mass: Floats,
) -> list[float]:
    """Work of the impulses of a step's rows, by cause as in `OF_JOINTS` [J].

    `mean` and `after` are the mean velocities over the step and those after it, (bodies, 6).
    """
    partial = room_for_sums(impulses.size, len(OF_JOINTS))
    work_of_rows.sized(impulses.size)(
        found.rows, impulses, found.order, model.chosen.kind, model.tables.rows, found.targets,
        mean, after, inverse_mass, found.step, partial,
    )  # fmt: skip
    return total_of(partial)


def targets_of(model: JointModel, state: JointState, time: float, step: float) -> Targets:
    """Targets of a step from `time` on [s]; what a motor is told holds for the whole step."""
    now = model.tables.rows.target
    told = ~np.isnan(state.command)
    if told.any():
        now = np.where(told, state.command, now)
    if not model.tables.functions:
        return Targets(now, now)
    now = now.copy()
    then = now.copy()
    for row, function in model.tables.functions:
        if not told[row]:
            now[row] = _asked(model, row, function, time)
            then[row] = _asked(model, row, function, time + step)
    return Targets(now, then)


def retargeted(model: JointModel, state: JointState, targets: Targets, values: Floats) -> float:
    """Energy ½k(Ψ² − Ψ'²) that servos have since commands moved their rest from Ψ' to Ψ [J]."""
    rows, servos = model.tables.rows, model.chosen.servos
    servos = servos[~np.isnan(state.command[servos])]
    if not servos.size:
        return 0.0
    value, before = values[rows.coordinate[servos]], state.target[servos]
    before = np.where(np.isnan(before), targets.now[servos], before)
    change = (value - targets.now[servos]) ** 2 - (value - before) ** 2
    return float(np.cumsum(0.5 * rows.stiffness[servos] * change)[-1])  # one after the other


def _asked(model: JointModel, row: int, function: Any, time: float) -> float:
    title = model.joints[model.tables.rows.joint[row]].title
    return finite(f"the function of time of {title}, at {time:g} s,", function(time))
