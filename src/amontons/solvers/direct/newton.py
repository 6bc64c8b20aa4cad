"""Contacts, limits and bounded motors on a small dense matrix S: u = Sx + s, x ∈ K, u ∈ K*.

Newton's method on the natural map F(x) = x − Π(x − ρũ), as in :mod:`semismooth_newton`, with sweeps
of Gauss and Seidel's where a step does not gain. With exact friction ũ is u with the De Saxcé term
μ‖u_t‖n, in the map, its derivative and the sweeps alike; without, it is u.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import helper, routine
from amontons.algebra.cones import project_coulomb

Floats = NDArray[np.float64]

SWEEPS = 20
"""Gauss–Seidel sweeps from the best point after Newton steps that gained nothing."""

BOLD, JUMP = 5, 1e3
"""Newton steps in a row that may gain nothing, and by how much they may lose."""

SOFTNESS, SOFTER, SOFTEST = 1e-12, 30.0, 1e-2
"""λ of A + λ1, which redundant contacts need, its growth after such steps, and its limit."""


class Reduced(NamedTuple):
    """The problem that is left once joints are eliminated: contacts, then scalar rows."""

    S: Floats  # (rows, rows)
    s: Floats  # (rows,)
    normal: Floats  # (3, contacts)
    friction: Floats  # (contacts,)
    lower: Floats  # of the scalar rows, (scalars,)
    upper: Floats
    rho: Floats  # step of each block, contacts first, (blocks,)


@helper
def steepened(n0, n1, n2, mu, u0, u1, u2):
    """u + μ‖u_t‖n."""
    along = n0 * u0 + n1 * u1 + n2 * u2
    slip = mu * math.sqrt(
        (u0 - along * n0) ** 2 + (u1 - along * n1) ** 2 + (u2 - along * n2) ** 2
    )  # fmt: skip
    return u0 + slip * n0, u1 + slip * n1, u2 + slip * n2


@routine
def mean_steps(S, contacts, rho):
    """ρ ← d / trace(S_bb) of each block; of what nothing can move, as of the others."""
    largest = 0.0
    for i in range(S.shape[0]):
        largest = max(largest, S[i, i])
    if largest == 0.0:
        largest = 1.0
    for b in range(rho.size):
        i = 3 * b if b < contacts else 2 * contacts + b
        trace = S[i, i]
        if b < contacts:
            trace = (S[i, i] + S[i + 1, i + 1] + S[i + 2, i + 2]) / 3.0
        rho[b] = 1.0 / (trace if trace > 1e-14 * largest else largest)


@routine
def project_step(problem, b, contacts, exact, x, u):
    """Π(x − ρũ) of contact b, with its ρ."""
    n, rho = problem.normal, problem.rho[b]
    n0, n1, n2, mu = n[0, b], n[1, b], n[2, b], problem.friction[b]
    i = 3 * b
    u0, u1, u2 = u[i], u[i + 1], u[i + 2]
    if exact:
        u0, u1, u2 = steepened(n0, n1, n2, mu, u0, u1, u2)
    return project_coulomb(
        x[i] - rho * u0, x[i + 1] - rho * u1, x[i + 2] - rho * u2, n0, n1, n2, mu
    )  # fmt: skip


@routine
def velocities(problem, x, u):
    """u ← Sx + s."""
    for i in range(x.size):
        total = problem.s[i]
        for j in range(x.size):
            total += problem.S[i, j] * x[j]
        u[i] = total


@routine
def natural_map(problem, exact, x, u, F):
    """F ← Π(x − ρũ) − x; returns ‖F/ρ‖, a speed."""
    contacts, square = problem.friction.size, 0.0
    for b in range(contacts):
        i, rho = 3 * b, problem.rho[b]
        p0, p1, p2 = project_step(problem, b, contacts, exact, x, u)
        F[i], F[i + 1], F[i + 2] = p0 - x[i], p1 - x[i + 1], p2 - x[i + 2]
        square += (F[i] * F[i] + F[i + 1] * F[i + 1] + F[i + 2] * F[i + 2]) / (rho * rho)
    for j in range(problem.lower.size):
        i, rho = 3 * contacts + j, problem.rho[contacts + j]
        z = x[i] - rho * u[i]
        F[i] = min(max(z, problem.lower[j]), problem.upper[j]) - x[i]
        square += (F[i] / rho) ** 2
    return math.sqrt(square)


@routine
def sweep(problem, exact, x, u):
    """Relax every block once, x_b ← Π(x_b − ρũ_b), and keep u = Sx + s."""
    contacts, S = problem.friction.size, problem.S
    for b in range(contacts):
        i = 3 * b
        p0, p1, p2 = project_step(problem, b, contacts, exact, x, u)
        d0, d1, d2 = p0 - x[i], p1 - x[i + 1], p2 - x[i + 2]
        x[i], x[i + 1], x[i + 2] = p0, p1, p2
        for k in range(u.size):  # S is symmetric: along its rows
            u[k] += d0 * S[i, k] + d1 * S[i + 1, k] + d2 * S[i + 2, k]
    for j in range(problem.lower.size):
        i = 3 * contacts + j
        new = min(max(x[i] - problem.rho[contacts + j] * u[i], problem.lower[j]), problem.upper[j])
        d = new - x[i]
        x[i] = new
        for k in range(u.size):
            u[k] += d * S[i, k]


@routine
def cone_derivative(n, mu, z, J):
    """J ← derivative of the projection onto the cone at z, (3, 3)."""
    v = n[0] * z[0] + n[1] * z[1] + n[2] * z[2]
    t0, t1, t2 = z[0] - v * n[0], z[1] - v * n[1], z[2] - v * n[2]
    t = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    J[:] = 0.0
    if t <= mu * v and v >= 0.0:
        J[0, 0] = J[1, 1] = J[2, 2] = 1.0
        return
    a = (v + mu * t) / (1.0 + mu * mu)
    if a <= 0.0:
        return
    e = (t0 / t, t1 / t, t2 / t) if t > 0.0 else (0.0, 0.0, 0.0)
    stretch = mu * a / t if t > 0.0 else 0.0
    for i in range(3):
        for j in range(3):
            along = (n[i] + mu * e[i]) * (n[j] + mu * e[j]) / (1.0 + mu * mu)
            J[i, j] = along - stretch * (n[i] * n[j] + e[i] * e[j])
        J[i, i] += stretch


@routine
def newton_matrix(problem, exact, softness, x, u, A):
    """A ← (1 + λ)1 − J(1 − ρT S), with J the derivative of Π and T that of ũ by u."""
    contacts, S = problem.friction.size, problem.S
    J = np.empty((3, 3))
    A[:] = 0.0
    for b in range(contacts):
        i, rho, mu = 3 * b, problem.rho[b], problem.friction[b]
        n = (problem.normal[0, b], problem.normal[1, b], problem.normal[2, b])
        w = (u[i], u[i + 1], u[i + 2])
        e = (0.0, 0.0, 0.0)
        if exact:
            along = n[0] * w[0] + n[1] * w[1] + n[2] * w[2]
            t0, t1, t2 = w[0] - along * n[0], w[1] - along * n[1], w[2] - along * n[2]
            slip = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
            if slip > 0.0:
                e = (t0 / slip, t1 / slip, t2 / slip)
            w = (w[0] + mu * slip * n[0], w[1] + mu * slip * n[1], w[2] + mu * slip * n[2])
        z = (x[i] - rho * w[0], x[i + 1] - rho * w[1], x[i + 2] - rho * w[2])
        cone_derivative(n, mu, z, J)
        for k in range(x.size):
            # column of T S: what a change of x_k does to ũ
            d0, d1, d2 = S[i, k], S[i + 1, k], S[i + 2, k]
            more = mu * (e[0] * d0 + e[1] * d1 + e[2] * d2)
            d0, d1, d2 = d0 + more * n[0], d1 + more * n[1], d2 + more * n[2]
            for r in range(3):
                A[i + r, k] = rho * (J[r, 0] * d0 + J[r, 1] * d1 + J[r, 2] * d2)
        for r in range(3):
            A[i + r, i + r] += 1.0 + softness
            for k in range(3):
                A[i + r, i + k] -= J[r, k]
    for j in range(problem.lower.size):
        i, rho = 3 * contacts + j, problem.rho[contacts + j]
        z = x[i] - rho * u[i]
        if problem.lower[j] < z < problem.upper[j]:
            for k in range(x.size):
                A[i, k] = rho * S[i, k]
            A[i, i] += softness
        else:
            A[i, i] = 1.0 + softness


@routine
def solve_dense(A, b):
    """b ← A⁻¹ b by Gaussian elimination with pivoting, in place; False where A is singular."""
    size = b.size
    for k in range(size):
        pivot = k
        for i in range(k + 1, size):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        if not abs(A[pivot, k]) > 0.0:
            return False
        if pivot != k:
            for j in range(k, size):
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
            b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, size):
            if A[i, k] == 0.0:
                continue
            factor = A[i, k] / A[k, k]
            for j in range(k + 1, size):
                A[i, j] -= factor * A[k, j]
            b[i] -= factor * b[k]
    for k in range(size - 1, -1, -1):
        total = b[k]
        for j in range(k + 1, size):
            total -= A[k, j] * b[j]
        b[k] = total / A[k, k]
    return True


@routine
def solve_reduced(problem, exact, wanted, most, x):
    """x ← a solution to the `wanted` error [m/s], or the best point found; returns the steps.

    A sweep counts as a step, and so does one of Newton's method; there are at most so many. Newton
    may lose for a few steps what it gains later; then the best point is where sweeps go on.
    """
    size, steps, softness, idle = x.size, 0, SOFTNESS, 0
    u, F, A, d = np.empty(size), np.empty(size), np.empty((size, size)), np.empty(size)
    project_all(problem, x)
    now = x.copy()
    velocities(problem, now, u)
    best = error = natural_map(problem, exact, now, u, F)
    while best > wanted and steps < most:
        newton_matrix(problem, exact, softness, now, u, A)
        d[:] = F
        steps += 1
        error = math.inf
        if solve_dense(A, d):
            for i in range(size):
                now[i] += d[i]
            velocities(problem, now, u)
            error = natural_map(problem, exact, now, u, F)
        idle = 0 if error < 0.9 * best else idle + 1
        if error < best:
            best, x[:] = error, now
            softness = max(0.1 * softness, SOFTNESS)
        if idle < BOLD and error < JUMP * best:
            continue
        softness, idle = SOFTER * softness, 0
        if softness > SOFTEST:
            softness = SOFTNESS
        now[:] = x
        velocities(problem, now, u)
        sweeps = min(SWEEPS, most - steps)
        for _ in range(sweeps):
            sweep(problem, exact, now, u)
        steps += sweeps
        velocities(problem, now, u)
        error = natural_map(problem, exact, now, u, F)
        if error < best:
            best, x[:] = error, now
    if 0.0 < best <= wanted and steps < most:  # once more: near the end a step doubles the digits
        now[:] = x
        velocities(problem, now, u)
        natural_map(problem, exact, now, u, F)
        newton_matrix(problem, exact, SOFTNESS, now, u, A)
        d[:] = F
        if solve_dense(A, d):
            for i in range(size):
                now[i] += d[i]
            velocities(problem, now, u)
            if natural_map(problem, exact, now, u, F) < best:
                x[:] = now
        steps += 1
    project_all(problem, x)
    return steps


@routine
def project_all(problem, x):
    """x ← Π(x)."""
    contacts = problem.friction.size
    for b in range(contacts):
        i = 3 * b
        x[i], x[i + 1], x[i + 2] = project_coulomb(
            x[i], x[i + 1], x[i + 2], problem.normal[0, b], problem.normal[1, b],
            problem.normal[2, b], problem.friction[b],
        )  # fmt: skip
    for j in range(problem.lower.size):
        i = 3 * contacts + j
        x[i] = min(max(x[i], problem.lower[j]), problem.upper[j])
