"""Colours and light, the same as on the viewer's page."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats, Longs

SKY = np.array([0.933, 0.945, 0.961])
SUN = np.array([0.35, -0.5, 0.85]) / np.linalg.norm([0.35, -0.5, 0.85])
GLASS = np.array([0.45, 0.55, 0.68])

HEAT = ((0.14, 0.20, 0.55), (0.10, 0.62, 0.60), (0.96, 0.82, 0.24), (0.85, 0.16, 0.12))
"""Dark blue, teal, yellow, red."""

RING = [(r * np.cos(a), r * np.sin(a)) for r in (1.0, 0.5) for a in np.pi * (np.arange(4) / 4 + r)]
"""Offsets around a pixel at which depths are compared, along with their opposites."""


def of_rows(rows: Longs) -> Floats:
    """Colours of bodies by their rows, shape (bodies, 3)."""
    turn = np.mod(rows * 0.61803, 1.0)[:, None] + np.array([0.0, 0.33, 0.67])
    return np.asarray(0.61 + 0.25 * np.cos(6.28318 * turn))


def of_shares(shares: Floats) -> Floats:
    """Colours from cold to hot for shares from 0 to 1, shape (bodies, 3)."""
    colour = np.broadcast_to(HEAT[0], (len(shares), 3))
    for low, high, warmer in zip((0.0, 0.3, 0.65), (0.35, 0.7, 1.0), HEAT[1:], strict=True):
        s = np.clip((shares - low) / (high - low), 0.0, 1.0)
        s = (s * s * (3.0 - 2.0 * s))[:, None]
        colour = colour + s * (np.array(warmer) - colour)
    return np.asarray(colour)


def lit(colour: Floats, normal: Floats, sight: Floats) -> Floats:
    """Colours of surfaces in the sun, seen along `sight`, the unit vectors to the eye."""
    sunny = normal @ SUN
    light = 0.42 + 0.18 * normal[:, 2] + 0.5 * np.maximum(sunny, 0.0)
    mirrored = 2.0 * sunny[:, None] * normal - SUN
    gloss = np.maximum(np.einsum("pi,pi->p", mirrored, sight), 0.0) ** 24
    return np.asarray(colour * light[:, None] + 0.18 * gloss[:, None])


def tiled(spot: Floats, normal: Floats, middle: Floats, size: float) -> Floats:
    """A plane's tiles at points of it, which fade into the sky, shape (points, 3)."""
    away = np.abs(normal)
    two = [0, 1] if away[2] > 0.9 else [1, 2] if away[0] > 0.7 else [0, 2]
    cell = 2.0 ** np.floor(np.log2(size / 8.0))
    odd = np.floor(spot[:, two] / cell).sum(axis=1) % 2.0
    shade = np.where(odd < 0.5, 0.86, 0.82)[:, None] + np.array([0.0, 0.01, 0.03])
    far = np.clip((3.0 - np.linalg.norm(spot - middle, axis=1) / size) / 2.0, 0.0, 1.0)
    fade = (far * far * (3.0 - 2.0 * far))[:, None]
    return np.asarray(SKY + fade * (shade - SKY))


def creased(depth: NDArray[np.float32], reach: int, step: float) -> NDArray[np.float32]:
    """Darkening of pixels that lie a little behind their surroundings, shape (height, width).

    Ambient occlusion from the depths of opposite neighbours: on a plane 1/depth is linear, so
    that it is not darkened. Anything more than a few times `step` [m] in front is ignored.
    """
    height, width = depth.shape
    nearness = np.float32(1.0) / depth  # zero for the sky
    around = np.pad(nearness, reach, mode="edge")
    scale = np.float32(step) * np.maximum(nearness, np.float32(1e-12)) ** 2
    total = np.zeros_like(depth)
    for dx, dy in RING:
        x, y = round(dx * reach), round(dy * reach)
        one = around[reach + y : reach + y + height, reach + x : reach + x + width]
        other = around[reach - y : reach - y + height, reach - x : reach - x + width]
        steps = (np.float32(0.5) * (one + other) - nearness) / scale
        total += np.where(steps < 2.0, np.clip(steps, 0.0, 1.0), 0.0)
    return np.asarray(
        1.0 - np.minimum(np.float32(1.4 / len(RING)) * total, np.float32(0.55)), dtype=np.float32
    )
