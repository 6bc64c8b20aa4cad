"""Many steps of many small worlds in one compiled call.

Each step is what the staged one does: detection, the compiled step, the watch, the books of energy
and the memory of contacts. The loop of a world ends before the first step that needs anything else;
its state is then that before this step, which the staged step takes from its beginning.
"""

from __future__ import annotations

import math

import numpy as np

from amontons.dynamics.joints.coordinates import measure_all
from amontons.dynamics.joints.step import Targets
from amontons.dynamics.joints.tables import JointState
from amontons.dynamics.masses import bound_speeds
from amontons.dynamics.soundness import first_unsound, scale_to_unit
from amontons.small_worlds import books
from amontons.small_worlds import tables as at
from amontons.small_worlds.detection import small_detect
from amontons.small_worlds.linking import joining, joining_kernel
from amontons.small_worlds.pointers import call_for_number, value_in
from amontons.small_worlds.tables import BodiesNow, BodiesThen, Found
from amontons.small_worlds.worlds import STORED, TIME

_measure, _bound_speeds = measure_all.serial, bound_speeds.serial


@joining
def small_copy(to, of):
    """Copy an array of any shape."""
    there, here = to.ravel(), of.ravel()
    for i in range(here.size):
        there[i] = here[i]


@joining
def small_joints(joints, w):
    """The joints of world w."""
    return JointState(
        joints.angle[w], joints.force[w], joints.target[w], joints.command[w], joints.broken[w],
        joints.broken_by[w], joints.broken_at[w], joints.left[w], joints.overlap[w],
        joints.reaction_force[w], joints.reaction_torque[w], joints.average[w], joints.loads[w],
    )  # fmt: skip


@joining
def small_copy_joints(to, of):
    """Copy the joints of a world."""
    small_copy(to.angle, of.angle)
    small_copy(to.force, of.force)
    small_copy(to.target, of.target)
    small_copy(to.command, of.command)
    small_copy(to.broken, of.broken)
    small_copy(to.broken_by, of.broken_by)
    small_copy(to.broken_at, of.broken_at)
    small_copy(to.left, of.left)
    small_copy(to.overlap, of.overlap)
    small_copy(to.reaction_force, of.reaction_force)
    small_copy(to.reaction_torque, of.reaction_torque)
    small_copy(to.average, of.average)
    small_copy(to.loads, of.loads)


@joining
def small_copy_world(to, of, w):
    """Copy all that steps change of world w."""
    to.time[w], to.steps[w], to.contacts[w] = of.time[w], of.steps[w], of.contacts[w]
    small_copy(to.position[w], of.position[w])
    small_copy(to.orientation[w], of.orientation[w])
    small_copy(to.twist[w], of.twist[w])
    small_copy(to.turned[w], of.turned[w])
    small_copy_joints(small_joints(to.joints, w), small_joints(of.joints, w))
    small_copy(to.values[w], of.values[w])
    small_copy(to.jacobian[w], of.jacobian[w])
    count = of.contacts[w]
    small_copy(to.pairs[w, :count], of.pairs[w, :count])
    small_copy(to.keys[w, :count], of.keys[w, :count])
    small_copy(to.first[w], of.first[w])
    small_copy(to.carried[w, :count], of.carried[w, :count])
    small_copy(to.normals[w, :count], of.normals[w, :count])
    small_copy(to.margin[w], of.margin[w])
    small_copy(to.work[w], of.work[w])
    small_copy(to.holds[w], of.holds[w])
    small_copy(to.recent[w], of.recent[w])
    small_copy(to.known[w], of.known[w])
    small_copy(to.alarm[w], of.alarm[w])


@joining
def small_closing_speed(twist, reach):
    """Speed of the fastest body's surface and of the fast ones', as in `margins` [m/s]."""
    speed, count = np.empty(reach.size), 0
    _bound_speeds(twist, reach, speed)
    for i in range(speed.size):
        if speed[i] > 0.0:
            speed[count] = speed[i]
            count += 1
    if not count:
        return 0.0
    ordered = np.sort(speed[:count])
    return ordered[count - 1] + ordered[min(count - 1, int(0.95 * count))]


