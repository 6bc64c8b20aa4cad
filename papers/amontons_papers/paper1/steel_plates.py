"""B3 of paper 1: a vertical stack of 20 steel plates with odd mass ratios."""

from __future__ import annotations

from typing import ClassVar

from amontons.model.materials import Material
from amontons.model.shapes import Box, Plane
from amontons.model.world import World
from amontons.simulation.simulation import Simulation
from amontons.solvers import Auto
from amontons.viewer.pictures import View
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook
from amontons_papers.paper1.comparison import P_SPG_FB, error_after, race, record, rivals

STEEL = 7800.0
"""Density [kg/m³]."""

LARGE, SMALL = (1.0, 1.0, 0.1), (0.4, 0.4, 0.02)
"""Sizes of the plates, which take turns [m]: 780 kg and 25 kg."""

STEP = 0.005
BUDGET = 1000
"""Iterations after which errors are compared."""


def stack(plates: int) -> World:
    """Plates on a floor, small ones below large ones in turns."""
    world = World()
    material = Material(friction=0.3)
    world.add_body(Plane(), fixed=True, material=material)
    height = 0.0
    for number in range(plates):
        size = LARGE if number % 2 else SMALL
        world.add_body(
            Box(size), density=STEEL, position=(0.0, 0.0, height + 0.5 * size[2]), material=material
        )
        height += size[2]
    return world


class SteelPlates(Experiment):
    """One step of the stack from rest, cold started, by every solver; and the stack in time."""

    name: ClassVar[str] = "b3"
    paper: ClassVar[int] = 1
    shows: ClassVar[str] = "figure 5 (B3)"
    summary: ClassVar[str] = "a vertical stack of 20 steel plates of 25 kg and 780 kg in turns"
    minutes: ClassVar[float] = 0.3

    def run(self, notebook: Notebook) -> None:
        plates = self.pick(10, 20, 20)
        simulation = Simulation(stack(plates), step=STEP, solver=Auto(tolerance=1e-8))
        top = float(simulation.bodies.position[-1, 2])
        simulation.step()
        solutions = race(
            simulation.problem(), rivals(tolerance=1e-9, max_iterations=20_000), notebook.say
        )
        ours = error_after(solutions[P_SPG_FB], BUDGET)
        for rival, low in (("Jacobi", 10.0), ("Gauss–Seidel", 1.0)):
            notebook.band(
                f"error of {rival} over that of P-SPG-FB, after {BUDGET} iterations",
                error_after(solutions[rival], BUDGET) / ours,
                paper="figure 5; 'very poor, especially with odd mass ratios' of Jacobi (§1)",
                low=low,
                reason="an order of magnitude" if low > 1.0 else "the order of the curves",
            )
        notebook.band(
            "error of P-SPG-FB at the end",
            solutions[P_SPG_FB].residual,
            paper="converges (figure 5)",
            high=1e-6,
            reason="a solution that mechanics can use",
        )
        simulation.run(self.pick(0.1, 0.5, 0.5))
        notebook.band(
            "the uppermost plate after half a second: how far it moved [mm]",
            1e3 * abs(float(simulation.bodies.position[-1, 2]) - top),
            paper="not given: the stack stands",
            high=0.1,
            reason="a thousandth of a plate",
        )
        record(
            solutions,
            f"B3: {plates} steel plates",
            notebook,
            "b3",
            "scaled error against iterations and time (figure 5)",
        )
        notebook.picture(simulation, "plates", "the stack", view=View(height=4.0))
        notebook.differs(
            "The paper does not give the plates' sizes; ours are 1 m × 1 m × 10 cm and "
            "40 cm × 40 cm × 2 cm in turns, a mass ratio of 31."
        )
        notebook.differs(
            "The path of P-SPG-FB depends on rounding: with noise of up to 5e-13 in r, six times "
            "anew, Jacobi's error was 5 to 157 times as large after 500 iterations, 23 to 921 "
            "times after 1000."
        )
