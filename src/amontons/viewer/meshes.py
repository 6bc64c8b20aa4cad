"""Shapes as the triangles that the viewer draws, each corner with its normal.

Spheres, ellipsoids and boxes share one mesh a kind and differ by a scale, so that a thousand sizes
are still drawn at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons.model.shapes import Box, Sphere
from amontons.results import Surface

Floats = NDArray[np.float64]

SCALED = {"Sphere": "ball", "Ellipsoid": "ball", "Box": "box"}
"""Kinds that are drawn as a stretched ball or box."""

SMOOTH = 0.7
"""Cosine of the angle between faces from which on an edge is rounded."""

MANY = 3000
"""Bodies from which on balls are drawn with fewer triangles."""


@dataclass(frozen=True)
class Mesh:
    """Corners of triangles and their normals, three rows a triangle, shape (corners, 6)."""

    corners: NDArray[np.float32]
    plane: bool = False


def unit_mesh(kind: str, bodies: int) -> Mesh:
    """The ball of radius one or the box of half length one."""
    if kind == "box":
        vertices, triangles = Box.cube(2.0).surface_mesh()
        return Mesh(corners_of(vertices, triangles))
    vertices, triangles = Sphere(1.0).surface_mesh(12 if bodies > MANY else 28)
    points = vertices[triangles].reshape(-1, 3)
    return Mesh(np.hstack([points, points]).astype(np.float32))


def corners_of(
    vertices: NDArray[np.float32] | Floats, triangles: NDArray[np.int32]
) -> NDArray[np.float32]:
    """Triangles with normals: rounded over blunt edges, flat over sharp ones; (3 n, 6)."""
    points = np.asarray(vertices, dtype=np.float64)[triangles]
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    unit = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    smooth = np.repeat(unit, 3, axis=0)
    order = np.argsort(triangles.ravel(), kind="stable")
    vertex = triangles.ravel()[order]
    for group in np.split(order, np.flatnonzero(np.diff(vertex)) + 1):
        faces = group // 3
        alike = unit[faces] @ unit[faces].T > SMOOTH
        total = alike @ normals[faces]  # faces count by their areas
        smooth[group] = total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-30)
    return np.hstack([points.reshape(-1, 3), smooth]).astype(np.float32)


def plane_mesh(surface: Surface, place: Floats, middle: Floats, size: float) -> Mesh:
    """A plane's square, moved beside the middle of the scene and as large as that needs."""
    vertices = surface.vertices.astype(np.float64)
    corners = corners_of(vertices, surface.triangles)
    normal = corners[0, 3:].astype(np.float64)
    centre = vertices.mean(axis=0)
    beside = middle - place - centre
    level = abs(normal[2]) > 0.9
    half = (3.0 if level else 0.6) * size
    grown = (vertices - centre) / np.abs(vertices - centre).max() * half
    moved = centre + beside - (beside @ normal) * normal + grown
    return Mesh(corners_of(moved, surface.triangles), plane=True)
