"""Lines 7 and 8 of algorithm 1: one pass over all blocks assesses x and proposes the next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import TILE, helper, kernel, prange, routine
from amontons.algebra.cones import COULOMB, SPINNING, head, rows_of
from amontons.algebra.sums import column_sum
from amontons.algebra.tiles import normals_of, project_wrench, three_rows
from amontons.solvers.tiles import (
    NEW,
    SLIP,
    STEP,
    STEP_SIZE,
    lift_tile,
    lifted,
    natural_contact,
    natural_square,
    slip_contact,
    step_contact,
    step_tile,
)

Reals = NDArray[np.float64] | NDArray[np.float32]


class Origin(NamedTuple):
    """What iterates are counted from: they are x₀ + x, and N(x₀ + x) + r = N x + u₀."""

    base: Reals  # x₀, shape (rows,), or empty where it is zero
    linear: Reals  # u₀ = N x₀ + r, shape (rows,): the linear term r itself where x₀ is zero


@kernel
def propose(sets, metric, rho, x, x_old, Nx, Nx_old, origin, beta, step, out, partial):
    """Assess x, and take the next step from y = x + β(x − x_old): out ← Π(y − step·S(Ny + r)).

    Returns ‖e‖², xᵀNx and rᵀx at x, with e its natural map, and for the step gᵀ(out − x) and
    dᵀS⁻¹d with d = out − y. One pass, because the vectors are then read from memory once.

    Vectors over the rows may be float32: that is how they are stored, all arithmetic is float64.
    With a base x₀ the iterates are x₀ + x and x₀ + out, and r is u₀. Where friction is exact, De
    Saxcé's term at x is added to the velocities at x and at y: it moves along with the iterates.
    """
    base, linear, exact = origin.base, origin.linear, sets.exact[0] > 0.0
    for c in prange(sets.chunks.shape[0]):
        kind, first, count, row = head(sets.chunks, c)
        T, none = np.empty(STEP_SIZE), np.zeros(TILE, base.dtype)
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
                    (
                        three_rows(base, at, count, m) if base.size else three_rows(none, 0, 0, m),
                        three_rows(linear, at, count, m),
                    ),
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
                    (
                        six_rows(base, at, count, m) if base.size else six_rows(none, 0, 0, m),
                        six_rows(linear, at, count, m),
                    ),
                    six_rows(out, at, count, m),
                )
            else:
                q, p, up = 0.0, 0.0, 0.0
                for k in range(rows_of(kind)):
                    s = at + k * count
                    zero = base[s : s + m] if base.size else none[:m]
                    blend(zero, x[s : s + m], x_old[s : s + m], 0.0, T[k * TILE :])
                    u = T[STEP + k * TILE :]
                    blend(linear[s : s + m], Nx[s : s + m], Nx_old[s : s + m], 0.0, u)
                    q += dot(x[s : s + m], Nx[s : s + m])
                    p += dot(x[s : s + m], linear[s : s + m])
                e = natural_square(sets, kind, first, t, m, rho[b : b + m], T)
                for k in range(rows_of(kind)):
                    s = at + k * count
                    zero = base[s : s + m] if base.size else none[:m]
                    blend(zero, x[s : s + m], x_old[s : s + m], beta, T[k * TILE :])
                    g = T[STEP + k * TILE :]
                    blend(linear[s : s + m], Nx[s : s + m], Nx_old[s : s + m], beta, g)
                if exact and kind > COULOMB:
                    lift_tile(sets, b, m, T[SLIP:], T[STEP:])
                d = step_tile(sets, metric, kind, first, t, m, step, T)
                for k in range(rows_of(kind)):
                    s = at + k * count
                    zero = base[s : s + m] if base.size else none[:m]
                    new, g = T[NEW + k * TILE :], T[STEP + k * TILE :]
                    up += store_and_dot(new, zero, x[s : s + m], g, out[s : s + m])
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


@helper
def three_entries(rows, j):
    """The three components of contact j, in double precision."""
    return np.float64(rows[0][j]), np.float64(rows[1][j]), np.float64(rows[2][j])


@routine
def contact_tile(normal, mu, rho, steps, move, x, x_old, product, product_old, origin, out):
    """The same for Coulomb contacts, in one loop: vectors are tuples of three views.

    `move` is (β, step, whether friction is exact).
    """
    beta, step, exact = move
    n0, n1, n2 = normal
    sn, st = steps
    base, linear = origin
    z0, z1, z2 = out
    error, quad, lin, uphill, length = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(mu.size):
        b0, b1, b2 = three_entries(base, j)
        x0, x1, x2 = three_entries(x, j)
        o0, o1, o2 = three_entries(x_old, j)
        N0, N1, N2 = three_entries(product, j)
        O0, O1, O2 = three_entries(product_old, j)
        r0, r1, r2 = three_entries(linear, j)
        quad += x0 * N0 + x1 * N1 + x2 * N2
        lin += x0 * r0 + x1 * r1 + x2 * r2
        u0, u1, u2 = N0 + r0, N1 + r1, N2 + r2
        n, width = (n0[j], n1[j], n2[j]), np.float64(rho[j])
        if exact:
            u0, u1, u2 = lifted(n, slip_contact(n, mu[j], (u0, u1, u2)), (u0, u1, u2))
        y = b0 + x0 + beta * (x0 - o0), b1 + x1 + beta * (x1 - o1), b2 + x2 + beta * (x2 - o2)
        g0, g1, g2 = u0 + beta * (N0 - O0), u1 + beta * (N1 - O1), u2 + beta * (N2 - O2)
        x0, x1, x2 = b0 + x0, b1 + x1, b2 + x2
        error += natural_contact(n, mu[j], width, (x0, x1, x2), (u0, u1, u2))
        along, across = np.float64(sn[j]), np.float64(st[j])
        (a0, a1, a2), square = step_contact(n, mu[j], along, across, step, y, (g0, g1, g2))
        length += square
        uphill += g0 * (a0 - x0) + g1 * (a1 - x1) + g2 * (a2 - x2)
        z0[j], z1[j], z2[j] = a0 - b0, a1 - b1, a2 - b2
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
    """The six components of block j, in double precision."""
    a, b, c = np.float64(rows[0][j]), np.float64(rows[1][j]), np.float64(rows[2][j])
    return a, b, c, np.float64(rows[3][j]), np.float64(rows[4][j]), np.float64(rows[5][j])


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
def wrench_tile(normal, limits, rho, steps, move, x, x_old, Nx, Nx_old, origin, out):
    """The same for contacts with torque: rows are tuples of six views, steps (s_n, s_t, s_m)."""
    beta, step, exact = move
    base, linear = origin
    error, quad, lin, uphill, length = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(rho.size):
        n = normal[0][j], normal[1][j], normal[2][j]
        cone = limits[0][j], limits[1][j], limits[2][j]
        sn, st, sm = np.float64(steps[0][j]), np.float64(steps[1][j]), np.float64(steps[2][j])
        zero, now, width = entries(base, j), entries(x, j), np.float64(rho[j])
        N_now, r = entries(Nx, j), entries(linear, j)
        quad += dot6(now, N_now)
        lin += dot6(now, r)
        way = plus6(now, -1.0, entries(x_old, j))
        now = plus6(zero, 1.0, now)
        u = plus6(N_now, 1.0, r)
        if exact:
            u = plus6(u, slip_wrench(n, cone, u), (n[0], n[1], n[2], 0.0, 0.0, 0.0))
        w = plus6(now, -width, u)
        # (x − Π(w))/ρ = u + (w − Π(w))/ρ
        e = plus6(u, 1.0 / width, plus6(w, -1.0, project_wrench(n, cone, 1.0, 1.0, w)))
        error += dot6(e, e)
        y = plus6(now, beta, way)
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
        z = plus6(z, -1.0, zero)
        out[0][j], out[1][j], out[2][j], out[3][j], out[4][j], out[5][j] = z
    return error, quad, lin, uphill, length


@routine
def blend(base, x, x_old, beta, out):
    """out ← base + x + β(x − x_old)."""
    for j in range(x.size):
        now = np.float64(x[j])
        out[j] = base[j] + now + beta * (now - x_old[j])


@routine
def dot(a, b):
    """aᵀb."""
    total = 0.0
    for j in range(a.size):
        total += np.float64(a[j]) * b[j]
    return total


@routine
def store_and_dot(new, base, x, g, out):
    """out ← new − base, and gᵀ(new − base − x)."""
    for j in range(x.size):
        out[j] = new[j] - base[j]
    total = 0.0
    for j in range(x.size):
        total += g[j] * (new[j] - (np.float64(base[j]) + x[j]))
    return total
