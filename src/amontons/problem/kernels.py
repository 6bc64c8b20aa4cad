"""Kernels on a product of sets alone: projection, natural maps, violations, the De Saxcé shift."""

from __future__ import annotations

import numpy as np

from amontons._jit import CHUNK, TILE, helper, kernel, prange, routine
from amontons.algebra.cones import (
    COULOMB,
    FREE,
    INTERVAL,
    NONNEGATIVE,
    ROLLING,
    project_block,
)
from amontons.algebra.tiles import NEW, STEP, STEP_SIZE, copy, natural_coulomb, project_tile


@helper
def rows_of(kind):
    """Rows of a block of this kind."""
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
def column_sum(partial, k):
    """Sum of the chunks' partial sums, in their order: the same on any number of threads."""
    total = 0.0
    for c in range(partial.shape[0]):
        total += partial[c, k]
    return total


@routine
def column_max(partial, k):
    """Largest of the chunks' partial results."""
    largest = 0.0
    for c in range(partial.shape[0]):
        largest = max(largest, partial[c, k])
    return largest


@kernel
def project(sets, x):
    """Project x onto the product of sets, in place."""
    for c in prange(sets.chunks.shape[0]):
        kind, first, count, row = head(sets.chunks, c)
        V, one = np.empty(6 * TILE), np.ones(TILE)
        for t in range(sets.chunks[c, 4], sets.chunks[c, 5], TILE):
            m = min(TILE, sets.chunks[c, 5] - t)
            for k in range(rows_of(kind)):
                s = row + k * count + t
                copy(x[s : s + m], V[k * TILE :])
            project_tile(sets, kind, first + t if kind >= COULOMB else t, m, one, one, one, V)
            for k in range(rows_of(kind)):
                s = row + k * count + t
                copy(V[k * TILE : k * TILE + m], x[s : s + m])


