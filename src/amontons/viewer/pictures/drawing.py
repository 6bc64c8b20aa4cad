"""Drawing a frame: visibility at each pixel, then light and colour, then glass, then forces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats, Longs
from amontons.results import Frame
from amontons.viewer.pictures import paint
from amontons.viewer.pictures.backdrop import BAND, Backdrop
from amontons.viewer.pictures.facets import Facets
from amontons.viewer.pictures.fragments import Visibility
from amontons.viewer.pictures.stage import Stage
from amontons.viewer.pictures.view import Camera

Singles = NDArray[np.float32]

CREASE = 0.012
"""Width of creases between bodies, in heights of the picture."""


class Drawing:
    """The opaque bodies of a frame before a backdrop, and which is visible at each pixel."""

    def __init__(
        self, stage: Stage, frame: Frame, camera: Camera, backdrop: Backdrop, colours: Floats
    ) -> None:
        self.stage, self.camera, self.backdrop = stage, camera, backdrop
        self.balls, round_rows = stage.round_bodies(frame)
        self.facets, owner = stage.facets(frame, camera, glass=False)
        self.colours = colours[np.append(round_rows, owner)]
        seen = backdrop.seen.copy()
        self.balls.draw(camera, seen, 0)
        self.facets.draw(seen, len(self.balls))
        self.depth, self.number = seen.depth, seen.number

    def pixels(self, forces: Facets | None, tints: Floats) -> Singles:
        """Colours from 0 to 1, shape (height, width, 3), with forces in front of everything."""
        camera, pixels = self.camera, self.backdrop.colours.copy()
        some = np.flatnonzero((self.number >= 0) & (self.number < len(self.colours)))
        for start in range(0, len(some), BAND):
            part = some[start : start + BAND]
            pixels[part] = self._lit(part)
        depth = self.depth.reshape(camera.height, camera.width)
        reach = max(2, round(CREASE * camera.height))
        pixels *= paint.creased(depth, reach, self.stage.typical).reshape(-1, 1)
        self.backdrop.cover(self.depth, pixels)
        if forces is not None:
            seen = Visibility(camera.width, camera.height)
            forces.draw(seen, 0)  # they are inside the bodies
            shown = np.flatnonzero(seen.number >= 0)
            pixels[shown] = tints[seen.number[shown]]
        return np.clip(pixels, 0.0, 1.0).reshape(camera.height, camera.width, 3)

    def _lit(self, pixel: Longs) -> Floats:
        """Colours of pixels that show bodies, shape (pixels, 3)."""
        y, x = np.divmod(pixel, self.camera.width)
        number, sight = self.number[pixel], self.camera.towards_eye(x, y)
        normal = np.empty((len(pixel), 3))
        ball = number < len(self.balls)
        normal[ball] = self.balls.normals(
            self.camera, number[ball], x[ball], y[ball], self.depth[pixel[ball]].astype(np.float64)
        )
        normal[~ball] = self.facets.normals_at(number[~ball] - len(self.balls), x[~ball], y[~ball])
        behind = np.einsum("pi,pi->p", normal, sight) < 0.0
        normal[behind] *= -1.0
        return paint.lit(self.colours[number], normal, sight)
