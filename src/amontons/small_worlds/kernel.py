"""The compiled step: what the staged step does to a small world, stage by stage, in one call.

It calls the very kernels of the stages, in their order, so that it gives the same bits. Whatever
needs a second solve, a word to the user or rare arithmetic ends it at once, before anything has
changed; then the staged step, `amontons.simulation.step`, takes the step from its beginning.
"""

from __future__ import annotations

import math

import numpy as np

from amontons.collision.memory import find_matches, gather_values
from amontons.dynamics.contact_laws import (
    BodiesAtStart,
    ContactPlaces,
    contact_kernel,
    late_hits,
)
from amontons.dynamics.energy import mechanics_kernel
from amontons.dynamics.energy_ledger import (
    Inertias,
    Velocities,
    work_of_contacts,
    work_of_rows,
    work_on_bodies,
)
from amontons.dynamics.free_velocity import free_velocities
from amontons.dynamics.integration import advance
from amontons.dynamics.joints.breaking import take_loads
from amontons.dynamics.joints.coordinates import Measured, measure_all
from amontons.dynamics.joints.law import (
    JointRows,
    StepArrays,
    assemble_rows,
    share_out,
    speeds_of_targets,
)
from amontons.dynamics.joints.readings import largest_rigid_error, servo_energy, spring_energy
from amontons.dynamics.joints.stiffness import Taut, steady_spins, stiffen_bodies, work_of_stiffness
from amontons.dynamics.masses import largest_travel
from amontons.dynamics.supplied_work import work_through_rows
from amontons.small_worlds.linking import joining, joining_kernel
from amontons.small_worlds.problem import (
    small_impulses,
    small_problem,
    small_product,
    small_solution,
)
from amontons.small_worlds.tables import (
    AFTER_KINETIC,
    BOUNCES,
    BREAKS,
    CONTACTS,
    ELASTIC,
    FREE_KINETIC,
    GIVEN,
    HELD_KINETIC,
    HELD_POTENTIAL,
    IDLE_ROWS,
    IN_CONTACTS,
    JOINT_ERROR,
    LATE_HITS,
    NOT_FINITE,
    NOW,
    OF_STIFFNESS,
    OVERLAPS,
    PENETRATION,
    RESIDUAL,
    ROWS,
    SPRINGS_AFTER,
    SPRINGS_BEFORE,
    STEPS,
    SURGES,
    TAKEN,
    TOO_LARGE,
    TRAVELS,
    WORK_OF_CONTACTS,
    WORK_OF_ROWS,
    WORK_ON_BODIES,
)
from amontons.solvers.direct.method import MOST_OTHERS, MOST_ROWS

_free_velocities, _mechanics, _advance = (
    free_velocities.serial, mechanics_kernel.serial, advance.serial,
)  # fmt: skip
_measure, _contact_kernel, _late_hits = measure_all.serial, contact_kernel.serial, late_hits.serial
_work_on_bodies, _work_of_contacts = work_on_bodies.serial, work_of_contacts.serial
_work_of_rows, _matches, _gather = work_of_rows.serial, find_matches.serial, gather_values.serial

SLIGHT, MENDED, PARTING = 0.01, 1e-4, 7
"""As in `simulation.overlaps` and `simulation.step_solution`; a test compares them."""

SURGE = 4.0
"""As in `simulation.singular`."""


@joining
def small_room_for_rows(rows, joints):
    """Empty arrays for the rows of a step, as `law.room_for` makes them."""
    return StepArrays(
        np.empty(rows, np.int32), np.empty((rows, 2), np.int32), np.empty((rows, 12)),
        np.empty(rows), np.empty(rows), np.empty(rows), np.empty(rows), np.empty(rows),
        np.empty((joints, 3)), np.empty((joints, 4)),
    )  # fmt: skip