@joining
def small_given(table, joints, before, w, now, none):
    """Energy that commands put into servos before the step, `retargeted` [J]."""
    if not table.servos.size or not table.first.size > 1:
        return 0.0
    coordinates = table.first.size - 1
    values, jacobian = np.empty(coordinates), np.empty((coordinates, 12))
    _measure(
        table.pairs, table.first, table.terms, joints.angle.copy(), before.position[w],
        before.orientation[w], none, 0.0, values, jacobian,
    )  # fmt: skip
    return books.energy_of_retargeting(
        table.rows, table.servos, joints.command, joints.target, now, values
    )


@joining
def small_watch(table, settings, before, current, w, now, out):
    """Current ← what the watch knows after the step; whether it is a runaway."""
    if not settings.watched:
        return False
    told = np.empty(7)
    told[books.FREE], told[books.AFTER] = out[at.FREE_KINETIC], out[at.AFTER_KINETIC]
    told[books.GIVEN], told[books.BEFORE] = out[at.GIVEN], out[at.HELD_KINETIC]
    told[books.IN_SPRINGS_NOW] = out[at.ELASTIC]
    told[books.SPEED], told[books.MASS] = settings.speed, settings.mass
    if out[at.ROWS] > 0.0:
        joints = small_joints(before.joints, w)
        more = small_given(table.joints, joints, before, w, now, np.zeros((0, 6)))
        told[books.GIVEN] = out[at.GIVEN] + more
    ratio = books.judge_energy(current.recent[w], current.known[w], current.alarm[w], told)
    return ratio != 0.0


@joining
def small_book(current, w, out):
    """Current ← the books of energy after the step; returns what is stored beside bodies [J]."""
    energies = np.zeros(8)
    energies[books.KINETIC], energies[books.POTENTIAL] = (
        out[at.HELD_KINETIC],
        out[at.HELD_POTENTIAL],
    )
    energies[books.ELASTIC] = out[at.IN_CONTACTS]
    energies[books.SPRINGS_BEFORE] = out[at.SPRINGS_BEFORE]
    energies[books.SPRINGS_AFTER] = out[at.SPRINGS_AFTER]
    energies[books.OF_STIFFNESS] = out[at.OF_STIFFNESS]
    books.enter_works(
        current.work[w], current.holds[w], energies, out[at.WORK_ON_BODIES : at.WORK_OF_CONTACTS],
        out[at.WORK_OF_CONTACTS : at.WORK_OF_ROWS], out[at.WORK_OF_ROWS : at.RESULTS],
    )  # fmt: skip
    return books.hold(current.holds[w], out[at.NOW], out[at.NOW + 1])


@joining
def small_targets(asked, command):
    """Targets of rows: what motors are told, or their own."""
    now = np.empty(asked.size)
    for r in range(asked.size):
        now[r] = asked[r] if math.isnan(command[r]) else command[r]
    return now


