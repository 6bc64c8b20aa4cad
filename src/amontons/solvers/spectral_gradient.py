"""The preconditioned spectral projected gradient method with fallback, P-SPG-FB of paper 1.

f is quadratic, so along a direction d it is known from gᵀd and dᵀNd: the line search tries as many
lengths as it likes with no further product, and an iteration needs one. The projection is taken in
the preconditioner's own metric; then d is always a direction of descent, and the paper's test for
⟨d, g⟩ ≥ 0 with its unpreconditioned second try never fires.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons._jit import TILE, kernel, prange, routine
from amontons.algebra.cones import COULOMB, head, rows_of
from amontons.algebra.sums import column_sum
from amontons.algebra.tiles import copy, normals_of, three_rows
from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.problem.problem import ConeProblem
from amontons.solvers.base import Buffers, Iterate, Solver
from amontons.solvers.gauge import Gauge
from amontons.solvers.tiles import (
    NEW,
    STEP,
    STEP_SIZE,
    lifted,
    natural_contact,
    natural_square,
    slip_contact,
    square_tile,
    step_contact,
    step_tile,
)

REFRESH = 50
"""Iterations after which gradient and objective, updated along with x, are computed anew."""


@kernel
def advance(sets, metric, rho, x, d, Nd, g, length, step, x_new, partial):
    """x_new ← x + length·d and g likewise; judge x_new; then d ← Π(x_new − step·S g) − x_new.

    g is the gradient Nx + r; where friction is exact, De Saxcé's term at x_new is added to it in
    passing. Returns ‖e‖² at x_new, and gᵀd and dᵀS⁻¹d of the new direction.
    """
    for c in prange(sets.chunks.shape[0]):
        kind, first, count, row = head(sets.chunks, c)
        T = np.empty(STEP_SIZE)
        error, slope, square = 0.0, 0.0, 0.0
        for t in range(sets.chunks[c, 4], sets.chunks[c, 5], TILE):
            m = min(TILE, sets.chunks[c, 5] - t)
            b = first + t
            for k in range(rows_of(kind)):
                s = row + k * count + t
                move(x[s : s + m], d[s : s + m], length, x_new[s : s + m])
                move(g[s : s + m], Nd[s : s + m], length, g[s : s + m])
            if kind == COULOMB:
                at = row + t
                e, p, q = contact_tile(
                    normals_of(sets, b, m),
                    sets.friction[b : b + m],
                    rho[b : b + m],
                    (metric.normal[b : b + m], metric.tangential[b : b + m]),
                    step,
                    sets.exact[0] > 0.0,
                    three_rows(x_new, at, count, m),
                    three_rows(g, at, count, m),
                    three_rows(d, at, count, m),
                )
                error, slope, square = error + e, slope + p, square + q
                continue
            for k in range(rows_of(kind)):
                s = row + k * count + t
                copy(x_new[s : s + m], T[k * TILE :])
                copy(g[s : s + m], T[STEP + k * TILE :])
            error += natural_square(sets, kind, first, t, m, rho[b : b + m], T)
            square += step_tile(sets, metric, kind, first, t, m, step, T)
            for k in range(rows_of(kind)):
                s = row + k * count + t
                new, y, G = T[NEW + k * TILE :], T[k * TILE :], T[STEP + k * TILE :]
                slope += difference_and_dot(new, y, G, d[s : s + m])
        partial[c, 0], partial[c, 1], partial[c, 2] = error, slope, square
    return column_sum(partial, 0), column_sum(partial, 1), column_sum(partial, 2)


@routine
def contact_tile(normal, mu, rho, steps, step, exact, x, gradient, direction):
    """Assess x and find the direction d for Coulomb contacts, in one loop.

    Vectors are tuples of three views.
    """
    n0, n1, n2 = normal
    sn, st = steps
    x0, x1, x2 = x
    g0, g1, g2 = gradient
    d0, d1, d2 = direction
    error, slope, square = 0.0, 0.0, 0.0
    for j in range(mu.size):
        n = n0[j], n1[j], n2[j]
        at, u = (x0[j], x1[j], x2[j]), (g0[j], g1[j], g2[j])
        if exact:
            u = lifted(n, slip_contact(n, mu[j], u), u)
        error += natural_contact(n, mu[j], rho[j], at, u)
        (z0, z1, z2), length = step_contact(n, mu[j], sn[j], st[j], step, at, u)
        z0, z1, z2 = z0 - x0[j], z1 - x1[j], z2 - x2[j]
        slope += u[0] * z0 + u[1] * z1 + u[2] * z2
        square += length
        d0[j], d1[j], d2[j] = z0, z1, z2
    return error, slope, square


@routine
def move(x, d, length, out):
    """out ← x + length·d."""
    for j in range(x.size):
        out[j] = x[j] + length * d[j]


@routine
def difference_and_dot(new, y, g, d):
    """D ← new − y, and gᵀd."""
    for j in range(d.size):
        d[j] = new[j] - y[j]
    total = 0.0
    for j in range(d.size):
        total += g[j] * d[j]
    return total


@kernel
def stretch_of(sets, metric, Nd, partial):
    """(Nd)ᵀS(Nd)."""
    for c in prange(sets.chunks.shape[0]):
        kind, first, count, row = head(sets.chunks, c)
        D = np.empty(6 * TILE)
        square = 0.0
        for t in range(sets.chunks[c, 4], sets.chunks[c, 5], TILE):
            m = min(TILE, sets.chunks[c, 5] - t)
            b = first + t
            for k in range(rows_of(kind)):
                s = row + k * count + t
                copy(Nd[s : s + m], D[k * TILE :])
            square += square_tile(
                sets,
                kind,
                b,
                m,
                metric.normal[b : b + m],
                metric.tangential[b : b + m],
                metric.torque[b : b + m],
                False,
                D,
            )
        partial[c, 0] = square
    return column_sum(partial, 0)


class AlternatingStep:
    """The long and the short spectral step in turns (paper 1, eqs. 10 and 11)."""

    def __init__(self) -> None:
        self.needs_stretch = True

    def next(self, square: float, bend: float, stretch: float) -> float:
        """The step after one along d, from dᵀS⁻¹d, dᵀNd and, if it is needed, (Nd)ᵀS(Nd)."""
        short, self.needs_stretch = self.needs_stretch, not self.needs_stretch
        if not bend > 0.0:
            return math.inf
        return bend / stretch if short else square / bend


class AdaptiveStep:
    """The long step, or the shortest of recent short ones where the two differ much.

    ABBmin of Frassoldati, Zanghirati and Zanni (2008): it wipes out the components of large
    eigenvalues first, and then the long steps do what is left.
    """

    RATIO, MEMORY = 0.3, 5
    needs_stretch = True

    def __init__(self) -> None:
        self._short: deque[float] = deque(maxlen=self.MEMORY)

    def next(self, square: float, bend: float, stretch: float) -> float:
        """The step after one along d, from dᵀS⁻¹d, dᵀNd and (Nd)ᵀS(Nd)."""
        if not bend > 0.0:
            return math.inf
        long, short = square / bend, bend / stretch
        self._short.append(short)
        return min(self._short) if short < self.RATIO * long else long


@dataclass(frozen=True, kw_only=True)
class SpectralGradient(Solver):
    """Spectral projected gradients, preconditioned, with a non-monotone line search (paper 1).

    Parameters
    ----------
    scaling:
        Preconditioner: "block" averages N's diagonal within each set as the paper does, "split"
        (default) within the normal and the tangential rows of a set, "none" is the identity.
    step:
        "alternating" takes the paper's two formulas in turns, "adaptive" is ABBmin, which needs
        fewer iterations where no set has a border to bump into and more elsewhere; "auto" (default)
        is adaptive on purely bilateral problems.
    memory:
        N_GLL: how many past objectives the line search looks at.
    armijo:
        γ: the share of the predicted decrease that a step must bring.
    shortest, longest:
        α_min and α_max: safeguards of the spectral step, relative to the preconditioner's.
    cut:
        (σ_min, σ_max): a rejected step is multiplied by a number between these.
    """

    scaling: str = "split"
    step: str = "auto"
    memory: int = 10
    armijo: float = 1e-4
    shortest: float = 1e-9
    longest: float = 1e9
    cut: tuple[float, float] = (0.1, 0.9)

    buffers: ClassVar[int] = 3
    thrifty: ClassVar[bool] = True
    follows_slip: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scaling not in ("none", "block", "split"):
            raise InputError(f"unknown scaling {self.scaling!r}; choose 'none', 'block' or 'split'")
        if self.step not in ("auto", "alternating", "adaptive"):
            raise InputError(
                f"unknown step {self.step!r}; choose 'auto', 'alternating' or 'adaptive'"
            )
        if self.memory < 1:
            raise InputError(f"memory must be at least 1, got {self.memory}")
        if not 0.0 < self.armijo < 1.0:
            raise InputError(f"armijo must be between 0 and 1, got {self.armijo}")
        if not 0.0 < self.shortest <= self.longest:
            raise InputError("shortest and longest must be positive, the former not larger")
        if not 0.0 < self.cut[0] <= self.cut[1] < 1.0:
            raise InputError(f"cut must be two increasing numbers in (0, 1), got {self.cut}")

    def iterations(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate]:
        """Algorithm P-SPG-FB of paper 1."""
        sets, r = problem.sets.arrays, problem.linear
        metric = problem.metric(self.scaling)
        pass_over, stretching = advance.sized(problem.blocks), stretch_of.sized(problem.blocks)
        partial = np.empty((sets.chunks.shape[0], 3))
        scratch = problem.operator.scratch()
        d, Nd, g = np.zeros(problem.rows), np.zeros(problem.rows), np.empty(problem.rows)

        x = buffers.projected(problem, x)
        objective = 0.5 * problem.product_and_square(x, g, scratch) + problem.inner(r, x)
        g += r
        step = self._spectral_step(problem)
        alpha, length, count = 1.0, 0.0, 0
        recent: deque[float] = deque(maxlen=self.memory)
        while True:
            x_new = buffers.free(x)
            found = pass_over(sets, metric, gauge.rho, x, d, Nd, g, length, alpha, x_new, partial)
            error, slope, square = problem.sums(found, partial)
            yield Iterate(
                x_new, gauge.factor * math.sqrt(error), objective + problem.objective_offset
            )
            x = x_new
            recent.append(objective)
            if not square > 0.0:
                return
            bend, stretch = problem.product_and_square(d, Nd, scratch), 0.0
            if step.needs_stretch:
                told = (stretching(sets, metric, Nd, partial),)
                (stretch,) = problem.sums(told, partial[:, :1])
            length = self._line_search(objective, slope, bend, max(recent))
            alpha = min(self.longest, max(self.shortest, step.next(square, bend, stretch)))
            count += 1
            if count % REFRESH == 0:
                fresh = 0.5 * problem.product_and_square(x, g, scratch) + problem.inner(r, x)
                # with exact friction, the line search goes by a sum of what steps promised
                objective = objective if problem.sets.exact else fresh
                g += r
            objective += length * (slope + 0.5 * length * bend)

    def _spectral_step(self, problem: ConeProblem) -> AlternatingStep | AdaptiveStep:
        adaptive = self.step == "adaptive" or (self.step == "auto" and problem.bilateral)
        return AdaptiveStep() if adaptive else AlternatingStep()

    def _line_search(self, objective: float, slope: float, bend: float, reference: float) -> float:
        """Longest tried λ with f(x + λd) ≤ max of recent objectives + γλ gᵀd."""
        noise = 1e-14 * abs(objective)
        length = 1.0
        while slope < 0.0 and objective + length * (slope + 0.5 * length * bend) > (
            reference + self.armijo * length * slope + noise
        ):
            best = -slope / bend if bend > 0.0 else length
            length = min(max(best, self.cut[0] * length), self.cut[1] * length)
        return length
