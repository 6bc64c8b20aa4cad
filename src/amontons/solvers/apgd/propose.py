"""Lines 7 and 8 of algorithm 1: one pass over all blocks assesses x and proposes the next."""

from __future__ import annotations

import numpy as np

from amontons._jit import TILE, helper, kernel, prange, routine
from amontons.algebra.cones import COULOMB, SPINNING, head, rows_of
from amontons.algebra.sums import column_sum
from amontons.algebra.tiles import normals_of, project_wrench
from amontons.solvers.tiles import (
    NEW,
    SLIP,
    STEP,
    STEP_SIZE,
    lift_tile,
    lifted,
    natural_contact,
    natural_tile,
    slip_contact,
    step_contact,
    step_tile,
    three_rows,
)


@kernel
def propose(sets, metric, rho, x, x_old, Nx, Nx_old, linear, beta, step, out, partial):
    """Assess x, and take the next step from y = x + β(x − x_old): out ← Π(y − step·S(Ny + r)).

    Returns ‖e‖², xᵀNx and rᵀx at x, with e its natural map, and for the step gᵀ(out − x) and
    dᵀS⁻¹d with d = out − y. One pass, because the vectors are then read from memory once.

    Where friction is exact, De Saxcé's term at x is added to the velocities at x and at y: it moves
    along with the iterates.
    """
    exact = sets.exact[0] > 0.0
    for c in prange(sets.chunks.shape[0]):
        kind, first, count, row = head(sets.chunks, c)
        T = np.empty(STEP_SIZE)
        error, quad, lin, uphill, length = 0.0, 0.0, 0.0, 0.0, 0.0
        for t in range(sets.chunks[c, 4], sets.chunks[c, 5], TILE):
            m = min(TILE, sets.chunks[c, 5] - t)
            at, b = row + t, first + t
            if kind == COULOMB:
                e, q, p, up, d = contact_tile(
                    normals_of(sets, b, m),
                    sets.friction[b : b + m],
                    rho[b : b + m],
                    (metric.normal[b : b + m], metric.tangential[b : b + m]),
                    (beta, step, exact),
                    three_rows(x, at, count, m),
                    three_rows(x_old, at, count, m),
                    three_rows(Nx, at, count, m),
                    three_rows(Nx_old, at, count, m),
                    three_rows(linear, at, count, m),
                    three_rows(out, at, count, m),
                )
            elif kind == SPINNING:
                e, q, p, up, d = wrench_tile(
                    normals_of(sets, b, m),
                    (
                        sets.friction[b : b + m],
                        sets.rolling[b : b + m],
                        sets.spinning[b : b + m],
                    ),
                    rho[b : b + m],
                    (
                        metric.normal[b : b + m],
                        metric.tangential[b : b + m],
                        metric.torque[b : b + m],
                    ),
                    (beta, step, exact),
                    six_rows(x, at, count, m),
                    six_rows(x_old, at, count, m),
                    six_rows(Nx, at, count, m),
                    six_rows(Nx_old, at, count, m),
                    six_rows(linear, at, count, m),
                    six_rows(out, at, count, m),
                )
            else:
                e, q, p = natural_tile(sets, sets.chunks[c], t, m, rho, x, Nx, linear, T)
                for k in range(rows_of(kind)):
                    s = at + k * count
                    blend(x[s : s + m], x_old[s : s + m], beta, T[k * TILE :])
                    g = T[STEP + k * TILE :]
                    blend_plus(Nx[s : s + m], Nx_old[s : s + m], beta, linear[s : s + m], g)
                if exact and kind > COULOMB:
                    lift_tile(sets, b, m, T[SLIP:], T[STEP:])
                d = step_tile(sets, metric, kind, first, t, m, step, T)
                up = 0.0
                for k in range(rows_of(kind)):
                    s = at + k * count
                    new, g = T[NEW + k * TILE :], T[STEP + k * TILE :]
                    up += store_and_dot(new, x[s : s + m], g, out[s : s + m])
            error, quad, lin = error + e, quad + q, lin + p
            uphill, length = uphill + up, length + d
        partial[c, 0], partial[c, 1], partial[c, 2] = error, quad, lin
        partial[c, 3], partial[c, 4] = uphill, length
    return (
        column_sum(partial, 0),
        column_sum(partial, 1),
        column_sum(partial, 2),
        column_sum(partial, 3),
        column_sum(partial, 4),
    )


@routine
def contact_tile(normal, mu, rho, steps, move, x, x_old, product, product_old, linear, out):
    """The same for Coulomb contacts, in one loop: vectors are tuples of three views.

    `move` is (β, step, whether friction is exact).
    """
    n0, n1, n2 = normal
    sn, st = steps
    beta, step, exact = move
    x0, x1, x2 = x
    o0, o1, o2 = x_old
    N0, N1, N2 = product
    O0, O1, O2 = product_old
    r0, r1, r2 = linear
    z0, z1, z2 = out
    error, quad, lin, uphill, length = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(mu.size):
        quad += x0[j] * N0[j] + x1[j] * N1[j] + x2[j] * N2[j]
        lin += x0[j] * r0[j] + x1[j] * r1[j] + x2[j] * r2[j]
        u0, u1, u2 = N0[j] + r0[j], N1[j] + r1[j], N2[j] + r2[j]
        n = n0[j], n1[j], n2[j]
        if exact:
            u0, u1, u2 = lifted(n, slip_contact(n, mu[j], (u0, u1, u2)), (u0, u1, u2))
        error += natural_contact(n, mu[j], rho[j], (x0[j], x1[j], x2[j]), (u0, u1, u2))
        y = (
            x0[j] + beta * (x0[j] - o0[j]),
            x1[j] + beta * (x1[j] - o1[j]),
            x2[j] + beta * (x2[j] - o2[j]),
        )
        g0 = u0 + beta * (N0[j] - O0[j])
        g1 = u1 + beta * (N1[j] - O1[j])
        g2 = u2 + beta * (N2[j] - O2[j])
        (a0, a1, a2), square = step_contact(n, mu[j], sn[j], st[j], step, y, (g0, g1, g2))
        length += square
        uphill += g0 * (a0 - x0[j]) + g1 * (a1 - x1[j]) + g2 * (a2 - x2[j])
        z0[j], z1[j], z2[j] = a0, a1, a2
    return error, quad, lin, uphill, length


