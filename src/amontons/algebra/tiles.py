"""The projections of `cones`, for a tile of up to `TILE` blocks of one kind at a time.

A tile is a flat array of six rows of TILE numbers: component k of block j is `V[k * TILE + j]`.
Loops run along j over contiguous memory without branches, so the compiler vectorises them; `cones`
is their slow oracle.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import TILE, helper, routine
from amontons.algebra.cones import COULOMB, INTERVAL, NONNEGATIVE, ROLLING, SPINNING

TINY = 1e-300


@routine
def copy(x, out):
    """out ← x; a slice assignment would compile Numba's messages about shapes too."""
    for j in range(x.size):
        out[j] = x[j]


@helper
def normals_of(sets, b, m):
    """The three components of the normals of cones b .. b+m: views."""
    return (
        sets.normal[0, b : b + m],
        sets.normal[1, b : b + m],
        sets.normal[2, b : b + m],
    )


@helper
def three_rows(x, first, stride, m):
    """The three components of m Coulomb contacts, from their first row on: views."""
    a, b = first + stride, first + 2 * stride
    return x[first : first + m], x[a : a + m], x[b : b + m]


@routine
def project_tile(sets, kind, b, m, sn, st, sm, V):
    """Project blocks b .. b+m of one kind, held by V, in the metric of steps (s_n, s_t, s_m).

    `b` counts among all cones for cones, and among the intervals for intervals.
    """
    if kind == COULOMB:
        _coulomb_tile(normals_of(sets, b, m), sets.friction[b : b + m], sn, st, m, V)
    elif kind == NONNEGATIVE:
        for j in range(m):
            V[j] = max(V[j], 0.0)
    elif kind == INTERVAL:
        for j in range(m):
            V[j] = min(max(V[j], sets.lower[b + j]), sets.upper[b + j])
    elif kind == ROLLING:
        _rolling_tile(sets, b, m, sn, st, sm, V)
    elif kind == SPINNING:
        limits = sets.friction[b : b + m], sets.rolling[b : b + m], sets.spinning[b : b + m]
        _spinning_tile(normals_of(sets, b, m), limits, (sn, st, sm), m, V)


@routine
def _coulomb_tile(normal, mu, sn, st, m, V):
    n0, n1, n2 = normal
    V0, V1, V2 = V[:TILE], V[TILE : 2 * TILE], V[2 * TILE : 3 * TILE]
    for j in range(m):
        v = V0[j] * n0[j] + V1[j] * n1[j] + V2[j] * n2[j]
        t0, t1, t2 = V0[j] - v * n0[j], V1[j] - v * n1[j], V2[j] - v * n2[j]
        t = np.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
        weighted = sn[j] * mu[j]
        a = max((st[j] * v + weighted * t) / (st[j] + weighted * mu[j]), 0.0)
        inside = (t <= mu[j] * v) & (v >= 0.0)
        height = v if inside else a
        shrink = 1.0 if inside else mu[j] * a / max(t, TINY)
        V0[j] = height * n0[j] + shrink * t0
        V1[j] = height * n1[j] + shrink * t1
        V2[j] = height * n2[j] + shrink * t2


@helper
def height_of(v, t, m, s, mu, rho, sigma, kt, km):
    """The same as `cone_height`, without branches: parts that are outside can drop out only twice.

    At least one of the parts that are outside at height v is outside at the projection's height.
    Heights only grow: where one would not, a part has dropped out by rounding alone.
    """
    full_t, full_m, full_s = kt * mu, km * rho, km * sigma
    pull_t = full_t if t > mu * v else 0.0
    pull_m = full_m if m > rho * v else 0.0
    pull_s = full_s if s > sigma * v else 0.0
    a = _height(v, t, m, s, mu, rho, sigma, pull_t, pull_m, pull_s)
    pull_t = pull_t if t > mu * a else 0.0
    pull_m = pull_m if m > rho * a else 0.0
    pull_s = pull_s if s > sigma * a else 0.0
    a = max(a, _height(v, t, m, s, mu, rho, sigma, pull_t, pull_m, pull_s))
    pull_t = pull_t if t > mu * a else 0.0
    pull_m = pull_m if m > rho * a else 0.0
    pull_s = pull_s if s > sigma * a else 0.0
    return max(a, _height(v, t, m, s, mu, rho, sigma, pull_t, pull_m, pull_s))