@joining
def small_rows(joined, now, steady, state, targets, step, measured):
    """Rows of the joints that act in this step, and the room they are in.

    Coordinates bend as velocities `steady` say, (bodies, 6).
    """
    made = small_room_for_rows(joined.rows.law.size, joined.joints.id.size)
    coordinates = joined.first.size - 1
    free, one_sided, bounded = 0, 0, 0
    if joined.joints.id.size:
        none = np.zeros((0, 6))
        if coordinates:
            _measure(
                joined.pairs, joined.first, joined.terms, state.angle, now.position,
                now.orientation, none, 0.0, measured.values, measured.jacobian,
            )  # fmt: skip
        ahead, other = np.empty(coordinates), np.empty((coordinates, 12))
        if coordinates:
            _measure(
                joined.pairs, joined.first, joined.terms, state.angle.copy(), now.position,
                now.orientation, steady, step, ahead, other,
            )  # fmt: skip
        free, one_sided, bounded = assemble_rows(
            joined.rows, joined.joints, state, joined.pairs, measured, ahead, now.orientation,
            steady, targets, step, np.inf, made,
        )  # fmt: skip
    count, first = free + one_sided + bounded, free + one_sided
    angular = np.empty(count, np.bool_)
    for i in range(count):
        angular[i] = joined.angular[joined.rows.coordinate[made.order[i]]]
    rows = JointRows(
        made.bodies[:count], made.jacobian[:count], made.offset[:count], made.compliance[:count],
        angular, free, one_sided, bounded, made.lower[first:count], made.upper[first:count],
        made.guess[:count],
    )  # fmt: skip
    return rows, made


@joining
def small_taut(bodies):
    """Room for what joints that are taut do to bodies."""
    return Taut(np.empty(bodies, np.int64), np.empty((bodies, 3, 3)), np.empty((bodies, 6)))


@joining
def small_memory(found):
    """What the contacts carried in the last step, zero for new ones, (contacts, 8)."""
    count = found.gaps.size
    memory = np.zeros((count, 8))
    if count and found.old_keys.size:
        matches = np.empty(count, np.int64)
        _matches(
            found.bodies, found.keys, found.old_first, found.old_bodies, found.old_keys, matches
        )
        _gather(matches, found.old_values, memory)
    return memory


@joining
def small_overlaps(found, memory, span):
    """Whether any contact overlaps so that its bodies are to be parted."""
    for c in range(found.gaps.size):
        if found.gaps[c] < 0.0:
            a, b = found.bodies[c, 0], found.bodies[c, 1]
            depth = -found.gaps[c] / min(span[a], span[b])
            if depth > SLIGHT or (memory[c, PARTING] > 0.0 and depth > MENDED):
                return True
    return False


@joining
def small_contacts(found, keep, friction, offset, guess):
    """The contacts that act, and what is known of each."""
    count = 0
    for c in range(keep.size):
        count += keep[c]
    bodies, gaps = np.empty((count, 2), np.int32), np.empty(count)
    normals, arms_a, arms_b = np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3))
    mu, b, first = np.empty(count), np.empty(count), np.empty((count, 3))
    i = 0
    for c in range(keep.size):
        if keep[c]:
            bodies[i], gaps[i], mu[i], b[i] = found.bodies[c], found.gaps[c], friction[c], offset[c]
            for k in range(3):
                normals[i, k] = found.normals[c, k]
                arms_a[i, k], arms_b[i, k] = found.arms_a[c, k], found.arms_b[c, k]
                first[i, k] = guess[c, k]
            i += 1
    return ContactPlaces(bodies, normals, arms_a, arms_b, gaps), mu, b, first


@joining
def small_sums(table, position, orientation, twist, gravity, out):
    """out[:8] ← energy and momentum of all bodies."""
    partial = np.zeros((1, 8))
    _mechanics(position, orientation, twist, table.mass, table.inertia, gravity, partial)
    for k in range(8):
        out[k] = partial[0, k]


