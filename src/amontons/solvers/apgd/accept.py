"""Lines 9 to 30 of algorithm 1: whether a proposal is a step, and the numbers of the next one."""

from __future__ import annotations

import math
from typing import NamedTuple

SHORT, STRETCH = 10.0, 0.06
"""Exact friction: how many iterates the momentum remembers, 1/(1 − β), at first; and the share of
Nesterov's own memory that is added. Measured on beds from loose to rest: 5 to 20 do about as well,
and without a bound beds at rest do not converge."""


class Pace(NamedTuple):
    """The numbers that algorithm 1 goes on with."""

    L: float  # curvature; the step is 1/L
    theta: float  # θ
    beta: float  # β: the next proposal is made from x + β(x − x_old)


def accept(
    pace: Pace, bend: float, length: float, uphill: float, shrink: float, restart: bool, exact: bool
) -> tuple[bool, Pace]:
    """Whether a proposal is taken, and the pace of the next one.

    `bend` is dᵀNd and `length` dᵀS⁻¹d of the way d from y, `uphill` gᵀ(γ⁺ − γ). Run as it is
    between iterations in Python, and compiled within a burst. With `exact` friction, momentum stays
    bounded: De Saxcé's term is no gradient, and long memories turn it into swings.
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
    if exact:
        beta = min(beta, 1.0 - 1.0 / (SHORT + STRETCH / (1.0 - beta)))
    return True, Pace(L * shrink, following, beta)  # 29, 30
