"""Spheres that fall into a square box."""

from __future__ import annotations

import numpy as np

from amontons.model.materials import Material
from amontons.model.shapes import Plane, Sphere
from amontons.model.world import World


def packed_bed(
    spheres: int = 4000,
    *,
    radius: float = 0.15,
    mass: float = 1.0,
    friction: float = 0.5,
    spacing: float = 1.15,
    depth: float = 2.5,
    seed: int = 0,
) -> World:
    """Loose layers of spheres above the floor of a box with an open top.

    Parameters
    ----------
    radius, mass:
        Of a sphere [m, kg].
    spacing:
        Distance of neighbours in diameters.
    depth:
        Layers for each sphere along a side of the box.
    seed:
        Of the small random shifts that break the symmetry.
    """
    world = World()
    material = Material(friction=friction)
    pitch = 2.0 * radius * spacing
    side = max(2, round((spheres / depth) ** (1.0 / 3.0)))
    half = 0.5 * side * pitch
    world.add_body(Plane(), fixed=True, material=material, name="floor")
    for name, normal in (
        ("left", (1, 0, 0)), ("right", (-1, 0, 0)), ("front", (0, 1, 0)), ("back", (0, -1, 0)),
    ):  # fmt: skip
        place = -half * np.array(normal, dtype=float)
        world.add_body(Plane(normal), fixed=True, position=place, material=material, name=name)
    number = np.arange(spheres)
    layer, rest = np.divmod(number, side * side)
    row, column = np.divmod(rest, side)
    place = pitch * np.stack([column, row, layer], axis=1)
    place += [0.5 * pitch - half, 0.5 * pitch - half, 1.2 * radius]
    shift = 0.4 * (spacing - 1.0) * radius
    place += np.random.default_rng(seed).uniform(-shift, shift, place.shape)
    world.add_bodies(Sphere(radius), position=place, mass=mass, material=material)
    return world
