"""Work by cause: what each impulse of a step does to the energy, to rounding.

An impulse P that takes part in changing the velocity of bodies from v to v⁺ changes their kinetic
energy by P·v̄ with the mean v̄ = (v + v⁺)/2, whatever else acts: with all of them, M(v⁺ − v) = Σ P,

    ½v⁺·Mv⁺ − ½v·Mv = M(v⁺ − v)·(v + v⁺)/2 = Σ P·v̄.

Contacts and joints act between two bodies, and their work is P·ū with the relative velocity ū:
what a belt and a box on it lose is the same seen from either. If one of the two is driven, the part
of that work on it, P·v̄ there, is no change of its energy: its drive gives it, −P·v̄.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import CHUNK, kernel, prange
from amontons.algebra.rotations import rotation_of

Floats = NDArray[np.float64]


class Work(NamedTuple):
    """Energy that came to the bodies and springs since the start [J], by cause; taken: negative.

    The sum of all is the kinetic and potential energy of now.
    """

    loads: float
    """Of applied forces and torques, those of users' functions beyond the potential they tell."""
    motors: float
    """Of motors of joints, and of what changes the length of rods and ropes in time."""
    drives: float
    """Of what moves kinematic bodies, and of belts."""
    friction: float
    """Of tangential forces of contacts."""
    rolling: float
    """Of rolling and spinning torques of contacts."""
    impacts: float
    """Of normal forces of contacts and of rigid limits of joints, recovery aside."""
    joint_friction: float
    """Of friction in joints."""
    damping: float
    """Of dampers of springs, bonds and compliant contacts; and what springs held that broke."""
    drag: float
    """Of drag."""
    cohesion: float
    """Of the pull of cohesive contacts."""
    recovery: float
    """Of normal forces and limits that part bodies which overlap, and mend what went too far."""
    joints: float
    """Of reactions of rigid joints: what stabilisation adds, and joining bodies in motion takes."""
    integration: float
    """Error of the time step: the discrete work of gravity and springs beside what they store."""
    sleep: float
    """Motion that ends as bodies fall asleep."""
    outside: float
    """Came with bodies and went with them, and was changed by hand between steps."""

    @property
    def dissipated(self) -> float:
        """Energy that became heat, by friction, impacts, dampers and drag [J]."""
        taken = self.friction + self.rolling + self.impacts
        return 0.0 - (taken + self.joint_friction + self.damping + self.drag)

    @property
    def total(self) -> float:
        """Kinetic and potential energy [J], from its causes."""
        return float(sum(self))


CAUSES = Work._fields

OF_BODIES = ("loads", "drag", "drives", "integration")
OF_CONTACTS = (
    "friction", "rolling", "impacts", "damping", "cohesion", "recovery", "drives", "integration",
)  # fmt: skip
OF_JOINTS = (
    "motors", "joint_friction", "joints", "impacts", "recovery", "damping", "drives", "integration",
)  # fmt: skip
OF_BONDS = ("damping", "integration", "drives")
"""Columns of the sums that kernels give."""

RIGID, STOP, SPRING, SLACK, FRICTION, MOTOR = range(6)
"""Kinds of a joint's rows; a stop is a rigid limit, and a slack row a soft one."""


class Velocities(NamedTuple):
    """Those of bodies in the course of a step [m/s, rad/s], each of shape (bodies, 6)."""

    before: Floats  # in the end of the last step
    start: Floats  # the same, or as prescribed
    free: Floats  # v*
    after: Floats  # v⁺
    end: Floats  # of bodies that have turned meanwhile


class Inertias(NamedTuple):
    """What makes bodies inert."""

    mass: Floats  # [kg], (bodies,)
    inertia: Floats  # in body axes [kg m²], (bodies, 3, 3)
    even: NDArray[np.bool_]  # the same about all axes, (bodies,)
    inverse_mass: Floats  # [1/kg], zero for what nothing can push, (bodies,)


