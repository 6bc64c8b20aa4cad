"""Steps of every walk down a tree of boxes: what a line or a point has to do with a box."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import helper, routine

DEPTH = 64
"""Nodes that a walk down any tree of boxes may have to keep for later."""

STEEPEST = 1e300
"""Stands for one over zero: times no distance at all, it is still zero."""


class Walk(NamedTuple):
    """Nodes of a tree that wait for their turn, the nearest on top."""

    stack: NDArray[np.int32]  # their numbers, (DEPTH,)
    later: NDArray[np.float64]  # how far away each of them is [m], (DEPTH,)


@routine
def new_walk():
    """Room for walks, one after the other."""
    return Walk(np.empty(DEPTH, dtype=np.int32), np.empty(DEPTH))


@helper
def reciprocal(d):
    """One over a component of a direction, never infinite."""
    return 1.0 / d if abs(d) > 1.0 / STEEPEST else math.copysign(STEEPEST, d)


@routine
def enters_box(box, i, pad, x, y, z, inverse0, inverse1, inverse2, begin, end):
    """Where the stretch begin to end of a line enters box i, widened by `pad`; ∞ if nowhere."""
    a, b = (box[i, 0] - pad - x) * inverse0, (box[i, 3] + pad - x) * inverse0
    near, far = min(a, b), max(a, b)
    a, b = (box[i, 1] - pad - y) * inverse1, (box[i, 4] + pad - y) * inverse1
    near, far = max(near, min(a, b)), min(far, max(a, b))
    a, b = (box[i, 2] - pad - z) * inverse2, (box[i, 5] + pad - z) * inverse2
    near, far = max(near, min(a, b)), min(far, max(a, b))
    # each of these quotients has a few rounding errors
    near, far = near - 1e-15 * abs(near), far + 1e-15 * abs(far)
    near = max(near, begin)
    return near if near <= min(far, end) else np.inf


@routine
def depth_or_distance(box, i, x, y, z):
    """Distance of a point from box i [m]; within it, minus the distance to its nearest side."""
    a = max(box[i, 0] - x, x - box[i, 3])
    b = max(box[i, 1] - y, y - box[i, 4])
    c = max(box[i, 2] - z, z - box[i, 5])
    deepest = max(a, b, c)
    if deepest <= 0.0:
        return deepest
    a, b, c = max(a, 0.0), max(b, 0.0), max(c, 0.0)
    return (1.0 - 1e-14) * math.sqrt(a * a + b * b + c * c)


@routine
def box_to_box(box, i, m0, m1, m2, h0, h1, h2):
    """Distance of box i from the box with this middle and these half extents [m], or below zero."""
    a = max(box[i, 0] - (m0 + h0), (m0 - h0) - box[i, 3])
    b = max(box[i, 1] - (m1 + h1), (m1 - h1) - box[i, 4])
    c = max(box[i, 2] - (m2 + h2), (m2 - h2) - box[i, 5])
    deepest = max(a, b, c)
    if deepest <= 0.0:
        return deepest
    a, b, c = max(a, 0.0), max(b, 0.0), max(c, 0.0)
    return (1.0 - 1e-14) * math.sqrt(a * a + b * b + c * c)
