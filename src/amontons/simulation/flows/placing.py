"""Room for bodies that come: places in a region at which a ball touches nobody."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.collision.detector import CollisionDetector
from amontons.collision.queries.snapshot import Snapshot
from amontons.model.shapes import Part
from amontons.model.world import World
from amontons.simulation.model import Model

Floats = NDArray[np.float64]

TRIES = 40
"""Places that are tried for each body in a step."""

SPARE = 1e-6
"""Share of its radius that a body that comes keeps from others."""


class Interior:
    """The inside of a region."""

    def __init__(self, part: Part) -> None:
        self.part = part
        detector = CollisionDetector([part.shape], margin=0.0, fixed=np.array([True]))
        self._walls = detector.at([part.position], [part.orientation])
        low, high = part.shape.bounds
        self._low, self._high = np.array(low), np.array(high)

    def depths(self, points: Floats) -> Floats:
        """How far points are inside [m], shape (points,)."""
        return -self._walls.closest_points(points).distances

    def places(self, radius: float, rng: np.random.Generator) -> Floats:
        """Points at random at which a ball is wholly inside [m], shape (some, 3)."""
        low, high = self._low + radius, self._high - radius
        points = self.part.moved(rng.uniform(low, np.maximum(low, high), (TRIES, 3)))
        return np.asarray(points[self.depths(points) >= radius * (1.0 - SPARE)])


class Room:
    """Who is where at the end of a step: bodies, even those that just went, and balls that came."""

    def __init__(self, model: Model, world: World) -> None:
        self._detector = model.detector
        self._poses = world.bodies.position.copy(), world.bodies.orientation.copy()
        self._bodies: Snapshot | None = None  # made where somebody asks
        self._balls = np.empty((0, 4))  # that came: middles and radii [m]

    def take(self, places: Floats, radius: float) -> Floats | None:
        """The first of some places at which a ball touches nobody, which is then taken."""
        reach = radius * (1.0 + SPARE)
        if self._bodies is None and len(self._poses[0]):
            self._bodies = self._detector.at(*self._poses)
        if self._bodies is not None and len(places):
            found = self._bodies.closest_points(places, within=reach)
            places = places[~(found.distances < reach)]
        if len(self._balls):
            apart = np.linalg.norm(places[:, None] - self._balls[None, :, :3], axis=2)
            places = places[(apart >= reach + self._balls[None, :, 3]).all(axis=1)]
        if not len(places):
            return None
        self._balls = np.vstack([self._balls, [*places[0], radius]])
        return np.asarray(places[0])
