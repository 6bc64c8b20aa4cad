"""Shapes as triangles about their centres of mass, for drawing.

Spheres need no triangles in a file: readers make them from the radius on demand. So a hundred
thousand sizes of grain take as many rows and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.model.shapes import Plane, Shape, Sphere

Floats = NDArray[np.float64]

RESOLUTION = 24
"""Segments of a full circle."""


class Surface:
    """A shape as triangles about its centre of mass."""

    __slots__ = ("_triangles", "_vertices", "half", "kind", "middle")

    def __init__(
        self,
        kind: str,
        half: Floats,
        middle: Floats,
        vertices: NDArray[np.float32],
        triangles: NDArray[np.int32],
    ) -> None:
        self.kind = kind
        self.half = half
        """Half extents of its bounding box [m], shape (3,)."""
        self.middle = middle
        """Of the bounding box [m], shape (3,)."""
        self._vertices, self._triangles = vertices, triangles

    @property
    def _made(self) -> bool:
        """Whether its triangles are generated here: those of a sphere, which files leave out."""
        return self.kind == "Sphere" and not len(self._triangles)

    @property
    def vertices(self) -> NDArray[np.float32]:
        """[m], shape (vertices, 3)."""
        if not self._made:
            return self._vertices
        return np.asarray(self.half[0] * _unit_sphere()[0] + self.middle, dtype=np.float32)

    @property
    def triangles(self) -> NDArray[np.int32]:
        """Counter-clockwise seen from outside, shape (triangles, 3)."""
        return _unit_sphere()[1] if self._made else self._triangles

    def __repr__(self) -> str:
        return f"<Surface: {self.kind}, {len(self.triangles)} triangles>"


@cache
def _unit_sphere() -> tuple[Floats, NDArray[np.int32]]:
    return Sphere(1.0).surface_mesh(RESOLUTION)


def surfaces_of(arrays: Mapping[str, NDArray[Any]]) -> list[Surface]:
    """Shapes one by one, from the arrays of the group ``shapes``."""
    corner, triangle = arrays["vertex_start"].tolist(), arrays["triangle_start"].tolist()
    kinds = {kind: kind.decode(errors="replace") for kind in np.unique(arrays["kind"]).tolist()}
    return [
        Surface(
            kinds[kind],
            arrays["half"][i],
            arrays["middle"][i],
            arrays["vertices"][corner[i] : corner[i + 1]],
            arrays["triangles"][triangle[i] : triangle[i + 1]],
        )
        for i, kind in enumerate(arrays["kind"].tolist())
    ]


def shape_arrays(
    shapes: Sequence[Shape], origins: Sequence[tuple[float, float, float]]
) -> dict[str, NDArray[Any]]:
    """Shapes as the arrays of the group ``shapes``.

    `origins` are the centres of mass of their bodies, in the shapes' frames [m].
    """
    count = len(shapes)
    vertices, triangles = [], []
    half, middle = np.zeros((count, 3)), np.zeros((count, 3))
    vertex_start, triangle_start = np.zeros((2, count + 1), dtype=np.int64)
    for i, (shape, origin) in enumerate(zip(shapes, origins, strict=True)):
        if type(shape) is Sphere:
            half[i] = shape.radius
            middle[i] = -np.array(origin)
            continue
        points, corners = shape.surface_mesh(RESOLUTION)
        vertices.append(points - np.array(origin))
        triangles.append(corners)
        if isinstance(shape, Plane):
            low, high = points.min(axis=0), points.max(axis=0)
        else:
            low, high = shape.bounds
        half[i] = 0.5 * (high - low)
        middle[i] = 0.5 * (high + low) - np.array(origin)
        vertex_start[i + 1], triangle_start[i + 1] = len(points), len(corners)
    kinds = [type(shape).__name__.encode() for shape in shapes]
    return {
        "kind": np.array(kinds, dtype="S24"),
        "half": half,
        "middle": middle,
        "vertices": _joined(vertices, np.float32),
        "triangles": _joined(triangles, np.int32),
        "vertex_start": np.cumsum(vertex_start),
        "triangle_start": np.cumsum(triangle_start),
    }


def _joined(parts: list[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate([np.empty((0, 3)), *parts]).astype(kind)