@joining
def small_work(table, joined, now, then, laws, limits, settings, moving, solved, targets, out):
    """Work of a step by what does it, of bodies, contacts and rows."""
    free, velocity, taut = moving
    if taut.rows.size:  # v* as it was before
        free = free.copy()
        for i in range(taut.rows.size):
            for k in range(6):
                free[taut.rows[i], k] = taut.free[i, k]
    places, impulses, rows, of_rows, order = solved
    step = settings.step
    mean, partial = np.empty_like(velocity), np.empty((1, 4))
    _work_on_bodies(
        Velocities(now.twist, now.twist, free, velocity, then.twist),
        Inertias(table.mass, table.inertia, table.even, table.inverse_mass), now.wrench,
        now.gravity, now.orientation, then.orientation, settings.dragged, step, mean,
        partial,
    )  # fmt: skip
    for k in range(4):
        out[WORK_ON_BODIES + k] = partial[0, k]
    if taut.rows.size:
        out[OF_STIFFNESS] = work_of_stiffness(mean, taut.added, velocity, taut.rows)
    if places.gaps.size:
        of_contacts = np.empty((1, 9))
        _work_of_contacts(
            places, impulses, np.empty(0), table.material, laws.compliance, laws.damping, mean,
            velocity, table.inverse_mass, limits.recovery, step, of_contacts,
        )  # fmt: skip
        for k in range(8):
            out[WORK_OF_CONTACTS + k] = of_contacts[0, k]
        out[IN_CONTACTS] = of_contacts[0, 8]
    if of_rows.size:
        by_cause = np.empty((1, 8))
        _work_of_rows(
            rows, of_rows, order, joined.kind, joined.rows, targets, mean, velocity,
            table.inverse_mass, step, by_cause,
        )  # fmt: skip
        for k in range(8):
            out[WORK_OF_ROWS + k] = by_cause[0, k]


