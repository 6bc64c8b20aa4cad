"""The law of a row for the velocity after the step: its offset b, compliance E and bounds.

With Ψ the error of a coordinate, u = Ψ̇ after the step and a spring k and damper c, the force at
the end of the step is −k(Ψ + hu) − cu; its impulse γ satisfies u + Eγ + b = 0 with

    E = 1/(h(hk + c)),  b = kΨ/(hk + c),

and, as k grows without bound, E = 0 and b = Ψ/h. The inertia I of a rotor that turns with the
coordinate, at u⁻ before the step, has E = 1/I and b = −u⁻.

A coordinate is no linear function of the motion: over a step it changes by hu and, in second order,
by its bend B = Ψ(q ⊕ hv) − Ψ(q) − hJv, taken at the velocity v before the step. In rigid rows Ψ + B
stands for Ψ: points on a circle stay there (as in SHAKE), and do not go along the tangent.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from amontons._jit import routine, serial_kernel
from amontons.array_types import Flags, Floats, Ints, Longs
from amontons.dynamics.joints.measures import cross, rotation, turned

POSITION, SPEED, LIMIT, EFFORT, INERTIA = range(5)
"""Numbers of the laws of rows."""

FREE, ONE_SIDED, BOUNDED = range(3)
"""Sets of impulses, in the order in which a problem wants them."""


class JointRows(NamedTuple):
    """Rows of one step's problem: bilateral ones, then one-sided, then bounded ones.

    The velocity u = J v* + b + (N + E) γ of a bilateral row is zero.
    """

    bodies: Ints  # rows in the bodies' arrays, −1 for the world, (rows, 2)
    jacobian: Floats  # by A's linear and angular velocity, then B's, (rows, 12)
    offset: Floats  # b [m/s, rad/s], (rows,)
    compliance: Floats  # E [m/(s N s), rad/(s N m s)], (rows,)
    angular: Flags  # radians, not metres, (rows,)
    free: int
    one_sided: int
    bounded: int
    lower: Floats  # bounds of the impulses of bounded rows [N s, N m s], (bounded,)
    upper: Floats  # (bounded,)
    guess: Floats  # impulses as large as the forces of the last step, (rows,)

    def only(self, kept: Flags | Longs) -> JointRows:
        """Those of the rows, shape (rows,), or those of these numbers, in this order.

        Bilateral ones must come first, then one-sided ones.
        """
        first, last = self.free, self.free + self.one_sided
        numbers = np.flatnonzero(kept) if kept.dtype == np.bool_ else kept
        free, loose = (int(np.count_nonzero(numbers < end)) for end in (first, last))
        bounded = numbers[loose:] - last
        return JointRows(
            bodies=self.bodies[numbers],
            jacobian=self.jacobian[numbers],
            offset=self.offset[numbers],
            compliance=self.compliance[numbers],
            angular=self.angular[numbers],
            free=free,
            one_sided=loose - free,
            bounded=bounded.size,
            lower=self.lower[bounded],
            upper=self.upper[bounded],
            guess=self.guess[numbers],
        )


_NONE = np.empty(0)

NO_ROWS = JointRows(
    bodies=np.empty((0, 2), dtype=np.int32),
    jacobian=np.empty((0, 12)),
    offset=_NONE,
    compliance=_NONE,
    angular=np.empty(0, dtype=bool),
    free=0,
    one_sided=0,
    bounded=0,
    lower=_NONE,
    upper=_NONE,
    guess=_NONE,
)
"""Those of no joints at all."""


class StepArrays(NamedTuple):
    """Rows of a step as a kernel writes them: room for all, active or not."""

    order: Ints  # numbers of the active rows in the table, (all rows,)
    bodies: Ints  # (all rows, 2)
    jacobian: Floats  # (all rows, 12)
    offset: Floats  # (all rows,)
    compliance: Floats  # (all rows,)
    lower: Floats  # (all rows,)
    upper: Floats  # (all rows,)
    guess: Floats  # (all rows,)
    arm: Floats  # from B's centre of mass to the joints' points, in world axes [m], (joints, 3)
    turn: Floats  # orientation of the joints' bodies B, (joints, 4)


def room_for(rows: int, joints: int) -> StepArrays:
    """Empty arrays for the rows of a step."""
    return StepArrays(
        order=np.empty(rows, dtype=np.int32),
        bodies=np.empty((rows, 2), dtype=np.int32),
        jacobian=np.empty((rows, 12)),
        offset=np.empty(rows),
        compliance=np.empty(rows),
        lower=np.empty(rows),
        upper=np.empty(rows),
        guess=np.empty(rows),
        arm=np.empty((joints, 3)),
        turn=np.empty((joints, 4)),
    )


@routine
def rate_of(jacobian, c, a, b, twist):
    """Speed of coordinate c between bodies a and b [m/s, rad/s]."""
    rate = 0.0
    for k in range(6):
        if a >= 0:
            rate += jacobian[c, k] * twist[a, k]
        if b >= 0:
            rate += jacobian[c, 6 + k] * twist[b, k]
    return rate


@routine
def offset_of(law, stiffness, damping, motor, error, bend, margin, step, recovery_speed):
    """b of a row that holds or limits a position whose target stands still; its error is Ψ."""
    if law == LIMIT and error > margin:  # far away: bends of what is far may be anything
        return error / step
    if not math.isinf(stiffness):
        # a limit that is not reached yet is no spring
        free = law == LIMIT and error > 0.0
        return error / step if free else stiffness * error / (step * stiffness + damping)
    if not motor and error < -step * recovery_speed:
        return -recovery_speed
    if not motor and law == POSITION and error > step * recovery_speed:
        return recovery_speed
    return (error + bend) / step


@routine
def load_across(force, turn, axis):
    """Size of a force across a joint's axis, which turns with B [N]."""
    x, y, z = turned(rotation(turn), (axis[0], axis[1], axis[2]))
    along = force[0] * x + force[1] * y + force[2] * z
    a, b, c = force[0] - along * x, force[1] - along * y, force[2] - along * z
    return math.sqrt(a * a + b * b + c * c)


