"""Kernels on a product of sets alone: projection, compliance, the De Saxcé shift."""

from __future__ import annotations

import numpy as np

from amontons._jit import CHUNK, TILE, helper, kernel, prange, routine, serial_kernel
from amontons.algebra.cones import COULOMB, by_vectors, head, rows_of, slip_of
from amontons.algebra.sums import column_sum
from amontons.algebra.tiles import copy, normals_of, project_tile, three_rows


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


@kernel
def de_saxce(sets, u, out):
    """out ← (μ‖u_t‖ + ρ‖ω_roll‖ + σ|ω_spin|) n in each cone block, zero elsewhere."""
    for c in prange(sets.chunks.shape[0]):
        kind, first, count, start = head(sets.chunks, c)
        block = np.empty(6)
        for j in range(sets.chunks[c, 4], sets.chunks[c, 5]):
            row, b = start + j, first + j
            for k in range(rows_of(kind)):
                block[k] = u[row + k * count]
                out[row + k * count] = 0.0
            if kind >= COULOMB:
                slip = slip_of(sets, kind, b, block)
                for k in range(3):
                    out[row + k * count] = slip * sets.normal[k, b]


@helper
def comply(sets, compliance, kind, b, row, stride, x, out, at, step):
    """out ← out + E x of block `b`: E is diagonal about its normal, (normal, tangential, ...).

    Its rows are `row + k·stride` of the compliance and of x, and `at + k·step` of `out`.
    """
    if not by_vectors(kind):
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


@routine
def comply_contacts(normal, E, x, out):
    """out ← out + E x of a row of contacts: as :func:`comply`, many at a time."""
    (n0, n1, n2), (along, across, _), (x0, x1, x2), (o0, o1, o2) = normal, E, x, out
    for i in range(o0.size):
        v = x0[i] * n0[i] + x1[i] * n1[i] + x2[i] * n2[i]
        more = (along[i] - across[i]) * v
        o0[i] = o0[i] + across[i] * x0[i] + more * n0[i]
        o1[i] = o1[i] + across[i] * x1[i] + more * n1[i]
        o2[i] = o2[i] + across[i] * x2[i] + more * n2[i]


@kernel
def add_compliance(sets, compliance, x, out):
    """out ← out + E x."""
    for c in prange(sets.chunks.shape[0]):
        kind, first, count, start = head(sets.chunks, c)
        low, high = sets.chunks[c, 4], sets.chunks[c, 5]
        if kind == COULOMB:
            at, m = start + low, high - low
            comply_contacts(
                normals_of(sets, first + low, m), three_rows(compliance, at, count, m),
                three_rows(x, at, count, m), three_rows(out, at, count, m),
            )  # fmt: skip
            continue
        for j in range(low, high):
            comply(sets, compliance, kind, first + j, start + j, count, x, out, start + j, count)


@routine
def contact_squares(normal, E, new, old, older, beta, room):
    """room ← dᵀEd of a row of contacts, for d = new − old − β(old − older)."""
    (n0, n1, n2), (along, across, _) = normal, E
    (a0, a1, a2), (b0, b1, b2), (c0, c1, c2) = new, old, older
    for i in range(n0.size):
        d0 = a0[i] - b0[i] - beta * (b0[i] - c0[i])
        d1 = a1[i] - b1[i] - beta * (b1[i] - c1[i])
        d2 = a2[i] - b2[i] - beta * (b2[i] - c2[i])
        v = d0 * n0[i] + d1 * n1[i] + d2 * n2[i]
        square = d0 * d0 + d1 * d1 + d2 * d2
        room[i] = across[i] * square + (along[i] - across[i]) * v * v


@kernel
def compliance_square(sets, compliance, new, old, older, beta, partial):
    """dᵀEd for d = new − old − β(old − older); partial sums in `partial`, shape (chunks, 1)."""
    for c in prange(sets.chunks.shape[0]):
        kind, first, count, start = head(sets.chunks, c)
        low, high = sets.chunks[c, 4], sets.chunks[c, 5]
        room, d, E, Ed, total = np.empty(TILE), np.empty(6), np.empty(6), np.empty(6), 0.0
        if kind == COULOMB:
            for t in range(low, high, TILE):
                at, m = start + t, min(TILE, high - t)
                contact_squares(
                    normals_of(sets, first + t, m), three_rows(compliance, at, count, m),
                    three_rows(new, at, count, m), three_rows(old, at, count, m),
                    three_rows(older, at, count, m), beta, room,
                )  # fmt: skip
                for i in range(m):
                    total += room[i]
        else:
            for j in range(low, high):
                for k in range(rows_of(kind)):
                    i = start + j + k * count
                    d[k] = new[i] - old[i] - beta * (old[i] - older[i])
                    E[k], Ed[k] = compliance[i], 0.0
                comply(sets, E, kind, first + j, 0, 1, d, Ed, 0, 1)
                for k in range(rows_of(kind)):
                    total += d[k] * Ed[k]
        partial[c, 0] = total
    return column_sum(partial, 0)


@serial_kernel
def mean_steps(cones, curvature, largest, steps):
    """Steps ← d / trace(N_bb) of Coulomb cones and scalar rows, from their mean diagonals.

    An unusable curvature (between immovable bodies) is replaced by the largest.
    """
    for b in range(steps.size):
        rows, trace = 1.0, curvature[b, 0]
        if b < cones:
            rows, trace = 3.0, curvature[b, 0] + 2.0 * curvature[b, 1]
        steps[b] = rows / (trace if trace > 1e-14 * largest else largest)


@serial_kernel
def add_offsets(linear, normals, offset, scalar_offset):
    """Linear ← linear + b: along the normals (contacts, 3) of contacts, which come first."""
    contacts = normals.shape[0]
    for c in range(contacts):
        for k in range(3):
            linear[k * contacts + c] += offset[c] * normals[c, k]
    first = linear.size - scalar_offset.size
    for i in range(scalar_offset.size):
        linear[first + i] += scalar_offset[i]


@serial_kernel
def mend_normals(normals, rough, mended):
    """Mended ← normals (contacts, 3), scaled where a length is off by more than `rough`.

    Returns the largest error of a length; NaN counts as infinite.
    """
    largest = 0.0
    for c in range(normals.shape[0]):
        n0, n1, n2 = normals[c, 0], normals[c, 1], normals[c, 2]
        length = np.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
        error = abs(length - 1.0)
        if not error <= largest:
            largest = error if error == error else np.inf
        if error > rough:
            n0, n1, n2 = n0 / length, n1 / length, n2 / length
        mended[c, 0], mended[c, 1], mended[c, 2] = n0, n1, n2
    return largest


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
