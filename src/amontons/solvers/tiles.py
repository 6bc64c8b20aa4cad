"""Passes over a tile of blocks that first-order methods make: natural map, step, squares.

The solvers' own fast code, vectorised as :mod:`amontons.algebra.tiles` explains. What these passes
say of an error steers a method; it is not what a `Solution` reports (:mod:`amontons.judge`). The
three tiles Y, G and V of a step share one array.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import TILE, helper, routine
from amontons.algebra.cones import COULOMB, SPINNING, by_vectors, rows_of, slip_of
from amontons.algebra.tiles import normals_of, project_tile, three_rows

SMALL = 1e-140
"""Below this a tangential part counts as zero, where a quotient by it is to stay finite."""

STEP = 6 * TILE  # where G begins in the array of a step; Y begins at 0
NEW = 12 * TILE  # where V begins
SLIP = 18 * TILE  # where De Saxcé's terms of the blocks begin
STEP_SIZE = 19 * TILE


@helper
def slip_contact(n, mu, u):
    """μ‖u_t‖ of one Coulomb contact; n and u are three numbers each."""
    along = u[0] * n[0] + u[1] * n[1] + u[2] * n[2]
    t0, t1, t2 = u[0] - along * n[0], u[1] - along * n[1], u[2] - along * n[2]
    return mu * np.sqrt(t0 * t0 + t1 * t1 + t2 * t2)


@helper
def lifted(n, slip, u):
    """u + slip·n: the velocity with De Saxcé's term; n and u are three numbers each."""
    return u[0] + slip * n[0], u[1] + slip * n[1], u[2] + slip * n[2]


@helper
def natural_contact(n, mu, rho, x, u):
    """‖(x − Π(x − ρu))/ρ‖² of one Coulomb cone; n, x and u are three numbers each."""
    n0, n1, n2 = n
    x0, x1, x2 = x
    u0, u1, u2 = u
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
def step_contact(n, mu, sn, st, step, at, gradient):
    """z = Π(y − step·S g) on one Coulomb cone, in the metric S⁻¹, and dᵀS⁻¹d with d = z − y.

    n, y (`at`), g (`gradient`) and z are three numbers each.
    """
    n0, n1, n2 = n
    y0, y1, y2 = at
    g0, g1, g2 = gradient
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
    return (z0, z1, z2), (d * d * st + aside * sn) / (sn * st)


@routine
def natural_coulomb(normal, mu, rho, exact, x, product, linear):
    """Σ‖(x − Π(x − ρu))/ρ‖² with u = Nx + r, Σ xᵀNx and Σ xᵀr over Coulomb cones.

    Normals, x, Nx and r are three views each, one for each component. With `exact`, u gets De
    Saxcé's term.
    """
    n0, n1, n2 = normal
    x0, x1, x2 = x
    N0, N1, N2 = product
    r0, r1, r2 = linear
    error, quadratic, lin = 0.0, 0.0, 0.0
    for j in range(mu.size):
        quadratic += x0[j] * N0[j] + x1[j] * N1[j] + x2[j] * N2[j]
        lin += x0[j] * r0[j] + x1[j] * r1[j] + x2[j] * r2[j]
        u = N0[j] + r0[j], N1[j] + r1[j], N2[j] + r2[j]
        n = n0[j], n1[j], n2[j]
        if exact:
            u = lifted(n, slip_contact(n, mu[j], u), u)
        error += natural_contact(n, mu[j], rho[j], (x0[j], x1[j], x2[j]), u)
    return error, quadratic, lin


@routine
def natural_tile(sets, chunk, t, m, rho, x, product, linear, work):
    """Σ‖(x − Π(x − ρu))/ρ‖², Σ xᵀNx and Σ rᵀx over blocks t .. t+m of a chunk's group."""
    kind, first, count, row = chunk[0], chunk[1], chunk[2], chunk[3] + t
    scale = rho[first + t : first + t + m]
    if kind == COULOMB:
        b = first + t
        return natural_coulomb(
            normals_of(sets, b, m),
            sets.friction[b : b + m],
            scale,
            sets.exact[0] > 0.0,
            three_rows(x, row, count, m),
            three_rows(product, row, count, m),
            three_rows(linear, row, count, m),
        )
    quad, lin = 0.0, 0.0
    for k in range(rows_of(kind)):
        for j in range(m):
            i = row + k * count + j
            work[k * TILE + j] = x[i]
            work[STEP + k * TILE + j] = product[i] + linear[i]
    # sums in a loop of their own: in one that writes, their order could depend on addresses
    for k in range(rows_of(kind)):
        for j in range(m):
            i = row + k * count + j
            quad += x[i] * product[i]
            lin += x[i] * linear[i]
    return natural_square(sets, kind, first, t, m, scale, work), quad, lin