@routine
def natural_tile(sets, chunk, t, m, rho, x, product, linear, work):
    """Σ‖(x − Π(x − ρu))/ρ‖², Σ xᵀNx and Σ rᵀx over blocks t .. t+m of a chunk's group."""
    kind, first, count, row = chunk[0], chunk[1], chunk[2], chunk[3] + t
    scale = rho[first + t : first + t + m]
    if kind == COULOMB:
        b, k, i = first + t, row + count, row + 2 * count
        return natural_coulomb(
            sets.normal[0, b : b + m],
            sets.normal[1, b : b + m],
            sets.normal[2, b : b + m],
            sets.friction[b : b + m],
            scale,
            x[row : row + m],
            x[k : k + m],
            x[i : i + m],
            product[row : row + m],
            product[k : k + m],
            product[i : i + m],
            linear[row : row + m],
            linear[k : k + m],
            linear[i : i + m],
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
    """Σ‖(x − Π(x − ρu))/ρ‖² over m blocks of a group; x and u in `work`, from 0 and from STEP."""
    x, u, new = work[:STEP], work[STEP:NEW], work[NEW:STEP_SIZE]
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


@kernel
def natural_map(sets, rho, x, product, linear, partial):
    """Squared natural-map residual and the objective's two terms at x: (‖e‖², xᵀNx, linearᵀx)."""
    for c in prange(sets.chunks.shape[0]):
        work = np.empty(STEP_SIZE)
        total, quad, lin = 0.0, 0.0, 0.0
        for t in range(sets.chunks[c, 4], sets.chunks[c, 5], TILE):
            m = min(TILE, sets.chunks[c, 5] - t)
            e, q, p = natural_tile(sets, sets.chunks[c], t, m, rho, x, product, linear, work)
            total += e
            quad += q
            lin += p
        partial[c, 0], partial[c, 1], partial[c, 2] = total, quad, lin
    return column_sum(partial, 0), column_sum(partial, 1), column_sum(partial, 2)


@kernel
def worst_block(sets, rho, x, product, linear, partial):
    """Largest squared natural-map residual of a single block."""
    for c in prange(sets.chunks.shape[0]):
        kind, first, count = sets.chunks[c, 0], sets.chunks[c, 1], sets.chunks[c, 2]
        new, worst = np.empty(6), 0.0
        for j in range(sets.chunks[c, 4], sets.chunks[c, 5]):
            row, step = sets.chunks[c, 3] + j, rho[first + j]
            for k in range(rows_of(kind)):
                i = row + k * count
                new[k] = x[i] - step * (product[i] + linear[i])
            project_block(sets, kind, first + j if kind >= COULOMB else j, new)
            square = 0.0
            for k in range(rows_of(kind)):
                square += ((x[row + k * count] - new[k]) / step) ** 2
            worst = max(worst, square)
        partial[c, 0] = worst
    return column_max(partial, 0)


@helper
def cone_parts(sets, kind, b, x, row, stride):
    """Normal part and norms of the tangential, rolling and spinning parts of one cone block."""
    x0, x1, x2 = x[row], x[row + stride], x[row + 2 * stride]
    n0, n1, n2 = sets.normal[0, b], sets.normal[1, b], sets.normal[2, b]
    v = x0 * n0 + x1 * n1 + x2 * n2
    t = np.sqrt((x0 - v * n0) ** 2 + (x1 - v * n1) ** 2 + (x2 - v * n2) ** 2)
    roll, spin = 0.0, 0.0
    if kind == ROLLING:
        roll = np.sqrt(x[row + 3 * stride] ** 2 + x[row + 4 * stride] ** 2)
    elif kind > ROLLING:
        m0, m1, m2 = x[row + 3 * stride], x[row + 4 * stride], x[row + 5 * stride]
        spin = m0 * n0 + m1 * n1 + m2 * n2
        roll = np.sqrt((m0 - spin * n0) ** 2 + (m1 - spin * n1) ** 2 + (m2 - spin * n2) ** 2)
    return v, t, roll, abs(spin)


@helper
def torque_coefficients(sets, kind, b):
    """Rolling and spinning coefficients of a cone block, zero where it has none."""
    if kind < ROLLING:
        return 0.0, 0.0
    return sets.rolling[b], sets.spinning[b]


@kernel
def violations(sets, x, u, partial):
    """Largest distance of x from Υ and of u from the dual set, and |xᵀu| summed over blocks.

    Cones: u_n ≥ μ‖u_t‖ + ρ‖ω_roll‖ + σ|ω_spin| is the dual. An interval has no dual cone: there
    u must vanish inside, and point inwards at an end; what is left of it counts as violation.
    """
    for c in prange(sets.chunks.shape[0]):
        kind, first, count = sets.chunks[c, 0], sets.chunks[c, 1], sets.chunks[c, 2]
        primal, dual, comp = 0.0, 0.0, 0.0
        for j in range(sets.chunks[c, 4], sets.chunks[c, 5]):
            row = sets.chunks[c, 3] + j
            if kind == FREE:
                dual = max(dual, abs(u[row]))
                comp += abs(x[row] * u[row])
            elif kind == NONNEGATIVE:
                primal = max(primal, -x[row])
                dual = max(dual, -u[row])
                comp += abs(x[row] * u[row])
            elif kind == INTERVAL:
                low, high = sets.lower[j], sets.upper[j]
                primal = max(primal, low - x[row], x[row] - high)
                if u[row] > 0.0 and low > -np.inf:
                    comp += abs((x[row] - low) * u[row])
                elif u[row] < 0.0 and high < np.inf:
                    comp += abs((high - x[row]) * u[row])
                else:
                    dual = max(dual, abs(u[row]))
            else:
                b = first + j
                mu = sets.friction[b]
                rho, sigma = torque_coefficients(sets, kind, b)
                a, t, m, s = cone_parts(sets, kind, b, x, row, count)
                outside = max(-a, t - mu * a, m - rho * a, s - sigma * a)
                primal = max(primal, outside)
                w, ut, um, us = cone_parts(sets, kind, b, u, row, count)
                dual = max(dual, mu * ut + rho * um + sigma * us - w)
                inner = 0.0
                for k in range(rows_of(kind)):
                    inner += x[row + k * count] * u[row + k * count]
                comp += abs(inner)
        partial[c, 0], partial[c, 1], partial[c, 2] = primal, dual, comp
    return column_max(partial, 0), column_max(partial, 1), column_sum(partial, 2)


@kernel
def de_saxce(sets, u, out):
    """out ← (μ‖u_t‖ + ρ‖ω_roll‖ + σ|ω_spin|) n in each cone block, zero elsewhere."""
    for c in prange(sets.chunks.shape[0]):
        kind, first, count = sets.chunks[c, 0], sets.chunks[c, 1], sets.chunks[c, 2]
        for j in range(sets.chunks[c, 4], sets.chunks[c, 5]):
            row = sets.chunks[c, 3] + j
            for k in range(rows_of(kind)):
                out[row + k * count] = 0.0
            if kind >= COULOMB:
                b = first + j
                rho, sigma = torque_coefficients(sets, kind, b)
                _, t, m, s = cone_parts(sets, kind, b, u, row, count)
                slip = sets.friction[b] * t + rho * m + sigma * s
                for k in range(3):
                    out[row + k * count] = slip * sets.normal[k, b]


@kernel
def add_compliance(sets, compliance, x, out):
    """out ← out + E x, with E diagonal about each normal: (normal, tangential, tangential)."""
    for c in prange(sets.chunks.shape[0]):
        kind, first, count = sets.chunks[c, 0], sets.chunks[c, 1], sets.chunks[c, 2]
        for j in range(sets.chunks[c, 4], sets.chunks[c, 5]):
            row = sets.chunks[c, 3] + j
            if kind < COULOMB or kind == ROLLING:
                for k in range(rows_of(kind)):
                    out[row + k * count] += compliance[row + k * count] * x[row + k * count]
                continue
            for part in range(0, rows_of(kind), 3):
                r, b = row + part * count, first + j
                v = 0.0
                for k in range(3):
                    v += x[r + k * count] * sets.normal[k, b]
                along = (compliance[r] - compliance[r + count]) * v
                for k in range(3):
                    out[r + k * count] += compliance[r + count] * x[r + k * count]
                    out[r + k * count] += along * sets.normal[k, b]


@kernel
def blended_square(new, old, older, N_new, N_old, N_older, beta, partial):
    """dᵀNd for d = new − old − β(old − older), from the three points and their products."""
    for p in prange(partial.shape[0]):
        total = 0.0
        for i in range(p * 4 * CHUNK, min(new.size, (p + 1) * 4 * CHUNK)):
            d = new[i] - old[i] - beta * (old[i] - older[i])
            Nd = N_new[i] - N_old[i] - beta * (N_old[i] - N_older[i])
            total += d * Nd
        partial[p, 0] = total
    return column_sum(partial, 0)
