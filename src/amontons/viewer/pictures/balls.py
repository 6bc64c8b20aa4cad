"""Spheres and ellipsoids, ray-traced for each pixel: round at any size, without triangles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amontons.array_types import Floats, Longs
from amontons.viewer.pictures.fragments import Boxes, Visibility
from amontons.viewer.pictures.view import Camera


@dataclass(frozen=True)
class Balls:
    """Ellipsoids as unit balls: a point p of the world is Rᵀ(p − centre)/radii of its ball."""

    centre: Floats
    """[m], shape (balls, 3)."""
    turn: Floats
    """Rotation matrices R, shape (balls, 3, 3)."""
    radii: Floats
    """Half axes [m], shape (balls, 3)."""

    def __len__(self) -> int:
        return len(self.centre)

    def _rays(self, camera: Camera) -> tuple[Floats, Floats]:
        """The eye in each ball's frame (balls, 3), and A (balls, 3, 3): a ray runs along A·s."""
        inward = np.swapaxes(self.turn, 1, 2) / self.radii[:, :, None]
        eye = np.einsum("bij,bj->bi", inward, camera.eye - self.centre)
        return eye, inward @ camera.axes.T

    def draw(self, camera: Camera, seen: Visibility, first: int) -> None:
        """Offer every ball; the number of a ball is its row, counted from `first`."""
        eye, along = self._rays(camera)
        # |eye + t A s|² = 1 for s = (x, y, 1): a t² + 2 b t + c = 0, with a and b² − a c forms in s
        a = np.einsum("bij,bik->bjk", along, along)
        b = np.einsum("bij,bi->bj", along, eye)
        c = np.einsum("bi,bi->b", eye, eye) - 1.0
        form = b[:, :, None] * b[:, None, :] - c[:, None, None] * a
        for ball, x, y in self._boxes(camera).fragments():
            u, v = camera.slopes(x, y)
            under_root = _form(form, ball, u, v)
            hit = np.flatnonzero(under_root >= 0.0)
            ball, u, v = ball[hit], u[hit], v[hit]
            half = b[ball, 0] * u + b[ball, 1] * v + b[ball, 2]
            depth = (-half - np.sqrt(under_root[hit])) / _form(a, ball, u, v)
            seen.offer(y[hit] * camera.width + x[hit], depth, ball + first)

    def normals(self, camera: Camera, ball: Longs, x: Longs, y: Longs, depth: Floats) -> Floats:
        """Outward unit normals where pixels' rays meet balls, shape (pixels, 3)."""
        eye, along = self._rays(camera)
        u, v = camera.slopes(x, y)
        rays = along[ball]
        inside = eye[ball] + depth[:, None] * (
            u[:, None] * rays[:, :, 0] + v[:, None] * rays[:, :, 1] + rays[:, :, 2]
        )
        out = np.einsum("pij,pj->pi", self.turn[ball], inside / self.radii[ball])
        return np.asarray(out / np.linalg.norm(out, axis=1, keepdims=True))

    def _boxes(self, camera: Camera) -> Boxes:
        """Pixels around the sphere about each ball: its tangents through the eye."""
        place, radius = camera.seen(self.centre), self.radii.max(axis=1)
        deep = place[:, 2]
        shown = deep > radius + camera.near
        gap = np.where(shown, deep * deep - radius * radius, 1.0)
        edges = []
        for across in (place[:, 0], -place[:, 1]):
            root = radius * np.sqrt(np.maximum(across * across + gap, 0.0))
            for sign in (-1.0, 1.0):
                edges.append(np.where(shown, (across * deep + sign * root) / gap, 0.0))
        w, h, scale = camera.width, camera.height, camera.scale
        left, right, top, bottom = edges
        return Boxes.around(
            0.5 * w + scale * left, 0.5 * w + scale * right,
            0.5 * h + scale * top, 0.5 * h + scale * bottom, w, h,
        )  # fmt: skip


def _form(matrix: Floats, which: Longs, u: Floats, v: Floats) -> Floats:
    """(u, v, 1) M (u, v, 1)ᵀ with the symmetric matrix of each ball."""
    uu, uv, vv = matrix[:, 0, 0], 2.0 * matrix[:, 0, 1], matrix[:, 1, 1]
    u1, v1, one = 2.0 * matrix[:, 0, 2], 2.0 * matrix[:, 1, 2], matrix[:, 2, 2]
    return np.asarray(
        (uu[which] * u + uv[which] * v + u1[which]) * u + (vv[which] * v + v1[which]) * v
        + one[which]
    )  # fmt: skip
