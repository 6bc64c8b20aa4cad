"""Section 4.3 of paper 5: redundant contacts, and contacts that are softened by compliance."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from amontons.problem.operators import BodyOperator
from amontons.problem.problem import ConeProblem
from amontons.problem.sets import NonNegative
from amontons.solvers import InteriorPoint
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook

Floats = NDArray[np.float64]

MASS, STEP, GRAVITY = 10.0, 0.01, 9.81
SIDE = 0.4
"""Of the square on which the brick stands [m]."""

OFFSET = 0.05
"""Of the centre of mass from the middle of the square [m], so that feet carry different loads."""

STIFFNESS = 1e6
"""k of a softened contact [N/m]: E = 1/(k h²) for impulses."""


def feet(across: int) -> Floats:
    """Places of `across`² feet about the centre of mass [m], shape (contacts, 2)."""
    line = np.linspace(-0.5 * SIDE, 0.5 * SIDE, across)
    x, y = np.meshgrid(line - OFFSET, line, indexing="ij")
    return np.column_stack([x.ravel(), y.ravel()])


def spring_impulses(places: Floats) -> Floats:
    """What springs of equal stiffness carry: a plane over the feet, by statics [N s]."""
    A = np.column_stack([np.ones(len(places)), places])
    load = np.array([MASS * GRAVITY * STEP, 0.0, 0.0])  # force, and torques about the centre
    return np.asarray(A @ np.linalg.solve(A.T @ A, load))


def brick(places: Floats, *, soft: bool) -> tuple[ConeProblem, int]:
    """One step of a brick that stands on feet, rigid or soft, and the rank of its Jacobian."""
    count = len(places)
    jacobian = np.zeros((count, 12))
    jacobian[:, 8] = 1.0  # n = z
    jacobian[:, 9], jacobian[:, 10] = places[:, 1], -places[:, 0]  # r × n
    operator = BodyOperator(
        inverse_mass=np.array([1.0 / MASS]),
        inverse_inertia=(12.0 / (MASS * SIDE**2) * np.eye(3))[None],
        bodies_a=np.full(count, -1),
        bodies_b=np.zeros(count, dtype=np.int64),
        jacobian=jacobian,
    )
    linear, compliance = np.full(count, -GRAVITY * STEP), None
    if soft:  # springs that the load has pressed already: b = Φ/h, so that the brick rests
        compliance = np.full(count, 1.0 / (STIFFNESS * STEP**2))
        linear -= spring_impulses(places) / STEP / STIFFNESS / STEP
    problem = ConeProblem(operator, linear, [NonNegative(count)], compliance=compliance)
    return problem, int(np.linalg.matrix_rank(jacobian))


class RedundantContacts(Experiment):
    """Bricks on more and more feet, rigid and soft."""

    name: ClassVar[str] = "ip-redundancy"
    paper: ClassVar[int] = 5
    shows: ClassVar[str] = "section 4.3, eq. 39"
    summary: ClassVar[str] = "a brick on redundant contacts, rigid and with compliance"
    minutes: ClassVar[float] = 0.1

    def run(self, notebook: Notebook) -> None:
        solver = InteriorPoint(tolerance=1e-10)
        rows, most, worst, uneven = [], 0, 0.0, 0.0
        for across in self.pick((2, 5), (2, 3, 5, 10, 20), (2, 3, 5, 10, 20, 40)):
            notebook.say(f"{across**2} contacts", across / 40.0)
            for soft in (False, True):
                places = feet(across)
                problem, rank = brick(places, soft=soft)
                solution = solver.solve(problem)
                off = abs(solution.impulses.sum() / (MASS * GRAVITY * STEP) - 1.0)
                law = spring_impulses(places)
                apart = float(np.abs(solution.impulses - law).max() / law.max())
                rows.append(
                    (
                        across**2, rank, "soft" if soft else "rigid", solution.iterations,
                        solution.residual, off, apart,
                    )
                )  # fmt: skip
                most, worst = max(most, solution.iterations), max(worst, off)
                uneven = max(uneven, apart) if soft else uneven
        notebook.table(
            "A brick on redundant contacts",
            ("contacts", "rank of D", "contacts are", "iterations", "scaled error",
             "weight carried, error", "largest difference from springs"),
            rows,
        )  # fmt: skip
        notebook.band(
            "most iterations",
            most,
            paper="'always converged with the required accuracy'",
            high=30,
            reason="no more than table 1's largest, with room",
        )
        notebook.band(
            "largest relative error of the weight that contacts carry",
            worst,
            paper="a reliable solution although D has not full rank",
            high=1e-8,
            reason="of a solver with tolerance 1e-10, with room",
        )
        notebook.band(
            "soft: largest difference from the law of springs, of the largest impulse",
            uneven,
            paper="E makes the solution that of contact springs (eq. 39)",
            high=1e-6,
            reason="with compliance the solution is unique, and statics gives it",
        )
        notebook.differs(
            "The paper shows no figures for this section; the brick and its loads are ours."
        )
