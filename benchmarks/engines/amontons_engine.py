"""amontons: rigid spheres, a cone complementarity problem each step."""

from __future__ import annotations

import numpy as np

import amontons as am
from engines.base import Engine, Settings, nowhere
from engines.grains import GRAVITY, Floats, Grains

STEP = 0.005
"""By default [s]."""


class AmontonsEngine(Engine):
    """One thread, restitution 0, everything but step, solver and friction as it comes."""

    def __init__(self, grains: Grains, settings: Settings) -> None:
        super().__init__(grains)
        am.set_threads(1)
        self.step = settings.step or STEP
        given = {} if settings.friction == "default" else {"friction": settings.friction}
        if settings.tolerance is not None:
            given["solver"] = am.APGD(
                tolerance=settings.tolerance, max_iterations=settings.iterations
            )
        warm, _ = _world(grains.pressed(0.12))
        compiled = am.Simulation(warm, step=self.step, watch="off", **given)
        for _ in range(3):
            compiled.step()
        self.settings = settings
        self.world, self.ids = _world(grains)
        self.sim = am.Simulation(self.world, step=self.step, **given)

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            self.sim.step()
        if np.isfinite(self.grains.bottom):
            bodies = self.sim.bodies
            gone = bodies.dynamic & (bodies.position[:, 2] < self.grains.bottom)
            self.world.remove_bodies(bodies.id[gone].tolist())

    def places(self) -> Floats:
        found = nowhere(self.grains)
        bodies = self.sim.bodies
        here = bodies.dynamic
        found[bodies.id[here] - self.ids[0]] = bodies.position[here]
        return found

    def about(self) -> dict[str, object]:
        readings = self.sim.readings
        quarter = max(1, len(readings) // 4)
        parts = [slice(k * quarter, (k + 1) * quarter) for k in range(4)]
        return {
            **super().about(),
            "friction": self.settings.friction,
            "solver": repr(self.sim.solver),
            "contacts": int(readings.contacts[-1]),
            "iterations": float(readings.iterations.mean()),
            "iterations_by_quarter": [float(readings.iterations[p].mean()) for p in parts],
            "stages_ms_by_quarter": [
                (1e3 * readings.seconds[p].mean(axis=0)).round(2).tolist() for p in parts
            ],
            "not_converged": int(np.count_nonzero(~readings.converged)),
        }


def _world(grains: Grains) -> tuple[am.World, Floats]:
    """The world, and the ids of the grains in it."""
    world = am.World(gravity=(0.0, 0.0, -GRAVITY))
    rough = am.Material(friction=grains.friction)
    flat = am.Material(friction=0.0) if grains.smooth else rough
    for point, normal in grains.faces:
        world.add_body(am.Plane(tuple(normal)), fixed=True, position=point, material=flat)
    if len(grains.wall):
        ball = am.Sphere(grains.radius)
        if grains.spin:
            world.add_body(
                am.Compound([am.Part(ball, tuple(place)) for place in grains.wall.tolist()]),
                motion=am.Motion(angular_velocity=(0.0, grains.spin, 0.0)),
                placed_by="frame",
                material=rough,
            )
        else:
            world.add_bodies(ball, position=grains.wall, fixed=True, material=rough)
    ids = world.add_bodies(
        am.Sphere(grains.radius), position=grains.places, mass=grains.mass, material=rough
    )
    return world, ids
