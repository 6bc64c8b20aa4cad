"""The same sets as in `cones`, for a tile of up to `TILE` blocks of one kind at a time.

A tile is a flat array of six rows of TILE numbers: component k of block j is `V[k * TILE + j]`.
Loops run along j over contiguous memory without branches, so the compiler vectorises them; `cones`
is their slow oracle. The three tiles Y, G and V of a step share one array.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import TILE, helper, routine
from amontons.algebra.cones import COULOMB, FREE, INTERVAL, NONNEGATIVE, ROLLING

TINY = 1e-300

SMALL = 1e-140
"""Below this a tangential part counts as zero, where a quotient by it is to stay finite."""

STEP = 6 * TILE  # where G begins in the array of a step; Y begins at 0
NEW = 12 * TILE  # where V begins
STEP_SIZE = 18 * TILE


@routine
def copy(x, out):
    """out ← x; a slice assignment would compile Numba's messages about shapes too."""
    for j in range(x.size):
        out[j] = x[j]


@helper
def natural_contact(n0, n1, n2, mu, rho, x0, x1, x2, u0, u1, u2):
    """‖(x − Π(x − ρu))/ρ‖² of one Coulomb cone."""
    w0, w1, w2 = x0 - rho * u0, x1 - rho * u1, x2 - rho * u2
    v = w0 * n0 + w1 * n1 + w2 * n2
    t0, t1, t2 = w0 - v * n0, w1 - v * n1, w2 - v * n2
    t = np.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    # one division serves both a and a/t: divisions are most of the cost
    span = max(t, SMALL)
    a = max(v + mu * t, 0.0) / ((1.0 + mu * mu) * span)
    inside = (t <= mu * v) & (v >= 0.0)
    height = v if inside else a * span
    shrink = 1.0 if inside else mu * a
    # (x − Π(w))/ρ = u + (w − Π(w))/ρ, which is u to the last bit where w is in the cone
    stiff = 1.0 / rho
    out_n, out_t = (v - height) * stiff, (1.0 - shrink) * stiff
    e0, e1, e2 = (
        u0 + out_n * n0 + out_t * t0,
        u1 + out_n * n1 + out_t * t1,
        u2 + out_n * n2 + out_t * t2,
    )
    return e0 * e0 + e1 * e1 + e2 * e2


@helper
def step_contact(n0, n1, n2, mu, sn, st, step, y0, y1, y2, g0, g1, g2):
    """z = Π(y − step·S g) on one Coulomb cone, in the metric S⁻¹, and dᵀS⁻¹d with d = z − y."""
    y, g = y0 * n0 + y1 * n1 + y2 * n2, g0 * n0 + g1 * n1 + g2 * n2
    v, across = y - step * sn * g, step * st
    shift = y - across * g
    t0, t1, t2 = (
        (y0 - across * g0) - shift * n0,
        (y1 - across * g1) - shift * n1,
        (y2 - across * g2) - shift * n2,
    )
    t = np.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    weighted, span = sn * mu, max(t, SMALL)
    a = max(st * v + weighted * t, 0.0) / ((st + weighted * mu) * span)
    inside = (t <= mu * v) & (v >= 0.0)
    height = v if inside else a * span
    shrink = 1.0 if inside else mu * a
    z0, z1, z2 = height * n0 + shrink * t0, height * n1 + shrink * t1, height * n2 + shrink * t2
    d0, d1, d2, d = z0 - y0, z1 - y1, z2 - y2, height - y
    aside = d0 * d0 + d1 * d1 + d2 * d2 - d * d
    return z0, z1, z2, (d * d * st + aside * sn) / (sn * st)


@routine
def natural_coulomb(n0, n1, n2, mu, rho, x0, x1, x2, N0, N1, N2, r0, r1, r2):
    """Σ‖(x − Π(x − ρu))/ρ‖² with u = Nx + r, Σ xᵀNx and Σ xᵀr over Coulomb cones."""
    error, quadratic, linear = 0.0, 0.0, 0.0
    for j in range(mu.size):
        quadratic += x0[j] * N0[j] + x1[j] * N1[j] + x2[j] * N2[j]
        linear += x0[j] * r0[j] + x1[j] * r1[j] + x2[j] * r2[j]
        u0, u1, u2 = N0[j] + r0[j], N1[j] + r1[j], N2[j] + r2[j]
        error += natural_contact(
            n0[j], n1[j], n2[j], mu[j], rho[j], x0[j], x1[j], x2[j], u0, u1, u2
        )
    return error, quadratic, linear


@routine
def step_tile(sets, metric, kind, first, t, m, step, T):
    """V ← Π(Y − step·S G) for blocks t .. t+m of a group, in the metric S⁻¹; returns Σ dᵀS⁻¹d.

    Y and G are in T, where V is written; see :data:`STEP` and :data:`NEW`.
    """
    b = first + t
    sn, st, sm = metric.normal[b : b + m], metric.tangential[b : b + m], metric.torque[b : b + m]
    Y, G, V = T[:STEP], T[STEP:NEW], T[NEW:STEP_SIZE]
    for i in range(STEP):
        V[i] = Y[i]
    descend_tile(sets, kind, b, m, step, sn, st, sm, G, V)
    project_tile(sets, kind, b if kind > COULOMB else t, m, sn, st, sm, V)
    D = np.empty(STEP)
    for i in range(STEP):
        D[i] = V[i] - Y[i]
    return square_tile(sets, kind, b, m, sn, st, sm, True, D)


