"""Paper 2: projected Jacobi, Gauss–Seidel and SOR: linear rates, and motion at few iterations."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.problem.problem import ConeProblem
from amontons.solvers import GaussSeidel, Jacobi, Solver
from amontons.viewer.pictures import View
from amontons_papers.drawing import Panel, draw
from amontons_papers.drop import Drop, pile
from amontons_papers.experiment import Experiment
from amontons_papers.histories import linear_rate
from amontons_papers.notebook import Notebook

Floats = NDArray[np.float64]

OVER = 1.5
"""ω of SOR."""

DIAMETER = 0.2
"""Of the balls of a pile [m]."""

DEEPEST = 40
"""Steps after which the pile with 2 iterations per step is about deepest."""

KICK = 1.0
"""Upward speed of the lowest ball in the test of lost motion [m/s]."""


def methods(**limits: Any) -> dict[str, Solver]:
    """The three splittings of eqs. 35 to 37, undamped."""
    return {
        "Jacobi": Jacobi(relaxation=1.0, **limits),
        "Gauss–Seidel": GaussSeidel(parallel=False, **limits),
        "SOR": GaussSeidel(parallel=False, relaxation=OVER, **limits),
    }


def spectral_radii(problem: ConeProblem) -> dict[str, float]:
    """Of M⁻¹N, with the splittings of eqs. 35 to 37: the rates that theory gives."""
    A = np.asarray(problem.operator.as_matrix().todense())
    D, lower, upper = np.diag(np.diag(A)), -np.tril(A, -1), -np.triu(A, 1)
    splittings = {
        "Jacobi": (D, lower + upper),
        "Gauss–Seidel": (D - lower, upper),
        "SOR": (D - OVER * lower, (1.0 - OVER) * D + OVER * upper),
    }
    return {
        name: float(np.abs(np.linalg.eigvals(np.linalg.solve(M, N))).max())
        for name, (M, N) in splittings.items()
    }


def top_heights(balls: int, solver: Solver, steps: int) -> tuple[Floats, Drop]:
    """Height of the uppermost ball over that at rest [m] after each step, all cold started."""
    scene = pile(balls)
    rest = scene.position[balls - 1, 2]
    heights = np.zeros(steps + 1)
    for number in range(steps):
        scene.memory.forget()
        scene.advance(solver)
        heights[number + 1] = scene.position[balls - 1, 2] - rest
    return heights, scene


def share_passed_on(balls: int, solver: Solver) -> float:
    """Speed of the uppermost ball one step after the lowest was kicked, of what it should be."""
    speeds = []
    for each in (solver, Jacobi(relaxation=1.0, tolerance=1e-12)):
        scene = pile(balls)
        scene.velocity[0, 2] = KICK * balls
        scene.advance(each)
        speeds.append(float(scene.velocity[balls - 1, 2]) + 9.81 * scene.step)
    return speeds[0] / speeds[1]


class Sinking(NamedTuple):
    """What the top of a pile does that should rest."""

    iterations: int  # a step
    sink: float  # deepest, in diameters
    rise: float  # fastest [m/s]
    curve: tuple[Floats, Floats]  # time [s] and height [mm]

    @classmethod
    def of(cls, iterations: int, heights: Floats, scene: Drop) -> Sinking:
        """From heights after each step [m]."""
        time = np.asarray(scene.step * np.arange(heights.size), dtype=np.float64)
        rise = float(np.diff(heights).max() / scene.step)
        return cls(iterations, float(-heights.min()) / DIAMETER, rise, (time, 1e3 * heights))


class Splitting(Experiment):
    """A pile of smooth balls: how errors fall, and what is seen of those that are left."""

    name: ClassVar[str] = "splitting"
    paper: ClassVar[int] = 2
    shows: ClassVar[str] = "eqs. 34 to 37, 'pros and cons'"
    summary: ClassVar[str] = (
        "projected Jacobi, Gauss–Seidel and SOR: linear rates; piles that sink and spring"
    )
    minutes: ClassVar[float] = 0.2

    def run(self, notebook: Notebook) -> None:
        balls = self.pick(10, 10, 20)
        self._rates(balls, notebook)
        self._sinking(balls, notebook)
        self._lost_motion(balls, notebook)
        notebook.differs(
            "The slides show no figures of these; the pile of balls is ours. Every step starts "
            "cold, as the slides have it: our simulations start from the last step's impulses, and "
            "so lose far less."
        )

    def _rates(self, balls: int, notebook: Notebook) -> None:
        problem = pile(balls).problem()
        theory = spectral_radii(problem)
        curves, rows = {}, []
        for name, solver in methods(tolerance=1e-12, max_iterations=50_000).items():
            history = solver.solve(problem).history
            rate = linear_rate(history.residual)
            curves[name] = (np.arange(len(history)), history.residual)
            rows.append((name, rate, theory[name], len(history) - 1))
            notebook.band(
                f"{name}: fitted rate over the spectral radius of M⁻¹N",
                rate / theory[name],
                paper="'it has linear convergence'",
                low=0.999,
                high=1.001,
                reason="a linear rate is a straight line in the logarithm, with this slope",
            )
        notebook.table(
            f"Linear convergence on a pile of {balls} balls",
            ("method", "fitted rate", "spectral radius", "iterations to 1e-12"),
            rows,
        )
        panel = Panel("iterations", "scaled error", curves, "y")
        notebook.plot(
            draw("Projected splittings converge linearly", panel),
            "rates",
            "straight lines: linear convergence",
        )

    def _sinking(self, balls: int, notebook: Notebook) -> None:
        counts = self.pick((2, 500), (2, 5, 10, 30, 100, 1000), (2, 5, 10, 30, 100, 1000, 4000))
        seen = []
        for number, count in enumerate(counts):
            notebook.say(f"a pile with {count} iterations", number / len(counts))
            solver = GaussSeidel(parallel=False, tolerance=1e-9, max_iterations=count)
            heights, scene = top_heights(balls, solver, self.pick(60, 80, 200))
            seen.append(Sinking.of(count, heights, scene))
            if count == counts[0]:  # at about its deepest
                heights, scene = top_heights(balls, solver, DEEPEST)
            if count in (counts[0], counts[-1]):
                now = scene.step * (heights.size - 1)
                notebook.picture(
                    scene.as_simulation(),
                    f"pile{count}",
                    f"{balls} balls after {now:g} s with {count} iterations per step",
                    size=(400, 600),
                    view=View(height=3.0),
                )
        judge_sinking(seen, notebook)
        label = "height of the top ball [mm]"
        few, many = (
            Panel("time [s]", label, {f"{run.iterations} iterations": run.curve for run in runs})
            for runs in (seen[: len(seen) // 3 or 1], seen[len(seen) // 3 or 1 :])
        )
        notebook.plot(
            draw("A pile at rest", few, many),
            "sinking",
            "at few iterations a pile that should rest sinks, and springs back",
        )

    def _lost_motion(self, balls: int, notebook: Notebook) -> None:
        rows = []
        for count in (1, 2, balls // 2, 10 * balls, 100 * balls):
            solvers = methods(tolerance=1e-12, max_iterations=count)
            rows.append((count, *(share_passed_on(balls, each) for each in solvers.values())))
        notebook.table(
            "A kick from below: speed of the top after one step, of the exact one",
            ("iterations", "Jacobi", "Gauss–Seidel", "SOR"),
            rows,
        )
        notebook.band(
            "Jacobi: share of a kick that arrives after 2 iterations",
            float(rows[1][1]),
            paper="'high-frequency motion is lost', 'motion appears damped'",
            high=0.1,
            reason="an iteration passes it on by one ball only",
        )
        notebook.band(
            f"Jacobi: share that arrives after {rows[-1][0]} iterations",
            float(rows[-1][1]),
            paper="accuracy comes with iterations",
            low=0.99,
            high=1.01,
            reason="one per cent",
        )


def judge_sinking(seen: list[Sinking], notebook: Notebook) -> None:
    """Table and bands of piles with few to many iterations per step."""
    fewest, most = seen[0], seen[-1]
    notebook.table(
        "A pile at rest, Gauss–Seidel",
        ("iterations", "deepest sink of the top [diameters]", "fastest rise of the top [m/s]"),
        [(run.iterations, run.sink, run.rise) for run in seen],
    )
    notebook.band(
        f"sink of the top with {fewest.iterations} iterations per step [diameters]",
        fewest.sink,
        paper="'objects become elastic' at few iterations",
        low=0.1,
        reason="the artefact must be seen",
    )
    notebook.band(
        f"fastest rise of the top with {fewest.iterations} iterations [m/s]",
        fewest.rise,
        paper="'objects become elastic': what has sunk springs back",
        low=0.1,
        reason="the artefact must be seen; a pile at rest has none",
    )
    notebook.band(
        f"sink of the top with {most.iterations} iterations per step [diameters]",
        most.sink,
        paper="'more accuracy requires a zillion iterations'",
        high=1e-6,
        reason="nothing that an eye, or a tolerance, would see",
    )
