"""Tables I and II and figure 5 of paper 3: three solvers press a slab on 4000 spheres."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from amontons.problem.problem import ConeProblem
from amontons.problem.solution import Solution
from amontons.scenes import PressedBed
from amontons.solvers import APGD, GaussSeidel, Jacobi, Solver
from amontons_papers.drawing import Panel, draw
from amontons_papers.experiment import Experiment
from amontons_papers.histories import reach
from amontons_papers.notebook import Cell, Notebook
from amontons_papers.paper3.reference_bed import ReferenceBed

STEP = 0.03
"""Time step [s]. The paper does not give it, but its objective at 10³ kg does: at rest
f = −½ Σm (g h)², so −220 J and 5000 kg mean h = 0.030 s."""

MASSES = (1e3, 1e4, 1e5, 1e6)

PAPER_RESIDUAL = {
    1e3: (1.27e-5, 9.43e-6, 1.10e-6),
    1e4: (1.48e-5, 1.27e-5, 3.18e-6),
    1e5: (1.52e-5, 1.36e-5, 9.09e-6),
    1e6: (1.53e-5, 1.37e-5, 1.18e-5),
}
"""Table I: Jacobi, Gauss–Seidel, APGD after 1000 iterations, by the slab's mass [kg]."""

PAPER_OBJECTIVE = {
    1e3: (-28.29, -117.70, -220.14),
    1e4: (-35.63, -162.99, -883.54),
    1e5: (-37.02, -176.94, -3199.27),
    1e6: (-37.15, -210.23, -4696.48),
}
"""Table I, the objective."""

EDGE = 32 / 21
"""The ω of Gauss–Seidel up to which it settles. Tangential rows of two spheres of mass 1 have
curvature 7, and eq. 27 averages to 16/3; a row that sticks overshoots for good if ω·7·3/16 > 2."""
OVER = 1.54
"""The ω with which sweeps have the paper's objective of table I at 10³ kg, −117.7 J. The paper
gives none; it says that its Gauss–Seidel `has successive over-relaxation`."""
RELAXATIONS = (0.3, 1.0, 1.5, EDGE, OVER, 1.55)

NAMES = ("Jacobi", "Gauss–Seidel", "APGD")
OVER_RELAXED = f"Gauss–Seidel, ω = {OVER}"
PLAIN = "APGD, unscaled"
"""The paper's algorithm 1 to the letter: without our scaling of rows, L ← 0.9 L."""


def solvers(tolerance: float, iterations: int) -> dict[str, Solver]:
    """The paper's three, its APGD unscaled and sweeps over-relaxed, all judged by eq. 25."""
    limits: dict[str, Any] = {
        "tolerance": tolerance,
        "measure": "paper3",
        "max_iterations": iterations,
    }
    return {
        "Jacobi": Jacobi(**limits),
        "Gauss–Seidel": GaussSeidel(parallel=False, **limits),
        "APGD": APGD(**limits),
        PLAIN: APGD(scaling="none", shrink=0.9, **limits),
        OVER_RELAXED: GaussSeidel(parallel=False, relaxation=OVER, **limits),
    }