@routine
def project_tile(sets, kind, b, m, sn, st, sm, V):
    """Project blocks b .. b+m of one kind, held by V, in the metric of steps (s_n, s_t, s_m).

    `b` counts among all cones for cones, and among the intervals for intervals.
    """
    if kind == COULOMB:
        _coulomb_tile(
            sets.normal[0, b : b + m],
            sets.normal[1, b : b + m],
            sets.normal[2, b : b + m],
            sets.friction[b : b + m],
            sn,
            st,
            m,
            V,
        )
    elif kind == NONNEGATIVE:
        for j in range(m):
            V[j] = max(V[j], 0.0)
    elif kind == INTERVAL:
        for j in range(m):
            V[j] = min(max(V[j], sets.lower[b + j]), sets.upper[b + j])
    elif kind == ROLLING:
        _rolling_tile(sets, b, m, sn, st, sm, V)
    elif kind != FREE:
        _spinning_tile(
            sets.normal[0, b : b + m],
            sets.normal[1, b : b + m],
            sets.normal[2, b : b + m],
            sets.friction[b : b + m],
            sets.rolling[b : b + m],
            sets.spinning[b : b + m],
            sn,
            st,
            sm,
            m,
            V,
        )


@routine
def _coulomb_tile(n0, n1, n2, mu, sn, st, m, V):
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
def _spinning_tile(n0, n1, n2, friction, rolling, spinning, sn, st, sm, m, V):
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


@routine
def descend_tile(sets, kind, b, m, step, sn, st, sm, G, V):
    """V ← V − step · S G, with S the metric's step lengths."""
    if kind == COULOMB or kind > ROLLING:
        n0, n1, n2 = (
            sets.normal[0, b : b + m],
            sets.normal[1, b : b + m],
            sets.normal[2, b : b + m],
        )
        V0, V1, V2 = V[:TILE], V[TILE : 2 * TILE], V[2 * TILE : 3 * TILE]
        G0, G1, G2 = G[:TILE], G[TILE : 2 * TILE], G[2 * TILE : 3 * TILE]
        for j in range(m):
            along = (sn[j] - st[j]) * (G0[j] * n0[j] + G1[j] * n1[j] + G2[j] * n2[j])
            V0[j] -= step * (st[j] * G0[j] + along * n0[j])
            V1[j] -= step * (st[j] * G1[j] + along * n1[j])
            V2[j] -= step * (st[j] * G2[j] + along * n2[j])
        if kind > ROLLING:
            for k in range(3, 6):
                for j in range(m):
                    V[k * TILE + j] -= step * sm[j] * G[k * TILE + j]
    else:
        for j in range(m):
            V[j] -= step * sn[j] * G[j]
        if kind == ROLLING:
            for k in range(1, 3):
                for j in range(m):
                    V[k * TILE + j] -= step * st[j] * G[k * TILE + j]
            for k in range(3, 5):
                for j in range(m):
                    V[k * TILE + j] -= step * sm[j] * G[k * TILE + j]


@routine
def square_tile(sets, kind, b, m, sn, st, sm, inverse, D):
    """Σ dᵀSd over the tile, or Σ dᵀS⁻¹d with `inverse`."""
    total = 0.0
    if kind == COULOMB or kind > ROLLING:
        n0, n1, n2 = (
            sets.normal[0, b : b + m],
            sets.normal[1, b : b + m],
            sets.normal[2, b : b + m],
        )
        D0, D1, D2 = D[:TILE], D[TILE : 2 * TILE], D[2 * TILE : 3 * TILE]
        for j in range(m):
            v = D0[j] * n0[j] + D1[j] * n1[j] + D2[j] * n2[j]
            t = D0[j] * D0[j] + D1[j] * D1[j] + D2[j] * D2[j] - v * v
            total += v * v / sn[j] + t / st[j] if inverse else sn[j] * v * v + st[j] * t
        if kind > ROLLING:
            for k in range(3, 6):
                for j in range(m):
                    square = D[k * TILE + j] * D[k * TILE + j]
                    total += square / sm[j] if inverse else sm[j] * square
    else:
        for j in range(m):
            square = D[j] * D[j]
            total += square / sn[j] if inverse else sn[j] * square
        if kind == ROLLING:
            for j in range(m):
                square = D[TILE + j] * D[TILE + j] + D[2 * TILE + j] * D[2 * TILE + j]
                total += square / st[j] if inverse else st[j] * square
                square = D[3 * TILE + j] * D[3 * TILE + j] + D[4 * TILE + j] * D[4 * TILE + j]
                total += square / sm[j] if inverse else sm[j] * square
    return total
