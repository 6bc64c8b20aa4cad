"""Closed meshes for tests, and what is true of two of them, by trying all triangles."""

from __future__ import annotations

import itertools

import numpy as np

import amontons as am
from amontons.generators.machine_parts import prism

CORNERS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
SQUARES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def mesh_box(size):
    """A box of twelve triangles."""
    faces = [t for a, b, c, d in SQUARES for t in ((a, b, c), (a, c, d))]
    return am.TriangleMesh(CORNERS * size, faces)


def drawn_out(outline, width):
    """A prism."""
    return prism(np.array(outline, dtype=float), width=width)


def lumpy(rng, rounds):
    """A star-shaped stone that is not convex: a refined octahedron with random radii."""
    points = [np.array(p, dtype=float) for p in np.vstack([np.eye(3), -np.eye(3)])]
    faces = [
        (a, b, c) if np.linalg.det([points[a], points[b], points[c]]) > 0 else (a, c, b)
        for a, b, c in itertools.product((0, 3), (1, 4), (2, 5))
    ]
    for _ in range(rounds - 1):
        middles: dict[tuple[int, int], int] = {}
        finer = []
        for a, b, c in faces:
            ab, bc, ca = (_middle(points, middles, i, j) for i, j in ((a, b), (b, c), (c, a)))
            finer += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = finer
    radius = rng.uniform(0.5, 1.0, len(points))
    vertices = np.array([r * p / np.linalg.norm(p) for r, p in zip(radius, points, strict=True)])
    return am.TriangleMesh(vertices, faces)


def _middle(points, middles, i, j):
    key = min(i, j), max(i, j)
    if key not in middles:
        middles[key] = len(points)
        points.append(0.5 * (points[i] + points[j]))
    return middles[key]


def point_to_triangle(p, corners):
    """(distance, closest point) of a point and one triangle (3, 3)."""
    best, closest = np.inf, corners[0]
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        q = a + np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0) * (b - a)
        if np.linalg.norm(p - q) < best:
            best, closest = np.linalg.norm(p - q), q
    n = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    q = p - (p - corners[0]) @ n / (n @ n) * n
    sides = [
        np.cross(b - a, q - a) @ n for a, b in zip(corners, np.roll(corners, -1, 0), strict=True)
    ]
    if min(sides) >= 0.0 and np.linalg.norm(p - q) < best:
        best, closest = np.linalg.norm(p - q), q
    return best, closest


def segments_apart(p, u, q, v):
    """(distance, point of p + [0, 1] u, point of q + [0, 1] v), crossing within both, or ∞."""
    m = np.array([[u @ u, -(u @ v)], [u @ v, -(v @ v)]])
    if abs(np.linalg.det(m)) < 1e-12 * (u @ u) * (v @ v):
        return np.inf, p, q
    s, t = np.linalg.solve(m, [(q - p) @ u, (q - p) @ v])
    if not (0.0 <= s <= 1.0 and 0.0 <= t <= 1.0):
        return np.inf, p, q
    a, b = p + s * u, q + t * v
    return np.linalg.norm(b - a), a, b


def least_distance(points_a, faces_a, points_b, faces_b):
    """(distance, unit vector from A to B) of two surfaces that do not meet."""
    best, way = np.inf, np.zeros(3)
    for points, others, faces, sign in (
        (points_a, points_b, faces_b, 1.0),
        (points_b, points_a, faces_a, -1.0),
    ):
        for p, face in itertools.product(points, faces):
            corners = others[face]
            if (
                np.linalg.norm(p - corners[0])
                - max(np.linalg.norm(corners[1:] - corners[0], axis=1))
                > best
            ):
                continue
            distance, q = point_to_triangle(p, corners)
            if distance < best:
                best, way = distance, sign * (q - p)
    for (i, j), (k, m) in itertools.product(edges(faces_a), edges(faces_b)):
        distance, a, b = segments_apart(
            points_a[i], points_a[j] - points_a[i], points_b[k], points_b[m] - points_b[k]
        )
        if distance < best:
            best, way = distance, b - a
    return best, way / max(np.linalg.norm(way), 1e-300)


def edges(faces):
    """Each edge of a mesh once."""
    sides = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    return np.unique(sides, axis=0)


def crossing(points_a, faces_a, points_b, faces_b):
    """Whether two solids overlap: an edge meets a face, or a vertex of one is in the other."""
    for points, faces, others, walls in (
        (points_a, faces_a, points_b, faces_b),
        (points_b, faces_b, points_a, faces_a),
    ):
        a, b, c = (others[walls[:, k]] for k in range(3))
        ends = edges(faces)
        p, u = points[ends[:, 0]][:, None], (points[ends[:, 1]] - points[ends[:, 0]])[:, None]
        n = np.cross(b - a, c - a)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = ((a - p) * n).sum(-1) / (u * n).sum(-1)
            q = p + t[..., None] * u
            inside = (t >= 0.0) & (t <= 1.0)
            for s, e in ((a, b), (b, c), (c, a)):
                inside &= (np.cross(e - s, q - s) * n).sum(-1) >= 0.0
        if inside.any() or winding(points[0], others[walls]) > 0.5:
            return True
    return False


def winding(p, triangles):
    """How often closed triangles (n, 3, 3) go around a point: sum of their solid angles / 4π."""
    a, b, c = np.moveaxis(triangles - p, 1, 0)
    la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    volume = (a * np.cross(b, c)).sum(1)
    below = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
    return np.arctan2(volume, below).sum() / (2.0 * np.pi)