@joining_kernel
def small_step(table, joined, now, found, laws, limits, settings, targets, state, then, out):
    """Then and state ← bodies and joints a step later; returns `TAKEN`, or why it was not.

    `state` comes in as the joints are, in arrays to be overwritten. Out ← `RESULTS` numbers.
    """
    h, bodies = settings.step, table.mass.size
    out[:] = 0.0
    # v* = v + h M⁻¹ f
    free, inverse_inertia = np.empty((bodies, 6)), np.empty((bodies, 3, 3))
    _free_velocities(
        now.orientation, now.twist, now.wrench, table.inverse_mass, table.own_inverse, table.even,
        now.gravity, h, free, inverse_inertia,
    )  # fmt: skip
    sums = np.empty(8)
    small_sums(table, now.position, now.orientation, free, now.gravity, sums)
    out[FREE_KINETIC] = sums[0]
    taut = small_taut(bodies)
    found_taut, steady = 0, now.twist
    if joined.joints.id.size:
        found_taut = stiffen_bodies(
            joined.joints, state.reaction_force, now.position, now.orientation, free,
            inverse_inertia, h, taut.rows, taut.added, taut.free,
        )  # fmt: skip
    taut = Taut(taut.rows[:found_taut], taut.added[:found_taut], taut.free[:found_taut])
    if found_taut:
        steady = now.twist.copy()
        steady_spins(now.twist, now.turned, taut.rows, steady)
    # the rows of joints and of contacts
    coordinates = joined.first.size - 1
    measured = Measured(np.empty(coordinates), np.empty((coordinates, 12)))
    rows, made = small_rows(joined, now, steady, state, targets, h, measured)
    for i in range(rows.offset.size):
        if not (table.mobile[rows.bodies[i, 0]] or table.mobile[rows.bodies[i, 1]]):
            return IDLE_ROWS
    memory, count = small_memory(found), found.gaps.size
    if small_overlaps(found, memory, table.span):
        return OVERLAPS
    keep, bounces = np.empty(count, np.bool_), np.empty(count, np.bool_)
    hit, mu, b, soft = np.zeros(count, np.bool_), np.empty(count), np.empty(count), np.empty(count)
    all_places = ContactPlaces(found.bodies, found.normals, found.arms_a, found.arms_b, found.gaps)
    if count:
        _contact_kernel(
            all_places, BodiesAtStart(now.twist, free, table.mobile, table.material), laws, limits,
            h, hit, keep, mu, b, soft, bounces,
        )  # fmt: skip
    for c in range(count):
        if keep[c] and bounces[c]:
            return BOUNCES
    places, friction, offset, guess = small_contacts(found, keep, mu, b, memory)
    acting, scalars = places.gaps.size, rows.offset.size
    if acting * 3 + scalars > MOST_ROWS or acting * 3 + scalars - rows.free > MOST_OTHERS:
        return TOO_LARGE
    # v⁺ = v* + M⁻¹ D γ
    status, problem = small_problem(
        table, table.gyration, inverse_inertia, places, friction, offset, rows, free, settings
    )
    x, change = np.empty(3 * acting + scalars), np.zeros((bodies, 6))
    if x.size:
        if status != TAKEN:
            return status
        for c in range(acting):
            for k in range(3):
                x[k * acting + c] = h * guess[c, k]
        for i in range(scalars):
            x[3 * acting + i] = rows.guess[i]
        for i in range(x.size):
            x[i] = x[i] / problem.factors[i]
        status, out[RESIDUAL], out[STEPS] = small_solution(problem, settings, x, change)
        if status != TAKEN:
            return status
        small_impulses(problem, x, change)
    else:
        small_product(problem.even, problem.sets, problem.compliance, x, change, np.empty(0))
    velocity = np.empty((bodies, 6))
    for i in range(bodies):
        for k in range(6):
            velocity[i, k] = free[i, k] + change[i, k]
            if not math.isfinite(velocity[i, k]):
                return NOT_FINITE
    if acting < count and _late_hits(all_places, velocity, h, settings.slack, keep, hit):
        return LATE_HITS
    small_sums(table, now.position, now.orientation, velocity, now.gravity, sums)
    out[AFTER_KINETIC] = sums[0]
    if scalars and out[AFTER_KINETIC] > SURGE * out[FREE_KINETIC]:
        return SURGES
    if h * largest_travel(velocity, table.span) > 1.0:
        return TRAVELS
    small_sums(table, now.position, now.orientation, now.twist, now.gravity, sums)
    out[HELD_KINETIC], out[HELD_POTENTIAL] = sums[0], sums[1]
    # q⁺ = q ⊕ h v⁺
    _advance(
        now.position, now.orientation, velocity, table.inertia, table.even, table.driven, h,
        then.position, then.orientation, then.twist,
    )  # fmt: skip
    of_rows, impulses = x[3 * acting :], np.empty((acting, 3))
    for c in range(acting):
        for k in range(3):
            impulses[c, k] = x[k * acting + c]
    if joined.joints.id.size:
        lines = np.empty((joined.lines.size, 3))
        for i in range(joined.lines.size):
            for k in range(3):
                lines[i, k] = measured.jacobian[joined.lines[i], 6 + k]
        broken, values = state.broken, measured.values
        out[SPRINGS_BEFORE] = spring_energy(
            joined.rows, joined.sprung, joined.most, values, targets.now, broken
        )
        out[ELASTIC] = out[SPRINGS_BEFORE]
        if joined.servos.size:
            out[ELASTIC] += servo_energy(joined.rows, joined.servos, values, targets.now)
        order = made.order[: of_rows.size]
        share_out(of_rows, order, rows.jacobian, made.arm, h, joined.rows, state)
        if take_loads(joined.joints, state, made.turn, joined.owners, lines, h):
            return BREAKS
        for i in range(targets.then.size):
            state.target[i] = targets.then[i]
        if coordinates:
            _measure(
                joined.pairs, joined.first, joined.terms, state.angle, then.position,
                then.orientation, np.zeros((0, 6)), 0.0, then.values, then.jacobian,
            )  # fmt: skip
        out[SPRINGS_AFTER] = spring_energy(
            joined.rows, joined.sprung, joined.most, then.values, state.target, broken
        )
        out[JOINT_ERROR] = largest_rigid_error(
            joined.rows, joined.rigid, joined.most, then.values, state.target, broken
        )
        if of_rows.size and (rows.bounded or joined.driving):
            speeds = np.empty(of_rows.size)
            speeds_of_targets(joined.rows, order, targets, h, speeds)
            out[GIVEN] = work_through_rows(
                rows, of_rows, speeds, velocity, np.zeros(bodies, np.bool_)
            )
    small_work(
        table, joined, now, then, laws, limits, settings, (free, velocity, taut),
        (places, impulses, rows, of_rows, made.order[: of_rows.size]), targets, out,
    )  # fmt: skip
    small_sums(table, then.position, then.orientation, then.twist, now.gravity, out[NOW:])
    # what contacts remember
    then.carried[:] = 0.0
    i, lowest = 0, 0.0
    for c in range(count):
        lowest = min(lowest, found.gaps[c])
        if keep[c]:
            for k in range(3):
                then.carried[c, k] = impulses[i, k] / h
            i += 1
    out[PENETRATION] = -lowest if lowest < 0.0 else 0.0
    out[CONTACTS], out[ROWS] = acting, scalars
    return TAKEN
