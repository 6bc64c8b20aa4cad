"""The barrier's Hessian Θ = Gᵀ W⁻² G block by block, in a basis that keeps large and small apart.

With W's eigenvectors, Θ is a sum of squares V Vᵀ: of each piece ω⁻¹ Gᵀ(1, c), ω Gᵀ(1, −c) and what
is across, over η. Near a solution they differ by ten powers of ten and more, so that a sum of
their entries would keep the largest alone. A pivoted QR factorisation V = Q R puts each on an axis
of its own: Θ = Q (R Rᵀ) Qᵀ, with R Rᵀ graded from large to small. Directions that are held come
first, as columns of zeros in Q.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import CHUNK, helper, kernel, prange, routine
from amontons.solvers.interior_point.lift import FRICTION, NO_TAIL, SPIN

MOST_SQUARES = 18  # three pieces of at most four squares, and six axes to complete a basis


@routine
def put(lift, b, V, k, factor, along, sign, at, c0, c1, c2):
    """Column k of V ← factor · (along · n on the force + sign · c on the part that begins at `at`).

    Five rows have no torque about the normal, which is their first axis.
    """
    n = lift.normal[b]
    v = np.zeros(6)
    for i in range(3):
        v[i] += along * n[i]
    v[at] += sign * c0
    v[at + 1] += sign * c1
    v[at + 2] += sign * c2
    size = lift.size[b]
    for i in range(size):
        V[i, k] = factor * v[i + (size == 5 and i > 2)]


@routine
def tangent(n, c):
    """A unit vector across n and, if there is one, across c; and the one across both of these."""
    t = np.zeros(3)
    if c[0] == 0.0 and c[1] == 0.0 and c[2] == 0.0:
        k = 0
        for i in range(3):
            if abs(n[i]) < abs(n[k]):
                k = i
        t[k] = 1.0
        t -= n[k] * n
    else:
        t[0] = n[1] * c[2] - n[2] * c[1]
        t[1] = n[2] * c[0] - n[0] * c[2]
        t[2] = n[0] * c[1] - n[1] * c[0]
    t /= np.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    return t


@routine
def squares(lift, b, eta, omega, axis, V):
    """Columns V with V Vᵀ = Θ of block `b`; returns how many."""
    n, count = lift.normal[b], 0
    for p in range(lift.start[b], lift.start[b + 1]):
        at = 0 if lift.tail[p] == FRICTION else 3
        c, head, size = axis[p], lift.head[p], 1.0 / eta[p]
        if lift.tail[p] == NO_TAIL:
            put(lift, b, V, count, size, head, 0.0, at, 0.0, 0.0, 0.0)
            count += 1
            continue
        half = np.sqrt(0.5) * size
        put(lift, b, V, count, half / omega[p], head, 1.0, at, c[0], c[1], c[2])
        put(lift, b, V, count + 1, half * omega[p], head, -1.0, at, c[0], c[1], c[2])
        count += 2
        has_axis = c[0] != 0.0 or c[1] != 0.0 or c[2] != 0.0
        if lift.tail[p] == SPIN:
            if not has_axis:
                put(lift, b, V, count, size, 0.0, 1.0, at, n[0], n[1], n[2])
                count += 1
            continue
        t = tangent(n, c)
        put(lift, b, V, count, size, 0.0, 1.0, at, t[0], t[1], t[2])
        count += 1
        if not has_axis:
            t = tangent(n, t)
            put(lift, b, V, count, size, 0.0, 1.0, at, t[0], t[1], t[2])
            count += 1
    return count


@routine
def held_directions(lift, b, Q):
    """First columns of Q ← unit vectors of the parts that cannot move; returns how many."""
    n, moves, size, count = lift.normal[b], lift.moves[b], lift.size[b], 0
    none = np.zeros(3)
    if size == 1:
        Q[0, 0] = 1.0
        return 0 if moves[0] else 1
    t = tangent(n, none)
    s = tangent(n, t)
    for at, mobile in ((0, moves[1]), (3, moves[2])):
        if not mobile and at < size:
            put(lift, b, Q, count, 1.0, 0.0, 1.0, at, t[0], t[1], t[2])
            put(lift, b, Q, count + 1, 1.0, 0.0, 1.0, at, s[0], s[1], s[2])
            count += 2
    if not moves[3] and size == 6:
        put(lift, b, Q, count, 1.0, 0.0, 1.0, 3, n[0], n[1], n[2])
        count += 1
    return count


@routine
def orthogonalised(V, i, Q, k, size, R):
    """Take column k of Q out of column i of V, and note how much it was."""
    inner = 0.0
    for a in range(size):
        inner += Q[a, k] * V[a, i]
    for a in range(size):
        V[a, i] -= inner * Q[a, k]
    R[k, i] += inner


@routine
def graded(size, V, columns, Q, held, R):
    """V = Q R by pivoted Gram–Schmidt, after the first `held` columns of Q; V is used up."""
    for a in range(size):  # axes complete the basis where V does not span it
        for i in range(size):
            V[a, columns + i] = 1e-150 if a == i else 0.0
    R[:] = 0.0
    total = columns + size
    for k in range(held):
        for i in range(total):
            orthogonalised(V, i, Q, k, size, R)
    for k in range(held, size):
        pivot, largest = -1, -1.0
        for i in range(total):
            square = 0.0
            for a in range(size):
                square += V[a, i] * V[a, i]
            if square > largest:
                pivot, largest = i, square
        length = np.sqrt(largest)
        for a in range(size):
            Q[a, k] = V[a, pivot] / length
        for j in range(k):  # once more, lest rounding of long columns is left in short ones
            inner = 0.0
            for a in range(size):
                inner += Q[a, j] * Q[a, k]
            for a in range(size):
                Q[a, k] -= inner * Q[a, j]
        length = 0.0
        for a in range(size):
            length += Q[a, k] * Q[a, k]
        length = np.sqrt(length)
        for a in range(size):
            Q[a, k] /= length
        for i in range(total):
            orthogonalised(V, i, Q, k, size, R)
        for a in range(size):
            V[a, pivot] = 0.0


@routine
def soft_part(lift, b, soft, i, j, Q):
    """Entry i, j of Qᵀ S Q with S the softness about the block's normal."""
    n, size = lift.normal[b], lift.size[b]
    if size == 1:
        return soft[b, 0]
    total = 0.0
    for at in range(0, size, 3):
        along, across = (soft[b, 0], soft[b, 1]) if at == 0 else (soft[b, 3], soft[b, 2])
        inner, q_i, q_j = 0.0, 0.0, 0.0
        for k in range(min(3, size - at)):
            inner += Q[at + k, i] * Q[at + k, j]
            if size != 5 or at == 0:
                q_i += n[k] * Q[at + k, i]
                q_j += n[k] * Q[at + k, j]
        total += across * inner + (along - across) * q_i * q_j
    return total