@kernel
def work_on_bodies(
    velocities, inertias, wrench, gravity, orientation, new_orientation, dragged, step, mean,
    partial,
):  # fmt: skip
    """Mean ← v̄ = (v + v⁺)/2, and partial ← sums of the work `OF_BODIES`, chunk by chunk.

    Gravity's work h m g·v̄ and the fall −h m g·v⁺ of the potential differ by −½h m g·(v⁺ − v): the
    integrator's error. A driven body's v is that of the last step; one that stood still has only
    begun to be driven.
    """
    before, twist, free, after, new_twist = velocities
    mass, inertia, even, inverse_mass = inertias
    g0, g1, g2 = gravity[0], gravity[1], gravity[2]
    for c in prange(partial.shape[0]):
        loads, drag, drives, integration = 0.0, 0.0, 0.0, 0.0
        for i in range(c * CHUNK, min((c + 1) * CHUNK, mass.size)):
            driven = inverse_mass[i] == 0.0
            still = True
            for k in range(6):
                still = still and before[i, k] == 0.0
            for k in range(6):
                first = twist[i, k] if driven and still else before[i, k]
                mean[i, k] = 0.5 * (first + after[i, k])
            m = mass[i]
            if driven:
                if np.isfinite(m):  # a sleeper that moves all the same
                    down = g0 * after[i, 0] + g1 * after[i, 1] + g2 * after[i, 2]
                    drives -= step * m * down
                continue
            m0, m1, m2 = mean[i, 0], mean[i, 1], mean[i, 2]
            w0, w1, w2 = mean[i, 3], mean[i, 4], mean[i, 5]
            pushed = wrench[i, 0] * m0 + wrench[i, 1] * m1 + wrench[i, 2] * m2
            pushed += wrench[i, 3] * w0 + wrench[i, 4] * w1 + wrench[i, 5] * w2
            loads += step * pushed
            d0, d1, d2 = (
                after[i, 0] - before[i, 0], after[i, 1] - before[i, 1], after[i, 2] - before[i, 2],
            )  # fmt: skip
            integration -= 0.5 * step * m * (g0 * d0 + g1 * d1 + g2 * d2)
            if even[i] and not dragged:
                continue
            p, q, r, s, t, u, x, y, z = rotation_of(orientation, i)
            I = inertia[i]  # noqa: E741
            if dragged:  # M(v* − v) − h f, f with gravity
                d0 = m * (free[i, 0] - before[i, 0] - step * g0) - step * wrench[i, 0]
                d1 = m * (free[i, 1] - before[i, 1] - step * g1) - step * wrench[i, 1]
                d2 = m * (free[i, 2] - before[i, 2] - step * g2) - step * wrench[i, 2]
                e0, e1, e2 = (
                    free[i, 3] - before[i, 3], free[i, 4] - before[i, 4], free[i, 5] - before[i, 5],
                )  # fmt: skip
                # in body axes
                b0, b1, b2 = (
                    p * e0 + s * e1 + x * e2, q * e0 + t * e1 + y * e2, r * e0 + u * e1 + z * e2,
                )  # fmt: skip
                f0, f1, f2 = (
                    p * w0 + s * w1 + x * w2, q * w0 + t * w1 + y * w2, r * w0 + u * w1 + z * w2,
                )  # fmt: skip
                turned = f0 * (I[0, 0] * b0 + I[0, 1] * b1 + I[0, 2] * b2)
                turned += f1 * (I[1, 0] * b0 + I[1, 1] * b1 + I[1, 2] * b2)
                turned += f2 * (I[2, 0] * b0 + I[2, 1] * b1 + I[2, 2] * b2)
                turned -= step * (wrench[i, 3] * w0 + wrench[i, 4] * w1 + wrench[i, 5] * w2)
                drag += d0 * m0 + d1 * m1 + d2 * m2 + turned
            if not even[i]:  # the turn keeps ½Ω·IΩ to rounding
                e0, e1, e2 = after[i, 3], after[i, 4], after[i, 5]
                b0, b1, b2 = (
                    p * e0 + s * e1 + x * e2, q * e0 + t * e1 + y * e2, r * e0 + u * e1 + z * e2,
                )  # fmt: skip
                p, q, r, s, t, u, x, y, z = rotation_of(new_orientation, i)
                e0, e1, e2 = new_twist[i, 3], new_twist[i, 4], new_twist[i, 5]
                f0, f1, f2 = (
                    p * e0 + s * e1 + x * e2, q * e0 + t * e1 + y * e2, r * e0 + u * e1 + z * e2,
                )  # fmt: skip
                d0, d1, d2 = f0 - b0, f1 - b1, f2 - b2
                f0, f1, f2 = f0 + b0, f1 + b1, f2 + b2
                turned = d0 * (I[0, 0] * f0 + I[0, 1] * f1 + I[0, 2] * f2)
                turned += d1 * (I[1, 0] * f0 + I[1, 1] * f1 + I[1, 2] * f2)
                turned += d2 * (I[2, 0] * f0 + I[2, 1] * f1 + I[2, 2] * f2)
                integration += 0.5 * turned
        partial[c, 0], partial[c, 1] = loads, drag
        partial[c, 2], partial[c, 3] = drives, integration


