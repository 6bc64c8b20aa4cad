"""The background of pictures: the sky, planes, and containers of glass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Longs
from amontons.results import Frame
from amontons.viewer.pictures import paint
from amontons.viewer.pictures.fragments import Visibility
from amontons.viewer.pictures.stage import Ground, Stage
from amontons.viewer.pictures.view import Camera

Singles = NDArray[np.float32]

BEHIND = 0xFFFFFFFE
"""The number shared by all planes, higher than any other."""

BAND = 1 << 18
"""Pixels that are processed together."""

CLEARLY = 1.0 - 1e-4
"""Relative depth by which glass must be in front: a tray's bottom lies on the floor."""


@dataclass(frozen=True)
class Pane:
    """Fragments of glass."""

    pixel: Longs
    depth: Singles
    share: Singles
    """Share of the light from behind that is lost."""
    colour: Singles
    """Shape (fragments, 3)."""


class Backdrop:
    """Planes and glass from one camera, at one frame."""

    def __init__(self, stage: Stage, frame: Frame, camera: Camera) -> None:
        self.seen = Visibility(camera.width, camera.height)
        self.colours: Singles = np.empty((camera.width * camera.height, 3), dtype=np.float32)
        self.colours[:] = paint.SKY
        for ground in stage.grounds(frame):
            self._lay(ground, camera, stage)
        self.panes = panes(stage, frame, camera)

    def _lay(self, ground: Ground, camera: Camera, stage: Stage) -> None:
        before = self.seen.depth
        for start in range(0, len(before), BAND):
            pixel = np.arange(start, min(start + BAND, len(before)))
            y, x = np.divmod(pixel, camera.width)
            depth = ground.depth(camera, x, y)
            nearer = np.flatnonzero(depth < before[pixel])
            pixel, depth = pixel[nearer], depth[nearer]
            self.seen.offer(pixel, depth, np.full(len(pixel), BEHIND))
            spot = camera.eye + depth[:, None] * camera.rays(x[nearer], y[nearer])
            self.colours[pixel] = paint.tiled(spot, ground.normal, stage.middle, stage.size)

    def cover(self, depth: Singles, pixels: Singles) -> None:
        """Draw the glass over the picture: all layers at a pixel together, in any order."""
        passed, total = np.zeros(len(pixels)), np.zeros(len(pixels))
        tinted = np.zeros((3, len(pixels)))
        for pane in self.panes:
            front = pane.depth < CLEARLY * depth[pane.pixel]
            pixel, share, colour = pane.pixel[front], pane.share[front], pane.colour[front]
            passed += np.bincount(pixel, np.log1p(-share), minlength=len(pixels))
            total += np.bincount(pixel, share, minlength=len(pixels))
            for i in range(3):
                tinted[i] += np.bincount(pixel, share * colour[:, i], minlength=len(pixels))
        there = np.flatnonzero(total > 0.0)
        left = np.exp(passed[there])[:, None]
        mean = tinted[:, there].T / total[there][:, None]
        pixels[there] = left * pixels[there] + (1.0 - left) * mean


def panes(stage: Stage, frame: Frame, camera: Camera) -> list[Pane]:
    """All fragments of glass in a frame, lit."""
    glass, _ = stage.facets(frame, camera, glass=True)
    found = []
    for facet, x, y, depth in glass.fragments():
        sight = camera.towards_eye(x, y)
        normal = glass.normals_at(facet, x, y)
        facing = np.einsum("pi,pi->p", normal, sight)
        normal = np.where(facing[:, None] < 0.0, -normal, normal)
        colour = paint.lit(paint.GLASS[None], normal, sight)
        share = 0.10 + 0.22 * (1.0 - np.abs(facing))
        parts = (each.astype(np.float32) for each in (depth, share, colour))
        found.append(Pane(y * camera.width + x, *parts))
    return found
