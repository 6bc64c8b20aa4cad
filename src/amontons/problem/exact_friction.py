"""What exact Coulomb friction adds to the convex problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.problem import kernels
from amontons.problem.problem import ConeProblem

Floats = NDArray[np.float64]


def exact_linear(problem: ConeProblem, x: Floats, product: Floats) -> Floats:
    """r with what exact Coulomb friction adds at x: the De Saxcé term, and N's skew part if any.

    û = u + (μ‖u_t‖ + ρ‖ω_roll‖ + σ|ω_spin|) n with u = W x + r, so that û = N x + this.
    """
    linear = problem.linear.copy()
    if problem.operator.skew is not None:
        linear += problem.operator.skew @ (x if problem.shift is None else x - problem.shift)
    slip = np.empty_like(linear)
    kernels.de_saxce.sized(problem.blocks)(problem.sets.arrays, product + linear, slip)
    return linear + slip
