"""A floor with low walls, in which loose bodies stay together."""

from __future__ import annotations

from amontons.model.materials import Material
from amontons.model.shapes import Box, Compound, Part, Plane
from amontons.model.world import World


def add_tray(world: World, *, half: float, height: float, material: Material) -> None:
    """Add a floor at z = 0 and four walls about a square of side 2 `half` [m]."""
    world.add_body(Plane(), fixed=True, material=material, name="floor")
    thick = 0.1 * half
    middle = half + 0.5 * thick
    along = Box((2.0 * half + 2.0 * thick, thick, height))
    across = Box((thick, 2.0 * half, height))
    up = 0.5 * height
    walls = Compound(
        [
            Part(along, (0.0, middle, up)),
            Part(along, (0.0, -middle, up)),
            Part(across, (middle, 0.0, up)),
            Part(across, (-middle, 0.0, up)),
        ]
    )
    world.add_body(walls, fixed=True, placed_by="frame", material=material, name="walls")
