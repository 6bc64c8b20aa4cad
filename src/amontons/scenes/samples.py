"""Samples for element tests: grains in a box, at random and not yet pressed, and walls about it."""

from __future__ import annotations

from math import pi

from amontons.array_types import Floats
from amontons.generators.pack import pack
from amontons.model.between import Between
from amontons.model.materials import Material
from amontons.model.probes import Probe
from amontons.model.shapes import Box, Compound, Part
from amontons.model.sizes import Sizes
from amontons.model.world import World

SPREAD = 0.2
"""Diameters are even between 1 − SPREAD and 1 + SPREAD of their mean, so nothing crystallises."""

GRAINS, WALLS = 1, 2
"""Groups of bodies: walls meet grains and not each other."""


def grain_sizes(diameter: float) -> Sizes:
    """Diameters about a mean [m]."""
    return Sizes.uniform((1.0 - SPREAD) * diameter, (1.0 + SPREAD) * diameter)


def side_for(count: int, diameter: float, fraction: float, slimness: float = 1.0) -> float:
    """Side of a square box, `slimness` times as high, that about so many grains fill [m]."""
    each = pi / 6.0 * diameter**3 * (1.0 + SPREAD**2)  # mean of d³ of an even distribution
    return float((count * each / (fraction * slimness)) ** (1.0 / 3.0))


def add_sample(
    world: World,
    size: Floats,
    *,
    diameter: float,
    fraction: float,
    density: float,
    material: Material,
    seed: int,
) -> float:
    """Fill a box of this size [m] about the z axis, from z = 0 up; return the grains' mass [kg]."""
    x, y, z = (0.5 * size).tolist()
    region = ((-x, -y, 0.0), (x, y, 2.0 * z))
    grains = pack(region, grain_sizes(diameter), fraction=fraction, seed=seed)
    world.add_spheres(
        grains.radius, position=grains.position, density=density, material=material, group=GRAINS
    )
    return float(density * 4.0 / 3.0 * pi * (grains.radius**3).sum())


def ring_of_walls(inner: Floats, thick: float, height: float) -> Compound:
    """Four walls about a rectangle, `inner` [m] along x and y, from z = 0 to the height [m]."""
    x, y = (0.5 * inner[:2]).tolist()
    along, across = 2.0 * (x + thick), 2.0 * y
    parts = []
    for side in (-1.0, 1.0):
        parts.append(
            Part(Box((thick, across, height)), (side * (x + 0.5 * thick), 0, 0.5 * height))
        )
        parts.append(Part(Box((along, thick, height)), (0, side * (y + 0.5 * thick), 0.5 * height)))
    return Compound(parts)


def sample_probe(since: float) -> Probe:
    """Readings of a sample between six walls, from a time on [s]."""
    return Probe(
        "sample",
        ("size", "stress", "porosity", "void_ratio", "coordination"),
        region=Between(("left", "front", "floor"), ("right", "back", "lid")),
        every=5e-4,
        since=since,
    )
