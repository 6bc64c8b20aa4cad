"""N + E of a small problem as a dense matrix, and what is left of it once joints are eliminated.

Rows are put in an order of their own: bilateral ones first, then contacts with their three rows
together, then one-sided and bounded rows. Rows of joints couple where they share a body, so W is
sparse, and a row of its Cholesky factor begins where the row of W does: sums run from there on.
"""

from __future__ import annotations

import math

from amontons._jit import routine
from amontons.problem.operators.body_kernels import turn

DEPENDENT = 1e-11
"""Share of its diagonal that a pivot must keep; a row with less says what others say already."""


@routine
def row_order(contacts, free, order):
    """Order ← internal row of each row here."""
    rows = order.size
    for i in range(free):
        order[i] = 3 * contacts + i
    for c in range(contacts):
        for k in range(3):
            order[free + 3 * c + k] = k * contacts + c
    for i in range(free + 3 * contacts, rows):
        order[i] = i


@routine
def row_jacobians(arrays, order, body, jacobian, pushed):
    """Bodies, Jacobian J and M⁻¹Jᵀ of each row; both have A's six entries, then B's."""
    contacts, inertia = arrays.forces, arrays.inverse_inertia
    for i in range(order.size):
        row = order[i]
        of_contact = row < 3 * contacts
        c = row % contacts if of_contact else row - 2 * contacts
        for side in range(2):
            b, at = arrays.body[c, side], 6 * side
            body[i, side] = b
            for k in range(6):
                jacobian[i, at + k] = 0.0
                pushed[i, at + k] = 0.0
            if b < 0:
                continue
            if of_contact:  # a force along axis k at the arm r: e_k and r × e_k
                k, sign = row // contacts, 2.0 * side - 1.0
                arm = arrays.arms[2 * c + side]
                jacobian[i, at + k] = sign
                jacobian[i, at + 3 + (k + 1) % 3] = sign * arm[(k + 2) % 3]
                jacobian[i, at + 3 + (k + 2) % 3] = -sign * arm[(k + 1) % 3]
            else:
                for k in range(6):
                    jacobian[i, at + k] = arrays.jacobian[c - contacts, at + k]
            mass = arrays.inverse_mass[b]
            for k in range(3):
                pushed[i, at + k] = mass * jacobian[i, at + k]
            pushed[i, at + 3], pushed[i, at + 4], pushed[i, at + 5] = turn(
                inertia, b, jacobian[i, at + 3], jacobian[i, at + 4], jacobian[i, at + 5]
            )


@routine
def rows_of_bodies(body, bodies, first, member):
    """The rows of each body, as 2·row + side: member[first[b]] to member[first[b + 1]]."""
    first[:] = 0
    for i in range(body.shape[0]):
        for side in range(2):
            if body[i, side] >= 0:
                first[body[i, side] + 1] += 1
    for b in range(bodies):
        first[b + 1] += first[b]
    place = first[:bodies].copy()
    for i in range(body.shape[0]):
        for side in range(2):
            b = body[i, side]
            if b >= 0:
                member[place[b]] = 2 * i + side
                place[b] += 1


@routine
def fill_matrix(jacobian, pushed, first, member, W):
    """Lower half of W ← D^T M⁻¹ D, body by body."""
    W[:] = 0.0
    for b in range(first.size - 1):
        for p in range(first[b], first[b + 1]):
            i, s = member[p] >> 1, 6 * (member[p] & 1)
            j0, j1, j2 = jacobian[i, s], jacobian[i, s + 1], jacobian[i, s + 2]
            j3, j4, j5 = jacobian[i, s + 3], jacobian[i, s + 4], jacobian[i, s + 5]
            for q in range(first[b], p + 1):
                j, t = member[q] >> 1, 6 * (member[q] & 1)
                W[i, j] += (
                    j0 * pushed[j, t]
                    + j1 * pushed[j, t + 1]
                    + j2 * pushed[j, t + 2]
                    + j3 * pushed[j, t + 3]
                    + j4 * pushed[j, t + 4]
                    + j5 * pushed[j, t + 5]
                )


@routine
def add_compliance(normal, compliance, order, free, W):
    """W ← W + E; a contact's E is diagonal about its normal."""
    contacts = normal.shape[1]
    for i in range(order.size):
        c = (i - free) // 3
        if i < free or c >= contacts:
            W[i, i] += compliance[order[i]]
            continue
        k = i - free - 3 * c
        along, across = compliance[c], compliance[contacts + c]
        W[i, i] += across
        for j in range(k + 1):
            W[i, free + 3 * c + j] += (along - across) * normal[k, c] * normal[j, c]


@routine
def dot(a, b, first, last):
    """Sum of a_k b_k from first to last."""
    total = 0.0
    for k in range(first, last):
        total += a[k] * b[k]
    return total


@routine
def eliminate(W, free, start, scale):
    """The first `free` rows of W ← their Cholesky factor L, the others ← Schur complement S.

    Below, W[i, :free] ← L⁻¹ of the row, and W[i, free:i + 1] ← S. Scale ← 1/L_ii, zero where a row
    depends on those before: its impulse is zero then.
    """
    rows = W.shape[0]
    for i in range(rows):
        begin = 0
        while begin < i and W[i, begin] == 0.0:
            begin += 1
        start[i] = begin
        whole = W[i, i]
        for j in range(begin, min(i + 1, free)):
            rest = W[i, j] - dot(W[i], W[j], max(begin, start[j]), j)
            if j < i:
                W[i, j] = rest * scale[j]
            elif rest > DEPENDENT * whole:
                W[i, i] = math.sqrt(rest)
                scale[i] = 1.0 / W[i, i]
            else:
                scale[i] = 0.0
        for j in range(free, i + 1):
            W[i, j] -= dot(W[i], W[j], max(min(begin, free), min(start[j], free)), free)


@routine
def forward(W, free, start, scale, b):
    """b ← L⁻¹ b of the first rows, and b ← b − L b of those below."""
    for i in range(b.size):
        b[i] -= dot(W[i], b, min(start[i], free), min(i, free))
        if i < free:
            b[i] *= scale[i]


@routine
def backward(W, free, start, scale, b):
    """b ← L⁻ᵀ (b − what the rows below carry), of the first rows."""
    for i in range(b.size - 1, -1, -1):
        if i < free:
            b[i] *= scale[i]
        for j in range(min(start[i], free), min(i, free)):
            b[j] -= W[i, j] * b[i]


@routine
def velocities_of(body, jacobian, pushed, x, velocity, u):
    """u ← D^T M⁻¹ D x by way of the bodies' velocities."""
    velocity[:] = 0.0
    for i in range(x.size):
        for side in range(2):
            b = body[i, side]
            if b >= 0:
                for k in range(6):
                    velocity[b, k] += pushed[i, 6 * side + k] * x[i]
    for i in range(x.size):
        total = 0.0
        for side in range(2):
            b = body[i, side]
            if b >= 0:
                for k in range(6):
                    total += jacobian[i, 6 * side + k] * velocity[b, k]
        u[i] = total