@kernel
def work_of_contacts(
    where, impulses, cohesion, material, compliance, damping, mean, after, inverse_mass,
    recovery_speed, step, partial,
):  # fmt: skip
    """Partial ← sums of the work `OF_CONTACTS`, and elastic energy in the end, chunk by chunk.

    The work of a rigid normal is recovery as far as bodies part no faster than overlap has them:
    at the mean of −Φ/h, and of the same a step ago at the gap Φ − hu_n; what is left is an impact.
    That of a compliant normal is of a spring, which holds ½Φ²/C at the gap Φ⁺ = Φ + h u_n⁺, and of
    a dashpot, γ_d = −hτu_n⁺/C; where both would pull, of a dashpot that holds the spring back.
    Cohesion is a pull c as long as bodies touch, and what else acts along the normal is γ_n + c.
    """
    bodies, normals, arms_a, arms_b, gaps = where
    yields, pulls, turns = compliance.any(), cohesion.size > 0, impulses.shape[1] == 6
    for part in prange(partial.shape[0]):
        friction, rolling, impacts, damped, cohesive = 0.0, 0.0, 0.0, 0.0, 0.0
        recovery, drives, sprung, elastic = 0.0, 0.0, 0.0, 0.0
        for c in range(part * CHUNK, min((part + 1) * CHUNK, gaps.size)):
            a, b = bodies[c, 0], bodies[c, 1]
            p0, p1, p2 = impulses[c, 0], impulses[c, 1], impulses[c, 2]
            n0, n1, n2 = normals[c, 0], normals[c, 1], normals[c, 2]
            r0, r1, r2 = arms_a[c, 0], arms_a[c, 1], arms_a[c, 2]
            s0, s1, s2 = arms_b[c, 0], arms_b[c, 1], arms_b[c, 2]
            # of the points, v + ω × r
            x0 = mean[a, 0] + mean[a, 4] * r2 - mean[a, 5] * r1
            x1 = mean[a, 1] + mean[a, 5] * r0 - mean[a, 3] * r2
            x2 = mean[a, 2] + mean[a, 3] * r1 - mean[a, 4] * r0
            y0 = mean[b, 0] + mean[b, 4] * s2 - mean[b, 5] * s1
            y1 = mean[b, 1] + mean[b, 5] * s0 - mean[b, 3] * s2
            y2 = mean[b, 2] + mean[b, 3] * s1 - mean[b, 4] * s0
            of_a, of_b = p0 * x0 + p1 * x1 + p2 * x2, p0 * y0 + p1 * y1 + p2 * y2
            u = n0 * (y0 - x0) + n1 * (y1 - x1) + n2 * (y2 - x2)
            push = n0 * p0 + n1 * p1 + n2 * p2
            friction += (p0 - push * n0) * (y0 - x0) + (p1 - push * n1) * (y1 - x1)
            friction += (p2 - push * n2) * (y2 - x2)
            if turns:
                t0, t1, t2 = impulses[c, 3], impulses[c, 4], impulses[c, 5]
                turned_a = t0 * mean[a, 3] + t1 * mean[a, 4] + t2 * mean[a, 5]
                turned_b = t0 * mean[b, 3] + t1 * mean[b, 4] + t2 * mean[b, 5]
                rolling += turned_b - turned_a
                of_a, of_b = of_a + turned_a, of_b + turned_b
            if inverse_mass[a] == 0.0:
                drives += of_a
            if inverse_mass[b] == 0.0:
                drives -= of_b
            if pulls:
                cohesive -= cohesion[c] * u
                push += cohesion[c]
            soft = compliance[material[a], material[b]] if yields else 0.0
            if soft == 0.0 and (u <= 0.0 or push <= 0.0):
                impacts += push * u
                continue
            z0 = after[b, 0] + after[b, 4] * s2 - after[b, 5] * s1
            z1 = after[b, 1] + after[b, 5] * s0 - after[b, 3] * s2
            z2 = after[b, 2] + after[b, 3] * s1 - after[b, 4] * s0
            z0 -= after[a, 0] + after[a, 4] * r2 - after[a, 5] * r1
            z1 -= after[a, 1] + after[a, 5] * r0 - after[a, 3] * r2
            z2 -= after[a, 2] + after[a, 3] * r1 - after[a, 4] * r0
            speed = n0 * z0 + n1 * z1 + n2 * z2
            if soft == 0.0:
                now, last = -gaps[c] / step, -gaps[c] / step + 2.0 * u - speed
                parting = min(max(now, 0.0), recovery_speed) + min(max(last, 0.0), recovery_speed)
                mended = push * min(u, 0.5 * parting)
                recovery += mended
                impacts += push * u - mended
                continue
            overlap = max(-(gaps[c] + step * speed), 0.0)
            dashpot = 0.0
            if push <= 0.0:
                dashpot = push - step * overlap / soft
            elif gaps[c] <= 0.0:
                dashpot = -step * damping[material[a], material[b]] * speed / soft
            damped += dashpot * u
            sprung += (push - dashpot) * u
            elastic += 0.5 * overlap * overlap / soft
        partial[part, 0], partial[part, 1], partial[part, 2] = friction, rolling, impacts
        partial[part, 3], partial[part, 4], partial[part, 5] = damped, cohesive, recovery
        partial[part, 6], partial[part, 7], partial[part, 8] = drives, sprung, elastic


