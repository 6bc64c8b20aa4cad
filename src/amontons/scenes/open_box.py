"""A square box without a lid, made of planes: grains are poured into it."""

from __future__ import annotations

import numpy as np

from amontons.model.materials import Material
from amontons.model.motion import Motion
from amontons.model.shapes import Plane
from amontons.model.world import World

WALLS = (("left", (1, 0, 0)), ("right", (-1, 0, 0)), ("front", (0, 1, 0)), ("back", (0, -1, 0)))
"""Names of the walls, and where each faces."""


def add_open_box(
    world: World, *, half: float, material: Material, motion: Motion | None = None
) -> None:
    """Add a floor at z = 0 and four walls about a square of side 2 `half` [m].

    They are fixed, or all follow the same `motion`, which has velocities only.
    """
    for name, normal in (("floor", (0, 0, 1)), *WALLS):
        place = -half * np.array(normal, dtype=float) if name != "floor" else np.zeros(3)
        world.add_body(
            Plane(normal),
            fixed=motion is None,
            motion=motion,
            position=place,
            material=material,
            name=name,
        )
