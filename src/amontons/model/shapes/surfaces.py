"""Triangles of round shapes, and the mass properties of what triangles enclose."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from amontons.array_types import Floats, Ints
from amontons.errors import InputError

Surface = tuple[Floats, Ints]

MOST_SEGMENTS = 4096


def segments_of(resolution: object) -> int:
    """Segments of a full circle: a whole number, made even."""
    whole = int(resolution) if isinstance(resolution, Integral) else 0
    if not 4 <= whole <= MOST_SEGMENTS:
        raise InputError(
            f"resolution must be a whole number from 4 to {MOST_SEGMENTS}, got {resolution!r}"
        )
    return whole + whole % 2


def quarter_turns(segments: int) -> Floats:
    """Latitudes from −π/2 to π/2, the equator among them."""
    half = max(segments // 4, 2)
    return np.linspace(-np.pi / 2, np.pi / 2, 2 * half + 1)


def turned(profile: Floats, segments: int) -> Surface:
    """The closed surface of (radius, z), listed from the lowest point to the highest, around z.

    The first and the last radius are zero.
    """
    angle = 2 * np.pi * np.arange(segments) / segments
    radius, z = profile[1:-1, 0], profile[1:-1, 1]
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    around = radius[:, None, None] * ring
    heights = np.broadcast_to(z[:, None, None], (*around.shape[:2], 1))
    rings = np.concatenate([around, heights], axis=-1).reshape(-1, 3)
    poles = np.array([[0.0, 0.0, profile[0, 1]], [0.0, 0.0, profile[-1, 1]]])
    vertices = np.concatenate([rings, poles])

    number = np.arange(len(rings)).reshape(len(radius), segments)
    following = np.roll(number, -1, axis=1)
    bottom, top = len(rings), len(rings) + 1
    here, right = number[:-1].ravel(), following[:-1].ravel()
    above, right_above = number[1:].ravel(), following[1:].ravel()
    triangles = [
        np.stack([np.full(segments, bottom), following[0], number[0]], axis=-1),
        np.stack([here, right, right_above], axis=-1),
        np.stack([here, right_above, above], axis=-1),
        np.stack([number[-1], following[-1], np.full(segments, top)], axis=-1),
    ]
    return vertices, np.concatenate(triangles).astype(np.int32)


def enclosed(vertices: Floats, triangles: Ints) -> tuple[float, Floats, Floats]:
    """Volume, centre of mass and unit-density inertia about it of what closed triangles enclose.

    A sum over the tetrahedra between a triangle and a point in the middle.
    """
    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    size = float(np.ptp(vertices, axis=0).max())
    corners = _short_side_first((vertices[triangles] - middle) / size)
    a, b, c = np.moveaxis(corners, 1, 0)
    six_volumes = np.einsum("ij,ij->i", a, np.cross(b - a, c - a))
    volume = six_volumes.sum() / 6
    if volume == 0.0:
        return 0.0, middle, np.zeros((3, 3))
    total = a + b + c
    centre = six_volumes @ total / (24 * volume)
    # ∫ p pᵀ over a tetrahedron with one corner at the origin
    second = np.einsum("n,ni,nj->ij", six_volumes, total, total)
    for corner in (a, b, c):
        second += np.einsum("n,ni,nj->ij", six_volumes, corner, corner)
    second = second / 120 - volume * np.outer(centre, centre)
    inertia = np.trace(second) * np.eye(3) - second
    return float(volume * size**3), centre * size + middle, inertia * size**5


def _short_side_first(corners: Floats) -> Floats:
    """Triangles (n, 3, 3) turned to begin with their shortest side.

    The cross product of two long sides of a thin triangle would lose what makes it thin.
    """
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    places = (np.argmin(sides, axis=1)[:, None] + np.arange(3)) % 3
    return np.take_along_axis(corners, places[:, :, None], axis=1)
