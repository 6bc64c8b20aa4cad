"""Nesterov–Todd scaling of all pieces, and what a step needs of it.

For s and z inside a cone there is one symmetric W with W z = W⁻¹ s = λ. It has three eigenvalues:
η ω along (1, c), η/ω along (1, −c), and η across, with c a unit vector (Tütüncü, Toh and Todd,
Math. Program. B 95, 2003). Near a solution s and z lie so near the boundary that their distance
from it cannot be read off them any more; λ stays in the middle of the cone. So s and z are not kept
at all: W and λ are, and a step updates them in scaled coordinates, where nothing cancels.
"""

from __future__ import annotations

import numpy as np

from amontons._jit import CHUNK, helper, kernel, prange
from amontons.algebra.sums import column_max, column_sum
from amontons.solvers.interior_point.lift import FRICTION, ROLL, SPIN


@helper
def load(lift, b, x):
    """Force and torque of block `b`, zeros where it has none."""
    row, step, size = lift.row[b], lift.stride[b], lift.size[b]
    f0, f1, f2, m0, m1, m2 = x[row], 0.0, 0.0, 0.0, 0.0, 0.0
    if size >= 3:
        f1, f2 = x[row + step], x[row + 2 * step]
    if size == 5:
        m1, m2 = x[row + 3 * step], x[row + 4 * step]
    if size == 6:
        m0, m1, m2 = x[row + 3 * step], x[row + 4 * step], x[row + 5 * step]
    return f0, f1, f2, m0, m1, m2


@helper
def store(lift, b, x, f0, f1, f2, m0, m1, m2):
    """Write force and torque of block `b`."""
    row, step, size = lift.row[b], lift.stride[b], lift.size[b]
    x[row] = f0
    if size >= 3:
        x[row + step], x[row + 2 * step] = f1, f2
    if size == 5:
        x[row + 3 * step], x[row + 4 * step] = m1, m2
    if size == 6:
        x[row + 3 * step], x[row + 4 * step], x[row + 5 * step] = m0, m1, m2


@helper
def lifted(tail, head, n0, n1, n2, f0, f1, f2, m0, m1, m2):
    """One piece of G x."""
    along = f0 * n0 + f1 * n1 + f2 * n2
    t0, t1, t2 = 0.0, 0.0, 0.0
    if tail == FRICTION:
        t0, t1, t2 = f0 - along * n0, f1 - along * n1, f2 - along * n2
    elif tail == ROLL:
        spin = m0 * n0 + m1 * n1 + m2 * n2
        t0, t1, t2 = m0 - spin * n0, m1 - spin * n1, m2 - spin * n2
    elif tail == SPIN:
        spin = m0 * n0 + m1 * n1 + m2 * n2
        t0, t1, t2 = spin * n0, spin * n1, spin * n2
    return head * along, t0, t1, t2


@helper
def stretch(eta, omega, c0, c1, c2, v0, v1, v2, v3):
    """W v; with 1/η and 1/ω it is W⁻¹ v, with their squares W² v."""
    across = c0 * v1 + c1 * v2 + c2 * v3
    p, q = 0.5 * omega * (v0 + across), 0.5 * (v0 - across) / omega
    along = p - q - across
    return (
        eta * (p + q),
        eta * (v1 + along * c0),
        eta * (v2 + along * c1),
        eta * (v3 + along * c2),
    )


