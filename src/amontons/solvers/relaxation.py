"""What Jacobi and Gauss–Seidel share: the step of one block, and its settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from amontons._jit import helper
from amontons.algebra.cones import COULOMB, project_block, slip_of
from amontons.array_types import Floats, Longs
from amontons.errors import InputError
from amontons.problem.problem import ConeProblem

LOCAL_ITERATIONS = 60
LOCAL_ACCURACY = 1e-14

GROWN = 4.0
"""Growth of the error over its least value that halves ω where friction is exact."""


class Tuning(NamedTuple):
    """A method's settings and blocks, as kernels see them."""

    sharpness: float  # λ
    full: bool  # whether a block is minimised, or given one averaged step
    steps: Floats  # averaged step of each block, shape (blocks,)
    blocks: Floats  # with `full` the blocks N_bb + E_bb, row by row in one array
    offsets: Longs  # and where each begins, shape (blocks + 1,)


@helper
def relax_block(sets, kind, index, rows, step, blocks, at, damping, old, u, new, work):
    """new ← λ·(step of one block) + (1 − λ)·old, where `old` has velocity `u`; all from entry 0.

    The step is Π(old − ω·step·u) or, with `full`, the block's own minimum, over-relaxed by ω. That
    minimum is found by projected gradients on the d × d block, which begins at entry `at` of
    `blocks`, a few dozen of them. `damping` is (ω, λ, full); `index` counts as in `project_block`.
    Where friction is exact, each velocity gets its De Saxcé term: a local exact step.
    """
    omega, sharpness, full = damping
    exact = sets.exact[0] > 0.0 and kind >= COULOMB
    rounds, short = 1, omega * step
    if full:
        bound = 0.0
        for i in range(rows):
            line = 0.0
            for k in range(rows):
                line += abs(blocks[at + i * rows + k])
            bound = max(bound, line)
        if bound > 0.0:
            rounds, short = LOCAL_ITERATIONS, 1.0 / bound
    for k in range(rows):
        new[k] = old[k]
    for turn in range(rounds + 1):
        last = turn == rounds
        if last and not (full and omega != 1.0):
            break
        for i in range(rows):
            if last:  # over-relax the minimum, and project once more
                work[i] = old[i] + omega * (new[i] - old[i])
                continue
            g = u[i]
            if full:
                for k in range(rows):
                    g += blocks[at + i * rows + k] * (new[k] - old[k])
            work[i] = g
        if not last:
            slip = slip_of(sets, kind, index, work) if exact else 0.0
            for i in range(rows):
                lift = slip * sets.normal[i, index] if exact and i < 3 else 0.0
                work[i] = new[i] - short * (work[i] + lift)
        project_block(sets, kind, index, work)
        change, size = 0.0, 0.0
        for i in range(rows):
            change += (work[i] - new[i]) ** 2
            size += work[i] * work[i]
            new[i] = work[i]
        if change <= LOCAL_ACCURACY * LOCAL_ACCURACY * size and omega == 1.0:
            break
    for k in range(rows):  # paper 3, algorithm 2, line 5
        new[k] = old[k] + sharpness * (new[k] - old[k])


@dataclass(frozen=True, kw_only=True)
class Relaxation:
    """Settings of the block relaxation methods."""

    relaxation: float = 1.0
    sharpness: float = 1.0
    step: str = "block"

    def __post_init__(self) -> None:
        super().__post_init__()  # type: ignore[misc]
        if not 0.0 < self.relaxation < 2.0:
            raise InputError(f"relaxation ω must be between 0 and 2, got {self.relaxation}")
        if not 0.0 < self.sharpness <= 1.0:
            raise InputError(f"sharpness λ must be in (0, 1], got {self.sharpness}")
        if self.step not in ("block", "full"):
            raise InputError(f"unknown step {self.step!r}; choose 'block' or 'full'")

    def tuning(self, problem: ConeProblem) -> Tuning:
        """The settings for one problem; diagonal blocks are made for the full step alone."""
        blocks, offsets = np.empty(0), np.empty(0, dtype=np.int64)
        if self.step == "full":
            blocks, offsets = problem.diagonal_blocks()
        return Tuning(self.sharpness, self.step == "full", problem.mean_steps, blocks, offsets)


class Damper:
    """ω, halved whenever the objective rises.

    A sweep lowers the objective if ω·step·λ_max(N_bb) < 2 in every block (paper 4, assumption A3).
    Blocks far from round, with one stiff direction, break that at ω = 1.
    """

    def __init__(self, relaxation: float) -> None:
        self.omega = relaxation
        self._last, self._least = np.inf, np.inf

    def after(self, objective: float, error: float = np.inf) -> float:
        """ω for the sweep that follows an iterate with this objective.

        Exact friction has no objective: there ω is halved when the error, if it is given, has grown
        to many times the least so far.
        """
        if error < np.inf:
            if error > GROWN * self._least:
                self.omega, self._least = 0.5 * self.omega, error
            self._least = min(self._least, error)
        elif objective > self._last + 1e-13 * abs(self._last):
            self.omega *= 0.5
        self._last = objective
        return self.omega
