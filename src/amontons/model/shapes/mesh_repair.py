"""Triangles without area, as mesh files often have them, taken out without leaving a hole."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from amontons.array_types import Flags, Floats, Ints
from amontons.model.shapes.mesh_faces import merged_vertices, thin_triangles

ROUNDS = 20
"""Most rounds: a triangle that was cut may be thin in turn; remaining thin ones are dropped."""


def without_thin_triangles(points: Floats, faces: Ints) -> tuple[Floats, Ints]:
    """The same surface without triangles whose corners lie on one line.

    Such a triangle has one corner within its longest edge. The triangle beyond that edge is cut in
    two at this corner, so that a closed surface stays closed.
    """
    points, faces = merged_vertices(points, faces)
    faces = faces[_three_corners(faces)]
    for _ in range(ROUNDS):
        thin = thin_triangles(points, faces) if len(faces) else np.zeros(0, dtype=bool)
        if not thin.any():
            return points, faces
        faces = _cut_beyond(points, faces, np.flatnonzero(thin).tolist())
    return points, faces[~thin_triangles(points, faces)]


def _three_corners(faces: Ints) -> Flags:
    """Which triangles have three different corners."""
    return np.asarray((faces != np.roll(faces, 1, axis=1)).all(axis=1))


def _cut_beyond(points: Floats, faces: Ints, thin: list[int]) -> Ints:
    """Take out thin triangles, one for each of their neighbours in this round."""
    owners = defaultdict(list)
    for number, triangle in enumerate(faces.tolist()):
        for i in range(3):
            owners[frozenset((triangle[i], triangle[i - 1]))].append(number)
    gone: set[int] = set()
    new: list[list[int]] = []
    for number in thin:
        middle, ends = _middle_corner(points, faces[number].tolist())
        beyond = [other for other in owners[frozenset(ends)] if other != number]
        if number in gone or any(other in gone for other in beyond[:1]):
            continue  # for the next round
        gone.add(number)
        if beyond:
            gone.add(beyond[0])
            cut = faces[beyond[0]].tolist()
            new += [[middle if corner == end else corner for corner in cut] for end in ends]
    kept = np.delete(faces, sorted(gone), axis=0)
    faces = np.concatenate([kept, np.array(new, dtype=np.int32).reshape(-1, 3)])
    return faces[_three_corners(faces)]


def _middle_corner(points: Floats, triangle: list[int]) -> tuple[int, list[int]]:
    """The corner opposite to the longest edge, and the two ends of that edge."""
    length = [
        np.linalg.norm(points[triangle[i - 1]] - points[triangle[i - 2]]).item() for i in range(3)
    ]
    place = int(np.argmax(length))
    return triangle[place], [triangle[place - 1], triangle[place - 2]]