@helper
def rotated(c0, c1, c2, omega, a0, a1, a2, other, v0, v1, v2):
    """v turned as the product of the stretches (ω, c) and (ω', a) turns it beside stretching it.

    That product is a symmetric stretch times a rotation in the plane of c and a, by Wigner's angle.
    """
    cosine = c0 * a0 + c1 * a1 + c2 * a2
    e0, e1, e2 = a0 - cosine * c0, a1 - cosine * c1, a2 - cosine * c2
    sine = np.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    k = (omega - 1.0) * (other - 1.0) / ((omega + 1.0) * (other + 1.0))
    if sine * k == 0.0:
        return v0, v1, v2
    e0, e1, e2 = e0 / sine, e1 / sine, e2 / sine
    t = sine * k / (1.0 + cosine * k)  # tan of half the angle
    less, swing = -2.0 * t * t / (1.0 + t * t), 2.0 * t / (1.0 + t * t)
    along, aside = c0 * v0 + c1 * v1 + c2 * v2, e0 * v0 + e1 * v1 + e2 * v2
    c_part, e_part = less * along + swing * aside, less * aside - swing * along
    return (
        v0 + c_part * c0 + e_part * e0,
        v1 + c_part * c1 + e_part * e1,
        v2 + c_part * c2 + e_part * e2,
    )


@helper
def root_determinant(v0, v1, v2, v3):
    """√(v0² − ‖v̄‖²), for v inside the cone."""
    tail = np.sqrt(v1 * v1 + v2 * v2 + v3 * v3)
    return np.sqrt(max((v0 - tail) * (v0 + tail), 1e-30 * v0 * v0))


@helper
def in_plane(tail, n0, n1, n2, v0, v1, v2):
    """A tail without what rounding has put across the plane, or the line, that it lies in."""
    along = n0 * v0 + n1 * v1 + n2 * v2
    if tail == SPIN:
        return along * n0, along * n1, along * n2
    return v0 - along * n0, v1 - along * n1, v2 - along * n2


@kernel
def rescale(lift, eta, omega, axis, point, primal, dual, length):
    """Scaling and scaled point λ after s ← s + α W primal, z ← z + α W⁻¹ dual (eq. 8).

    From W = 1 and λ = 0, a step of length 1 along (s, z) gives the scaling of s and z.
    """
    for b in prange(lift.row.size):
        n0, n1, n2 = lift.normal[b, 0], lift.normal[b, 1], lift.normal[b, 2]
        for p in range(lift.start[b], lift.start[b + 1]):
            s0, z0 = point[p, 0] + length * primal[p, 0], point[p, 0] + length * dual[p, 0]
            s1, z1 = point[p, 1] + length * primal[p, 1], point[p, 1] + length * dual[p, 1]
            s2, z2 = point[p, 2] + length * primal[p, 2], point[p, 2] + length * dual[p, 2]
            s3, z3 = point[p, 3] + length * primal[p, 3], point[p, 3] + length * dual[p, 3]
            s1, s2, s3 = in_plane(lift.tail[p], n0, n1, n2, s1, s2, s3)
            z1, z2, z3 = in_plane(lift.tail[p], n0, n1, n2, z1, z2, z3)
            s_root, z_root = root_determinant(s0, s1, s2, s3), root_determinant(z0, z1, z2, z3)
            w0, w1 = s0 / s_root + z0 / z_root, s1 / s_root - z1 / z_root
            w2, w3 = s2 / s_root - z2 / z_root, s3 / s_root - z3 / z_root
            size = root_determinant(w0, w1, w2, w3)
            w0, w1, w2, w3 = w0 / size, w1 / size, w2 / size, w3 / size
            # the scaling of the new point, seen from the old one
            e = np.sqrt(s_root / z_root)
            tail = np.sqrt(w1 * w1 + w2 * w2 + w3 * w3)
            o, a0, a1, a2 = w0 + tail, 0.0, 0.0, 0.0
            if tail > 0.0:
                a0, a1, a2 = w1 / tail, w2 / tail, w3 / tail
            z0, z1, z2, z3 = stretch(e, o, a0, a1, a2, z0, z1, z2, z3)
            # and from the origin: w ← W w, and λ turned into the frame of the symmetric root
            c0, c1, c2 = axis[p, 0], axis[p, 1], axis[p, 2]
            z1, z2, z3 = rotated(c0, c1, c2, omega[p], a0, a1, a2, o, z1, z2, z3)
            w0, w1, w2, w3 = stretch(1.0, omega[p], c0, c1, c2, w0, w1, w2, w3)
            w1, w2, w3 = in_plane(lift.tail[p], n0, n1, n2, w1, w2, w3)
            tail = np.sqrt(w1 * w1 + w2 * w2 + w3 * w3)
            eta[p] *= e
            omega[p] = w0 + tail
            if tail > 0.0:
                axis[p, 0], axis[p, 1], axis[p, 2] = w1 / tail, w2 / tail, w3 / tail
            point[p, 0], point[p, 1], point[p, 2], point[p, 3] = z0, z1, z2, z3