@helper
def six_rows(x, first, stride, m):
    """The six components of m blocks with torque, from their first row on: views."""
    a, b, c = first + stride, first + 2 * stride, first + 3 * stride
    d, e = first + 4 * stride, first + 5 * stride
    return (
        x[first : first + m],
        x[a : a + m],
        x[b : b + m],
        x[c : c + m],
        x[d : d + m],
        x[e : e + m],
    )


@helper
def entries(rows, j):
    """The six components of block j."""
    return rows[0][j], rows[1][j], rows[2][j], rows[3][j], rows[4][j], rows[5][j]


@helper
def dot6(a, b):
    """Product of six components."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@helper
def plus6(a, s, b):
    """a + s b, of six components."""
    return (
        a[0] + s * b[0],
        a[1] + s * b[1],
        a[2] + s * b[2],
        a[3] + s * b[3],
        a[4] + s * b[4],
        a[5] + s * b[5],
    )


@helper
def slip_wrench(n, cone, u):
    """μ‖u_t‖ + ρ‖ω_roll‖ + σ|ω_spin| of one contact with torque, cone = (μ, ρ, σ)."""
    along = u[0] * n[0] + u[1] * n[1] + u[2] * n[2]
    t0, t1, t2 = u[0] - along * n[0], u[1] - along * n[1], u[2] - along * n[2]
    spin = u[3] * n[0] + u[4] * n[1] + u[5] * n[2]
    w0, w1, w2 = u[3] - spin * n[0], u[4] - spin * n[1], u[5] - spin * n[2]
    slide, roll = np.sqrt(t0 * t0 + t1 * t1 + t2 * t2), np.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
    return cone[0] * slide + cone[1] * roll + cone[2] * abs(spin)


@routine
def wrench_tile(normal, limits, rho, steps, move, x, x_old, Nx, Nx_old, linear, out):
    """The same for contacts with torque: rows are tuples of six views, steps (s_n, s_t, s_m)."""
    beta, step, exact = move
    error, quad, lin, uphill, length = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(rho.size):
        n = normal[0][j], normal[1][j], normal[2][j]
        cone = limits[0][j], limits[1][j], limits[2][j]
        sn, st, sm = steps[0][j], steps[1][j], steps[2][j]
        now, N_now, r = entries(x, j), entries(Nx, j), entries(linear, j)
        quad += dot6(now, N_now)
        lin += dot6(now, r)
        u = plus6(N_now, 1.0, r)
        if exact:
            u = plus6(u, slip_wrench(n, cone, u), (n[0], n[1], n[2], 0.0, 0.0, 0.0))
        w = plus6(now, -rho[j], u)
        # (x − Π(w))/ρ = u + (w − Π(w))/ρ
        e = plus6(u, 1.0 / rho[j], plus6(w, -1.0, project_wrench(n, cone, 1.0, 1.0, w)))
        error += dot6(e, e)
        y = plus6(now, beta, plus6(now, -1.0, entries(x_old, j)))
        g = plus6(u, beta, plus6(N_now, -1.0, entries(Nx_old, j)))
        along = (sn - st) * (g[0] * n[0] + g[1] * n[1] + g[2] * n[2])
        w = (
            y[0] - step * (st * g[0] + along * n[0]),
            y[1] - step * (st * g[1] + along * n[1]),
            y[2] - step * (st * g[2] + along * n[2]),
            y[3] - step * sm * g[3],
            y[4] - step * sm * g[4],
            y[5] - step * sm * g[5],
        )
        z = project_wrench(n, cone, sn / st, sn / sm, w)
        d = plus6(z, -1.0, y)
        high = d[0] * n[0] + d[1] * n[1] + d[2] * n[2]
        aside = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - high * high
        turn = d[3] * d[3] + d[4] * d[4] + d[5] * d[5]
        length += high * high / sn + aside / st + turn / sm
        uphill += dot6(g, plus6(z, -1.0, now))
        out[0][j], out[1][j], out[2][j], out[3][j], out[4][j], out[5][j] = z
    return error, quad, lin, uphill, length


@routine
def blend(x, x_old, beta, out):
    """out ← x + β(x − x_old)."""
    for j in range(x.size):
        out[j] = x[j] + beta * (x[j] - x_old[j])


@routine
def blend_plus(x, x_old, beta, r, out):
    """out ← x + β(x − x_old) + r."""
    for j in range(x.size):
        out[j] = x[j] + beta * (x[j] - x_old[j]) + r[j]


@routine
def store_and_dot(new, x, g, out):
    """out ← new, and gᵀ(new − x)."""
    for j in range(x.size):
        out[j] = new[j]
    total = 0.0
    for j in range(x.size):
        total += g[j] * (new[j] - x[j])
    return total
