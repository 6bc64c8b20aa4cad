"""Triangles: their pixels, depths and normals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from amontons.array_types import Flags, Floats, Longs
from amontons.viewer.pictures.fragments import Boxes, Visibility
from amontons.viewer.pictures.view import Camera


@dataclass(frozen=True)
class Facets:
    """Triangles as one camera sees them; those too close to it are left out."""

    camera: Camera
    corners: Floats
    """[m], shape (triangles, 3, 3)."""
    normals: Floats
    """Normals at the corners, shape (triangles, 3, 3)."""
    closed: Flags
    """Whether a triangle's back is never seen, shape (triangles,)."""

    def __len__(self) -> int:
        return len(self.corners)

    @cached_property
    def _laid(self) -> tuple[Floats, Floats, Floats, Flags]:
        """x and y in pixels and 1/depth of corners, each (triangles, 3), and which are shown."""
        place = self.camera.seen(self.corners)
        shown = np.asarray((place[:, :, 2] > self.camera.near).all(axis=1))
        nearness = 1.0 / np.where(shown[:, None], place[:, :, 2], 1.0)
        x = 0.5 * self.camera.width + self.camera.scale * place[:, :, 0] * nearness
        y = 0.5 * self.camera.height - self.camera.scale * place[:, :, 1] * nearness
        return x, y, nearness, shown

    @cached_property
    def _shares(self) -> tuple[Floats, Flags]:
        """Rows (∂/∂x, ∂/∂y, 1) of the shares of corners (triangles, 3, 3), and which are shown."""
        x, y, _, shown = self._laid
        follow, across = np.roll(x, -1, axis=1), np.roll(y, -1, axis=1)
        last_x, last_y = np.roll(x, -2, axis=1), np.roll(y, -2, axis=1)
        twice = (x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (x[:, 2] - x[:, 0]) * (
            y[:, 1] - y[:, 0]
        )
        shown = shown & (np.abs(twice) > 1e-9) & ~(self.closed & (twice > 0.0))  # y points down
        by = 1.0 / np.where(shown, twice, 1.0)[:, None]
        rows = [across - last_y, last_x - follow, follow * last_y - last_x * across]
        return np.stack([each * by for each in rows], axis=2), shown

    def fragments(self) -> Iterator[tuple[Longs, Longs, Longs, Floats]]:
        """Triangles, x and y of their pixels, and depths [m], some at a time."""
        x, y, nearness, _ = self._laid
        shares, shown = self._shares
        deep = np.einsum("tc,tci->ti", nearness, shares)
        across, down = np.where(shown[:, None], x, 0.0), np.where(shown[:, None], y, 0.0)
        boxes = Boxes.around(
            across.min(axis=1), across.max(axis=1), down.min(axis=1), down.max(axis=1),
            self.camera.width, self.camera.height,
        )  # fmt: skip
        for facet, right, down in boxes.fragments():
            inside = np.ones(len(facet), dtype=bool)
            for corner in range(3):
                inside &= _at(shares[:, corner], facet, right, down) >= -1e-9
            facet, right, down = facet[inside], right[inside], down[inside]
            yield facet, right, down, 1.0 / _at(deep, facet, right, down)

    def draw(self, seen: Visibility, first: int) -> None:
        """Offer every triangle; its number is its row, counted from `first`."""
        for facet, x, y, depth in self.fragments():
            seen.offer(y * self.camera.width + x, depth, facet + first)

    def normals_at(self, facet: Longs, x: Longs, y: Longs) -> Floats:
        """Unit normals towards the eye's side of each triangle's outside, shape (pixels, 3)."""
        shares, _ = self._shares
        weight = np.stack([_at(shares[:, c], facet, x, y) for c in range(3)], axis=1)
        weight *= self._laid[2][facet]  # perspective
        normal = np.einsum("pc,pci->pi", weight, self.normals[facet])
        return np.asarray(normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30))


def _at(rows: Floats, facet: Longs, x: Longs, y: Longs) -> Floats:
    """A quantity that is linear over the picture, at the centres of pixels."""
    return np.asarray(rows[facet, 0] * (x + 0.5) + rows[facet, 1] * (y + 0.5) + rows[facet, 2])
