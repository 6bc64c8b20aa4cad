"""B4 of paper 1: a wrecking ball hits 750 bricks; and what the fallback does about oscillations."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from amontons.problem.problem import ConeProblem
from amontons.problem.solution import History
from amontons.simulation.simulation import Simulation
from amontons.solvers import SpectralGradient
from amontons.viewer.pictures import View
from amontons_papers.drawing import Panel, draw
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook
from amontons_papers.paper1.comparison import P_SPG_FB, error_after, race, record, rivals
from amontons_papers.paper1.impact import hit, scene

BUDGET = 200
"""Iterations after which errors are compared: what a step in real time can afford."""

VARIANTS = {
    "preconditioned": SpectralGradient(
        measure="paper1", tolerance=0.0, max_iterations=BUDGET, step="alternating", scaling="block"
    ),
    "not preconditioned": SpectralGradient(
        measure="paper1", tolerance=0.0, max_iterations=BUDGET, step="alternating", scaling="none"
    ),
}
"""The paper's method with P = diag(A), averaged in each set, and with P = 1."""


class Masonry(Experiment):
    """The step of the impact by every solver, and the collapse in time."""

    name: ClassVar[str] = "b4"
    paper: ClassVar[int] = 1
    shows: ClassVar[str] = "figures 1, 6 and 7 (B4)"
    summary: ClassVar[str] = (
        "a wrecking ball hits 750 bricks; the non-monotone residual and the fallback"
    )
    minutes: ClassVar[float] = 1.5

    def run(self, notebook: Notebook) -> None:
        courses, length = self.pick((6, 8), (25, 30), (25, 30))
        simulation = hit(courses, length, notebook)
        problem = simulation.problem()
        self._race(problem, notebook)
        figure_1(problem, notebook)
        self._collapse(simulation, notebook)
        notebook.differs(
            "The paper does not give bricks, ball and swing; ours are 40 cm × 20 cm × 20 cm bricks "
            "of 32 kg and a ball of 3 t on a rope of 8 m that comes from 60°, a mass ratio of 94."
        )

    def _race(self, problem: ConeProblem, notebook: Notebook) -> None:
        solvers = rivals(tolerance=1e-9, max_iterations=self.pick(500, 1500, 20_000))
        solutions = race(problem, solvers, notebook.say)
        ours = error_after(solutions[P_SPG_FB], BUDGET)
        for rival in ("Gauss–Seidel", "Jacobi"):
            notebook.band(
                f"error of {rival} over that of P-SPG-FB, after {BUDGET} iterations",
                error_after(solutions[rival], BUDGET) / ours,
                paper="figure 6: P-SPG-FB converges faster than fixed point iterations",
                low=1.0,
                reason="the order of the curves",
            )
        title = f"B4: the impact, {problem.blocks} contacts and rope"
        record(
            solutions, title, notebook, "b4", "scaled error against iterations and time (figure 6)"
        )

    def _collapse(self, simulation: Simulation, notebook: Notebook) -> None:
        """The wall after the hit (figure 7): it gives way, and nothing flies off."""
        before = simulation.bodies.position.copy()
        count = self.pick(50, 150, 250)
        for number in range(count):
            simulation.step()
            notebook.say("the wall gives way", number / count)
        speed = np.linalg.norm(simulation.bodies.velocity, axis=1)
        arrival = np.sqrt(2.0 * 9.81 * scene(1, 1).rope * (1.0 - np.cos(np.radians(60.0))))
        moved = np.linalg.norm(simulation.bodies.position - before, axis=1)[1:-1]
        notebook.band(
            "fastest brick over the ball's speed at the impact",
            float(speed[1:-1].max() / arrival),
            paper="figure 7: bricks fall, none is shot away",
            high=2.0,
            reason="an elastic hit by a much heavier ball gives twice its speed",
        )
        notebook.band(
            "bricks that moved by more than a brick",
            float(np.count_nonzero(moved > 0.2)),
            paper="figure 7: a hole",
            low=4,
            reason="the ball covers about as many",
        )
        notebook.band(
            "lowest centre of a brick over half its height",
            float(simulation.bodies.position[1:-1, 2].min() / 0.1),
            paper="bricks lie on the floor",
            low=0.95,
            reason="none sinks",
        )
        notebook.picture(
            simulation,
            "masonry",
            f"the wall {simulation.time:.2f} s after the start (figure 7)",
            view=View(azimuth=60.0, height=15.0, distance=0.9),
        )


def figure_1(problem: ConeProblem, notebook: Notebook) -> None:
    """Residual of each iterate and of what the fallback would return, on the impact."""
    runs = {name: solver.solve(problem).history for name, solver in VARIANTS.items()}
    plain = runs["preconditioned"]
    notebook.band(
        "share of iterations at which w grows",
        rises(plain),
        paper="figure 1: non-monotone",
        low=0.1,
        reason="wild oscillations before it settles (§1)",
    )
    notebook.band(
        "worst last iterate over the fallback's, if stopped early",
        float((plain.residual / plain.best_residual).max()),
        paper="'the last computed value might be really bad' (§1)",
        low=2.0,
        reason="a factor that matters",
    )
    notebook.band(
        "share of iterations at which the fallback's w grows",
        float(np.mean(np.diff(plain.best_residual) > 0.0)),
        paper="0 by construction",
        high=0.0,
    )
    count = np.arange(BUDGET + 1)
    parts = [
        Panel(
            f"iterations, {name}",
            "w [m/s]",
            {
                "iterates": (count[: len(history)], history.residual),
                "fallback": (count[: len(history)], history.best_residual),
            },
            "y",
        )
        for name, history in runs.items()
    ]
    notebook.plot(
        draw("Figure 1: w of the iterates and of the fallback", *parts),
        "figure1",
        "the residual of the iterates jumps, that of the fallback never grows (figure 1)",
    )
    notebook.table(
        "Figure 1: what preconditioning does",
        ("variant", "share of rising steps", "worst last over best", f"w after {BUDGET} [m/s]"),
        [
            (name, rises(h), float((h.residual / h.best_residual).max()), h.best_residual[-1])
            for name, h in runs.items()
        ],
    )


def rises(history: History) -> float:
    """Share of iterations at which the residual is larger than before."""
    return float(np.mean(np.diff(history.residual) > 0.0))