@helper
def reciprocal_step(l0, l1, l2, l3, d0, d1, d2, d3):
    """1/α for the largest α with λ + α d in the cone; zero where there is none."""
    root = root_determinant(l0, l1, l2, l3)
    l0, l1, l2, l3 = l0 / root, l1 / root, l2 / root, l3 / root
    r0 = l0 * d0 - l1 * d1 - l2 * d2 - l3 * d3
    k = (r0 + d0) / (l0 + 1.0)
    r1, r2, r3 = d1 - k * l1, d2 - k * l2, d3 - k * l3
    return max(0.0, (np.sqrt(r1 * r1 + r2 * r2 + r3 * r3) - r0) / root)


@kernel
def scaled_direction(lift, eta, omega, axis, point, rhs, dx, primal, dual, partial):
    """W⁻¹ G Δx and W Δz = rhs − W⁻¹ G Δx of all pieces.

    Returns the reciprocals of the longest steps of s and of z (eq. 9), λᵀ(both) and their product.
    """
    for chunk in prange(partial.shape[0]):
        short_s, short_z, first, second = 0.0, 0.0, 0.0, 0.0
        for b in range(chunk * CHUNK, min((chunk + 1) * CHUNK, lift.row.size)):
            f0, f1, f2, m0, m1, m2 = load(lift, b, dx)
            n0, n1, n2 = lift.normal[b, 0], lift.normal[b, 1], lift.normal[b, 2]
            for p in range(lift.start[b], lift.start[b + 1]):
                v0, v1, v2, v3 = lifted(
                    lift.tail[p], lift.head[p], n0, n1, n2, f0, f1, f2, m0, m1, m2
                )
                c0, c1, c2 = axis[p, 0], axis[p, 1], axis[p, 2]
                a0, a1, a2, a3 = stretch(1.0 / eta[p], 1.0 / omega[p], c0, c1, c2, v0, v1, v2, v3)
                b0, b1, b2, b3 = rhs[p, 0] - a0, rhs[p, 1] - a1, rhs[p, 2] - a2, rhs[p, 3] - a3
                primal[p, 0], primal[p, 1], primal[p, 2], primal[p, 3] = a0, a1, a2, a3
                dual[p, 0], dual[p, 1], dual[p, 2], dual[p, 3] = b0, b1, b2, b3
                l0, l1, l2, l3 = point[p, 0], point[p, 1], point[p, 2], point[p, 3]
                short_s = max(short_s, reciprocal_step(l0, l1, l2, l3, a0, a1, a2, a3))
                short_z = max(short_z, reciprocal_step(l0, l1, l2, l3, b0, b1, b2, b3))
                first += l0 * rhs[p, 0] + l1 * rhs[p, 1] + l2 * rhs[p, 2] + l3 * rhs[p, 3]
                second += a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3
        partial[chunk, 0], partial[chunk, 1] = short_s, short_z
        partial[chunk, 2], partial[chunk, 3] = first, second
    return (
        column_max(partial, 0),
        column_max(partial, 1),
        column_sum(partial, 2),
        column_sum(partial, 3),
    )