@routine
def block_hessian(lift, b, eta, omega, axis, soft, V, R, Q, H):
    """Q and H with Θ + S = Q H Qᵀ of block `b`; returns how many directions are held.

    Columns of Q that are held are zero on return, and H has ones there.
    """
    size = lift.size[b]
    held = held_directions(lift, b, Q)
    columns = squares(lift, b, eta, omega, axis, V)
    graded(size, V, columns, Q, held, R)
    for i in range(size):
        for j in range(i + 1):
            total = 0.0
            if j >= held:
                for k in range(columns):
                    total += R[i, k] * R[j, k]
                total += soft_part(lift, b, soft, i, j, Q)
            elif i == j:
                total = 1.0
            H[i, j], H[j, i] = total, total
    for k in range(held):
        for a in range(size):
            Q[a, k] = 0.0
    return held


@routine
def inverted(A, size, L, y):
    """A ← A⁻¹, symmetric, positive definite and graded from large to small, by Cholesky."""
    for i in range(size):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i == j:
                L[i, i] = np.sqrt(max(total, 1e-30 * A[i, i]))
            else:
                L[i, j] = total / L[j, j]
    for column in range(size):
        for i in range(size):
            total = 1.0 if i == column else 0.0
            for k in range(i):
                total -= L[i, k] * y[k]
            y[i] = total / L[i, i]
        for i in range(size - 1, -1, -1):
            total = y[i]
            for k in range(i + 1, size):
                total -= L[k, i] * y[k]
            y[i] = total / L[i, i]
        for i in range(size):
            A[i, column] = y[i]


@routine
def coulomb_hessian(lift, b, eta, omega, axis, soft, Q, H):
    """The same for a block of one force, in closed form.

    Axes: (μ, −1) and (1, μ) in the plane of n and c, of which the first is stiff, then n × c.
    """
    n, p = lift.normal[b], lift.start[b]
    size, square, mu = 1.0 / (eta[p] * eta[p]), omega[p] * omega[p], lift.head[p]
    H[:3, :3] = 0.0
    if not lift.moves[b, 1]:
        H[0, 0], H[1, 1], H[2, 2] = 1.0, 1.0, size + soft[b, 0]
        for i in range(3):
            Q[i, 0], Q[i, 1], Q[i, 2] = 0.0, 0.0, n[i]
        return
    c0, c1, c2 = axis[p, 0], axis[p, 1], axis[p, 2]
    if c0 == 0.0 and c1 == 0.0 and c2 == 0.0:
        t = tangent(n, axis[p])
        c0, c1, c2 = t[0], t[1], t[2]
    length = 1.0 / np.sqrt(1.0 + mu * mu)
    q_n, q_c = mu * length, length  # stiff: q_n n − q_c c; soft: q_c n + q_n c
    Q[0, 0], Q[1, 0], Q[2, 0] = q_n * n[0] - q_c * c0, q_n * n[1] - q_c * c1, q_n * n[2] - q_c * c2
    Q[0, 1], Q[1, 1], Q[2, 1] = q_c * n[0] + q_n * c0, q_c * n[1] + q_n * c1, q_c * n[2] + q_n * c2
    Q[0, 2] = n[1] * c2 - n[2] * c1
    Q[1, 2] = n[2] * c0 - n[0] * c2
    Q[2, 2] = n[0] * c1 - n[1] * c0
    a_stiff, a_soft = (mu * mu - 1.0) * length, 2.0 * mu * length  # Gᵀ(1, c) in that basis
    small, large = 0.5 * size / square, 0.5 * size * square
    H[0, 0] = large * (1.0 + mu * mu) + small * a_stiff * a_stiff
    H[0, 1] = small * a_stiff * a_soft + (soft[b, 0] - soft[b, 1]) * q_n * q_c
    H[1, 1] = small * a_soft * a_soft + soft[b, 0] * q_c * q_c + soft[b, 1] * q_n * q_n
    H[0, 0] += soft[b, 0] * q_n * q_n + soft[b, 1] * q_c * q_c
    H[1, 0] = H[0, 1]
    H[2, 2] = size + soft[b, 1]


