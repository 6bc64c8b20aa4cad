"""Spheres in a vessel, described once for every engine: a bed, a drum, a silo."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf, pi, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

GRAVITY = 9.81
"""Along −z [m/s²]."""


@dataclass(frozen=True, kw_only=True)
class Grains:
    """Equal spheres, flat walls along the axes, and a wall of spheres that may turn about y."""

    places: Floats
    """Centres at the start [m], shape (grains, 3)."""
    radius: float
    """Of grains and of the spheres of the wall [m]."""
    mass: float = 1.0
    """Of a grain [kg]."""
    friction: float = 0.5
    """Between grains, and between grains and the wall of spheres."""
    box: tuple[tuple[float, float], ...] = ((-inf, inf),) * 3
    """Flat walls at the two ends of each axis [m]; none at ±inf."""
    smooth: bool = False
    """Whether the flat walls have no friction; else they have that of the grains."""
    wall: Floats = field(default_factory=lambda: np.empty((0, 3)))
    """Centres of the wall's spheres [m], shape (spheres, 3)."""
    spin: float = 0.0
    """Of the wall of spheres about the y axis [rad/s]."""
    bottom: float = -inf
    """Grains below this height are taken out [m]."""
    layers: float = 1.0
    """Grains one above the other where the bed is deepest."""

    @property
    def faces(self) -> list[tuple[Floats, Floats]]:
        """A point of each flat wall [m], and its normal into the box."""
        found = []
        for axis, ends in enumerate(self.box):
            for end, side in zip(ends, (1.0, -1.0), strict=True):
                if np.isfinite(end):
                    unit = np.eye(3)[axis]
                    found.append((end * unit, side * unit))
        return found

    def pressed(self, share: float) -> Grains:
        """The same with grains moved towards their middle, by so much of their distance."""
        middle = self.places.mean(axis=0)
        return replace(self, places=middle + (1.0 - share) * (self.places - middle))


def bed(bodies: int, *, spacing: float = 1.15, seed: int = 0) -> Grains:
    """The scene `packed_bed`: loose layers above the floor of a square box."""
    radius = 0.15
    pitch = 2.0 * radius * spacing
    side = max(2, round((bodies / 2.5) ** (1.0 / 3.0)))
    half = 0.5 * side * pitch
    layer, rest = np.divmod(np.arange(bodies), side * side)
    row, column = np.divmod(rest, side)
    places = pitch * np.stack([column, row, layer], axis=1)
    places += [0.5 * pitch - half, 0.5 * pitch - half, 1.2 * radius]
    places += _shifts(places.shape, 0.4 * (spacing - 1.0) * radius, seed)
    box = ((-half, half), (-half, half), (0.0, inf))
    return Grains(places=places, radius=radius, box=box, layers=bodies / side**2)


def drum(bodies: int, *, froude: float = 0.05, seed: int = 0) -> Grains:
    """A drum about the y axis, nearly half full, whose shell is made of spheres; smooth ends.

    `froude` is ω²R/g, with R the radius of the shell.
    """
    radius, rows = 0.05, 8
    pitch = 2.12 * radius
    width = rows * pitch
    across = max(4, round(sqrt(bodies / rows / 1.5)))  # half of π a² is the share that it fills
    shell = pitch * across + 2.0 * radius
    axis = pitch * (np.arange(2 * across + 1) - across)
    z, x = (each.ravel() for each in np.meshgrid(axis, axis, indexing="ij"))
    inside = np.hypot(x, z) <= shell - 2.2 * radius
    y = pitch * (np.arange(rows) - 0.5 * (rows - 1))
    places = np.array([(a, b, c) for c, a in zip(z[inside], x[inside], strict=True) for b in y])
    places = places[:bodies] + _shifts((min(bodies, len(places)), 3), 0.05 * radius, seed)
    count = round(2.0 * pi * shell / (2.0 * radius))
    angle = 2.0 * pi * np.arange(count) / count
    along = 2.0 * radius * (np.arange(rows + 1) - 0.5 * rows)
    wall = np.array([(shell * np.cos(a), b, shell * np.sin(a)) for a in angle for b in along])
    return Grains(
        places=places,
        radius=radius,
        box=((-inf, inf), (-0.5 * width, 0.5 * width), (-inf, inf)),
        smooth=True,
        wall=wall,
        spin=sqrt(froude * GRAVITY / shell),
        layers=across,
    )


def silo(bodies: int, *, seed: int = 0) -> Grains:
    """A square silo with flat walls; its floor, at z = 0, is of spheres, with a square hole."""
    radius = 0.05
    pitch = 2.1 * radius
    side = max(8, round((bodies / 1.5) ** (1.0 / 3.0)))
    half = 0.5 * side * pitch
    layer, rest = np.divmod(np.arange(bodies), side * side)
    row, column = np.divmod(rest, side)
    places = pitch * np.stack([column, row, layer], axis=1)
    places += [0.5 * pitch - half, 0.5 * pitch - half, 2.2 * radius]
    places += _shifts(places.shape, 0.04 * radius, seed)
    count = int(np.ceil(2.0 * half / (2.0 * radius)))
    axis = 2.0 * radius * (np.arange(count) - 0.5 * (count - 1))
    x, y = (each.ravel() for each in np.meshgrid(axis, axis))
    floor = np.stack([x, y, np.zeros_like(x)], axis=1)
    hole = radius * max(5.0, 0.45 * side)  # half of its side
    return Grains(
        places=places,
        radius=radius,
        box=((-half, half), (-half, half), (-inf, inf)),
        wall=floor[np.maximum(abs(x), abs(y)) > hole],
        bottom=-6.0 * radius,
        layers=bodies / side**2,
    )


def round_silo(bodies: int, *, width: float, orifice: float, seed: int = 0) -> Grains:
    """A square silo with a round hole; its floor, at z = 0, is of rings of spheres.

    `width` and `orifice` are in diameters of a grain. The orifice is as wide as what is clear
    between the spheres of the first ring.
    """
    radius = 0.05
    half = width * radius
    side = int(width / 1.05)
    pitch = 2.0 * half / side
    layer, rest = np.divmod(np.arange(bodies), side * side)
    row, column = np.divmod(rest, side)
    places = np.stack([column * pitch, row * pitch, layer * 2.1 * radius], axis=1)
    places += [0.5 * pitch - half, 0.5 * pitch - half, 2.2 * radius]
    places += _shifts(places.shape, 0.04 * radius, seed)
    floor = []
    for away in np.arange((orifice + 1.0) * radius, 1.5 * half + radius, 2.0 * radius):
        angle = 2.0 * pi * np.arange(count := int(np.ceil(pi * away / radius))) / count
        floor.append(np.stack([away * np.cos(angle), away * np.sin(angle), 0.0 * angle], axis=1))
    wall = np.concatenate(floor)
    return Grains(
        places=places,
        radius=radius,
        box=((-half, half), (-half, half), (-inf, inf)),
        wall=wall[np.abs(wall[:, :2]).max(axis=1) <= half + radius],
        bottom=-6.0 * radius,
        layers=bodies / side**2,
    )


def _shifts(shape: tuple[int, ...], most: float, seed: int) -> Floats:
    """Small random shifts, which break the symmetry of a lattice [m]."""
    return np.random.default_rng(seed).uniform(-most, most, shape)
