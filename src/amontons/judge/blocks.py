"""One pass over all blocks that finds everything wrong with a point: plain code, block by block.

Shares nothing with the solvers' passes but the scalar definitions of the sets, in
:mod:`amontons.algebra.cones`; `tests/judge` has its oracle.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import helper, kernel, prange, routine
from amontons.algebra.cones import (
    COULOMB,
    FREE,
    NONNEGATIVE,
    beyond,
    normal_part,
    project_block,
    project_coulomb,
    rows_of,
    slip_of,
)
from amontons.algebra.sums import column_max, column_sum

COLUMNS, SUMS = 8, 5
"""Results of a pass: five sums, then three maxima."""


@kernel
def judge_blocks(sets, rho, short, x, product, linear, velocity, exact, partial):
    """Judge x, given its product (N + E) x and its velocity u.

    With `exact`, u gets its De Saxcé term first. Returns the sums over all blocks of ‖e‖² with step
    ρ, of ‖e‖² with the `short` step, of xᵀNx, of rᵀx and of abs(xᵀu); then the largest ‖e‖² with
    step ρ, and the largest distances of x from its set and of u from the dual set.
    """
    for c in prange(sets.chunks.shape[0]):
        if sets.chunks[c, 0] == COULOMB:
            normal, mu = sets.normal, sets.friction
            judge_contacts(sets.chunks[c], normal, mu, rho, short, x, velocity, exact, partial[c])
        else:
            judge_others(sets, sets.chunks[c], rho, short, x, velocity, exact, partial[c])
        partial[c, 2], partial[c, 3] = objective_of(sets.chunks[c], x, product, linear)
    return (
        column_sum(partial, 0),
        column_sum(partial, 1),
        column_sum(partial, 2),
        column_sum(partial, 3),
        column_sum(partial, 4),
        column_max(partial, 5),
        column_max(partial, 6),
        column_max(partial, 7),
    )


@routine
def objective_of(chunk, x, product, linear):
    """xᵀNx and rᵀx over the blocks of a chunk."""
    kind, count, start = chunk[0], chunk[2], chunk[3]
    quadratic, lin = 0.0, 0.0
    for k in range(rows_of(kind)):
        for i in range(start + k * count + chunk[4], start + k * count + chunk[5]):
            quadratic += x[i] * product[i]
            lin += x[i] * linear[i]
    return quadratic, lin


@routine
def judge_contacts(chunk, normal, friction, rho, short, x, velocity, exact, out):
    """Judge the Coulomb contacts of a chunk: results into `out`, but for the objective's terms."""
    first, count, start = chunk[1], chunk[2], chunk[3]
    error, short_error, comp = 0.0, 0.0, 0.0
    worst, primal, dual = 0.0, 0.0, 0.0
    for j in range(chunk[4], chunk[5]):
        b = np.uint64(first + j)
        i0 = np.uint64(start + j)
        i1, i2 = np.uint64(start + count + j), np.uint64(start + 2 * count + j)
        n0, n1, n2, mu, step = normal[0, b], normal[1, b], normal[2, b], friction[b], rho[b]
        n = n0, n1, n2
        xb = x[i0], x[i1], x[i2]
        u0, u1, u2 = velocity[i0], velocity[i1], velocity[i2]
        up = u0 * n0 + u1 * n1 + u2 * n2
        slip = mu * np.sqrt((u0 - up * n0) ** 2 + (u1 - up * n1) ** 2 + (u2 - up * n2) ** 2)
        if exact:
            u0, u1, u2, up = u0 + slip * n0, u1 + slip * n1, u2 + slip * n2, up + slip
        u = u0, u1, u2
        square = contact_square(n, mu, step, xb, u)
        error += square
        worst = max(worst, square)
        short_error += contact_square(n, mu, short, xb, u)
        a = xb[0] * n0 + xb[1] * n1 + xb[2] * n2
        t = np.sqrt((xb[0] - a * n0) ** 2 + (xb[1] - a * n1) ** 2 + (xb[2] - a * n2) ** 2)
        primal = max(primal, -a, t - mu * a)
        dual = max(dual, slip - up)
        comp += abs(xb[0] * u0 + xb[1] * u1 + xb[2] * u2)
    out[0], out[1], out[4] = error, short_error, comp
    out[5], out[6], out[7] = worst, primal, dual


