"""Regions for measures: which points and which parts of lines and balls are inside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from amontons.errors import InputError
from amontons.measure import ball_cuts
from amontons.model.between import Between
from amontons.model.regions import Region, region_part
from amontons.model.shapes import Box, Cylinder, Part, Sphere

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class MeasuredRegion(ABC):
    """A convex region of space; arguments are in the frame of the world."""

    def __init__(self, part: Part) -> None:
        self.volume: float = part.shape.volume
        """[m³]"""
        self._turn, self._place = part.rotation, np.array(part.position)

    def inside(self, points: Floats) -> Flags:
        """Which points (n, 3) are in it."""
        return self._inside(self._own(points))

    def share(self, start: Floats, end: Floats) -> Floats:
        """The fraction of each line inside it, from 0 to 1; shape (lines,)."""
        first, last = self._span(self._own(start), (end - start) @ self._turn)
        return np.asarray(np.maximum(np.minimum(last, 1.0) - np.maximum(first, 0.0), 0.0))

    def balls(self, centre: Floats, radius: Floats) -> Floats:
        """Volume of each ball that is in it [m³], shape (balls,)."""
        return self._balls(self._own(centre), radius)

    def _own(self, points: Floats) -> Floats:
        return np.asarray((points - self._place) @ self._turn)

    @abstractmethod
    def _inside(self, points: Floats) -> Flags: ...

    @abstractmethod
    def _span(self, start: Floats, along: Floats) -> tuple[Floats, Floats]:
        """Where start + s·along enters and leaves; the first is larger where it does neither."""

    @abstractmethod
    def _balls(self, centre: Floats, radius: Floats) -> Floats: ...


class BoxRegion(MeasuredRegion):
    """A box; beyond a face that is `open` all that is there still counts."""

    def __init__(
        self, part: Part, shape: Box, open_low: Sequence[bool] = (), open_high: Sequence[bool] = ()
    ) -> None:
        super().__init__(part)
        self.size = np.array(shape.size)
        """[m], shape (3,)."""
        self._low, self._high = -0.5 * self.size, 0.5 * self.size
        self._low[np.flatnonzero(open_low)] = -np.inf
        self._high[np.flatnonzero(open_high)] = np.inf

    def _inside(self, points: Floats) -> Flags:
        return np.asarray(((points >= self._low) & (points <= self._high)).all(axis=1))

    def _span(self, start: Floats, along: Floats) -> tuple[Floats, Floats]:
        spans = [_between(start[:, k], along[:, k], self._low[k], self._high[k]) for k in range(3)]
        first = np.maximum.reduce([span[0] for span in spans])
        return first, np.minimum.reduce([span[1] for span in spans])

    def _balls(self, centre: Floats, radius: Floats) -> Floats:
        return ball_cuts.in_box(centre, radius, self._low, self._high)


class CylinderRegion(MeasuredRegion):
    """A cylinder along its z axis."""

    def __init__(self, part: Part, shape: Cylinder) -> None:
        super().__init__(part)
        self._radius, self._half = shape.radius, 0.5 * shape.height

    def _inside(self, points: Floats) -> Flags:
        flat = np.hypot(points[:, 0], points[:, 1]) <= self._radius
        return np.asarray(flat & (np.abs(points[:, 2]) <= self._half))

    def _span(self, start: Floats, along: Floats) -> tuple[Floats, Floats]:
        low, high = _between(start[:, 2], along[:, 2], -self._half, self._half)
        first, last = _within(start[:, :2], along[:, :2], self._radius)
        return np.maximum(low, first), np.minimum(high, last)

    def _balls(self, centre: Floats, radius: Floats) -> Floats:
        return ball_cuts.in_cylinder(centre, radius, self._radius, self._half)


class SphereRegion(MeasuredRegion):
    """A ball."""

    def __init__(self, part: Part, shape: Sphere) -> None:
        super().__init__(part)
        self._radius = shape.radius

    def _inside(self, points: Floats) -> Flags:
        return np.asarray(np.linalg.norm(points, axis=1) <= self._radius)

    def _span(self, start: Floats, along: Floats) -> tuple[Floats, Floats]:
        return _within(start, along, self._radius)

    def _balls(self, centre: Floats, radius: Floats) -> Floats:
        return ball_cuts.in_ball(centre, radius, self._radius)


def measured_region(region: Region) -> MeasuredRegion:
    """The requested region, or an error that lists the possible ones."""
    part = region_part(region)
    shape = part.shape
    if isinstance(shape, Box):
        return BoxRegion(part, shape)
    if isinstance(shape, Cylinder):
        return CylinderRegion(part, shape)
    if isinstance(shape, Sphere):
        return SphereRegion(part, shape)
    raise InputError(
        f"cannot measure in a {type(shape).__name__}: give two corners of a box, an amontons.Box, "
        "Cylinder or Sphere, or a Part with one of these"
    )


def region_between(region: Between, low: Floats, high: Floats) -> BoxRegion:
    """A region between bodies, whose borders are at these places now [m]."""
    part = region_part((low, high))
    assert isinstance(part.shape, Box)
    walls = [[not isinstance(each, float) for each in side] for side in (region.low, region.high)]
    return BoxRegion(part, part.shape, *walls)


def _between(start: Floats, along: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """Where start + s·along is between two numbers."""
    moving = along != 0.0
    slope = np.where(moving, along, 1.0)
    ends = np.stack([(low - start) / slope, (high - start) / slope])
    never = np.where((low <= start) & (start <= high), -np.inf, np.inf)  # for ever, or not at all
    return np.where(moving, ends.min(axis=0), never), np.where(moving, ends.max(axis=0), -never)


def _within(start: Floats, along: Floats, radius: float) -> tuple[Floats, Floats]:
    """Where |start + s·along| is at most the radius."""
    a = np.einsum("ni,ni->n", along, along)
    b = np.einsum("ni,ni->n", start, along)
    c = np.einsum("ni,ni->n", start, start) - radius**2
    moving = a > 0.0
    slope = np.where(moving, a, 1.0)
    root = b**2 - slope * c
    meets = np.where(moving, root > 0.0, c <= 0.0)
    width = np.sqrt(np.maximum(root, 0.0))
    first = np.where(moving, (-b - width) / slope, -np.inf)
    last = np.where(moving, (-b + width) / slope, np.inf)
    return np.where(meets, first, np.inf), np.where(meets, last, -np.inf)