@kernel
def work_of_rows(
    rows, impulses, order, kind, table, targets, mean, after, inverse_mass, step, partial
):  # fmt: skip
    """Partial ← sums of the work `OF_JOINTS` of a step's rows, chunk by chunk.

    `order` has the rows' numbers in the table of joints, by which kinds, the table and the targets
    are asked. The damper of a spring has the impulse −hcu⁺, and of a slack row, which never pulls,
    what its impulse has beyond −hk(Ψ + hu⁺) while that is positive; u is relative to a target that
    moves, and what moves it is a motor.
    """
    bodies, jacobian, offset = rows.bodies, rows.jacobian, rows.offset
    sign, stiffness, damping = table.sign, table.stiffness, table.damping
    now, then = targets.now, targets.then
    for part in prange(partial.shape[0]):
        motors, rubbed, held, stopped, mended, damped = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        drives, sprung = 0.0, 0.0
        for i in range(part * CHUNK, min((part + 1) * CHUNK, impulses.size)):
            a, b, p, r = bodies[i, 0], bodies[i, 1], impulses[i], order[i]
            loose_a = a >= 0 and inverse_mass[a] > 0.0
            loose_b = b >= 0 and inverse_mass[b] > 0.0
            if not (loose_a or loose_b):
                continue
            of_a, of_b, speed = 0.0, 0.0, 0.0
            for k in range(6):
                if a >= 0:
                    of_a += jacobian[i, k] * mean[a, k]
                    speed += jacobian[i, k] * after[a, k]
                if b >= 0:
                    of_b += jacobian[i, 6 + k] * mean[b, k]
                    speed += jacobian[i, 6 + k] * after[b, k]
            u = of_a + of_b
            work = p * u
            if not loose_a:
                drives -= p * of_a
            if not loose_b:
                drives -= p * of_b
            what = kind[r]
            if what == MOTOR:
                motors += work
            elif what == FRICTION:
                rubbed += work
            elif what == RIGID:
                held += work
            elif what == STOP:
                stopped += min(work, 0.0)
                mended += max(work, 0.0)
            else:
                stiff, slow = stiffness[r], damping[r]
                moved = sign[r] * (then[r] - now[r]) / step
                motors += p * moved
                u, speed = u - moved, speed - moved
                damper = -step * slow * speed
                if what == SLACK and slow > 0.0:
                    error = step * (offset[i] + moved)  # Ψ
                    if error < 0.0 and stiff > 0.0:
                        error = (offset[i] + moved) * (step * stiff + slow) / stiff
                    damper = p - max(-step * stiff * (error + step * speed), 0.0)
                damped += damper * u
                sprung += (p - damper) * u
        partial[part, 0], partial[part, 1], partial[part, 2] = motors, rubbed, held
        partial[part, 3], partial[part, 4], partial[part, 5] = stopped, mended, damped
        partial[part, 6], partial[part, 7] = drives, sprung


def room_for_sums(items: int, columns: int) -> Floats:
    """Memory for sums over chunks of so many items."""
    return np.empty((-(-items // CHUNK), columns))


def total_of(partial: Floats) -> list[float]:
    """Sums over all chunks, in their order."""
    if len(partial) == 1:
        return list(partial[0].tolist())
    total = np.zeros(partial.shape[1])
    for chunk in partial:
        total += chunk
    return list(total.tolist())
