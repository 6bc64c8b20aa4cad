"""Projections onto the convex sets of contact mechanics, one block at a time.

Every set but the scalar ones is a cone around a unit normal n, in world or in contact coordinates.
A block is split into its normal part a = x·n and the norms of its other parts; then

    Π(x) = argmin over a ≥ 0 of  (a − v)² + κ_t (t − μa)₊² + κ_m [(m − ρa)₊² + (s − σa)₊²]

where v, t, m, s are the normal, tangential, rolling and spinning parts of x. This is the exact
projection onto the *intersection* of the friction, rolling and spinning cones. With κ = 1 it is the
Euclidean projection; other weights give the projection in a metric that scales the normal and the
tangential rows of a block differently (:class:`Metric`): just as cheap, and converges faster.
This file has the Euclidean projection of one block at a time, `tiles` both for many blocks at once.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import helper, routine

Floats = NDArray[np.float64]


class SetKind(IntEnum):
    """The kinds of blocks a product of sets can hold; rows of each in :data:`ROWS_OF_KIND`."""

    FREE = 0  #: ℝ, a bilateral constraint
    NONNEGATIVE = 1  #: ℝ₊, a frictionless contact
    INTERVAL = 2  #: [lower, upper], a limit or a motor of bounded force
    COULOMB = 3  #: ‖x_t‖ ≤ μ x_n
    ROLLING = 4  #: and ‖m‖ ≤ ρ x_n, in contact coordinates (n, t1, t2, m1, m2)
    SPINNING = 5  #: and |s| ≤ σ x_n: force (3 rows) and torque (3 rows) about the same normal


ROWS_OF_KIND = np.array([1, 1, 1, 3, 5, 6])

FREE, NONNEGATIVE, INTERVAL, COULOMB, ROLLING, SPINNING = (int(kind) for kind in SetKind)

CONES = (COULOMB, SPINNING, ROLLING)
"""Kinds with a normal and two tangential rows, or more."""

VECTORS = (COULOMB, SPINNING)
"""Kinds whose rows form vectors of three, which may be in world axes."""

TURNING = (SPINNING, ROLLING)
"""Kinds with rows of torque."""

SECOND_ORDER = frozenset((FREE, NONNEGATIVE, INTERVAL, COULOMB, SPINNING, ROLLING))
"""Kinds whose blocks are intersections of second-order cones, or of half-lines."""

GROUP_ORDER = (*CONES, FREE, NONNEGATIVE, INTERVAL)
"""Order of the groups: cones first, so that coefficients of cones are indexed by block."""


class SetArrays(NamedTuple):
    """A product of sets as kernels see it.

    Blocks are grouped by kind, and a group's rows are stored component by component: row k of the
    group's j-th block is `first_row + k·count + j`. So a vectorised kernel reads contiguous memory.
    Coefficients of cones come in the order of blocks; arrays that no block needs have length zero.
    """

    groups: NDArray[np.int64]  # kind, first block, count, first row of each group, (groups, 4)
    chunks: NDArray[np.int64]  # kind, first block, count, first row, from, to within its group
    normal: Floats  # unit normals, shape (3, cones)
    friction: Floats  # μ, shape (cones,)
    rolling: Floats  # ρ [m], shape (cones,) or (0,)
    spinning: Floats  # σ [m], shape (cones,) or (0,)
    lower: Floats  # of the intervals
    upper: Floats
    exact: Floats  # 1 where velocities get De Saxcé's term, 0 in the convex problem, shape (1,)


class Metric(NamedTuple):
    """Step lengths of each block, the inverse curvatures that precondition first-order methods."""

    normal: Floats  # step of the normal row, or of a scalar block, shape (blocks,)
    tangential: Floats  # step of the two tangential rows, shape (blocks,)
    torque: Floats  # step of rolling and spinning rows, shape (blocks,) or (0,)


@helper
def rows_of(kind):
    """Rows of a block of this kind; as :data:`ROWS_OF_KIND`, from registers."""
    if kind < COULOMB:
        return 1
    if kind == COULOMB:
        return 3
    return 5 if kind == ROLLING else 6


@helper
def head(chunks, c):
    """Kind, first block, count and first row of the group that chunk `c` belongs to."""
    return chunks[c, 0], chunks[c, 1], chunks[c, 2], chunks[c, 3]


@routine
def cone_height(v, t, m, s, mu, rho, sigma, kt, km):
    """Normal part of the projection: root of a concave piecewise-linear function, exactly.

    Newton's method from the left, where every part is outside its cone, drops a part for good once
    it is inside: at most three rounds.
    """
    out_t, out_m, out_s = t > mu * v, m > rho * v, s > sigma * v
    a = 0.0
    for _ in range(4):
        top, bottom = v, 1.0
        if out_t:
            top += kt * mu * t
            bottom += kt * mu * mu
        if out_m:
            top += km * rho * m
            bottom += km * rho * rho
        if out_s:
            top += km * sigma * s
            bottom += km * sigma * sigma
        higher = top / bottom
        if higher <= a:
            # at first: the slope at zero points down, so the apex; later: rounding, no progress
            break
        a = higher
        still_t = out_t and t > mu * a
        still_m = out_m and m > rho * a
        still_s = out_s and s > sigma * a
        if still_t == out_t and still_m == out_m and still_s == out_s:
            break
        out_t, out_m, out_s = still_t, still_m, still_s
    return a


@helper
def project_coulomb(x0, x1, x2, n0, n1, n2, mu):
    """Euclidean projection onto ‖x_t‖ ≤ μ x_n around the unit normal n (paper 4)."""
    v = x0 * n0 + x1 * n1 + x2 * n2
    t0, t1, t2 = x0 - v * n0, x1 - v * n1, x2 - v * n2
    t = np.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    if t <= mu * v and v >= 0.0:
        return x0, x1, x2
    a = (v + mu * t) / (1.0 + mu * mu)
    if a <= 0.0:
        return 0.0, 0.0, 0.0
    shrink = mu * a / t
    return a * n0 + shrink * t0, a * n1 + shrink * t1, a * n2 + shrink * t2


@helper
def project_block(sets, kind, b, x):
    """Euclidean projection of `x`, which holds one block from entry 0, in place.

    `b` is the number of the block among all cones, or among the intervals.
    """
    if kind == COULOMB:
        x[0], x[1], x[2] = project_coulomb(
            x[0],
            x[1],
            x[2],
            sets.normal[0, b],
            sets.normal[1, b],
            sets.normal[2, b],
            sets.friction[b],
        )
    elif kind == NONNEGATIVE:
        x[0] = max(x[0], 0.0)
    elif kind == INTERVAL:
        x[0] = min(max(x[0], sets.lower[b]), sets.upper[b])
    elif kind != FREE:
        _project_with_torque(sets, kind, b, x)


@helper
def by_vectors(kind):
    """Whether a block's rows are vectors, three by three, about its normal."""
    return kind in VECTORS


