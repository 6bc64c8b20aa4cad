"""A stack of light plates under a heavy block: the mass ratio ruins first-order methods."""

from __future__ import annotations

from amontons.model.materials import Material
from amontons.model.shapes import Box, Plane
from amontons.model.world import World


def plates(
    count: int = 20,
    *,
    load: float = 1000.0,
    mass: float = 1.0,
    friction: float = 0.5,
    side: float = 1.0,
    thickness: float = 0.1,
) -> World:
    """Square plates on a floor, the last body being the block on top of them.

    Parameters
    ----------
    load, mass:
        Of the block and of each plate [kg].
    side, thickness:
        Of a plate [m]; the block is a cube of that side.
    """
    world = World()
    material = Material(friction=friction)
    world.add_body(Plane(), fixed=True, material=material, name="floor")
    for i in range(count):
        world.add_body(
            Box((side, side, thickness)),
            mass=mass,
            position=(0.0, 0.0, (i + 0.5) * thickness),
            material=material,
            name=f"plate {i}",
        )
    world.add_body(
        Box.cube(side),
        mass=load,
        position=(0.0, 0.0, count * thickness + 0.5 * side),
        material=material,
        name="block",
    )
    return world
