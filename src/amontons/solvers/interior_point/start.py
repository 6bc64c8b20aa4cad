"""Where to start: inside every cone, at distances that fit the problem's own units.

Paper 5 starts from ones. Here they are units: a speed U, the largest entry of r, and for each block
an impulse ρU; y and λ of the paper are Gᵀz and x. Its two starting points (eqs. 21 and 22) differ
in where the size of λ comes from, and a warm start keeps a guess and moves it inside, by as much
as the guess is wrong.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from amontons._jit import serial_kernel
from amontons.algebra.cones import ROWS_OF_KIND
from amontons.algebra.sums import inner
from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.problem.problem import ConeProblem
from amontons.solvers.interior_point.lift import NO_TAIL, Lift
from amontons.solvers.interior_point.linear_system import Hessian
from amontons.solvers.interior_point.newton import NewtonSystem
from amontons.solvers.interior_point.scaling import lifted, load, store

STARTS = ("nocedal", "dapuzzo")
WARM_STARTS = ("none", "partial", "full")

AFFINE_BARRIERS = (1e-2, 1e-4)
"""Θ of affine steps that find how large impulses are, relative to each block's curvature: where
masses differ by powers of ten, the first one hides what carries the heavy bodies."""

CLEAR_GAIN = 1.2
"""A smaller Θ must lower the objective by this factor: where constraints contradict each other, it
makes impulses larger and nothing better."""

SMALLEST_REACH = 0.3
"""Least size of impulses that a start has where it does not keep those of a guess, in ρU."""

SMALLEST_MARGIN = 1e-7
"""Least distance of a warm start from the boundary, in units of the problem."""


class InteriorStart(NamedTuple):
    """x, s = G x + h and z inside their cones."""

    x: Floats
    s: Floats
    z: Floats


def check_start(start: str, warm: str) -> None:
    """Raise `InputError` for names that are none."""
    if start not in STARTS:
        raise InputError(f"unknown start {start!r}; choose {' or '.join(map(repr, STARTS))}")
    if warm not in WARM_STARTS:
        raise InputError(f"unknown warm start {warm!r}; choose 'none', 'partial' or 'full'")


def speed_of(problem: ConeProblem) -> float:
    """U: the largest entry of r [m/s], or 1 where it is zero."""
    return float(np.abs(problem.linear).max(initial=0.0)) or 1.0


def cold_start(problem: ConeProblem, lift: Lift, newton: NewtonSystem, start: str) -> InteriorStart:
    """Eq. 22 (D'Apuzzo): y = max(U, N0 + r), λ = ρU. Eq. 21 (Nocedal): λ as an affine step says."""
    reach = max(_affine_reach(problem, lift, newton), SMALLEST_REACH) if start == "nocedal" else 1.0
    return _inside(problem, lift, np.zeros(problem.rows), problem.linear, reach, 1.0)


def _affine_reach(problem: ConeProblem, lift: Lift, newton: NewtonSystem) -> float:
    """Size of impulses, in units of ρU, by affine steps; zero where they say nothing.

    A step counts if its projection x points downhill: along x the objective falls by ½ (rᵀx)²/xᵀNx.
    """
    wide = np.full(lift.pieces, math.inf)  # W without bounds, so that Θ is the regularisation alone
    none = Hessian(wide, np.ones(lift.pieces), np.zeros((lift.pieces, 3)))
    reach = gain = 0.0
    for barrier in AFFINE_BARRIERS:
        newton.factorise(none, barrier)
        x = newton.system.solve(-problem.linear)
        size = _reach(problem, x)
        problem.project(x)
        bend, slope = inner(x, problem.product(x)), inner(problem.linear, x)
        if not (bend > 0.0 and slope < 0.0 and slope * slope > CLEAR_GAIN * gain * bend):
            break
        gain, reach = slope * slope / bend, size
    return reach


def warm_start(
    problem: ConeProblem, lift: Lift, guess: Floats, error: float, warm: str
) -> InteriorStart:
    """Near a guess whose scaled error is given: all of it, or with "partial" its velocities.

    Paper 5, §4.2: a partial warm start keeps the bodies' velocities and forgets λ.
    """
    velocity = problem.product(guess) + problem.linear
    reach = max(_reach(problem, guess), 1.0 if warm == "full" else SMALLEST_REACH)
    if warm == "partial":
        return _inside(problem, lift, np.zeros(problem.rows), velocity, reach, 1.0)
    wrong = error * problem.speed_unit / math.sqrt(max(problem.blocks, 1)) / speed_of(problem)
    share = min(max(wrong, SMALLEST_MARGIN), 1.0)
    return _inside(problem, lift, guess, velocity, share * reach, share)


def _reach(problem: ConeProblem, x: Floats) -> float:
    """Root mean square of a block's impulse, in units of ρU."""
    total = 0.0
    for kind, first, count, row in problem.sets.arrays.groups:
        rows = x[row : row + int(ROWS_OF_KIND[kind]) * count].reshape(-1, count)
        total += float(np.sum((rows / problem.mean_steps[first : first + count]) ** 2))
    return math.sqrt(total / problem.blocks) / speed_of(problem)


def _inside(
    problem: ConeProblem, lift: Lift, x: Floats, velocity: Floats, reach: float, share: float
) -> InteriorStart:
    """The point near x and near this velocity that is inside by reach · ρU and by share · U."""
    x = x.copy()
    s, z = np.empty((lift.pieces, 4)), np.empty((lift.pieces, 4))
    speed = speed_of(problem)
    push_inside(lift, reach * speed * problem.mean_steps, x, s)
    push_dual(lift, np.full(problem.blocks, share * speed), velocity, z)
    return InteriorStart(x, s, z)


@serial_kernel
def push_inside(lift, margin, x, s):
    """Move x along normals until every piece is inside by its margin; s ← G x + h.

    `margin` is in units of x, one per block; an interval of less than four times that gets
    a quarter of its width.
    """
    for b in range(lift.row.size):
        first, last = lift.start[b], lift.start[b + 1]
        n0, n1, n2 = lift.normal[b, 0], lift.normal[b, 1], lift.normal[b, 2]
        f0, f1, f2, m0, m1, m2 = load(lift, b, x)
        along = f0 * n0 + f1 * n1 + f2 * n2
        wanted = margin[b]
        low, high = -np.inf, np.inf
        for p in range(first, last):
            v0, v1, v2, v3 = lifted(lift.tail[p], lift.head[p], n0, n1, n2, f0, f1, f2, m0, m1, m2)
            if lift.head[p] > 0.0:
                reach = np.sqrt(v1 * v1 + v2 * v2 + v3 * v3)
                low = max(low, (reach - lift.offset[p]) / lift.head[p])
            else:
                high = min(high, lift.offset[p])
        wanted = min(wanted, 0.25 * (high - low))
        up = min(max(along, low + wanted), high - wanted) - along
        f0, f1, f2 = f0 + up * n0, f1 + up * n1, f2 + up * n2
        store(lift, b, x, f0, f1, f2, m0, m1, m2)
        for p in range(first, last):
            v0, v1, v2, v3 = lifted(lift.tail[p], lift.head[p], n0, n1, n2, f0, f1, f2, m0, m1, m2)
            s[p, 0], s[p, 1], s[p, 2], s[p, 3] = v0 + lift.offset[p], v1, v2, v3


@serial_kernel
def push_dual(lift, margin, u, z):
    """z inside every cone by its margin, with Gᵀz as near to u as its tails allow.

    `margin` is in units of u, one per block. Cones of one contact share its normal velocity.
    """
    for b in range(lift.row.size):
        n0, n1, n2 = lift.normal[b, 0], lift.normal[b, 1], lift.normal[b, 2]
        f0, f1, f2, m0, m1, m2 = load(lift, b, u)
        along = f0 * n0 + f1 * n1 + f2 * n2
        share = 1.0 / max(lift.start[b + 1] - lift.start[b], 1)
        for p in range(lift.start[b], lift.start[b + 1]):
            head = lift.head[p]
            _, v1, v2, v3 = lifted(lift.tail[p], head, n0, n1, n2, f0, f1, f2, m0, m1, m2)
            reach = np.sqrt(v1 * v1 + v2 * v2 + v3 * v3)
            part = along if lift.tail[p] == NO_TAIL else share * along
            top = max(part / head, reach + margin[b] / abs(head))
            z[p, 0], z[p, 1], z[p, 2], z[p, 3] = top, v1, v2, v3
