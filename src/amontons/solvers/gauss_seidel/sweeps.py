"""Sweeps of Gauss–Seidel: over bodies, whose velocities they keep up to date, and over a matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import helper, kernel, prange, routine
from amontons.algebra.cones import COULOMB, project_coulomb, rows_of
from amontons.array_types import Ints
from amontons.problem.kernels import comply
from amontons.problem.operators.body_kernels import push, relative_velocity, turn
from amontons.problem.sets import Product
from amontons.solvers.relaxation import relax_block
from amontons.solvers.tiles import lifted, slip_contact


class BlockRows(NamedTuple):
    """Where each block finds its rows."""

    kind: NDArray[np.uint8]
    first_row: Ints
    stride: Ints
    place: Ints  # its number within its group


def where_blocks(sets: Product) -> BlockRows:
    """Where the blocks of a product of sets find their rows."""
    groups = sets.arrays.groups
    count = groups[:, 2]
    place = np.concatenate([np.arange(n) for n in count]).astype(np.int32)
    return BlockRows(
        kind=sets.block_kinds,
        first_row=(np.repeat(groups[:, 3], count) + place).astype(np.int32),
        stride=np.repeat(count, count).astype(np.int32),
        place=place,
    )


@routine
def relax_contacts(sets, arrays, steps, sharp, blocks, back, x, linear, v):
    """As `relax_on_bodies` for a row of Coulomb contacts with the averaged step.

    Arrays are taken out of their tuples once, and everything else is kept in registers: in the
    loop, Numba would count references to what it takes out, which costs six times the arithmetic.
    """
    normal, mu, body, arms = sets.normal, sets.friction, arrays.body, arrays.arms
    exact = sets.exact[0] > 0.0
    im, inertia = arrays.inverse_mass, arrays.inverse_inertia
    # unsigned: Numba would test signed indices for Python's counting from the end
    n = np.uint64(body.shape[0])
    for i in range(blocks.size):
        c = np.uint64(blocks[blocks.size - 1 - i if back else i])
        i0, i1, i2 = c, n + c, n + n + c
        p, q = c + c, c + c + np.uint64(1)
        on_a, on_b = body[c, 0] >= 0, body[c, 1] >= 0
        a, b = np.uint64(body[c, 0]), np.uint64(body[c, 1])
        u0, u1, u2 = linear[i0], linear[i1], linear[i2]
        if on_a:
            u0 -= v[a, 0] + v[a, 4] * arms[p, 2] - v[a, 5] * arms[p, 1]
            u1 -= v[a, 1] + v[a, 5] * arms[p, 0] - v[a, 3] * arms[p, 2]
            u2 -= v[a, 2] + v[a, 3] * arms[p, 1] - v[a, 4] * arms[p, 0]
        if on_b:
            u0 += v[b, 0] + v[b, 4] * arms[q, 2] - v[b, 5] * arms[q, 1]
            u1 += v[b, 1] + v[b, 5] * arms[q, 0] - v[b, 3] * arms[q, 2]
            u2 += v[b, 2] + v[b, 3] * arms[q, 1] - v[b, 4] * arms[q, 0]
        x0, x1, x2, s = x[i0], x[i1], x[i2], steps[c]
        n0, n1, n2 = normal[0, c], normal[1, c], normal[2, c]
        if exact:
            slip = slip_contact((n0, n1, n2), mu[c], (u0, u1, u2))
            u0, u1, u2 = lifted((n0, n1, n2), slip, (u0, u1, u2))
        z0, z1, z2 = project_coulomb(x0 - s * u0, x1 - s * u1, x2 - s * u2, n0, n1, n2, mu[c])
        d0, d1, d2 = sharp * (z0 - x0), sharp * (z1 - x1), sharp * (z2 - x2)
        x[i0], x[i1], x[i2] = x0 + d0, x1 + d1, x2 + d2
        if on_a:
            push_force(arms, im, inertia, p, a, -d0, -d1, -d2, v)
        if on_b:
            push_force(arms, im, inertia, q, b, d0, d1, d2, v)


@helper
def push_force(arms, im, inertia, code, i, f0, f1, f2, v):
    """Add to body `i`'s velocity what impulse f at the contact point of incidence `code` gives."""
    r0, r1, r2 = arms[code, 0], arms[code, 1], arms[code, 2]
    t0, t1, t2 = r1 * f2 - r2 * f1, r2 * f0 - r0 * f2, r0 * f1 - r1 * f0
    w0, w1, w2 = turn(inertia, i, t0, t1, t2)
    v[i, 0] += im[i] * f0
    v[i, 1] += im[i] * f1
    v[i, 2] += im[i] * f2
    v[i, 3] += w0
    v[i, 4] += w1
    v[i, 5] += w2


