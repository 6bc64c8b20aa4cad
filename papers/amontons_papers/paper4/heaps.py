"""Paper 4, benchmarks: articulated objects with contacts, and shapes that are not convex."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from amontons.scenes import OddShapes, Ragdolls
from amontons.simulation.simulation import Simulation
from amontons.solvers import APGD, GaussSeidel
from amontons_papers.experiment import Experiment
from amontons_papers.machines import Watched, joint_band, watch, write_down
from amontons_papers.notebook import Notebook


class ArticulatedObjects(Experiment):
    """Dolls of ten limbs fall into a heap."""

    name: ClassVar[str] = "articulated-objects"
    paper: ClassVar[int] = 4
    shows: ClassVar[str] = "benchmark: contacts between articulated objects"
    summary: ClassVar[str] = "jointed dolls fall into a heap: contacts and joints together"
    minutes: ClassVar[float] = 0.5

    def run(self, notebook: Notebook) -> None:
        dolls = self.pick(quick=1, default=4, full=8)
        world = Ragdolls(dolls).build()
        simulation = Simulation(world, step=5e-3, solver=APGD(tolerance=1e-3, max_iterations=150))
        simulation.step()  # compiles what is needed, which real time does not count
        duration = self.pick(quick=1.0, default=4.0, full=5.0)
        run = watch(simulation, duration, world.body("doll 1 trunk"), notebook)
        if self.size != "quick":
            rest_band(notebook, simulation)
        overlap_band(notebook, simulation, limit=5e-3)
        joint_band(notebook, run, limit=0.05 * 0.2)  # of the shortest limb's length
        real_time_band(notebook, run)
        write_down(notebook, simulation, run)
        notebook.picture(simulation, "heap", f"{dolls} dolls after {simulation.time:.1f} s.")
        notebook.differs(f"the paper has a picture only; ours has {dolls} dolls of ten limbs")


class NonConvexShapes(Experiment):
    """Jacks, brackets, cups and rings fall into a heap."""

    name: ClassVar[str] = "non-convex-shapes"
    paper: ClassVar[int] = 4
    shows: ClassVar[str] = "benchmark: contacts between non-convex shapes"
    summary: ClassVar[str] = "jacks, brackets, cups and rings fall into a heap"
    minutes: ClassVar[float] = 1.0

    def run(self, notebook: Notebook) -> None:
        bodies = self.pick(quick=6, default=20, full=80)
        scene = OddShapes(bodies)
        world = scene.build()
        # paper 4's own method; serial sweeps, as so few contacts are no work for two cores
        solver = GaussSeidel(tolerance=1e-3, max_iterations=80, parallel=False)
        simulation = Simulation(world, step=8e-3, solver=solver)
        simulation.step()
        duration = self.pick(quick=0.4, default=2.4, full=3.0)
        run = watch(simulation, duration, world.body(2), notebook)
        if self.size != "quick":
            rest_band(notebook, simulation)
        overlap_band(notebook, simulation, limit=0.02 * scene.size)
        height = world.bodies.position[world.bodies.dynamic, 2]
        notebook.band(
            "lowest centre of a body [m]",
            height.min(),
            paper="a picture only",
            low=0.0,
            reason="nothing falls through the floor",
        )
        real_time_band(notebook, run)
        write_down(notebook, simulation, run)
        notebook.picture(simulation, "heap", f"{bodies} bodies after {simulation.time:.1f} s.")
        notebook.differs(
            f"the paper has a picture only; ours are {bodies} compounds of capsules, boxes and "
            "wedges; meshes that are to meet one another are decomposed first"
        )


def rest_band(notebook: Notebook, simulation: Simulation) -> None:
    """Whether the heap has come to rest."""
    mass = simulation.bodies.mass[simulation.bodies.dynamic].sum()
    speed = np.sqrt(2.0 * simulation.readings.kinetic_energy[-1] / mass)
    notebook.band(
        "mean speed at the end [m/s]",
        speed,
        paper="a picture only",
        high=0.1,
        reason="a heap comes to rest",
    )


def overlap_band(notebook: Notebook, simulation: Simulation, limit: float) -> None:
    """How deep bodies went into one another [m], over the whole run."""
    notebook.band(
        "largest overlap [m]",
        simulation.readings.penetration.max(),
        paper="a picture only",
        high=limit,
        reason="small beside the bodies",
    )


def real_time_band(notebook: Notebook, run: Watched) -> None:
    """Whether the run kept up with reality."""
    notebook.band(
        "real-time factor",
        run.real_time,
        paper="real time",
        low=1.0,
        reason="simulated seconds by seconds on the clock",
    )
