"""Kernels of bonds: how far beams are strained, and the rows of the problem that they make.

A beam's axes turn with the mean of its two ends, and forces act at the mean of the two places of
its middle: so both bodies feel the opposite of each other, and momentum is kept to rounding. The
coordinates are the shift of B's middle against A's along these axes and 2 sin(θ/2) of the turn
between them; their derivatives are exact but for θ².
"""

from __future__ import annotations

import math
from typing import NamedTuple

from amontons._jit import CHUNK, kernel, prange, routine
from amontons.array_types import Floats
from amontons.dynamics.joints.coordinates import moved_on
from amontons.dynamics.joints.measures import cross, dot, inverse, plus, product, rotation, turned


class BondArrays(NamedTuple):
    """Six rows for each bond that holds, as a kernel writes them."""

    jacobian: Floats  # by A's linear and angular velocity, then B's, (6 bonds, 12)
    strain: Floats  # shifts and turns at the start [m, rad], (bonds, 6)
    offset: Floats  # b [m/s, rad/s], (6 bonds,)


@routine
def strained(xa, qa, xb, qb, point_a, point_b, frame_a, frame_b):
    """Strain of a beam between two poses, its axes as a matrix by rows, and where its middle is."""
    ma = plus(turned(rotation(qa), point_a), 1.0, xa)
    mb = plus(turned(rotation(qb), point_b), 1.0, xb)
    first = product(qa, frame_a)
    w, x, y, z = product(inverse(first), product(qb, frame_b))
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    size = 1.0 / math.sqrt(2.0 * (1.0 + w))
    R = rotation(product(first, ((1.0 + w) * size, x * size, y * size, z * size)))
    d = plus(mb, -1.0, ma)
    shift0 = R[0] * d[0] + R[3] * d[1] + R[6] * d[2]
    shift1 = R[1] * d[0] + R[4] * d[1] + R[7] * d[2]
    shift2 = R[2] * d[0] + R[5] * d[1] + R[8] * d[2]
    return (shift0, shift1, shift2, 2.0 * x, 2.0 * y, 2.0 * z), R, plus(ma, 0.5, d)


@kernel
def measure_bonds(which, beams, position, orientation, strain):
    """Strain ← shifts and turns of some bonds [m, rad], shape (those, 6)."""
    x, q, pa, pb, fa, fb = (
        position, orientation, beams.point_a, beams.point_b, beams.frame_a, beams.frame_b,
    )  # fmt: skip
    for i in prange(which.size):
        n = which[i]
        a, b = beams.bodies[n, 0], beams.bodies[n, 1]
        now, _, _ = strained(
            (x[a, 0], x[a, 1], x[a, 2]), (q[a, 0], q[a, 1], q[a, 2], q[a, 3]),
            (x[b, 0], x[b, 1], x[b, 2]), (q[b, 0], q[b, 1], q[b, 2], q[b, 3]),
            (pa[n, 0], pa[n, 1], pa[n, 2]), (pb[n, 0], pb[n, 1], pb[n, 2]),
            (fa[n, 0], fa[n, 1], fa[n, 2], fa[n, 3]), (fb[n, 0], fb[n, 1], fb[n, 2], fb[n, 3]),
        )  # fmt: skip
        for k in range(6):
            strain[i, k] = now[k]