@helper
def normal_part(sets, b, x):
    """x·n of a cone block that `x` holds from entry 0."""
    return x[0] * sets.normal[0, b] + x[1] * sets.normal[1, b] + x[2] * sets.normal[2, b]


@routine
def beyond(sets, kind, b, x):
    """By how much a cone block is outside its cone; negative inside."""
    a, t, roll, spin = _parts(sets, kind, b, x)
    mu, rho, sigma = _limits(sets, kind, b)
    return max(-a, t - mu * a, roll - rho * a, spin - sigma * a)


@routine
def slip_of(sets, kind, b, u):
    """μ‖u_t‖ + ρ‖ω_roll‖ + σ|ω_spin| of a cone block: the least u_n that is in the dual cone.

    It is also the De Saxcé term, which exact Coulomb friction adds to u_n.
    """
    _, t, roll, spin = _parts(sets, kind, b, u)
    mu, rho, sigma = _limits(sets, kind, b)
    return mu * t + rho * roll + sigma * spin


@helper
def _parts(sets, kind, b, x):
    """Normal part of a cone block, and norms of its tangential, rolling and spinning parts."""
    n0, n1, n2 = sets.normal[0, b], sets.normal[1, b], sets.normal[2, b]
    a = x[0] * n0 + x[1] * n1 + x[2] * n2
    t = np.sqrt((x[0] - a * n0) ** 2 + (x[1] - a * n1) ** 2 + (x[2] - a * n2) ** 2)
    roll, spin = 0.0, 0.0
    if kind == ROLLING:
        roll = np.sqrt(x[3] ** 2 + x[4] ** 2)
    elif kind == SPINNING:
        spin = x[3] * n0 + x[4] * n1 + x[5] * n2
        roll = np.sqrt((x[3] - spin * n0) ** 2 + (x[4] - spin * n1) ** 2 + (x[5] - spin * n2) ** 2)
    return a, t, roll, abs(spin)


@helper
def _limits(sets, kind, b):
    """Friction, rolling and spinning coefficients of a cone block, zero where it has none."""
    rho = sets.rolling[b] if kind in TURNING else 0.0
    return sets.friction[b], rho, sets.spinning[b] if kind == SPINNING else 0.0


@helper
def _clip(part, limit):
    """Factor that shortens a vector of length `part` to at most `limit`."""
    return limit / part if part > limit else 1.0


@routine
def _project_with_torque(sets, kind, b, x):
    mu, rho = sets.friction[b], sets.rolling[b]
    if kind == ROLLING:
        t, m = np.hypot(x[1], x[2]), np.hypot(x[3], x[4])
        a = cone_height(x[0], t, m, 0.0, mu, rho, 0.0, 1.0, 1.0)
        keep_t, keep_m = _clip(t, mu * a), _clip(m, rho * a)
        x[0] = a
        x[1], x[2] = keep_t * x[1], keep_t * x[2]
        x[3], x[4] = keep_m * x[3], keep_m * x[4]
        return
    sigma = sets.spinning[b]
    n0, n1, n2 = sets.normal[0, b], sets.normal[1, b], sets.normal[2, b]
    v = x[0] * n0 + x[1] * n1 + x[2] * n2
    spin = x[3] * n0 + x[4] * n1 + x[5] * n2
    t0, t1, t2 = x[0] - v * n0, x[1] - v * n1, x[2] - v * n2
    m0, m1, m2 = x[3] - spin * n0, x[4] - spin * n1, x[5] - spin * n2
    t = np.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    m = np.sqrt(m0 * m0 + m1 * m1 + m2 * m2)
    s = abs(spin)
    if v >= 0.0 and t <= mu * v and m <= rho * v and s <= sigma * v:
        return
    a = cone_height(v, t, m, s, mu, rho, sigma, 1.0, 1.0)
    keep_t, keep_m, along = _clip(t, mu * a), _clip(m, rho * a), spin * _clip(s, sigma * a)
    x[0], x[1], x[2] = a * n0 + keep_t * t0, a * n1 + keep_t * t1, a * n2 + keep_t * t2
    x[3], x[4], x[5] = along * n0 + keep_m * m0, along * n1 + keep_m * m1, along * n2 + keep_m * m2
