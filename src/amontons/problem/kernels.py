"""Kernels on a product of sets alone: projection, compliance, the De Saxcé shift."""

from __future__ import annotations

import numpy as np

from amontons._jit import CHUNK, TILE, helper, kernel, prange
from amontons.algebra.cones import COULOMB, ROLLING, head, rows_of
from amontons.algebra.sums import column_sum
from amontons.algebra.tiles import copy, project_tile


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
    return sets.rolling[b], sets.spinning[b] if kind > ROLLING else 0.0


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


@helper
def comply(sets, compliance, kind, b, row, stride, x, out, at, step):
    """out ← out + E x of block `b`: E is diagonal about its normal, (normal, tangential, ...).

    Its rows are `row + k·stride` of the compliance and of x, and `at + k·step` of `out`.
    """
    if kind < COULOMB or kind == ROLLING:
        for k in range(rows_of(kind)):
            out[at + k * step] += compliance[row + k * stride] * x[row + k * stride]
        return
    for part in range(0, rows_of(kind), 3):
        r, o = row + part * stride, at + part * step
        v = 0.0
        for k in range(3):
            v += x[r + k * stride] * sets.normal[k, b]
        along = (compliance[r] - compliance[r + stride]) * v
        for k in range(3):
            out[o + k * step] += compliance[r + stride] * x[r + k * stride]
            out[o + k * step] += along * sets.normal[k, b]


@kernel
def add_compliance(sets, compliance, x, out):
    """out ← out + E x."""
    for c in prange(sets.chunks.shape[0]):
        kind, first, count, start = head(sets.chunks, c)
        for j in range(sets.chunks[c, 4], sets.chunks[c, 5]):
            comply(sets, compliance, kind, first + j, start + j, count, x, out, start + j, count)


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
