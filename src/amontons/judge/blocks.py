"""One pass over all blocks that finds everything wrong with a point: plain code, block by block.

Shares nothing with the solvers' passes but the scalar definitions of the sets, in
:mod:`amontons.algebra.cones`; `tests` has its slow oracle.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import helper, kernel, prange
from amontons.algebra.cones import (
    COULOMB,
    FREE,
    INTERVAL,
    NONNEGATIVE,
    beyond,
    head,
    normal_part,
    project_block,
    rows_of,
    slip_of,
)
from amontons.algebra.sums import column_max, column_sum

COLUMNS = 8
"""Results of a pass: five sums, then three maxima."""


@kernel
def judge_blocks(sets, rho, short, x, product, linear, velocity, exact, partial):
    """Judge x, given its product (N + E) x and its velocity u.

    With `exact`, u gets its De Saxcé term first. Returns the sums over all blocks of ‖e‖² with step
    ρ, of ‖e‖² with the `short` step, of xᵀNx, of rᵀx and of abs(xᵀu); then the largest ‖e‖² with
    step ρ, and the largest distances of x from its set and of u from the dual set.
    """
    for c in prange(sets.chunks.shape[0]):
        kind, first, count, start = head(sets.chunks, c)
        rows = rows_of(kind)
        xb, ub, w, p = np.empty(6), np.empty(6), np.empty(6), np.empty(6)
        error, short_error, quadratic, lin, comp = 0.0, 0.0, 0.0, 0.0, 0.0
        worst, primal, dual = 0.0, 0.0, 0.0
        for j in range(sets.chunks[c, 4], sets.chunks[c, 5]):
            b, index = first + j, first + j if kind >= COULOMB else j
            for k in range(rows):
                i = start + k * count + j
                xb[k], ub[k] = x[i], velocity[i]
                quadratic += x[i] * product[i]
                lin += x[i] * linear[i]
            if exact and kind >= COULOMB:
                slip = slip_of(sets, kind, b, ub)
                for k in range(3):
                    ub[k] += slip * sets.normal[k, b]
            square = natural_square(sets, kind, index, rho[b], xb, ub, w, p)
            error += square
            worst = max(worst, square)
            short_error += natural_square(sets, kind, index, short, xb, ub, w, p)
            outside, against, inner = violations(sets, kind, index, xb, ub)
            primal = max(primal, outside)
            dual = max(dual, against)
            comp += inner
        partial[c, 0], partial[c, 1], partial[c, 2] = error, short_error, quadratic
        partial[c, 3], partial[c, 4] = lin, comp
        partial[c, 5], partial[c, 6], partial[c, 7] = worst, primal, dual
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


@helper
def natural_square(sets, kind, index, rho, x, u, w, p):
    """‖(x − Π(x − ρu))/ρ‖² of one block; w and p are room for x − ρu and its projection.

    With w = x − ρu the error is u + (w − Π(w))/ρ: just u, to the last digit, where w is in its set.
    """
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
def violations(sets, kind, index, x, u):
    """By how much x is outside its set and u outside the dual one, and abs(xᵀu), of one block.

    Cones: u_n ≥ μ‖u_t‖ + ρ‖ω_roll‖ + σ|ω_spin| is the dual. An interval has no dual cone: there
    u must vanish inside, and point inwards at an end; what is left of it counts as violation.
    """
    if kind == FREE:
        return 0.0, abs(u[0]), abs(x[0] * u[0])
    if kind == NONNEGATIVE:
        return -x[0], -u[0], abs(x[0] * u[0])
    if kind == INTERVAL:
        low, high = sets.lower[index], sets.upper[index]
        outside = max(low - x[0], x[0] - high)
        if u[0] > 0.0 and low > -np.inf:
            return outside, 0.0, abs((x[0] - low) * u[0])
        if u[0] < 0.0 and high < np.inf:
            return outside, 0.0, abs((high - x[0]) * u[0])
        return outside, abs(u[0]), 0.0
    outside = beyond(sets, kind, index, x)
    against = slip_of(sets, kind, index, u) - normal_part(sets, index, u)
    inner = 0.0
    for k in range(rows_of(kind)):
        inner += x[k] * u[k]
    return outside, against, abs(inner)
