"""Constraints that contradict each other: found by where impulses run away to, and named.

If some d in the recession cone of Υ has N d = 0 and rᵀd < 0, impulses along d change no velocity
and lower the objective for ever: no impulse whatever meets the constraints that d combines.
Impulses of the iterates then grow along such a d.
"""

from __future__ import annotations

import numpy as np

from amontons.algebra.cones import ROWS_OF_KIND
from amontons.algebra.sums import inner, norm
from amontons.array_types import Floats
from amontons.problem.problem import ConeProblem

NO_MOTION = 1e-6
"""‖N d‖ below this, relative to d's own curvature, counts as no motion at all."""

NO_SPEED = 1e-3
"""A contradiction by less than this, in speeds that count as rest, is one of rounding."""

MOST_NAMED = 8


def contradiction(problem: ConeProblem, x: Floats) -> str | None:
    """What the impulses x, grown large, say is contradictory; None where they say nothing."""
    scale = np.abs(x).max()
    d = x / scale
    root = np.sqrt(_by_rows(problem, problem.mean_steps))
    moved = norm(root * problem.product(d))
    gained = inner(problem.linear, d)
    size = norm(d / root)
    if not (moved < NO_MOTION * size and gained < -NO_SPEED * problem.yardstick.least):
        return None
    weight = _by_blocks(problem, d / root)
    named = np.argsort(-weight[problem.sets.block_order], kind="stable")
    shares = weight[problem.sets.block_order][named]
    named = named[shares > 0.01 * shares[0]]
    listed = ", ".join(str(int(b)) for b in np.sort(named[:MOST_NAMED]))
    more = f" and {named.size - MOST_NAMED} more" if named.size > MOST_NAMED else ""
    return (
        f"constraints contradict each other: no impulses meet blocks {listed}{more} at once "
        f"(blocks are counted from 0 in the order given)"
    )


def largest_mass(problem: ConeProblem) -> float:
    """The most that a block may have to hold against: its own mass, or that of any body [kg].

    A heavy body upon a light one takes impulses far beyond what the light one's contacts suggest.
    """
    own = float(problem.mean_steps.max(initial=0.0))
    operator = problem.operator.over_bodies
    if operator is None:
        return own
    inverse = operator.arrays.inverse_mass
    least = float(inverse.min(initial=np.inf, where=inverse > 0.0))
    return max(own, 1.0 / least)


def _by_rows(problem: ConeProblem, values: Floats) -> Floats:
    """One value a block, repeated for each of its rows, in internal order."""
    parts = [
        np.tile(values[first : first + count], int(ROWS_OF_KIND[kind]))
        for kind, first, count, _ in problem.sets.arrays.groups
    ]
    return np.concatenate([np.empty(0), *parts])


def _by_blocks(problem: ConeProblem, rows: Floats) -> Floats:
    """Length of each block's rows, in internal order, shape (blocks,)."""
    parts = [
        np.linalg.norm(rows[row : row + int(ROWS_OF_KIND[kind]) * count].reshape(-1, count), axis=0)
        for kind, _, count, row in problem.sets.arrays.groups
    ]
    return np.concatenate([np.empty(0), *parts])
