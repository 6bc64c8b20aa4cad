"""What is read off the places of grains, by the same functions whoever moved them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

import numpy as np
from scipy.spatial import cKDTree

from engines.grains import GRAVITY, Floats, Grains

SLOW = 1e-3
"""A bed rests while the median grain is slower than this [√(g r)]..."""
LEVEL = 1e-3
"""...and its mean height stays within this [r]..."""
WINDOW = 4.0
"""...for so long [√(r/g)], about half a second for grains of 0.15 m."""


def overlaps(places: Floats, grains: Grains) -> Floats:
    """Overlaps of grains with one another and with flat walls, those above zero [radii]."""
    radius = grains.radius
    pairs = cKDTree(places).query_pairs(2.0 * radius, output_type="ndarray")
    apart = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    found = [2.0 * radius - apart]
    found += [radius - (places - point) @ normal for point, normal in grains.faces]
    every = np.concatenate(found) / radius
    return every[every > 0.0]


@dataclass
class RestRule:
    """Whether a bed rests, judged by where its grains are at one moment after the other.

    Speeds are distances between two looks by the time between them, not what an engine calls a
    velocity: bodies that are moved apart without one are seen to move.
    """

    grains: Grains
    looks: list[tuple[float, float, float, float]] = field(default_factory=list)
    """Time [s], CPU time [s], mean height [m] and median speed [m/s] of each look."""
    _last: Floats | None = None

    def look(self, time: float, cpu: float, places: Floats) -> None:
        """Take a look at the bed at this time [s], after so much processor time [s]."""
        speed = np.inf
        if self._last is not None:
            moved = np.linalg.norm(places - self._last, axis=1)
            speed = float(np.median(moved)) / (time - self.looks[-1][0])
        self.looks.append((time, cpu, float(places[:, 2].mean()), speed))
        self._last = places

    @property
    def since(self) -> tuple[float, float] | None:
        """Simulated time and processor time when rest began [s]; None as long as it moves."""
        radius, end = self.grains.radius, self.looks[-1][0]
        window = WINDOW * sqrt(radius / GRAVITY)
        seen = [look for look in self.looks if look[0] >= end - window]
        if len(seen) < 3 or self.looks[0][0] > end - window:
            return None
        heights, speeds = np.array([look[2:] for look in seen]).T
        slow = (speeds < SLOW * sqrt(GRAVITY * radius)).all()
        level = heights.max() - heights.min() < LEVEL * radius
        return seen[0][:2] if slow and level else None


def mean_and_error(values: Floats, blocks: int = 8) -> tuple[float, float]:
    """The mean of a series, and its standard error from the means of blocks of it."""
    means = [part.mean() for part in np.array_split(np.asarray(values), blocks)]
    return float(np.mean(values)), float(np.std(means, ddof=1) / sqrt(len(means)))


def slope(places: Floats, grains: Grains) -> float:
    """Angle of a drum's surface with the horizontal [rad], above zero where grains are carried up.

    A line is fitted to the highest grains of upright slices, one diameter wide, of the middle half.
    """
    reach = 0.5 * float(np.hypot(grains.wall[:, 0], grains.wall[:, 2]).max())
    width = 2.0 * grains.radius
    slices = np.round(places[:, 0] / width).astype(int)
    chosen = [
        places[slices == k][places[slices == k, 2].argmax()]
        for k in np.unique(slices[np.abs(places[:, 0]) < reach])
    ]
    top = np.array(chosen)
    return float(-np.sign(grains.spin) * np.arctan(np.polyfit(top[:, 0], top[:, 2], 1)[0]))


def lean(places: Floats, grains: Grains) -> float:
    """Angle at which the grains' centre of mass hangs from the drum's axis [rad].

    It is that of the surface if that is flat, and needs no fit.
    """
    middle = places.mean(axis=0)
    return float(np.arctan2(-np.sign(grains.spin) * middle[0], -middle[2]))


def discharge(times: Floats, left: Floats) -> tuple[float, float]:
    """Rate at which grains leave [1/s], and its standard error from eight parts of the time."""
    parts = np.array_split(np.arange(len(times)), 8)
    rates = [-np.polyfit(times[part], left[part], 1)[0] for part in parts]
    return float(-np.polyfit(times, left, 1)[0]), float(np.std(rates, ddof=1) / sqrt(len(rates)))