@kernel
def hessian_blocks(lift, eta, omega, axis, soft, offsets, invert, bases, out):
    """Q and H, or H⁻¹, of every block, row by row, each from its offset on."""
    for chunk in prange((lift.row.size + CHUNK - 1) // CHUNK):
        V, R = np.empty((6, MOST_SQUARES)), np.empty((6, MOST_SQUARES))
        Q, H, L, y = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 6)), np.empty(6)
        for b in range(chunk * CHUNK, min((chunk + 1) * CHUNK, lift.row.size)):
            size, at = lift.size[b], offsets[b]
            if size == 3:
                coulomb_hessian(lift, b, eta, omega, axis, soft, Q, H)
            else:
                block_hessian(lift, b, eta, omega, axis, soft, V, R, Q, H)
            if invert:
                inverted(H, size, L, y)
            for i in range(size):
                for j in range(size):
                    bases[at + i * size + j] = Q[i, j]
                    out[at + i * size + j] = H[i, j]


@helper
def block_row(lift, b, k):
    """Row k of block `b` in the problem's order."""
    return lift.row[b] + k * lift.stride[b]


@kernel
def turn(lift, offsets, bases, x, back, out):
    """out ← Qᵀ x or, going back, Q x."""
    for chunk in prange((lift.row.size + CHUNK - 1) // CHUNK):
        for b in range(chunk * CHUNK, min((chunk + 1) * CHUNK, lift.row.size)):
            size, at = lift.size[b], offsets[b]
            across, down = (1, size) if back else (size, 1)
            for i in range(size):
                total = 0.0
                for j in range(size):
                    total += bases[at + i * down + j * across] * x[block_row(lift, b, j)]
                out[block_row(lift, b, i)] = total


@kernel
def multiply_blocks(lift, offsets, bases, blocks, x, out):
    """out ← Q B Qᵀ x with B block-diagonal, factor by factor: large and small stay apart."""
    for chunk in prange((lift.row.size + CHUNK - 1) // CHUNK):
        v, w = np.empty(6), np.empty(6)
        for b in range(chunk * CHUNK, min((chunk + 1) * CHUNK, lift.row.size)):
            size, at = lift.size[b], offsets[b]
            for i in range(size):
                total = 0.0
                for j in range(size):
                    total += bases[at + j * size + i] * x[block_row(lift, b, j)]
                v[i] = total
            for i in range(size):
                total = 0.0
                for j in range(size):
                    total += blocks[at + i * size + j] * v[j]
                w[i] = total
            for i in range(size):
                total = 0.0
                for j in range(size):
                    total += bases[at + i * size + j] * w[j]
                out[block_row(lift, b, i)] = total


@kernel
def joined_blocks(lift, offsets, bases, blocks, out):
    """out ← Q B Qᵀ of every block."""
    for chunk in prange((lift.row.size + CHUNK - 1) // CHUNK):
        V = np.empty((6, 6))
        for b in range(chunk * CHUNK, min((chunk + 1) * CHUNK, lift.row.size)):
            size, at = lift.size[b], offsets[b]
            for i in range(size):
                for j in range(size):
                    total = 0.0
                    for k in range(size):
                        total += blocks[at + i * size + k] * bases[at + j * size + k]
                    V[i, j] = total
            for i in range(size):
                for j in range(size):
                    total = 0.0
                    for k in range(size):
                        total += bases[at + i * size + k] * V[k, j]
                    out[at + i * size + j] = total


@kernel
def release(lift, x):
    """Set the parts of x that are held to zero, in place."""
    for chunk in prange((lift.row.size + CHUNK - 1) // CHUNK):
        Q = np.empty((6, 6))
        for b in range(chunk * CHUNK, min((chunk + 1) * CHUNK, lift.row.size)):
            for k in range(held_directions(lift, b, Q)):
                inner = 0.0
                for i in range(lift.size[b]):
                    inner += Q[i, k] * x[block_row(lift, b, i)]
                for i in range(lift.size[b]):
                    x[block_row(lift, b, i)] -= inner * Q[i, k]
