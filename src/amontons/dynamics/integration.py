"""q⁺ = q ⊕ h v⁺: bodies move on, on the rotation group."""

from __future__ import annotations

import math

from amontons._jit import kernel, prange
from amontons.algebra.rotations import rotation_of
from amontons.dynamics.rotation import LARGEST_TURN, MOST_PARTS, after_turn


@kernel
def advance(
    position, orientation, twist, inertia, even, driven, step, new_position, new_orientation,
    new_twist,
):  # fmt: skip
    """Pose and velocity at the end of a step, from the pose at its start and v⁺.

    Bodies that are `driven` (fixed, kinematic, asleep) turn as their velocity has it; the others as
    free bodies do, so that their angular velocity changes if they are not `even`, the same about
    all axes.
    """
    for i in prange(twist.shape[0]):
        for k in range(3):
            new_position[i, k] = position[i, k] + step * twist[i, k]
        for k in range(6):
            new_twist[i, k] = twist[i, k]
        w0, w1, w2 = twist[i, 3], twist[i, 4], twist[i, 5]
        q0, q1, q2, q3 = (
            orientation[i, 0], orientation[i, 1], orientation[i, 2], orientation[i, 3],
        )  # fmt: skip
        speed = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
        if speed == 0.0:
            new_orientation[i, 0], new_orientation[i, 1] = q0, q1
            new_orientation[i, 2], new_orientation[i, 3] = q2, q3
            continue
        parts, h = 1, step
        free = not (even[i] or driven[i])
        if free:
            a, b, c, d, e, f, g, p, q = rotation_of(orientation, i)
            w0, w1, w2 = (  # in body axes
                a * w0 + d * w1 + g * w2, b * w0 + e * w1 + p * w2, c * w0 + f * w1 + q * w2,
            )  # fmt: skip
            parts = min(MOST_PARTS, 1 + int(step * speed / LARGEST_TURN))
            h = step / parts
        for _ in range(parts):
            x0, x1, x2 = w0, w1, w2
            if free:
                x0, x1, x2 = after_turn(inertia[i], w0, w1, w2, h)
            m0, m1, m2 = 0.5 * (w0 + x0), 0.5 * (w1 + x1), 0.5 * (w2 + x2)
            mean = math.sqrt(m0 * m0 + m1 * m1 + m2 * m2)
            half = 0.5 * h * mean
            s = 0.5 * h if half < 1e-8 else math.sin(half) / mean
            r0, r1, r2, r3 = math.cos(half), s * m0, s * m1, s * m2
            if free:  # turned about an axis of the body: q ⊗ r
                q0, q1, q2, q3 = (
                    q0 * r0 - q1 * r1 - q2 * r2 - q3 * r3,
                    q0 * r1 + q1 * r0 + q2 * r3 - q3 * r2,
                    q0 * r2 - q1 * r3 + q2 * r0 + q3 * r1,
                    q0 * r3 + q1 * r2 - q2 * r1 + q3 * r0,
                )
            else:  # about an axis of the world: r ⊗ q
                q0, q1, q2, q3 = (
                    r0 * q0 - r1 * q1 - r2 * q2 - r3 * q3,
                    r0 * q1 + r1 * q0 + r2 * q3 - r3 * q2,
                    r0 * q2 - r1 * q3 + r2 * q0 + r3 * q1,
                    r0 * q3 + r1 * q2 - r2 * q1 + r3 * q0,
                )
            w0, w1, w2 = x0, x1, x2
        length = math.sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
        new_orientation[i, 0] = q0 / length
        new_orientation[i, 1] = q1 / length
        new_orientation[i, 2] = q2 / length
        new_orientation[i, 3] = q3 / length
        if free:
            a, b, c, d, e, f, g, p, q = rotation_of(new_orientation, i)
            new_twist[i, 3] = a * w0 + b * w1 + c * w2
            new_twist[i, 4] = d * w0 + e * w1 + f * w2
            new_twist[i, 5] = g * w0 + p * w1 + q * w2
