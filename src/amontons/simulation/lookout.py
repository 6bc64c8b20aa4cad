"""How far ahead contacts are looked for: the faster bodies are, the farther."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.collision.detector import CollisionDetector
from amontons.dynamics.masses import Masses
from amontons.model.world import World

Floats = NDArray[np.float64]

LEVELS = 6
"""Margins are near, 2 near, 4 near, ... : so many of them."""

PATIENCE = 20
"""Steps that a smaller margin must suffice before it is taken."""


class Lookout:
    """Detectors of one scene with margins that double, and the choice between them.

    A margin covers how far the fastest and the fast bodies come in one step. It grows at once and
    shrinks after a while, so that the same detector serves many steps.
    """

    def __init__(
        self,
        world: World,
        masses: Masses,
        near: float,
        apart: NDArray[np.int64],
        level: tuple[int, int] = (0, 0),
    ) -> None:
        self._world, self._masses, self._near = world, masses, near
        self._apart = apart
        self._detectors: dict[int, CollisionDetector] = {}
        self.step, self.calm = level

    def keep_apart(self, pairs: NDArray[np.int64]) -> None:
        """Have these pairs of bodies, and no others, never meet from now on; shape (pairs, 2)."""
        if not np.array_equal(pairs, self._apart):
            self._apart = pairs
            self._detectors.clear()

    @property
    def level(self) -> tuple[int, int]:
        """Which margin is in use, and for how many steps a smaller one would have done."""
        return self.step, self.calm

    @level.setter
    def level(self, value: tuple[int, int]) -> None:
        self.step, self.calm = value

    def detector(self, twist: Floats, step: float) -> CollisionDetector:
        """The detector for a step in which bodies move like this."""
        wanted = self._level_for(self._near + step * self._closing_speed(twist))
        if wanted >= self.step:
            self.calm = 0
        else:
            self.calm += 1
        if wanted > self.step or self.calm > PATIENCE:
            self.step, self.calm = wanted, 0
        if self.step not in self._detectors:
            self._detectors[self.step] = self._build(self._near * 2.0**self.step)
        return self._detectors[self.step]

    def _level_for(self, margin: float) -> int:
        if margin <= self._near:
            return 0
        return min(LEVELS - 1, int(np.ceil(np.log2(margin / self._near))))

    def _closing_speed(self, twist: Floats) -> float:
        """Speed of the fastest body's surface and of the fast ones', added [m/s]."""
        speed = self._masses.surface_speeds(twist)
        moving = speed[speed > 0.0]
        if not moving.size:
            return 0.0
        fast = min(moving.size - 1, int(0.95 * moving.size))
        moving.partition(fast)
        return float(moving[fast:].max() + moving[fast])

    def _build(self, margin: float) -> CollisionDetector:
        bodies = self._world.bodies
        return CollisionDetector(
            self._world.shapes,
            which=bodies.shape,
            margin=margin,
            fixed=self._masses.driven,  # two bodies that nothing can push need no contact
            groups=bodies.group,
            masks=bodies.mask,
            apart=self._apart,
            origin=np.array(self._world.origins).reshape(-1, 3),
        )
