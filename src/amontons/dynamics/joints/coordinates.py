"""All coordinates of all joints at once: one kernel."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import CHUNK, kernel, prange, routine
from amontons.array_types import Flags, Floats
from amontons.dynamics.joints.measures import cross, dot, measured, plus, product


class TermArrays(NamedTuple):
    """Terms of all coordinates; a term's first frame is A's, or B's where it is swapped."""

    measure: NDArray[np.uint8]  # (terms,)
    swapped: Flags  # (terms,)
    weight: Floats  # (terms,)
    point_a: Floats  # in the first body's frame [m], (terms, 3)
    point_b: Floats  # in the second body's frame [m], (terms, 3)
    axis_a: Floats  # in the first body's frame, (terms, 3)
    axis_b: Floats  # in the second body's frame, (terms, 3)
    normal: Floats  # in the first body's frame, (terms, 3)
    reference: Floats  # orientation of the second in the first where measures are 0, (terms, 4)


class Measured(NamedTuple):
    """Coordinates of joints at some poses."""

    values: Floats  # [m, rad], (coordinates,)
    jacobian: Floats  # derivatives by the velocities of A and B, (coordinates, 12)


@routine
def moved_on(x, q, v, w, step):
    """Pose after a step at constant velocity: x + h v, exp(h ω) q."""
    speed = math.sqrt(dot(w, w))
    half = 0.5 * step * speed
    s = 0.5 * step if half < 1e-8 else math.sin(half) / speed
    return plus(x, step, v), product((math.cos(half), s * w[0], s * w[1], s * w[2]), q)


@routine
def measure_some(
    begin, end, bodies, first, terms, angle, position, orientation, twist, step, value, jacobian
):  # fmt: skip
    """Coordinates from begin to end, as below.

    Arrays are read here, and not in what is called from here: handing them on, one coordinate at a
    time, would take most of the time.
    """
    x, q, m, u, v = position, orientation, twist, terms.point_a, terms.point_b
    s, z, n, r = terms.axis_a, terms.axis_b, terms.normal, terms.reference
    for c in range(begin, end):
        total = 0.0
        for k in range(12):
            jacobian[c, k] = 0.0
        for t in range(first[c], first[c + 1]):
            a, b, weight = bodies[c, 0], bodies[c, 1], terms.weight[t]
            if terms.swapped[t]:
                a, b = b, a
            xa, qa = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
            xb, qb = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
            if a >= 0:
                xa, qa = (x[a, 0], x[a, 1], x[a, 2]), (q[a, 0], q[a, 1], q[a, 2], q[a, 3])
                if step > 0.0:
                    va, wa = (m[a, 0], m[a, 1], m[a, 2]), (m[a, 3], m[a, 4], m[a, 5])
                    xa, qa = moved_on(xa, qa, va, wa, step)
            if b >= 0:
                xb, qb = (x[b, 0], x[b, 1], x[b, 2]), (q[b, 0], q[b, 1], q[b, 2], q[b, 3])
                if step > 0.0:
                    vb, wb = (m[b, 0], m[b, 1], m[b, 2]), (m[b, 3], m[b, 4], m[b, 5])
                    xb, qb = moved_on(xb, qb, vb, wb, step)
            now, g, w, p = measured(
                terms.measure[t], xa, qa, xb, qb,
                (u[t, 0], u[t, 1], u[t, 2]), (v[t, 0], v[t, 1], v[t, 2]),
                (s[t, 0], s[t, 1], s[t, 2]), (z[t, 0], z[t, 1], z[t, 2]),
                (n[t, 0], n[t, 1], n[t, 2]), (r[t, 0], r[t, 1], r[t, 2], r[t, 3]),
                angle[t],
            )  # fmt: skip
            angle[t] = now
            total += weight * now
            first_turn = plus(cross(plus(p, -1.0, xa), g), 1.0, w)
            other_turn = plus(cross(plus(p, -1.0, xb), g), 1.0, w)
            if terms.swapped[t]:  # what acts on the second body acts on A
                first_turn, other_turn, weight = other_turn, first_turn, -weight
            for k in range(3):
                jacobian[c, k] -= weight * g[k]
                jacobian[c, 3 + k] -= weight * first_turn[k]
                jacobian[c, 6 + k] += weight * g[k]
                jacobian[c, 9 + k] += weight * other_turn[k]
        value[c] = total


@kernel
def measure_all(bodies, first, terms, angle, position, orientation, twist, step, value, jacobian):
    """Value and jacobian ← those of every coordinate, at these poses or a step further on.

    Terms first[c] to first[c + 1] belong to coordinate c, between bodies[c]. Angles over full
    turns go on from the last ones, and are kept in `angle`. Where the step is not zero,
    bodies have moved on for so long with their twists.
    """
    count = first.size - 1
    for part in prange((count + CHUNK - 1) // CHUNK):
        begin, end = part * CHUNK, min((part + 1) * CHUNK, count)
        measure_some(
            begin, end, bodies, first, terms, angle, position, orientation, twist, step, value,
            jacobian,
        )  # fmt: skip
