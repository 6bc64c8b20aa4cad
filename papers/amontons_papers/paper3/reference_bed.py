"""The reference configuration of paper 3, §4.1.1: spheres in a shaft, at rest under a slab."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from amontons.problem.problem import ConeProblem
from amontons.scenes import PressedBed
from amontons.simulation.simulation import Simulation
from amontons.solvers import APGD, Jacobi, Solver

FALL, CALM = 2.0, 0.4
"""How long the bed falls, and how long it then comes to rest with an accurate solver [s]."""

SETTLING_STEP = 0.01
"""Of the fall [s]."""


@dataclass
class ReferenceBed:
    """A bed that has come to rest, and the problems of one step that starts there."""

    scene: PressedBed
    step: float
    """Of the problems [s]."""

    @cached_property
    def settled(self) -> Simulation:
        """The scene after its fall; takes about half a minute with 4000 spheres."""
        return self.settle(lambda text, share: None)

    def settle(self, report: Callable[[str, float], None]) -> Simulation:
        """Let the bed fall and come to rest, and keep it."""
        loose: Solver = APGD(tolerance=1e-3, max_iterations=100)
        fine: Solver = APGD(tolerance=1e-4, max_iterations=500)
        world, end = self.scene.build(), FALL + CALM
        simulation = Simulation(world, step=SETTLING_STEP, solver=loose)
        simulation.run(FALL, on_step=lambda step: report("the bed falls", step.time / end))
        simulation = Simulation(world, step=SETTLING_STEP, solver=fine)
        simulation.run(CALM, on_step=lambda step: report("the bed rests", (FALL + step.time) / end))
        self.__dict__["settled"] = simulation
        return simulation

    def problem(self, slab_mass: float) -> ConeProblem:
        """The problem of a step from rest in the settled configuration, under any slab [kg]."""
        world = replace(self.scene, slab_mass=slab_mass).build()
        world.bodies.position[:] = self.settled.bodies.position
        world.bodies.orientation[:] = self.settled.bodies.orientation
        simulation = Simulation(world, step=self.step, solver=Jacobi(max_iterations=1))
        simulation.step()
        return simulation.problem()

    def speeds(self) -> NDArray[np.float64]:
        """Of all spheres when settled [m/s]; zero in the problems, which start from rest."""
        return np.asarray(np.linalg.norm(self.settled.bodies.velocity, axis=1))