class Slab(Experiment):
    """Residual and objective after 1000 iterations, and iterations to r = 7e-6."""

    name: ClassVar[str] = "slab"
    paper: ClassVar[int] = 3
    shows: ClassVar[str] = "tables I and II, figures 4 and 5"
    summary: ClassVar[str] = (
        "4000 spheres under slabs of 10³ to 10⁶ kg: APGD against Gauss–Seidel and Jacobi"
    )
    minutes: ClassVar[float] = 2.5

    @property
    def level(self) -> float:
        """The residual of table II [m/s]."""
        return self.pick(5e-5, 7e-6, 7e-6)

    def run(self, notebook: Notebook) -> None:
        scene = self.pick(PressedBed(300, width=1.5), PressedBed(), PressedBed())
        bed = ReferenceBed(scene, STEP)
        bed.settle(lambda text, share: notebook.say(text, 0.3 * share))
        self._describe(bed, notebook)
        runs: dict[float, dict[str, Solution]] = {}
        for number, mass in enumerate(self.pick(MASSES[:3], MASSES, MASSES)):
            problem = bed.problem(mass)
            notebook.say(f"1000 iterations under {mass:g} kg", 0.3 + 0.1 * number)
            limited = solvers(0.0, 1000)
            runs[mass] = {name: each.solve(problem) for name, each in limited.items()}
        table_1(runs, notebook)
        figure_5(runs[1e3], notebook)
        notebook.say("iterations to the tolerance of table II", 0.75)
        self._table_2(bed.problem(1e3), notebook)
        notebook.say("sweeps with other relaxations", 0.9)
        self._relaxations(bed.problem(1e3), notebook)
        remarks(notebook)

    def _describe(self, bed: ReferenceBed, notebook: Notebook) -> None:
        simulation = bed.settled
        overlap = simulation.readings.penetration[-1] / bed.scene.radius
        notebook.band(
            "largest overlap in the settled bed, over the radius",
            overlap,
            paper="not given; its figure 4 shows the bed",
            high=0.01,
            reason="a bed that is to be a reference must not be crushed",
        )
        notebook.picture(simulation, "bed", "the settled bed (figure 4)", size=(600, 900))
        notebook.data("bed", position=simulation.bodies.position, speed=bed.speeds())

    def _table_2(self, problem: ConeProblem, notebook: Notebook) -> None:
        level = self.level
        sweeps = self.pick(5000, 20_000, 100_000)
        limits = {"Gauss–Seidel": sweeps, OVER_RELAXED: sweeps, "APGD": 10_000, PLAIN: 10_000}
        found = {n: solvers(level, limit)[n].solve(problem) for n, limit in limits.items()}
        twice = 2 * found["Gauss–Seidel"].iterations
        found["Jacobi"] = solvers(level, twice)["Jacobi"].solve(problem)
        paper = {"Jacobi": "500 000, not there", "Gauss–Seidel": "11 485", "APGD": "202"}
        seconds = {"Jacobi": "24 300", "Gauss–Seidel": "494.8", "APGD": "10.6"}
        rows: list[tuple[Cell, ...]] = []
        for name, solution in found.items():
            missing = "" if reach(solution.history, level) else ", not there"
            count = f"{solution.iterations}{missing}"
            rows.append(
                (name, solution.residual, count, paper.get(name), solution.time, seconds.get(name))
            )
        notebook.table(
            f"Table II: to r = {level:g} under 1000 kg",
            ("solver", "r", "iterations", "paper's", "seconds", "paper's seconds"),
            rows,
        )
        self._advantage(found, notebook)
        notebook.band(
            "Jacobi is not there after twice Gauss–Seidel's iterations (1 is so)",
            float(reach(found["Jacobi"].history, level) is None),
            paper="not there after 500 000",
            low=1.0,
        )

    def _advantage(self, found: dict[str, Solution], notebook: Notebook) -> None:
        """Sweeps over APGD's iterations; those that are not there count as far as they went."""
        few, short = reach(found["APGD"].history, self.level) or (float("nan"), float("nan"))
        sweeps = found["Gauss–Seidel"]
        for what, ratio, theirs in (
            ("iterations", sweeps.iterations / few, "57 (11 485 / 202)"),
            ("time", sweeps.time / short, "47 (494.8 s / 10.6 s)"),
        ):
            notebook.band(
                f"{what} of Gauss–Seidel over APGD's",
                ratio,
                paper=theirs,
                low=10.0,
                reason="'more than an order of magnitude' (§4.1.1)",
            )
        if self.size != "quick":
            notebook.band(
                "iterations of APGD", few, paper="202", high=404, reason="within twice the paper's"
            )

    def _relaxations(self, problem: ConeProblem, notebook: Notebook) -> None:
        """Algorithm 2 with other ω: the paper does not say which it took."""
        rows: list[tuple[Cell, ...]] = []
        for omega in RELAXATIONS:
            solution = GaussSeidel(
                parallel=False, relaxation=omega, tolerance=self.level, measure="paper3",
                max_iterations=self.pick(5000, 12_000, 100_000),
            ).solve(problem)  # fmt: skip
            history, there = solution.history, reach(solution.history, self.level)
            at = min(1000, len(history) - 1)
            count = str(there[0]) if there else f"{solution.iterations}, not there"
            rows.append((omega, float(history.residual[at]), float(history.objective[at]),
                         solution.residual, count))  # fmt: skip
        paper = PAPER_RESIDUAL[1e3][1], PAPER_OBJECTIVE[1e3][1]
        notebook.table(
            "Gauss–Seidel under 1000 kg by its relaxation ω (algorithm 2)",
            ("ω", "r after 1000", "f after 1000 [J]", "least r", f"iterations to {self.level:g}"),
            [*rows, ("the paper's, not given", *paper, 6.99e-6, "11 485")],
        )


