"""Shapes as triangles about their centres of mass, for those who draw them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.model.shapes import Plane
from amontons.model.world import World

RESOLUTION = 24
"""Segments of a full circle."""


def shape_arrays(world: World) -> dict[str, NDArray[Any]]:
    """All shapes of a world as the arrays of the group ``shapes``."""
    vertices, triangles, half, middle = [], [], [], []
    for shape, origin in zip(world.shapes, world.origins, strict=True):
        points, corners = shape.surface_mesh(RESOLUTION)
        vertices.append(points - np.array(origin))
        triangles.append(corners)
        if isinstance(shape, Plane):
            low, high = points.min(axis=0), points.max(axis=0)
        else:
            low, high = shape.bounds
        half.append(0.5 * (high - low))
        middle.append(0.5 * (high + low) - np.array(origin))
    kinds = [type(shape).__name__.encode() for shape in world.shapes]
    return {
        "kind": np.array(kinds, dtype="S24"),
        "half": np.array(half).reshape(-1, 3),
        "middle": np.array(middle).reshape(-1, 3),
        "vertices": _joined(vertices, np.float32),
        "triangles": _joined(triangles, np.int32),
        "vertex_start": _starts(vertices),
        "triangle_start": _starts(triangles),
    }


def _joined(parts: list[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate([np.empty((0, 3)), *parts]).astype(kind)


def _starts(parts: list[NDArray[Any]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, parts)])