@routine
def natural_square(sets, kind, first, t, m, rho, work):
    """Σ‖(x − Π(x − ρu))/ρ‖² over m blocks of a group; x and u in `work`, from 0 and from STEP.

    Where friction is exact, u gets De Saxcé's terms, which are left in `work` from SLIP on.
    """
    x, u, new = work[:STEP], work[STEP:NEW], work[NEW:SLIP]
    if sets.exact[0] > 0.0 and kind >= COULOMB:
        slips_of_tile(sets, kind, first + t, m, u, work[SLIP:])
        lift_tile(sets, first + t, m, work[SLIP:], u)
    for k in range(rows_of(kind)):
        for j in range(m):
            i = k * TILE + j
            new[i] = x[i] - rho[j] * u[i]
    # the same step in all rows: a Euclidean projection
    project_tile(sets, kind, first + t if kind >= COULOMB else t, m, rho, rho, rho, new)
    error = 0.0
    for k in range(rows_of(kind)):
        for j in range(m):
            i = k * TILE + j
            e = u[i] + ((x[i] - rho[j] * u[i]) - new[i]) / rho[j]
            error += e * e
    return error


@routine
def slips_of_tile(sets, kind, b, m, u, slip):
    """De Saxcé's terms of m cone blocks from block b on, whose velocities are u."""
    block = np.empty(6)
    for j in range(m):
        for k in range(rows_of(kind)):
            block[k] = u[k * TILE + j]
        slip[j] = slip_of(sets, kind, b + j, block)


@routine
def lift_tile(sets, b, m, slip, u):
    """u ← u + slip·n for m cone blocks from block b on."""
    for k in range(3):
        for j in range(m):
            u[k * TILE + j] += slip[j] * sets.normal[k, b + j]


@routine
def step_tile(sets, metric, kind, first, t, m, step, T):
    """V ← Π(Y − step·S G) for blocks t .. t+m of a group, in the metric S⁻¹; returns Σ dᵀS⁻¹d.

    Y and G are in T, where V is written; see :data:`STEP` and :data:`NEW`.
    """
    b = first + t
    sn, st, sm = metric.normal[b : b + m], metric.tangential[b : b + m], metric.torque[b : b + m]
    Y, G, V = T[:STEP], T[STEP:NEW], T[NEW:SLIP]
    for i in range(STEP):
        V[i] = Y[i]
    descend_tile(sets, kind, b, m, step, sn, st, sm, G, V)
    project_tile(sets, kind, b if kind > COULOMB else t, m, sn, st, sm, V)
    D = np.empty(STEP)
    for i in range(STEP):
        D[i] = V[i] - Y[i]
    return square_tile(sets, kind, b, m, sn, st, sm, True, D)


@routine
def descend_tile(sets, kind, b, m, step, sn, st, sm, G, V):
    """V ← V − step · S G, with S the metric's step lengths."""
    if by_vectors(kind):
        n0, n1, n2 = normals_of(sets, b, m)
        V0, V1, V2 = V[:TILE], V[TILE : 2 * TILE], V[2 * TILE : 3 * TILE]
        G0, G1, G2 = G[:TILE], G[TILE : 2 * TILE], G[2 * TILE : 3 * TILE]
        for j in range(m):
            along = (sn[j] - st[j]) * (G0[j] * n0[j] + G1[j] * n1[j] + G2[j] * n2[j])
            V0[j] -= step * (st[j] * G0[j] + along * n0[j])
            V1[j] -= step * (st[j] * G1[j] + along * n1[j])
            V2[j] -= step * (st[j] * G2[j] + along * n2[j])
        if kind == SPINNING:
            for k in range(3, 6):
                for j in range(m):
                    V[k * TILE + j] -= step * sm[j] * G[k * TILE + j]
    else:
        for j in range(m):
            V[j] -= step * sn[j] * G[j]
        for k in range(1, rows_of(kind)):
            s = st if k < 3 else sm
            for j in range(m):
                V[k * TILE + j] -= step * s[j] * G[k * TILE + j]


@routine
def square_tile(sets, kind, b, m, sn, st, sm, inverse, D):
    """Σ dᵀSd over the tile, or Σ dᵀS⁻¹d with `inverse`."""
    total = 0.0
    if by_vectors(kind):
        n0, n1, n2 = normals_of(sets, b, m)
        D0, D1, D2 = D[:TILE], D[TILE : 2 * TILE], D[2 * TILE : 3 * TILE]
        for j in range(m):
            v = D0[j] * n0[j] + D1[j] * n1[j] + D2[j] * n2[j]
            t = D0[j] * D0[j] + D1[j] * D1[j] + D2[j] * D2[j] - v * v
            total += v * v / sn[j] + t / st[j] if inverse else sn[j] * v * v + st[j] * t
        if kind == SPINNING:
            for k in range(3, 6):
                for j in range(m):
                    square = D[k * TILE + j] * D[k * TILE + j]
                    total += square / sm[j] if inverse else sm[j] * square
    else:
        for j in range(m):
            square = D[j] * D[j]
            total += square / sn[j] if inverse else sn[j] * square
        if kind >= COULOMB:
            torque = rows_of(kind) > 3
            for j in range(m):
                square = D[TILE + j] * D[TILE + j] + D[2 * TILE + j] * D[2 * TILE + j]
                total += square / st[j] if inverse else st[j] * square
                if torque:
                    square = D[3 * TILE + j] * D[3 * TILE + j] + D[4 * TILE + j] * D[4 * TILE + j]
                    total += square / sm[j] if inverse else sm[j] * square
    return total
