"""Simple polygons, cut into triangles at their ears."""

from __future__ import annotations

import numpy as np

from amontons.array_types import Floats, Ints
from amontons.errors import InputError


def triangles_of_polygon(corners: Floats) -> Ints:
    """Triangles (n − 2, 3) of a polygon that does not cross itself, counter-clockwise, (n, 2).

    An ear is a corner whose neighbours see each other; that with the shortest cut goes first.
    """
    left = list(range(len(corners)))
    triangles = []
    while len(left) > 3:
        place = np.array(left)
        before, after = corners[np.roll(place, 1)], corners[np.roll(place, -1)]
        turn = _twice_area(before, corners[place], after)
        for k in np.argsort(np.hypot(*(after - before).T), kind="stable").tolist():
            if turn[k] > 0.0 and not _anything_in(
                before[k], corners[left[k]], after[k], corners[place]
            ):
                triangles.append((left[k - 1], left[k], left[(k + 1) % len(left)]))
                del left[k]
                break
        else:
            raise InputError("the outline crosses itself, or does not go counter-clockwise")
    return np.array([*triangles, tuple(left)], dtype=np.int32)


def _twice_area(a: Floats, b: Floats, c: Floats) -> Floats:
    """Of triangles, positive if they go counter-clockwise."""
    u, v = b - a, c - a
    return np.asarray(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0])


def _anything_in(a: Floats, b: Floats, c: Floats, points: Floats) -> bool:
    """Whether any point but the corners is in a triangle or on its border."""
    within = (
        (_twice_area(a, b, points) >= 0.0)
        & (_twice_area(b, c, points) >= 0.0)
        & (_twice_area(c, a, points) >= 0.0)
    )
    own = (points == a).all(axis=1) | (points == b).all(axis=1) | (points == c).all(axis=1)
    return bool((within & ~own).any())