@routine
def relax_on_bodies(sets, arrays, where, tuning, compliance, omega, b, x, linear, velocity, room):
    """Relax block `b` and pass the change of its impulse on to its two bodies."""
    old, u, new, work = room
    kind, first, stride = where.kind[b], where.first_row[b], where.stride[b]
    rows = rows_of(kind)
    relative_velocity(arrays, b, velocity, u)
    for k in range(rows):
        old[k] = x[first + k * stride]
        u[k] += linear[first + k * stride]
    if compliance.size > 0:
        comply(sets, compliance, kind, b, first, stride, x, u, 0, 1)
    damping = omega, tuning.sharpness, tuning.full
    step, at = tuning.steps[b], tuning.offsets[b] if tuning.full else 0
    index = b if kind >= COULOMB else where.place[b]
    relax_block(sets, kind, index, rows, step, tuning.blocks, at, damping, old, u, new, work)
    for k in range(rows):
        x[first + k * stride] = new[k]
        new[k] -= old[k]
    push(arrays, b, 0, new, velocity)
    push(arrays, b, 1, new, velocity)


@kernel
def sweep_contacts(sets, arrays, steps, sharpness, order, backward, x, linear, velocity):
    """As `sweep_bodies`, where every block is a Coulomb contact with the averaged step."""
    colours = order.start.size - 1
    for step in range(colours):
        c = colours - 1 - step if backward else step
        for p in prange(order.start[c], order.start[c + 1]):
            blocks = order.block[order.packet[p] : order.packet[p + 1]]
            relax_contacts(sets, arrays, steps, sharpness, blocks, backward, x, linear, velocity)


@kernel
def sweep_bodies(
    sets, arrays, where, tuning, compliance, omega, order, backward, x, linear, velocity
):
    """Relax every block once, colour by colour; velocity holds M⁻¹ D x throughout."""
    colours = order.start.size - 1
    for step in range(colours):
        c = colours - 1 - step if backward else step
        for p in prange(order.start[c], order.start[c + 1]):
            first, last = order.packet[p], order.packet[p + 1]
            room = np.empty(6), np.empty(6), np.empty(6), np.empty(6)
            for i in range(last - first):
                b = order.block[last - 1 - i if backward else first + i]
                relax_on_bodies(
                    sets, arrays, where, tuning, compliance, omega, b, x, linear, velocity, room
                )


@routine
def relax_on_matrix(sets, matrix, where, tuning, compliance, omega, b, x, linear, room):
    """Relax block `b`, whose velocity is its rows of N times the current x."""
    old, u, new, work = room
    kind, first, stride = where.kind[b], where.first_row[b], where.stride[b]
    rows = rows_of(kind)
    for k in range(rows):
        i = first + k * stride
        total = linear[i]
        for p in range(matrix.indptr[i], matrix.indptr[i + 1]):
            total += matrix.data[p] * x[matrix.indices[p]]
        u[k] = total
        old[k] = x[i]
    if compliance.size > 0:
        comply(sets, compliance, kind, b, first, stride, x, u, 0, 1)
    damping = omega, tuning.sharpness, tuning.full
    step, at = tuning.steps[b], tuning.offsets[b] if tuning.full else 0
    index = b if kind >= COULOMB else where.place[b]
    relax_block(sets, kind, index, rows, step, tuning.blocks, at, damping, old, u, new, work)
    for k in range(rows):
        x[first + k * stride] = new[k]


@kernel
def sweep_matrix(sets, matrix, where, tuning, compliance, omega, order, backward, x, linear):
    """Relax every block once, colour by colour."""
    colours = order.start.size - 1
    for step in range(colours):
        c = colours - 1 - step if backward else step
        for p in prange(order.start[c], order.start[c + 1]):
            first, last = order.packet[p], order.packet[p + 1]
            room = np.empty(6), np.empty(6), np.empty(6), np.empty(6)
            for i in range(last - first):
                b = order.block[last - 1 - i if backward else first + i]
                relax_on_matrix(sets, matrix, where, tuning, compliance, omega, b, x, linear, room)
