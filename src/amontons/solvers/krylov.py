"""Conjugate gradients and minimum residuals, for problems of bilateral constraints alone.

Such a problem is the linear system (N + E)γ = −r. Both methods are preconditioned by the averaged
diagonal, as the other solvers are, and both bear redundant constraints (a singular, consistent N).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from amontons.algebra.sums import inner
from amontons.array_types import Floats
from amontons.errors import InputError, UnsupportedProblemError
from amontons.problem.problem import ConeProblem
from amontons.solvers.base import Buffers, Iterate, Solver
from amontons.solvers.gauge import Gauge


@dataclass(frozen=True, kw_only=True)
class KrylovSolver(Solver):
    """What both share.

    Parameters
    ----------
    scaling:
        "block" (default) preconditions by N's diagonal, "none" does not.
    """

    scaling: str = "block"

    buffers: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scaling not in ("none", "block"):
            raise InputError(f"unknown scaling {self.scaling!r}; choose 'none' or 'block'")

    def check(self, problem: ConeProblem) -> None:
        """Only ℝ is allowed."""
        if not problem.bilateral:
            kinds = ", ".join(sorted(k.name.lower() for k in problem.sets.kinds if k))
            raise UnsupportedProblemError(
                f"{type(self).__name__} solves bilateral constraints only, and this problem has "
                f"blocks of kind {kinds}; use APGD or SpectralGradient"
            )

    def iterations(
        self, problem: ConeProblem, x: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate]:
        """The start, then what the method makes of it."""
        x = buffers.projected(problem, x)
        Nx = problem.product(x)
        yield Iterate(x, *gauge.error(problem, x, Nx))
        yield from self.onwards(problem, x, Nx, gauge, buffers)

    @abstractmethod
    def onwards(
        self, problem: ConeProblem, x: Floats, Nx: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate]:
        """Yield one iterate per iteration from x on, whose product (N + E) x is given."""


@dataclass(frozen=True, kw_only=True)
class ConjugateGradient(KrylovSolver):
    """Preconditioned conjugate gradients."""

    def onwards(
        self, problem: ConeProblem, x: Floats, Nx: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate]:
        """Hestenes and Stiefel's method."""
        steps, scratch = problem.metric(self.scaling).normal, problem.operator.scratch()
        Np = np.empty(problem.rows)
        residual = -(Nx + problem.linear)
        p = steps * residual
        (rz,) = problem.total((inner(residual, p),))
        while rz > 0.0:
            problem.product(p, Np, scratch)
            (bend,) = problem.total((inner(p, Np),))
            if not bend > 0.0:
                return
            length = rz / bend
            new = buffers.free(x)
            np.multiply(p, length, out=new)
            new += x
            Nx += length * Np
            yield Iterate(new, *gauge.error(problem, new, Nx))
            x = new
            residual -= length * Np
            z = steps * residual
            (rz_new,) = problem.total((inner(residual, z),))
            p *= rz_new / rz
            p += z
            rz = rz_new


@dataclass(frozen=True, kw_only=True)
class MinimumResidual(KrylovSolver):
    """Preconditioned MINRES: the residual never grows, and N need not be definite."""

    def onwards(
        self, problem: ConeProblem, x: Floats, Nx: Floats, gauge: Gauge, buffers: Buffers
    ) -> Generator[Iterate]:
        """Paige and Saunders' method: Lanczos vectors, Givens rotations, a three-term update."""
        steps, scratch = problem.metric(self.scaling).normal, problem.operator.scratch()
        rows = problem.rows
        v, v_old = -(Nx + problem.linear), np.zeros(rows)
        z = steps * v
        (square,) = problem.total((inner(v, z),))
        if not square > 0.0:
            return
        beta = eta = math.sqrt(square)
        beta_old = 1.0
        c, c_old, s, s_old = 1.0, 1.0, 0.0, 0.0
        w, w_old, Nw, Nw_old = (np.zeros(rows) for _ in range(4))
        Nz = np.empty(rows)
        size = 0.0  # of the tridiagonal matrix, which has no units
        while True:
            z /= beta
            problem.product(z, Nz, scratch)
            (alpha,) = problem.total((inner(z, Nz),))
            v_new = Nz - (alpha / beta) * v - (beta / beta_old) * v_old
            z_new = steps * v_new
            (square,) = problem.total((inner(v_new, z_new),))
            beta_new = math.sqrt(max(square, 0.0))
            # the new column of the tridiagonal matrix, turned by the two rotations before it
            diagonal = c * alpha - c_old * s * beta
            above = s * alpha + c_old * c * beta
            far = s_old * beta
            length = math.hypot(diagonal, beta_new)
            size = max(size, abs(alpha) + beta_new)
            if not length > 1e-15 * size:
                return
            c_old, s_old = c, s
            c, s = diagonal / length, beta_new / length
            w, w_old = (z - far * w_old - above * w) / length, w
            Nw, Nw_old = (Nz - far * Nw_old - above * Nw) / length, Nw
            new = buffers.free(x)
            np.multiply(w, c * eta, out=new)
            new += x
            Nx += c * eta * Nw
            yield Iterate(new, *gauge.error(problem, new, Nx))
            x = new
            eta = -s * eta
            if not beta_new > 1e-15 * size:
                return
            v_old, v, z = v, v_new, z_new
            beta_old, beta = beta, beta_new