def table_1(runs: dict[float, dict[str, Solution]], notebook: Notebook) -> None:
    """Residual and objective after all iterations, and the trend for each mass."""
    ours = (*NAMES, OVER_RELAXED, PLAIN)
    columns = ("mass [kg]", *ours, *(f"paper's {name}" for name in NAMES))
    of: Callable[[Solution], float]
    for title, paper, of in (
        ("residual r (eq. 25)", PAPER_RESIDUAL, lambda s: s.residual),
        ("objective f [J]", PAPER_OBJECTIVE, lambda s: s.objective),
    ):
        rows = [(m, *(of(runs[m][name]) for name in ours), *paper[m]) for m in runs]
        notebook.table(f"Table I: {title}", columns, rows)
    for mass in runs:
        jacobi, sweeps, apgd = (runs[mass][name] for name in NAMES)
        notebook.band(
            f"r of Gauss–Seidel over that of APGD at {mass:g} kg",
            sweeps.residual / apgd.residual,
            paper=f"{PAPER_RESIDUAL[mass][1] / PAPER_RESIDUAL[mass][2]:.3g}",
            low=1.0,
            reason="the trend of table I: APGD's is the smallest",
        )
        notebook.band(
            f"r of Jacobi over that of Gauss–Seidel at {mass:g} kg",
            jacobi.residual / sweeps.residual,
            paper=f"{PAPER_RESIDUAL[mass][0] / PAPER_RESIDUAL[mass][1]:.3g}",
            low=1.0,
            reason="the trend of table I",
        )
        notebook.band(
            f"f of APGD over that of Gauss–Seidel at {mass:g} kg",
            apgd.objective / sweeps.objective,
            paper=f"{PAPER_OBJECTIVE[mass][2] / PAPER_OBJECTIVE[mass][1]:.3g}",
            low=1.0,
            reason="the trend of table I: APGD's is the lowest",
        )
    growth = [run["APGD"].residual for run in runs.values()]
    notebook.band(
        "least growth of APGD's r from one mass to the next",
        min(b / a for a, b in pairwise(growth)),
        paper="1.3 (9.09e-6 to 1.18e-5)",
        low=1.0,
        reason="the trend of table I: heavier slabs are harder",
    )


def figure_5(runs: dict[str, Solution], notebook: Notebook) -> None:
    """Residual and objective against iterations under 1000 kg."""
    count = {name: np.arange(len(run.history)) for name, run in runs.items()}
    notebook.plot(
        draw(
            "Figure 5: 4000 spheres under a slab of 1000 kg",
            Panel(
                "iterations",
                "r of eq. 25 [m/s]",
                {name: (count[name], run.history.best_residual) for name, run in runs.items()},
                "y",
            ),
            Panel(
                "iterations",
                "objective f [J]",
                {name: (count[name], run.history.objective) for name, run in runs.items()},
            ),
        ),
        "figure5",
        "residual and objective of the three solvers (figure 5); best residual so far",
    )
    curves: dict[str, np.ndarray] = {}
    for i, run in enumerate(runs.values()):
        curves[f"residual_{i}"] = run.history.residual
        curves[f"objective_{i}"] = run.history.objective
    notebook.data("figure5", solvers=list(runs), **curves)


def remarks(notebook: Notebook) -> None:
    """What is not as in the paper."""
    notebook.differs(
        "The residual is the paper's own, eq. 25, which our measure `paper3` is to the letter; "
        "tolerances of other commands are in our scaled error."
    )
    notebook.differs(
        "The paper's time step is not given. Its objective at 10³ kg is that of a bed that stays "
        "at rest, −½ Σm (g h)², for h = 0.030 s, which is taken here. Its −883.5 J at 10⁴ kg lies "
        "below that of any bed at rest without overlaps (−606 J): theirs was settled by "
        "Gauss–Seidel, which leaves overlaps that push back; ours by APGD, which leaves none. "
        "Both objectives mean that the paper's slab presses into the bed: 3 mm deep, with "
        "h = 0.028 s, ours has −224 J and −875 J, APGD ends at r = 1.0e-6 and 4.7e-6 and needs 207 "
        "iterations to 7e-6, and Gauss–Seidel 4138."
    )
    notebook.differs(
        "How far Gauss–Seidel is behind depends on its ω, which the paper does not give. With "
        "Chrono's default, ω = 1, it takes a third of the paper's sweeps and has three quarters of "
        "the paper's objective after 1000. Over-relaxed, it has the paper's objective with "
        f"ω = {OVER}; and there r has the paper's long tail, from 1.2e-5 after 1000 sweeps (§4.1.1 "
        "says 1.2e-5, table I 9.4e-6) to 7e-6 after thousands more; under heavier slabs r is the "
        f"paper's to 5 %. The reason: above ω = 32/21 = {EDGE:.3f} sticking contacts overshoot and "
        "never settle, though the objective falls on. So the sweeps rise from 2500 at ω = 1.5 to "
        "more than 12 000 at 1.55, and the paper's 11 485 lie between; at its best, Gauss–Seidel "
        f"is 12 times behind. There is no band on ω = {OVER}: at the edge, beds that differ in "
        "last digits took 2600 and 6300 sweeps. Overlaps, the order of contacts, contacts that do "
        "not touch and the spheres' inertia explain the tail as little as smaller ω do: we tried."
    )
    notebook.differs(
        "Jacobi is stopped after twice the iterations of Gauss–Seidel. With ω = 0.2 it is there "
        "after 23 295 and with 0.4 after 11 647; with 0.5 it diverges. The paper's, not there "
        "after 500 000, may have been at the edge as well."
    )
    notebook.differs(
        f"Columns and curves `{PLAIN}` are algorithm 1 to the letter; `APGD` is ours, which scales "
        "rows by their curvature and takes one product an iteration."
    )
