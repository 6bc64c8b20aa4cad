"""The view of a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amontons.array_types import Floats, Longs
from amontons.checks import finite, positive
from amontons.errors import InputError

ANGLE = 0.7
"""Vertical field of view [rad]."""


@dataclass(frozen=True, kw_only=True)
class View:
    """A direction and a distance to look from; by default towards the middle of the run."""

    azimuth: float = -57.0
    """Around the vertical, from x to y [°]."""
    height: float = 24.0
    """Above the horizon [°], −89 to 89."""
    distance: float = 1.4
    """In sizes of the scene."""
    target: tuple[float, float, float] | None = None
    """The point to look at [m]; by default the middle of the moving bodies."""

    def __post_init__(self) -> None:
        finite("azimuth", self.azimuth)
        positive("distance", self.distance)
        if not abs(finite("height", self.height)) <= 89.0:
            raise InputError(f"height is {self.height:g}°; it must be −89 to 89")
        if self.target is not None and not (
            len(self.target) == 3 and np.isfinite(self.target).all()
        ):
            raise InputError(f"target must be three finite numbers, got {self.target!r}")


@dataclass(frozen=True)
class Camera:
    """A view of a scene of a given size, on a number of pixels.

    A pixel's ray is eye + t (forward + x right + y up), so t is the depth along `forward`.
    """

    eye: Floats
    right: Floats
    up: Floats
    forward: Floats
    width: int
    height: int
    near: float
    """Depth below which nothing is drawn [m]."""

    @classmethod
    def looking(cls, view: View, middle: Floats, size: float, width: int, height: int) -> Camera:
        """The camera of a view on a scene, given the scene's middle and size [m]."""
        around, above = np.radians([view.azimuth, view.height])
        away = np.cos(above) * np.array([np.cos(around), np.sin(around), 0.0])
        away[2] = np.sin(above)
        target = middle if view.target is None else np.array(view.target, dtype=np.float64)
        right = np.array([-np.sin(around), np.cos(around), 0.0])
        distance = view.distance * size
        return cls(
            target + distance * away, right, np.cross(away, right), -away, width, height,
            0.01 * distance,
        )  # fmt: skip

    @property
    def scale(self) -> float:
        """Length in pixels of an object that is as long as it is far away."""
        return float(0.5 * self.height / np.tan(0.5 * ANGLE))

    @property
    def axes(self) -> Floats:
        """Right, up and forward as rows, shape (3, 3)."""
        return np.stack([self.right, self.up, self.forward])

    def seen(self, points: Floats) -> Floats:
        """Points (..., 3) along right, up and forward from the eye [m]."""
        return np.asarray((points - self.eye) @ self.axes.T)

    def slopes(self, x: Longs, y: Longs) -> tuple[Floats, Floats]:
        """Slopes to the right and up of the rays through pixels' centres."""
        across = (x + 0.5 - 0.5 * self.width) / self.scale
        upward = (0.5 * self.height - y - 0.5) / self.scale
        return np.asarray(across, dtype=np.float64), np.asarray(upward, dtype=np.float64)

    def rays(self, x: Longs, y: Longs) -> Floats:
        """Rays of pixels, of depth one, shape (pixels, 3)."""
        u, v = self.slopes(x, y)
        return np.asarray(np.stack([u, v, np.ones(len(u))], axis=1) @ self.axes)

    def towards_eye(self, x: Longs, y: Longs) -> Floats:
        """Unit vectors against the rays of pixels, shape (pixels, 3)."""
        rays = self.rays(x, y)
        return np.asarray(-rays / np.sqrt(np.einsum("pi,pi->p", rays, rays))[:, None])
