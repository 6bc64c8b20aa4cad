"""Paper 4: high stacks of blocks fall at few iterations and stand at a hundred."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from amontons.model.materials import Material
from amontons.model.shapes import Box, Plane
from amontons.model.world import World
from amontons.simulation.simulation import Simulation
from amontons.solvers import GaussSeidel
from amontons_papers.drawing import Panel, draw
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook

PILLAR, SLAB = (0.2, 0.2, 0.4), (1.0, 1.0, 0.1)
"""Of a storey: four pillars below a slab [m]."""

FEW, MANY = 10, 100


def tower(storeys: int) -> World:
    """Storeys of four pillars and a slab, with high friction."""
    world = World()
    material = Material(friction=0.8)
    world.add_body(Plane(), fixed=True, material=material)
    pillar, slab, height = Box(PILLAR), Box(SLAB), 0.0
    for _ in range(storeys):
        for x in (-0.35, 0.35):
            for y in (-0.35, 0.35):
                place = (x, y, height + 0.5 * PILLAR[2])
                world.add_body(pillar, density=1000.0, position=place, material=material)
        height += PILLAR[2] + SLAB[2]
        place = (0.0, 0.0, height - 0.5 * SLAB[2])
        world.add_body(slab, density=1000.0, position=place, material=material)
    return world


def stand(storeys: int, iterations: int, seconds: float) -> tuple[Simulation, list[float]]:
    """The tower after a while of cold started sweeps, and how far the uppermost slab moved [m]."""
    solver = GaussSeidel(tolerance=1e-6, max_iterations=iterations, parallel=False)
    simulation = Simulation(tower(storeys), step=0.01, solver=solver)
    start, moved = simulation.bodies.position[-1].copy(), []
    while simulation.time < seconds - 1e-9:
        simulation.forget_contacts()
        simulation.step()
        moved.append(float(np.linalg.norm(simulation.bodies.position[-1] - start)))
    return simulation, moved


class HighStacks(Experiment):
    """A tower of pillars and slabs with few and with many iterations per step."""

    name: ClassVar[str] = "high-stacks"
    paper: ClassVar[int] = 4
    shows: ClassVar[str] = "'examples': high stacks of objects"
    summary: ClassVar[str] = "a tower falls with few iterations per step, and stands with 100"
    minutes: ClassVar[float] = 0.5

    def run(self, notebook: Notebook) -> None:
        storeys, seconds = 10, self.pick(2.0, 3.0, 10.0)
        counts = self.pick((FEW, MANY), (5, FEW, 20, 50, MANY), (5, FEW, 20, 50, MANY, 200))
        curves, ends = {}, {}
        for number, count in enumerate(counts):
            notebook.say(f"{count} iterations per step", number / len(counts))
            simulation, moved = stand(storeys, count, seconds)
            curves[f"{count} iterations"] = (simulation.readings.time, moved)
            ends[count] = moved[-1]
            if count in (FEW, MANY):
                notebook.picture(
                    simulation, f"tower{count}", f"{seconds:g} s with {count} iterations per step"
                )
        for count, paper, low, high in (
            (FEW, "'few iterations: unstable'", 0.25 * storeys, float("inf")),
            (MANY, "'100 iterations: stable'", -float("inf"), 0.05),
        ):
            notebook.band(
                f"how far the top of the tower moved with {count} iterations per step [m]",
                ends[count],
                paper=paper,
                low=low,
                high=high,
                reason="it has come down by half its height"
                if count == FEW
                else "a tenth of a storey",
            )
        notebook.table(
            f"A tower of {storeys} storeys after {seconds:g} s",
            ("iterations per step", "top moved [m]"),
            list(ends.items()),
        )
        notebook.plot(
            draw("A tower", Panel("time [s]", "the top has moved [m]", curves, "y")),
            "tower",
            "with few iterations the tower falls, with 100 it stands",
        )
        notebook.differs(
            "The paper's stack is shown in a picture only; ours has four pillars and a slab a "
            "storey and a friction of 0.8. Every step is cold started, which the paper names as "
            "what makes it hard ('indicates need for preconditioning or warm starting')."
        )