@joining
def small_attempt(table, settings, inputs, wrench, asked, before, current, w, out):
    """Current ← world w a step later; returns `TAKEN`, or why it was not: then it is no state.

    `asked` are targets of rows as the step begins and as it ends, where nobody tells motors others.
    """
    position, orientation, twist = before.position[w], before.orientation[w], before.twist[w]
    gravity = inputs.gravity[w]
    for k in range(3):
        if not math.isfinite(gravity[k]):
            return at.UNSOUND
    if first_unsound(position, orientation, twist, inputs.force[w], inputs.torque[w]) >= 0:
        return at.UNSOUND
    joints = small_joints(current.joints, w)
    for j in range(joints.broken.size):
        if joints.broken[j]:
            return at.BREAKS
    doublings, calm = before.margin[w, 0], before.margin[w, 1]
    if not table.detection.nobody_meets:
        closing = small_closing_speed(twist, table.reach)
        doublings, calm = books.level_of_margin(
            doublings, calm, closing, settings.near, settings.one.step
        )
    unit = np.empty_like(orientation)
    scale_to_unit(orientation, unit)
    margin = settings.near * (1 << doublings)
    found, complete = small_detect(table.detection, position, unit, doublings, margin)
    if not complete:
        return at.NOT_DETECTED
    count, known = found.gaps.size, before.contacts[w]
    if count > current.keys.shape[1]:
        return at.CROWDED
    now, then = small_targets(asked[0], joints.command), small_targets(asked[1], joints.command)
    how = call_for_number(
        settings.small_step,
        (
            table.bodies, table.joints,
            BodiesNow(position, orientation, twist, before.turned[w], wrench, gravity),
            Found(
                found.bodies, found.normals, found.arms_a, found.arms_b, found.gaps, found.keys,
                before.pairs[w, :known], before.keys[w, :known], before.first[w],
                before.carried[w, :known],
            ),
            table.laws, table.limits, settings.one, Targets(now, then), joints,
            BodiesThen(
                current.position[w], current.orientation[w], current.twist[w],
                current.carried[w, :count], current.values[w], current.jacobian[w],
            ),
            out,
        ),
    )  # fmt: skip
    if how != at.TAKEN:
        return how
    if small_watch(table, settings, before, current, w, now, out):
        return at.RUNS_AWAY
    for i in range(twist.shape[0]):
        for k in range(3):
            current.turned[w, i, k] = twist[i, 3 + k]
    current.margin[w, 0], current.margin[w, 1] = doublings, calm
    current.contacts[w] = count
    small_copy(current.pairs[w, :count], found.bodies)
    small_copy(current.keys[w, :count], found.keys)
    small_copy(current.normals[w, :count], found.normals)
    small_copy(current.first[w], found.first)
    current.time[w] = before.time[w] + settings.one.step
    current.steps[w] = before.steps[w] + 1
    return at.TAKEN


@joining
def small_world(table, settings, inputs, asked, before, current, w, steps, until, records):
    """Take steps in world w, as `small_run` does; how many there were, and how that ended."""
    out, bodies = np.empty(at.RESULTS), current.position.shape[1]
    wrench, taken = np.empty((bodies, 6)), 0
    for b in range(bodies):
        for k in range(3):
            wrench[b, k], wrench[b, 3 + k] = inputs.force[w, b, k], inputs.torque[w, b, k]
    while taken < steps and current.time[w] < until:
        small_copy_world(before, current, w)
        last = asked.shape[0] - 1
        row, next_row = asked[min(taken, last)], asked[min(taken + 1, last)]
        how = small_attempt(
            table, settings, inputs, wrench, (row, next_row), before, current, w, out
        )
        if how != at.TAKEN:
            small_copy_world(current, before, w)
            return taken, how
        stored = small_book(current, w, out)
        if taken < records.shape[0]:
            record = records[taken]
            small_copy(record[: at.RESULTS], out)
            record[TIME], record[STORED] = current.time[w], stored
            small_copy(record[STORED + 1 :], current.work[w])
        taken += 1
    return taken, at.TAKEN


@joining_kernel
def small_run(call, low, high):
    """Take the steps that a `Call` at this address asks for, in worlds which[low:high].

    In world which[i] those are up to steps[i], while its time is below `until` [s]. Step k has the
    targets of rows asked[k] and asked[k + 1], or the last there are.

    Taken ← how many steps world which[i] took, how ← `TAKEN`, or why its next step was not taken.
    Before ← its state before the last step. Records ← what there is to say of each step, of a
    single world; there is none where it has no rows.
    """
    of = value_in(call)
    for i in range(low, high):
        of.taken[i], of.how[i] = small_world(
            of.table,
            of.settings,
            of.inputs,
            of.asked,
            of.before,
            of.current,
            of.which[i],
            of.steps[i],
            of.until[0],
            of.records,
        )
    return high - low
