"""Samples without walls: loose grains in a cell that repeats itself."""

from __future__ import annotations

from math import pi

import numpy as np

from amontons.array_types import Floats
from amontons.model.cell import Cell, CellStage
from amontons.model.materials import Material
from amontons.model.world import World
from amontons.scenes.samples import SPREAD, grain_sizes

FRACTION = 0.4
"""Of the cell that grains fill at first, each about a place of a cubic lattice."""

GENTLE = 0.1
"""Share of the stress that brings loose grains together."""

SHAKEN = 100.0
"""Diameters that a grain goes in a second at first."""


def periodic_world(
    count: int,
    test: CellStage,
    *,
    stress: float,
    diameter: float,
    density: float,
    friction: float,
    seed: int,
) -> World:
    """Grains in a cube that is pressed, gently at first and then with a stress [Pa], and tested."""
    length = _length(count, diameter)
    pressed = CellStage(0.25 * test.time, stress=stress)
    cell = Cell((length,) * 3, stress=GENTLE * stress, stages=(pressed, test))
    world = World(gravity=(0.0, 0.0, 0.0), cell=cell)
    position, velocity = _loose(count, length, diameter, seed)
    world.add_spheres(
        grain_sizes(diameter).radii(count, seed), position=position, velocity=velocity,
        density=density, material=Material(friction=friction),
    )  # fmt: skip
    return world


def _length(count: int, diameter: float) -> float:
    """Edge of the cell [m]."""
    grain = pi / 6.0 * diameter**3 * (1.0 + SPREAD**2)
    return float(max((count * grain / FRACTION) ** (1.0 / 3.0), _across(count) * _room(diameter)))


def _loose(count: int, length: float, diameter: float, seed: int) -> tuple[Floats, Floats]:
    """Positions [m] at random about the places of a lattice, and velocities [m/s], (count, 3).

    No grain touches another. With their small velocities at random they forget the lattice as they
    are pressed together.
    """
    rng = np.random.default_rng(seed)
    across = _across(count)
    pitch = length / across
    index = np.stack(np.meshgrid(*[np.arange(across)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    place = pitch * (index[rng.permutation(len(index))[:count]] + 0.5)
    room = 0.5 * (pitch - (1.0 + SPREAD) * diameter)
    place += rng.uniform(-room, room, place.shape)
    velocity = diameter * SHAKEN * rng.standard_normal(place.shape)
    return np.asarray(place), np.asarray(velocity - velocity.mean(axis=0))


def _across(count: int) -> int:
    """Places of the lattice along an edge."""
    across = round(float(count ** (1.0 / 3.0)))
    return across if across**3 >= count else across + 1


def _room(diameter: float) -> float:
    """Least distance of places [m]."""
    return 1.02 * (1.0 + SPREAD) * diameter
