"""Lines 9 to 30 of algorithm 1: whether a proposal is a step, and the numbers of the next one."""

from __future__ import annotations

import math
from typing import NamedTuple

WINDOW, GROWTH, SLOW, FADE, LEAST_MEMORY = 100, 1.6, 0.5, 0.7, 4.0
"""Exact friction: after a window of so many iterates momentum remembers more, by this factor, if
the mean logarithm of squared errors fell, but by less than this; and a share of what it did, if it
did not fall, though never fewer iterates than the last number says."""


class Memory(NamedTuple):
    """How many iterates the momentum remembers at most, 1/(1 − β), and how it learns that."""

    iterates: float
    growth: float = 1.0  # by which it grows after a window of slow gain
    total: float = 0.0  # sum of the logarithms of squared errors in this window
    seen: float = 0.0  # iterates in it
    before: float = math.inf  # their mean in the window before


UNBOUNDED = Memory(math.inf)
"""The convex problem: as long as Nesterov has it."""

BOUNDED = Memory(13.0, GROWTH)
"""Exact friction, at first. De Saxcé's term is no gradient: it makes eigenvalues complex, and long
memories turn that into swings. In states of collapsing beds 10 to 16 do equally well, 20 swing in
one of five, 40 in nearly all; plates and pressed beds need more than 13, and do not swing."""


def recalled(memory: Memory, square: float) -> Memory:
    """The memory after one more iterate with this squared error.

    It grows while errors fall slowly, and from the first time that they do not fall it only fades:
    a memory that swung once would swing again. Run as it is between iterations in Python, and
    compiled within a burst, like :func:`accept`.
    """
    iterates, growth, total, seen, before = memory
    if iterates == math.inf:
        return memory
    total, seen = total + math.log(max(square, 1e-300)), seen + 1.0
    if seen < WINDOW:
        return Memory(iterates, growth, total, seen, before)
    mean = total / seen
    if not mean < before:
        iterates, growth = max(FADE * iterates, LEAST_MEMORY), 1.0
    elif mean > before - SLOW:
        iterates = growth * iterates
    return Memory(iterates, growth, 0.0, 0.0, mean)


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