@serial_kernel
def assemble_rows(
    rows, joints, state, pairs, measured, ahead, orientation, twist, targets, step, recovery_speed,
    out,
):  # fmt: skip
    """Out ← the rows that are active in this step, by their sets; returns how many of each.

    Rows of broken joints are not. A limit is where it is near: within its margin, or within reach
    at twice the present speed. Coordinates are `measured` now, and `ahead` are their values after
    a step at the present speed.
    """
    values, jacobian = measured.values, measured.jacobian
    now, then = targets.now, targets.then
    for j in range(joints.id.size):
        b = joints.bodies[j, 1]
        arm = (joints.point[j, 0], joints.point[j, 1], joints.point[j, 2])
        turn = (1.0, 0.0, 0.0, 0.0)
        if b >= 0:
            q = orientation[b]
            turn = (q[0], q[1], q[2], q[3])
            arm = turned(rotation(turn), arm)
        for k in range(3):
            out.arm[j, k] = arm[k]
        for k in range(4):
            out.turn[j, k] = turn[k]
    count = 0
    counts = np.zeros(3, dtype=np.int64)
    for kind in range(3):
        for r in range(rows.set.size):
            if rows.set[r] != kind or state.broken[rows.joint[r]]:
                continue
            c, sign = rows.coordinate[r], rows.sign[r]
            a, b = pairs[c, 0], pairs[c, 1]
            error = sign * (values[c] - now[r])
            law, offset = rows.law[r], 0.0
            if law == SPEED:
                offset = -then[r]
            elif law == INERTIA:  # γ = −I (u⁺ − u): u⁺ + γ/I − u = 0
                offset = -rate_of(jacobian, c, a, b, twist)
            elif law != EFFORT:
                rate = rate_of(jacobian, c, a, b, twist)
                if law == LIMIT and error > rows.margin[r] + 2.0 * step * abs(rate):
                    continue
                offset = offset_of(
                    law, rows.stiffness[r], rows.damping[r], rows.motor[r], error,
                    sign * (ahead[c] - values[c] - step * rate), rows.margin[r], step,
                    recovery_speed,
                ) - sign * (then[r] - now[r]) / step  # fmt: skip
            out.order[count] = r
            out.bodies[count, 0], out.bodies[count, 1] = a, b
            for i in range(12):
                out.jacobian[count, i] = sign * jacobian[c, i]
            out.offset[count] = offset
            out.compliance[count] = 1.0 / (step * (step * rows.stiffness[r] + rows.damping[r]))
            if law == INERTIA:
                out.compliance[count] = 1.0 / rows.inertia[r]
            guess = step * state.force[r]
            if kind == BOUNDED:
                high = step * rows.bound[r]
                if rows.per_load[r] > 0.0:  # of the load in the step before
                    j, t = rows.joint[r], out.turn[rows.joint[r]]
                    load = load_across(
                        state.reaction_force[j], (t[0], t[1], t[2], t[3]), joints.axis[j]
                    )
                    high += step * rows.per_load[r] * load
                low = -high
                if law == EFFORT:
                    low = high = max(low, min(high, step * now[r]))
                out.lower[count], out.upper[count] = low, high
                guess = max(low, min(high, guess))
            out.guess[count] = guess
            count += 1
            counts[kind] += 1
    return counts[0], counts[1], counts[2]


@serial_kernel
def speeds_of_targets(rows, order, targets, step, speeds):
    """Speeds ← how fast the targets of a step's rows move [m/s, rad/s]."""
    now, then = targets.now, targets.then
    for i in range(order.size):
        r = order[i]
        law = rows.law[r]
        if law == SPEED:
            speeds[i] = then[r]
        elif law == EFFORT:
            speeds[i] = 0.0
        else:
            speeds[i] = rows.sign[r] * (then[r] - now[r]) / step


@serial_kernel
def share_out(impulses, order, jacobian, arm, step, rows, state):
    """Forces of the rows, and the joints' reactions on B about their points, from impulses."""
    state.force[:] = 0.0
    state.reaction_force[:] = 0.0
    state.reaction_torque[:] = 0.0
    for i in range(order.size):
        r = order[i]
        j, force = rows.joint[r], impulses[i] / step
        state.force[r] = force
        for k in range(3):
            state.reaction_force[j, k] += force * jacobian[i, 6 + k]
            state.reaction_torque[j, k] += force * jacobian[i, 9 + k]
    for j in range(arm.shape[0]):
        f = state.reaction_force[j]
        moment = cross((arm[j, 0], arm[j, 1], arm[j, 2]), (f[0], f[1], f[2]))
        for k in range(3):
            state.reaction_torque[j, k] -= moment[k]