@kernel
def correct(point, primal, dual, target, rhs):
    """Right-hand side of the corrector (eq. 16): rhs ← λ⁻¹∘(σμ e − λ∘λ − primal∘dual)."""
    for p in prange(point.shape[0]):
        l0, l1, l2, l3 = point[p, 0], point[p, 1], point[p, 2], point[p, 3]
        a0, a1, a2, a3 = primal[p, 0], primal[p, 1], primal[p, 2], primal[p, 3]
        b0, b1, b2, b3 = dual[p, 0], dual[p, 1], dual[p, 2], dual[p, 3]
        v0 = target - (a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3)
        v1, v2, v3 = -(a0 * b1 + b0 * a1), -(a0 * b2 + b0 * a2), -(a0 * b3 + b0 * a3)
        root = root_determinant(l0, l1, l2, l3)
        d0 = (l0 * v0 - l1 * v1 - l2 * v2 - l3 * v3) / (root * root)
        rhs[p, 0] = d0 - l0
        rhs[p, 1] = (v1 - d0 * l1) / l0 - l1
        rhs[p, 2] = (v2 - d0 * l2) / l0 - l2
        rhs[p, 3] = (v3 - d0 * l3) / l0 - l3


@kernel
def pull_back(lift, eta, omega, axis, v, out):
    """out ← Gᵀ W⁻¹ v: for v = λ the velocities Gᵀz that the dual variables stand for."""
    for chunk in prange((lift.row.size + CHUNK - 1) // CHUNK):
        for b in range(chunk * CHUNK, min((chunk + 1) * CHUNK, lift.row.size)):
            n0, n1, n2 = lift.normal[b, 0], lift.normal[b, 1], lift.normal[b, 2]
            f0, f1, f2, m0, m1, m2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for p in range(lift.start[b], lift.start[b + 1]):
                c0, c1, c2 = axis[p, 0], axis[p, 1], axis[p, 2]
                u0, u1, u2, u3 = stretch(
                    1.0 / eta[p], 1.0 / omega[p], c0, c1, c2, v[p, 0], v[p, 1], v[p, 2], v[p, 3]
                )
                head = lift.head[p] * u0
                f0, f1, f2 = f0 + head * n0, f1 + head * n1, f2 + head * n2
                if lift.tail[p] == FRICTION:
                    f0, f1, f2 = f0 + u1, f1 + u2, f2 + u3
                else:
                    m0, m1, m2 = m0 + u1, m1 + u2, m2 + u3
            store(lift, b, out, f0, f1, f2, m0, m1, m2)


@kernel
def add_barrier(lift, eta, omega, axis, x, out):
    """out ← out + Θ x with Θ = Gᵀ W⁻² G, and zero in the parts of blocks that are held."""
    for chunk in prange((lift.row.size + CHUNK - 1) // CHUNK):
        for b in range(chunk * CHUNK, min((chunk + 1) * CHUNK, lift.row.size)):
            n0, n1, n2 = lift.normal[b, 0], lift.normal[b, 1], lift.normal[b, 2]
            f0, f1, f2, m0, m1, m2 = load(lift, b, x)
            g0, g1, g2, h0, h1, h2 = load(lift, b, out)
            for p in range(lift.start[b], lift.start[b + 1]):
                v0, v1, v2, v3 = lifted(
                    lift.tail[p], lift.head[p], n0, n1, n2, f0, f1, f2, m0, m1, m2
                )
                u0, u1, u2, u3 = stretch(
                    1.0 / (eta[p] * eta[p]),
                    1.0 / (omega[p] * omega[p]),
                    axis[p, 0],
                    axis[p, 1],
                    axis[p, 2],
                    v0,
                    v1,
                    v2,
                    v3,
                )
                head = lift.head[p] * u0
                g0, g1, g2 = g0 + head * n0, g1 + head * n1, g2 + head * n2
                if lift.tail[p] == FRICTION:
                    g0, g1, g2 = g0 + u1, g1 + u2, g2 + u3
                else:
                    h0, h1, h2 = h0 + u1, h1 + u2, h2 + u3
            store(lift, b, out, g0, g1, g2, h0, h1, h2)
