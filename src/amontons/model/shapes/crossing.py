"""Whether triangles of a mesh pass through each other."""

from __future__ import annotations

import numpy as np

from amontons.array_types import Flags, Floats, Ints, Longs
from amontons.model.shapes.tree import BoxTree, overlapping_entries

INSIDE = 1e-9
"""Relative distance inside a triangle or an edge at which a crossing counts."""

CHUNK = 200_000


def first_crossing(vertices: Floats, faces: Ints, tree: BoxTree) -> tuple[int, int] | None:
    """Two triangles that cross, or None. Touching and coplanar triangles are allowed."""
    pairs = overlapping_entries(tree)
    for begin in range(0, len(pairs), CHUNK):
        part = _apart(vertices, faces, pairs[begin : begin + CHUNK])
        crossed = _pierces(vertices, faces, part) | _pierces(vertices, faces, part[:, ::-1])
        if crossed.any():
            one, other = part[np.argmax(crossed)].tolist()
            return one, other
    return None


def _apart(vertices: Floats, faces: Ints, pairs: Longs) -> Longs:
    """Those pairs whose own boxes overlap and that share no edge."""
    a, b = vertices[faces[pairs[:, 0]]], vertices[faces[pairs[:, 1]]]
    meet = (a.min(axis=1) <= b.max(axis=1)) & (b.min(axis=1) <= a.max(axis=1))
    pairs = pairs[meet.all(axis=1)]
    same = faces[pairs[:, 0]][:, :, None] == faces[pairs[:, 1]][:, None, :]
    return np.asarray(pairs[same.sum(axis=(1, 2)) < 2])


def _pierces(vertices: Floats, faces: Ints, pairs: Longs) -> Flags:
    """Whether an edge of the first triangle passes through the inside of the second."""
    a, b, c = np.moveaxis(vertices[faces[pairs[:, 1]]], 1, 0)
    first = vertices[faces[pairs[:, 0]]]
    normal = np.cross(b - a, c - a)
    square = np.einsum("ij,ij->i", normal, normal)
    height = np.einsum("ikj,ij->ik", first - a[:, None], normal)
    crossed = np.zeros(len(pairs), dtype=bool)
    for start in range(3):
        end = (start + 1) % 3
        fall = height[:, start] - height[:, end]
        opposite = height[:, start] * height[:, end] < 0
        t = height[:, start] / np.where(opposite, fall, 1.0)
        hit = first[:, start] + t[:, None] * (first[:, end] - first[:, start])
        inside = opposite & (t > INSIDE) & (t < 1 - INSIDE)
        for corner, following in ((a, b), (b, c), (c, a)):
            weight = np.cross(following - corner, hit - corner)
            inside &= np.einsum("ij,ij->i", weight, normal) > INSIDE * square
        crossed |= inside
    return crossed
