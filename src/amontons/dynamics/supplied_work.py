"""Work that motors with a limit, moving targets and kinematic bodies do on the others: at most."""

from __future__ import annotations

import math

from amontons._jit import serial_kernel


@serial_kernel
def work_through_rows(rows, impulses, speeds, velocity, kinematic):
    """Sum of what each row of joints may have supplied [J]; what it takes does not count.

    `speeds` are those of targets (rows,), `velocity` that of bodies (bodies, 6), and `kinematic`
    are the bodies that follow a motion (bodies,).
    """
    total = 0.0
    bounded = impulses.size - rows.lower.size
    for i in range(impulses.size):
        total += max(impulses[i] * speeds[i], 0.0)
        moved, speed = 0.0, 0.0
        for side in range(2):
            b, of_side = rows.bodies[i, side], 0.0
            if b < 0:
                continue
            for k in range(6):
                of_side += rows.jacobian[i, 6 * side + k] * velocity[b, k]
            speed += of_side
            if kinematic[b]:
                moved += of_side
        total += max(-impulses[i] * moved, 0.0)
        if i >= bounded:
            low, high = rows.lower[i - bounded], rows.upper[i - bounded]
            if math.isfinite(low) and math.isfinite(high):
                total += max(impulses[i] * speed, 0.0)
    return total


@serial_kernel
def work_through_contacts(where, impulses, velocity, kinematic):
    """Sum of the work that kinematic bodies do on those that they touch [J], where they give any.

    `impulses` act on body B, shape (contacts, 3 or 6).
    """
    bodies, _, arms_a, arms_b, gaps = where
    total = 0.0
    for c in range(gaps.size):
        for side in range(2):
            b = bodies[c, side]
            if not kinematic[b]:
                continue
            arms, sign = (arms_b, -1.0) if side else (arms_a, 1.0)
            v, r = velocity[b], arms[c]
            u0 = v[0] + v[4] * r[2] - v[5] * r[1]
            u1 = v[1] + v[5] * r[0] - v[3] * r[2]
            u2 = v[2] + v[3] * r[1] - v[4] * r[0]
            work = impulses[c, 0] * u0 + impulses[c, 1] * u1 + impulses[c, 2] * u2
            total += max(sign * work, 0.0)
    return total
