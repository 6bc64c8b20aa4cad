"""PyBullet: rigid bodies, sequential impulses."""

from __future__ import annotations

import numpy as np

from engines.base import Engine, Settings
from engines.grains import GRAVITY, Floats, Grains

ITERATIONS = 50
"""Its default."""


class PyBulletEngine(Engine):
    """Rigid bodies (`useMaximalCoordinates`), four times as fast as the default multibodies."""

    def __init__(self, grains: Grains, settings: Settings) -> None:
        import pybullet

        if grains.spin or np.isfinite(grains.bottom):
            raise ValueError("PyBullet has no vessel that turns or is emptied here: the bed only")
        super().__init__(grains)
        self.step = settings.step or 1.0 / 240.0
        self.bullet = p = pybullet
        p.connect(p.DIRECT)
        p.setGravity(0.0, 0.0, -GRAVITY)
        p.setPhysicsEngineParameter(numSolverIterations=ITERATIONS, fixedTimeStep=self.step)
        root = grains.friction**0.5  # Bullet multiplies the coefficients of two bodies
        for point, normal in grains.faces:
            plane = p.createCollisionShape(p.GEOM_PLANE, planeNormal=normal.tolist())
            body = p.createMultiBody(0, plane, basePosition=point.tolist())
            p.changeDynamics(body, -1, lateralFriction=0.0 if grains.smooth else root)
        sphere = p.createCollisionShape(p.GEOM_SPHERE, radius=grains.radius)
        self.bodies = [
            p.createMultiBody(grains.mass, sphere, basePosition=at, useMaximalCoordinates=True)
            for at in grains.places.tolist()
        ]
        for body in self.bodies:
            p.changeDynamics(
                body, -1, lateralFriction=root, rollingFriction=0, spinningFriction=0,
                restitution=0, linearDamping=0, angularDamping=0,
            )  # fmt: skip

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            self.bullet.stepSimulation()

    def places(self) -> Floats:
        where = self.bullet.getBasePositionAndOrientation
        return np.array([where(body)[0] for body in self.bodies])

    def about(self) -> dict[str, object]:
        return {**super().about(), "iterations": ITERATIONS}
