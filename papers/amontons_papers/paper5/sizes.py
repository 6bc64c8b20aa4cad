"""Figure 1 and table 1 of paper 5: interior point iterations hardly depend on the size."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from amontons.problem.solution import History
from amontons.solvers import APGD, InteriorPoint
from amontons_papers.drawing import Panel, draw
from amontons_papers.drop import Drop, balls_in_a_box
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook

BALLS = (155, 415, 575, 1750)
"""Numbers of balls whose matrices have about the paper's 1200, 3200, 4500 and 13 800 rows."""

PAPER = {155: (1200, 16.7), 415: (3200, 18.6), 575: (4500, 19.4), 1750: (13_800, 18.9)}
"""Rows of the matrix and mean iterations (table 1)."""

AS_PAPER = InteriorPoint(tolerance=1e-15, stop_as_paper=True, warm="none")
"""Ended by eq. 38, from a cold start."""


class Count(NamedTuple):
    """Iterations of the steps of one box."""

    balls: int
    rows: float  # of the matrix of eq. 20, on average
    iterations: list[int]  # of each step
    last: History
    scene: Drop


def count_iterations(balls: int, steps: int, settle: int) -> Count:
    """Drop balls in a box for `settle` cheap steps, then solve `steps` by the interior point."""
    scene = balls_in_a_box(balls)
    cheap = APGD(tolerance=1e-4, max_iterations=2000)
    for _ in range(settle):
        scene.advance(cheap)
    found, rows = [], []
    for _ in range(steps):
        solution = scene.advance(AS_PAPER)
        if solution is not None:
            found.append(solution.iterations)
            rows.append(solution.impulses.size)
            last = solution.history
    return Count(balls, 6 * balls + float(np.mean(rows)), found, last, scene)


class IterationsAgainstSize(Experiment):
    """Balls dropped in a box, for growing numbers of balls."""

    name: ClassVar[str] = "ip-sizes"
    paper: ClassVar[int] = 5
    shows: ClassVar[str] = "figure 1, table 1"
    summary: ClassVar[str] = "balls fall into a box: interior point iterations against the size"
    minutes: ClassVar[float] = 1.0

    def run(self, notebook: Notebook) -> None:
        sizes = self.pick((30, 155), BALLS, BALLS)
        counts = []
        for number, balls in enumerate(sizes):
            notebook.say(f"{balls} balls", number**2 / len(sizes) ** 2)
            counts.append(count_iterations(balls, self.pick(3, 10, 100), self.pick(20, 40, 40)))
        means = [float(np.mean(each.iterations)) for each in counts]
        notebook.table(
            "Table 1: iterations of a step",
            ("balls", "rows", "mean", "least", "most", "paper's rows", "paper's mean"),
            [
                (c.balls, round(c.rows), m, min(c.iterations), max(c.iterations), *known(c.balls))
                for c, m in zip(counts, means, strict=True)
            ],
        )
        notebook.band(
            "most mean iterations less fewest",
            max(means) - min(means),
            paper="2.7 (19.4 − 16.7): 'almost invariant'",
            high=1.25 * 2.7,
            reason="the paper's from 1200 to 13 800 rows, and a quarter",
        )
        notebook.band(
            "largest mean",
            max(means),
            paper="19.4",
            high=1.25 * 19.4,
            reason="the paper's, and a quarter",
        )
        curves = {f"{c.balls} balls": (np.arange(len(c.last)), c.last.residual) for c in counts}
        panel = Panel("iterations", "scaled error", curves, "y")
        notebook.plot(
            draw("Figure 1 (b): convergence of a step", panel),
            "convergence",
            "scaled error of the last step of each box (figure 1 b)",
        )
        notebook.picture(counts[-1].scene.as_simulation(), "box", "balls in a box (figure 1 a)")
        notebook.data("table1", balls=sizes, rows=[c.rows for c in counts], mean=means)
        notebook.differs(
            "The paper's numbers of balls are not given; ours give matrices of about its sizes. "
            "Eq. 38 ends each call, as there; its limits are in the units of the data."
        )


def known(balls: int) -> tuple[int | None, float | None]:
    """The paper's rows and mean iterations, where it has such a size."""
    return PAPER.get(balls, (None, None))