@kernel
def assemble_bonds(which, beams, position, orientation, twist, step, out):
    """Out ← the rows of some bonds in a step.

    A spring k and dashpot kτ whose strain at its end is Ψ + hu + B ask for u + Eγ + b = 0 with
    E = 1/(hk(h + τ)) and b = (Ψ + B)/(h + τ). The bend B = Ψ(q ⊕ hv) − Ψ(q) − hJv is what the
    strain changes by in second order, at the velocity v before the step.
    """
    x, q, m = position, orientation, twist
    pa, pb, fa, fb = beams.point_a, beams.point_b, beams.frame_a, beams.frame_b
    jacobian, strain, offset = out  # what a parallel loop writes must have a name of its own
    for i in prange(which.size):
        n = which[i]
        a, b = beams.bodies[n, 0], beams.bodies[n, 1]
        xa, qa = (x[a, 0], x[a, 1], x[a, 2]), (q[a, 0], q[a, 1], q[a, 2], q[a, 3])
        xb, qb = (x[b, 0], x[b, 1], x[b, 2]), (q[b, 0], q[b, 1], q[b, 2], q[b, 3])
        va, wa = (m[a, 0], m[a, 1], m[a, 2]), (m[a, 3], m[a, 4], m[a, 5])
        vb, wb = (m[b, 0], m[b, 1], m[b, 2]), (m[b, 3], m[b, 4], m[b, 5])
        point_a, point_b = (pa[n, 0], pa[n, 1], pa[n, 2]), (pb[n, 0], pb[n, 1], pb[n, 2])
        frame_a = (fa[n, 0], fa[n, 1], fa[n, 2], fa[n, 3])
        frame_b = (fb[n, 0], fb[n, 1], fb[n, 2], fb[n, 3])
        now, R, middle = strained(xa, qa, xb, qb, point_a, point_b, frame_a, frame_b)
        ya, ra = moved_on(xa, qa, va, wa, step)
        yb, rb = moved_on(xb, qb, vb, wb, step)
        then, _, _ = strained(ya, ra, yb, rb, point_a, point_b, frame_a, frame_b)
        arm_a, arm_b = plus(middle, -1.0, xa), plus(middle, -1.0, xb)
        for k in range(3):
            axis = (R[k], R[3 + k], R[6 + k])
            of_a, of_b = cross(arm_a, axis), cross(arm_b, axis)
            shift, turn = 6 * i + k, 6 * i + 3 + k
            for j in range(3):
                jacobian[shift, j] = -axis[j]
                jacobian[shift, 3 + j] = -of_a[j]
                jacobian[shift, 6 + j] = axis[j]
                jacobian[shift, 9 + j] = of_b[j]
                jacobian[turn, j] = 0.0
                jacobian[turn, 3 + j] = -axis[j]
                jacobian[turn, 6 + j] = 0.0
                jacobian[turn, 9 + j] = axis[j]
            shifting = dot(axis, vb) - dot(axis, va) + dot(of_b, wb) - dot(of_a, wa)
            turning = dot(axis, wb) - dot(axis, wa)
            slow = 1.0 / (step + beams.damping[n])
            # Ψ + B = Ψ(q ⊕ hv) − hJv
            offset[shift] = (then[k] - step * shifting) * slow
            offset[turn] = (then[3 + k] - step * turning) * slow
            strain[i, k], strain[i, 3 + k] = now[k], now[3 + k]


@kernel
def work_of_bonds(rows, impulses, dashpot, mean, after, inverse_mass, partial):
    """Partial ← sums of the work `OF_BONDS` of rows, chunk by chunk.

    `dashpot` is the impulse of each row's dashpot by its speed after the step, hkτ, shape (rows,).
    `mean` and `after` are the mean velocities of bodies over the step and those after it.
    """
    bodies, jacobian = rows.bodies, rows.jacobian
    for part in prange(partial.shape[0]):
        damped, sprung, drives = 0.0, 0.0, 0.0
        for i in range(part * CHUNK, min((part + 1) * CHUNK, impulses.size)):
            a, b, p = bodies[i, 0], bodies[i, 1], impulses[i]
            loose_a, loose_b = inverse_mass[a] > 0.0, inverse_mass[b] > 0.0
            if not (loose_a or loose_b):
                continue
            of_a, of_b, speed = 0.0, 0.0, 0.0
            for k in range(6):
                of_a += jacobian[i, k] * mean[a, k]
                of_b += jacobian[i, 6 + k] * mean[b, k]
                speed += jacobian[i, k] * after[a, k] + jacobian[i, 6 + k] * after[b, k]
            damper = -dashpot[i] * speed
            damped += damper * (of_a + of_b)
            sprung += (p - damper) * (of_a + of_b)
            if not loose_a:
                drives -= p * of_a
            if not loose_b:
                drives -= p * of_b
        partial[part, 0], partial[part, 1], partial[part, 2] = damped, sprung, drives
