"""Lines 9 to 30 of algorithm 1: whether a proposal is a step, and the numbers of the next one."""

from __future__ import annotations

import math
from typing import NamedTuple

WINDOW, FADE, LEAST_MEMORY = 100, 0.7, 4.0
"""Exact friction: after a window of so many iterates without a fall of the mean error, momentum
remembers this share of the iterates that it did, but never fewer than the last number says."""


class Memory(NamedTuple):
    """How many iterates the momentum remembers at most, 1/(1 − β), and how it learns that."""

    iterates: float
    total: float = 0.0  # sum of the logarithms of squared errors in this window
    seen: float = 0.0  # iterates in it
    before: float = math.inf  # their mean in the window before


UNBOUNDED = Memory(math.inf)
"""The convex problem: as long as Nesterov has it."""

BOUNDED = Memory(13.0)
"""Exact friction, at first. De Saxcé's term is no gradient: it makes eigenvalues complex, and long
memories turn that into swings. In states of collapsing beds 10 to 16 do equally well, 20 swing in
one of five, 40 in nearly all; 1/(1 − β) that grows with the iterations swings sooner or later."""


def recalled(memory: Memory, square: float) -> Memory:
    """The memory after one more iterate with this squared error: shorter where nothing is gained.

    Run as it is between iterations in Python, and compiled within a burst, like :func:`accept`.
    """
    if memory.iterates == math.inf:
        return memory
    total, count = memory.total + math.log(max(square, 1e-300)), memory.seen + 1.0
    if count < WINDOW:
        return Memory(memory.iterates, total, count, memory.before)
    mean, iterates = total / count, memory.iterates
    if not mean < memory.before:
        iterates = max(FADE * iterates, LEAST_MEMORY)
    return Memory(iterates, 0.0, 0.0, mean)


class Pace(NamedTuple):
    """The numbers that algorithm 1 goes on with."""

    L: float  # curvature; the step is 1/L
    theta: float  # θ
    beta: float  # β: the next proposal is made from x + β(x − x_old)


def accept(
    pace: Pace, bend: float, length: float, uphill: float, shrink: float, restart: bool,
    memory: Memory,
) -> tuple[bool, Pace]:  # fmt: skip
    """Whether a proposal is taken, and the pace of the next one.

    `bend` is dᵀNd and `length` dᵀS⁻¹d of the way d from y, `uphill` gᵀ(γ⁺ − γ). Run as it is
    between iterations in Python, and compiled within a burst. Momentum is bounded by its `memory`.
    """
    L, theta, beta = pace
    if bend > L * length * (1.0 + 1e-12) and length > 0.0:  # 9
        # 10, 11: what L should have been, or twice L
        return False, Pace(min(2.0 * L, max(1.01 * bend / length, 1.1 * L)), theta, beta)
    if restart and uphill > 0.0:  # 25 to 27
        return True, Pace(L * shrink, 1.0, 0.0)  # 29, 30
    square = theta * theta
    following = 0.5 * (theta * math.sqrt(square + 4.0) - square)  # 14
    beta = theta * (1.0 - theta) / (square + following)  # 15
    beta = min(beta, 1.0 - 1.0 / memory.iterates)
    return True, Pace(L * shrink, following, beta)  # 29, 30
