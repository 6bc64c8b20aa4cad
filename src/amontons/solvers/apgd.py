"""Nesterov's accelerated projected gradient descent: algorithm 1 of paper 3.

Two things differ from the paper, and change no iterate. The extrapolated point y is a combination
of two iterates whose products with N are known, so N y costs nothing and an iteration needs one
product. And since f is quadratic, the test of eq. 24 is just dᵀNd ≤ L dᵀS⁻¹d with d = γ⁺ − y, which
has none of the cancellation of four objective values and stays reliable at convergence.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons._jit import TILE, kernel, prange, routine
from amontons.algebra.cones import COULOMB, Metric
from amontons.algebra.tiles import (
    NEW,
    STEP,
    STEP_SIZE,
    natural_contact,
    step_contact,
    step_tile,
)
from amontons.errors import InputError
from amontons.problem.kernels import column_sum, head, natural_tile, rows_of
from amontons.problem.problem import ConeProblem
from amontons.problem.residuals import Gauge
from amontons.solvers.base import Buffers, Floats, Iterate, Solver


@kernel
def assess_and_propose(sets, metric, rho, x, x_old, Nx, Nx_old, linear, beta, step, out, partial):
    """Judge x, and take the next step from y = x + β(x − x_old): out ← Π(y − step·S(Ny + r)).

    Returns ‖e‖², xᵀNx and rᵀx at x, with e its natural map, and for the step gᵀ(out − x) and
    dᵀS⁻¹d with d = out − y. One pass, because the vectors are then read from memory once.
    """
    for c in prange(sets.chunks.shape[0]):
        kind, first, count, row = head(sets.chunks, c)
        T = np.empty(STEP_SIZE)
        error, quad, lin, uphill, length = 0.0, 0.0, 0.0, 0.0, 0.0
        for t in range(sets.chunks[c, 4], sets.chunks[c, 5], TILE):
            m = min(TILE, sets.chunks[c, 5] - t)
            if kind == COULOMB:
                i0, i1, i2, b = row + t, row + count + t, row + 2 * count + t, first + t
                e, q, p, up, d = contact_tile(
                    sets.normal[0, b : b + m],
                    sets.normal[1, b : b + m],
                    sets.normal[2, b : b + m],
                    sets.friction[b : b + m],
                    rho[b : b + m],
                    metric.normal[b : b + m],
                    metric.tangential[b : b + m],
                    beta,
                    step,
                    x[i0 : i0 + m],
                    x[i1 : i1 + m],
                    x[i2 : i2 + m],
                    x_old[i0 : i0 + m],
                    x_old[i1 : i1 + m],
                    x_old[i2 : i2 + m],
                    Nx[i0 : i0 + m],
                    Nx[i1 : i1 + m],
                    Nx[i2 : i2 + m],
                    Nx_old[i0 : i0 + m],
                    Nx_old[i1 : i1 + m],
                    Nx_old[i2 : i2 + m],
                    linear[i0 : i0 + m],
                    linear[i1 : i1 + m],
                    linear[i2 : i2 + m],
                    out[i0 : i0 + m],
                    out[i1 : i1 + m],
                    out[i2 : i2 + m],
                )
                error, quad, lin, uphill, length = (
                    error + e,
                    quad + q,
                    lin + p,
                    uphill + up,
                    length + d,
                )
                continue
            e, q, p = natural_tile(sets, sets.chunks[c], t, m, rho, x, Nx, linear, T)
            error += e
            quad += q
            lin += p
            for k in range(rows_of(kind)):
                s = row + k * count + t
                blend(x[s : s + m], x_old[s : s + m], beta, T[k * TILE :])
                g = T[STEP + k * TILE :]
                blend_plus(Nx[s : s + m], Nx_old[s : s + m], beta, linear[s : s + m], g)
            length += step_tile(sets, metric, kind, first, t, m, step, T)
            for k in range(rows_of(kind)):
                s = row + k * count + t
                new, g = T[NEW + k * TILE :], T[STEP + k * TILE :]
                uphill += store_and_dot(new, x[s : s + m], g, out[s : s + m])
        partial[c, 0], partial[c, 1], partial[c, 2] = error, quad, lin
        partial[c, 3], partial[c, 4] = uphill, length
    return (
        column_sum(partial, 0),
        column_sum(partial, 1),
        column_sum(partial, 2),
        column_sum(partial, 3),
        column_sum(partial, 4),
    )


@routine
def contact_tile(
    n0, n1, n2, mu, rho, sn, st, beta, step,
    x0, x1, x2, o0, o1, o2, N0, N1, N2, O0, O1, O2, r0, r1, r2, z0, z1, z2,
):  # fmt: skip
    """The same for Coulomb contacts, in one loop: o and O are the old x and Nx, z is written."""
    error, quad, lin, uphill, length = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(mu.size):
        quad += x0[j] * N0[j] + x1[j] * N1[j] + x2[j] * N2[j]
        lin += x0[j] * r0[j] + x1[j] * r1[j] + x2[j] * r2[j]
        u0, u1, u2 = N0[j] + r0[j], N1[j] + r1[j], N2[j] + r2[j]
        error += natural_contact(
            n0[j], n1[j], n2[j], mu[j], rho[j], x0[j], x1[j], x2[j], u0, u1, u2
        )
        y0 = x0[j] + beta * (x0[j] - o0[j])
        y1 = x1[j] + beta * (x1[j] - o1[j])
        y2 = x2[j] + beta * (x2[j] - o2[j])
        g0 = u0 + beta * (N0[j] - O0[j])
        g1 = u1 + beta * (N1[j] - O1[j])
        g2 = u2 + beta * (N2[j] - O2[j])
        a0, a1, a2, square = step_contact(
            n0[j], n1[j], n2[j], mu[j], sn[j], st[j], step, y0, y1, y2, g0, g1, g2
        )
        length += square
        uphill += g0 * (a0 - x0[j]) + g1 * (a1 - x1[j]) + g2 * (a2 - x2[j])
        z0[j], z1[j], z2[j] = a0, a1, a2
    return error, quad, lin, uphill, length


@routine
def blend(x, x_old, beta, out):
    """out ← x + β(x − x_old)."""
    for j in range(x.size):
        out[j] = x[j] + beta * (x[j] - x_old[j])


@routine
def blend_plus(x, x_old, beta, r, out):
    """out ← x + β(x − x_old) + r."""
    for j in range(x.size):
        out[j] = x[j] + beta * (x[j] - x_old[j]) + r[j]


@routine
def store_and_dot(new, x, g, out):
    """out ← new, and gᵀ(new − x)."""
    for j in range(x.size):
        out[j] = new[j]
    total = 0.0
    for j in range(x.size):
        total += g[j] * (new[j] - x[j])
    return total


@dataclass(frozen=True, kw_only=True)
class APGD(Solver):
    """Accelerated projected gradient descent with backtracking, restart and fallback (paper 3).

    Parameters
    ----------
    scaling:
        "split" (default) scales the normal and tangential rows of each contact by their own
        curvature, "block" each contact by one number, "none" is the paper's method.
    shrink:
        L ← shrink·L after each iteration (paper 3, line 29), so that steps can grow again. The
        paper has 0.9; 0.98 needs as many iterations and a sixth of the backtracking.
    restart:
        Reset the momentum when it points uphill (paper 3, line 25).
    """

    scaling: str = "split"
    shrink: float = 0.98
    restart: bool = True

    buffers: ClassVar[int] = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.shrink <= 1.0:
            raise InputError(f"shrink must be in (0, 1], got {self.shrink}")
        if self.scaling not in ("none", "block", "split"):
            raise InputError(f"unknown scaling {self.scaling!r}; choose 'none', 'block' or 'split'")

    def iterations(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate]:
        """Algorithm 1 of paper 3; comments give its line numbers."""
        sets, r = problem.sets.arrays, problem.linear
        metric = problem.metric(self.scaling)
        pass_over = assess_and_propose.sized(problem.blocks)
        partial = np.empty((sets.chunks.shape[0], 5))
        Nx, Nx_old, Nx_new = (np.empty(problem.rows) for _ in range(3))
        memory, memory_old, memory_new = (problem.operator.scratch() for _ in range(3))

        x = buffers.projected(problem, x)
        L = _first_curvature(problem, metric, memory)  # 4
        problem.product(x, Nx, memory)
        x_old, Nx_old[:] = x, Nx
        if memory is not None:
            memory_old[:] = memory
        theta, beta = 1.0, 0.0  # 3
        judged = False
        while True:  # 6
            while True:
                x_new = buffers.free(x, x_old)
                error, quadratic, linear, uphill, length = problem.total(
                    pass_over(
                        sets,
                        metric,
                        gauge.rho,
                        x,
                        x_old,
                        Nx,
                        Nx_old,
                        r,
                        beta,
                        1.0 / L,
                        x_new,
                        partial,
                    )
                )  # 7, 8
                if not judged:
                    objective = 0.5 * quadratic + linear + problem.objective_offset
                    yield Iterate(x, gauge.factor * math.sqrt(error), objective)  # 17
                    judged = True
                problem.product(x_new, Nx_new, memory_new)
                bend = problem.quadratic(
                    (x_new, x, x_old), (Nx_new, Nx, Nx_old), (memory_new, memory, memory_old), beta
                )
                if bend <= L * length * (1.0 + 1e-12) or not length > 0.0:  # 9
                    break
                L = min(2.0 * L, max(1.01 * bend / length, 1.1 * L))  # 10
            if self.restart and uphill > 0.0:  # 25
                theta, beta = 1.0, 0.0
            else:
                root = theta * math.sqrt(theta * theta + 4.0)
                theta_new = 0.5 * (root - theta * theta)  # 14
                beta = theta * (1.0 - theta) / (theta * theta + theta_new)  # 15
                theta = theta_new
            x_old, x = x, x_new
            Nx_old, Nx, Nx_new = Nx, Nx_new, Nx_old
            memory_old, memory, memory_new = memory, memory_new, memory_old
            L *= self.shrink  # 29
            judged = False


def _first_curvature(problem: ConeProblem, metric: Metric, scratch: object) -> float:
    """1ᵀN1 / 1ᵀS⁻¹1 (line 4, in the metric): a first guess that backtracking corrects."""
    ones = np.ones(problem.rows)
    size = float(np.sum(1.0 / metric.normal) + 2.0 * np.sum(1.0 / metric.tangential))
    bend, length = problem.total((float(np.sum(problem.product(ones, None, scratch))), size))
    return bend / length if bend > 0.0 else 1.0
