"""Steps of a walk down a tree of boxes: which node is next, and how far away a box is."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from amontons._jit import routine
from amontons.algebra.vectors import minus, norm, plus
from amontons.array_types import Floats, Ints

DEPTH = 64
"""Most nodes that a walk down any tree of boxes has to keep for later."""

STEEPEST = 1e300
"""Stands for one over zero: times no distance at all, it is still zero."""


class Walk(NamedTuple):
    """Nodes of a tree that wait for their turn, the nearest on top."""

    stack: Ints  # their numbers, (DEPTH,)
    later: Floats  # how far away each of them is [m], (DEPTH,)


@routine
def new_walk():
    """Room for walks, one after the other."""
    return Walk(np.empty(DEPTH, dtype=np.int32), np.empty(DEPTH))


@routine
def keep_for_later(stack, later, waiting, one, to_one, other, to_other):
    """Two nodes wait for their turn, the nearer on top, unless they are at ∞; how many wait."""
    if to_one < to_other:
        one, other, to_one, to_other = other, one, to_other, to_one
    if to_one < np.inf:
        stack[waiting], later[waiting] = one, to_one
        waiting += 1
    if to_other < np.inf:
        stack[waiting], later[waiting] = other, to_other
        waiting += 1
    return waiting


@routine
def reciprocal(d):
    """One over each component of a direction, never infinite."""
    return (
        1.0 / d[0] if abs(d[0]) > 1.0 / STEEPEST else math.copysign(STEEPEST, d[0]),
        1.0 / d[1] if abs(d[1]) > 1.0 / STEEPEST else math.copysign(STEEPEST, d[1]),
        1.0 / d[2] if abs(d[2]) > 1.0 / STEEPEST else math.copysign(STEEPEST, d[2]),
    )


@routine
def enters_box(box, i, pad, p, inverse, begin, end):
    """Where the stretch begin to end of a line enters box i, widened by `pad`; ∞ if nowhere."""
    near, far = -np.inf, np.inf
    for k in range(3):
        a = (box[i, k] - pad - p[k]) * inverse[k]
        b = (box[i, 3 + k] + pad - p[k]) * inverse[k]
        near, far = max(near, min(a, b)), min(far, max(a, b))
    # each of these quotients has a few rounding errors
    near, far = near - 1e-15 * abs(near), far + 1e-15 * abs(far)
    near = max(near, begin)
    return near if near <= min(far, end) else np.inf


@routine
def box_to_box(box, i, middle, half):
    """Distance of box i from the box with this middle and these half extents [m], or below zero."""
    low, high = minus(middle, half), plus(middle, half)
    a = max(box[i, 0] - high[0], low[0] - box[i, 3])
    b = max(box[i, 1] - high[1], low[1] - box[i, 4])
    c = max(box[i, 2] - high[2], low[2] - box[i, 5])
    deepest = max(a, b, c)
    if deepest <= 0.0:
        return deepest
    return (1.0 - 1e-14) * norm((max(a, 0.0), max(b, 0.0), max(c, 0.0)))


@routine
def depth_or_distance(box, i, p):
    """Distance of point p from box i [m]; within it, minus the distance to its nearest side."""
    return box_to_box(box, i, p, (0.0, 0.0, 0.0))