@helper
def contact_square(n, mu, rho, x, u):
    """‖(x − Π(x − ρu))/ρ‖² of one Coulomb contact.

    With w = x − ρu the error is u + (w − Π(w))/ρ: just u, to the last digit, where w is in its set.
    """
    w0, w1, w2 = x[0] - rho * u[0], x[1] - rho * u[1], x[2] - rho * u[2]
    p0, p1, p2 = project_coulomb(w0, w1, w2, n[0], n[1], n[2], mu)
    stiff = 1.0 / rho
    e0, e1, e2 = u[0] + stiff * (w0 - p0), u[1] + stiff * (w1 - p1), u[2] + stiff * (w2 - p2)
    return e0 * e0 + e1 * e1 + e2 * e2


@routine
def judge_others(sets, chunk, rho, short, x, velocity, exact, out):
    """Judge blocks of any other kind in a chunk, in the same way."""
    kind, first, count, start = chunk[0], chunk[1], chunk[2], chunk[3]
    xb, ub, w, p = np.empty(6), np.empty(6), np.empty(6), np.empty(6)
    error, short_error, comp = 0.0, 0.0, 0.0
    worst, primal, dual = 0.0, 0.0, 0.0
    for j in range(chunk[4], chunk[5]):
        b, index = first + j, first + j if kind > COULOMB else j
        for k in range(rows_of(kind)):
            xb[k], ub[k] = x[start + k * count + j], velocity[start + k * count + j]
        if exact and kind > COULOMB:
            slip = slip_of(sets, kind, b, ub)
            for k in range(3):
                ub[k] += slip * sets.normal[k, b]
        square = block_square(sets, kind, index, rho[b], xb, ub, w, p)
        error += square
        worst = max(worst, square)
        short_error += block_square(sets, kind, index, short, xb, ub, w, p)
        if kind > COULOMB:
            outside, against, inner = cone_violations(sets, kind, b, xb, ub)
        else:
            outside, against, inner = scalar_violations(sets, kind, j, xb[0], ub[0])
        primal = max(primal, outside)
        dual = max(dual, against)
        comp += inner
    out[0], out[1], out[4] = error, short_error, comp
    out[5], out[6], out[7] = worst, primal, dual


@helper
def block_square(sets, kind, index, rho, x, u, w, p):
    """As :func:`contact_square`, of any block; w and p are room for x − ρu and its projection."""
    for k in range(rows_of(kind)):
        w[k] = x[k] - rho * u[k]
        p[k] = w[k]
    project_block(sets, kind, index, p)
    square = 0.0
    for k in range(rows_of(kind)):
        e = u[k] + (w[k] - p[k]) / rho
        square += e * e
    return square


@helper
def cone_violations(sets, kind, b, x, u):
    """By how much x is outside its cone and u outside the dual one, and abs(xᵀu).

    The dual cone is u_n ≥ μ‖u_t‖ + ρ‖ω_roll‖ + σ|ω_spin|.
    """
    inner = 0.0
    for k in range(rows_of(kind)):
        inner += x[k] * u[k]
    against = slip_of(sets, kind, b, u) - normal_part(sets, b, u)
    return beyond(sets, kind, b, x), against, abs(inner)


@helper
def scalar_violations(sets, kind, j, x, u):
    """The same of a scalar block, the j-th of its kind.

    An interval has no dual cone: there u must vanish inside, and point inwards at an end; what is
    left of it counts as violation.
    """
    if kind == FREE:
        return 0.0, abs(u), abs(x * u)
    if kind == NONNEGATIVE:
        return -x, -u, abs(x * u)
    low, high = sets.lower[j], sets.upper[j]
    outside = max(low - x, x - high)
    if u > 0.0 and low > -np.inf:
        return outside, 0.0, abs((x - low) * u)
    if u < 0.0 and high < np.inf:
        return outside, 0.0, abs((high - x) * u)
    return outside, abs(u), 0.0
