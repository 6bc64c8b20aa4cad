"""Shapes as the triangles that the page draws, each corner with its normal.

Balls and boxes share one mesh per kind and differ by a scale, so that a thousand sizes are drawn
at once. Many bodies of a simple shape are ray-traced by the page, without triangles.
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

SOLIDS = ("Sphere", "Ellipsoid", "Box", "Capsule", "Cylinder")
"""Kinds that the page can ray-trace, in the order of its numbers."""

SEGMENTS = 20
"""Segments of a ball's equator."""

CLOSED = ("Sphere", "Ellipsoid", "Box", "Capsule", "Cylinder", "Cone", "ConvexHull", "Plane")
"""Kinds whose triangles are never seen from behind; planes are visible from their free side only.
"""

SMOOTH = 0.7
"""Cosine of the angle between faces above which their edge is shaded as round."""


@dataclass(frozen=True)
class Mesh:
    """Triangles for the page."""

    corners: NDArray[np.float32]
    """Distinct positions and normals, shape (corners, 6)."""
    triangles: NDArray[np.uint32]
    """Rows of corners, three per triangle."""
    closed: bool
    plane: bool

    @classmethod
    def of(cls, corners: NDArray[np.float32], *, closed: bool, plane: bool = False) -> Mesh:
        """The mesh of triangles given corner by corner."""
        kept, numbers = np.unique(corners, axis=0, return_inverse=True)
        return cls(kept, numbers.ravel().astype(np.uint32), closed, plane)


def mesh_of(surface: Surface) -> Mesh:
    """The mesh of any shape but a plane."""
    unit = SCALED.get(surface.kind)
    if unit == "ball":
        vertices, triangles = Sphere(1.0).surface_mesh(SEGMENTS)
        corners = vertices[triangles].reshape(-1, 3).astype(np.float32)
        return Mesh.of(np.hstack([corners, corners]), closed=True)
    if unit == "box":
        return Mesh.of(corners_of(*Box.cube(2.0).surface_mesh()), closed=True)
    corners = corners_of(surface.vertices, surface.triangles)
    return Mesh.of(corners, closed=surface.kind in CLOSED)


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
        total = alike @ normals[faces]  # faces are weighted by their areas
        smooth[group] = total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-30)
    return np.hstack([points.reshape(-1, 3), smooth]).astype(np.float32)


def plane_mesh(surface: Surface, place: Floats, turn: Floats, middle: Floats, size: float) -> Mesh:
    """A plane's square, moved next to the middle of the scene and large enough for it.

    The plane's body is at `place` [m], rotated by the matrix `turn`.
    """
    vertices = surface.vertices.astype(np.float64)
    corners = corners_of(vertices, surface.triangles)
    normal = corners[0, 3:].astype(np.float64)
    centre = vertices.mean(axis=0)
    beside = turn.T @ (middle - place) - centre
    level = abs(turn[2] @ normal) > 0.9
    half = (3.0 if level else 0.6) * size
    grown = (vertices - centre) / np.abs(vertices - centre).max() * half
    moved = centre + beside - (beside @ normal) * normal + grown
    return Mesh.of(corners_of(moved, surface.triangles), closed=True, plane=True)