@helper
def _height(v, t, m, s, mu, rho, sigma, pull_t, pull_m, pull_s):
    top = v + pull_t * t + pull_m * m + pull_s * s
    return max(top, 0.0) / (1.0 + pull_t * mu + pull_m * rho + pull_s * sigma)


@routine
def _rolling_tile(sets, b, m, sn, st, sm, V):
    for j in range(m):
        mu, rho = sets.friction[b + j], sets.rolling[b + j]
        t = np.sqrt(V[TILE + j] ** 2 + V[2 * TILE + j] ** 2)
        roll = np.sqrt(V[3 * TILE + j] ** 2 + V[4 * TILE + j] ** 2)
        a = height_of(V[j], t, roll, 0.0, mu, rho, 0.0, sn[j] / st[j], sn[j] / sm[j])
        keep_t = min(1.0, mu * a / max(t, TINY))
        keep_m = min(1.0, rho * a / max(roll, TINY))
        V[j] = a
        V[TILE + j] *= keep_t
        V[2 * TILE + j] *= keep_t
        V[3 * TILE + j] *= keep_m
        V[4 * TILE + j] *= keep_m


@helper
def project_wrench(n, limits, kt, km, w):
    """Projection of a force and a torque w onto the cone (μ, ρ, σ) about n; six numbers."""
    mu, rho, sigma = limits
    v = w[0] * n[0] + w[1] * n[1] + w[2] * n[2]
    spin = w[3] * n[0] + w[4] * n[1] + w[5] * n[2]
    t0, t1, t2 = w[0] - v * n[0], w[1] - v * n[1], w[2] - v * n[2]
    m0, m1, m2 = w[3] - spin * n[0], w[4] - spin * n[1], w[5] - spin * n[2]
    t = np.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    roll = np.sqrt(m0 * m0 + m1 * m1 + m2 * m2)
    turn = abs(spin)
    a = height_of(v, t, roll, turn, mu, rho, sigma, kt, km)
    clip_t, clip_m, clip_s = (
        mu * a / max(t, TINY),
        rho * a / max(roll, TINY),
        sigma * a / max(turn, TINY),
    )
    keep_t = clip_t if t > mu * a else 1.0
    keep_m = clip_m if roll > rho * a else 1.0
    keep_s = clip_s if turn > sigma * a else 1.0
    along = spin * keep_s
    return (
        a * n[0] + keep_t * t0,
        a * n[1] + keep_t * t1,
        a * n[2] + keep_t * t2,
        along * n[0] + keep_m * m0,
        along * n[1] + keep_m * m1,
        along * n[2] + keep_m * m2,
    )


@routine
def _spinning_tile(normal, limits, steps, m, V):
    n0, n1, n2 = normal
    friction, rolling, spinning = limits
    sn, st, sm = steps
    V0, V1, V2 = V[:TILE], V[TILE : 2 * TILE], V[2 * TILE : 3 * TILE]
    V3, V4, V5 = V[3 * TILE : 4 * TILE], V[4 * TILE : 5 * TILE], V[5 * TILE :]
    for j in range(m):
        V0[j], V1[j], V2[j], V3[j], V4[j], V5[j] = project_wrench(
            (n0[j], n1[j], n2[j]),
            (friction[j], rolling[j], spinning[j]),
            sn[j] / st[j],
            sn[j] / sm[j],
            (V0[j], V1[j], V2[j], V3[j], V4[j], V5[j]),
        )
