"""Things made of touching spheres: a block with flaws and a teapot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.scenes.placement import face_centred

Floats = NDArray[np.float64]


def flawed_block(
    diameter: float, half: tuple[float, float, float], *, flaws: float = 0.08, seed: int = 0
) -> Floats:
    """Centres of spheres that fill a block, a share `flaws` of them missing [m], shape (n, 3)."""
    places = face_centred(diameter * (1.0 + 1e-9), half)
    kept = np.random.default_rng(seed).random(len(places)) >= flaws
    return np.asarray(places[kept])


def teapot(diameter: float, radius: float, *, wall: float = 2.0) -> Floats:
    """Centres of spheres of a hollow teapot about its middle [m], shape (n, 3).

    Parameters
    ----------
    diameter:
        Of a sphere [m].
    radius:
        Of the pot [m]; spout and handle reach out along x to 1.7 and −1.6 of it.
    wall:
        Thickness of the wall in diameters.
    """
    places = face_centred(diameter * (1.0 + 1e-9), (1.9 * radius, 1.1 * radius, 1.3 * radius))
    thick = wall * diameter / radius
    p = places / radius
    away = np.linalg.norm(p, axis=1)
    pot = (away <= 1.0) & (away >= 1.0 - thick)
    outside = away > 1.0
    spout = outside & _tube(p, (0.8, 0.0, -0.25), (1.6, 0.0, 0.55), 0.28, 0.28 - thick)
    ring = np.hypot(np.hypot(p[:, 0] + 1.05, p[:, 2]) - 0.45, p[:, 1])
    handle = outside & (ring <= 0.14)
    knob = outside & (np.linalg.norm(p - np.array([0.0, 0.0, 1.08]), axis=1) <= 0.16)
    return np.asarray(places[pot | spout | handle | knob])


def _tube(
    p: Floats,
    start: tuple[float, float, float],
    end: tuple[float, float, float],
    outer: float,
    inner: float,
) -> NDArray[np.bool_]:
    """Which points lie between two radii about the line from start to end."""
    a, b = np.array(start), np.array(end)
    along = np.clip((p - a) @ (b - a) / np.sum((b - a) ** 2), 0.0, 1.0)
    away = np.linalg.norm(p - a - along[:, None] * (b - a), axis=1)
    ends = (along > 0.0) & (along < 1.0)
    return np.asarray((away <= outer) & (away >= inner) & ends)
