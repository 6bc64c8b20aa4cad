"""B1 and B2 of paper 1: a network of joints, and a bed of smooth spheres."""

from __future__ import annotations

from typing import ClassVar

from amontons.generators import bilateral_network, frictionless_spheres
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook
from amontons_papers.paper1.comparison import advantage, race, record, rivals


class JointNetwork(Experiment):
    """B1: 3500 bilateral constraints between 1000 parts, a linear problem."""

    name: ClassVar[str] = "b1"
    paper: ClassVar[int] = 1
    shows: ClassVar[str] = "figure 3 (B1)"
    summary: ClassVar[str] = (
        "3500 bilateral constraints between 1000 parts: P-SPG-FB against CG and MINRES"
    )
    minutes: ClassVar[float] = 0.2

    def run(self, notebook: Notebook) -> None:
        parts, rows = 1000, 3500
        problem = bilateral_network(parts, rows)
        most = self.pick(300, 3000, 3000)
        solvers = rivals(krylov=True, tolerance=1e-9, max_iterations=most)
        solutions = race(problem, solvers, notebook.say)
        for rival in ("MINRES", "CG"):
            notebook.band(
                f"iterations of P-SPG-FB over those of {rival}, to 1e-6",
                1.0 / advantage(solutions, rival, 1e-6),
                paper="'converges as fast as CG or MINRES' (§3, figure 3)",
                high=1.5,
                reason="as fast: at most half as many more",
            )
        notebook.band(
            "iterations of Jacobi over those of P-SPG-FB, to 1e-3",
            advantage(solutions, "Jacobi", 1e-3),
            paper="figure 3; 'convergence is very poor' of fixed point iterations (§1)",
            low=2.0,
            reason="clearly slower",
        )
        record(
            solutions,
            f"B1: {rows} bilateral constraints, {parts} parts",
            notebook,
            "b1",
            "scaled error against iterations and time (figure 3)",
        )
        notebook.differs(
            "The paper's network is not published; ours is one of spherical joints and rods "
            "between blocks on a grid with the same numbers of parts and rows. On bilateral "
            "problems our step is ABBmin, an adaptive choice of the paper's two formulas."
        )


class SmoothSpheres(Experiment):
    """B2: 3525 unilateral constraints between 1000 smooth spheres."""

    name: ClassVar[str] = "b2"
    paper: ClassVar[int] = 1
    shows: ClassVar[str] = "figure 4 (B2)"
    summary: ClassVar[str] = "3525 unilateral constraints between 1000 smooth spheres of equal mass"
    minutes: ClassVar[float] = 0.2

    def run(self, notebook: Notebook) -> None:
        spheres, rows = self.pick((150, 500), (1000, 3525), (1000, 3525))
        problem = frictionless_spheres(spheres, rows)
        solutions = race(problem, rivals(tolerance=1e-9, max_iterations=3000), notebook.say)
        for rival in ("Gauss–Seidel", "Jacobi"):
            notebook.band(
                f"iterations of {rival} over those of P-SPG-FB, to 1e-3",
                advantage(solutions, rival, 1e-3),
                paper="figure 4: P-SPG-FB converges faster than fixed point iterations",
                low=1.0,
                reason="the order of the curves",
            )
        record(
            solutions,
            f"B2: {rows} unilateral constraints, {spheres} smooth spheres",
            notebook,
            "b2",
            "scaled error against iterations and time (figure 4)",
        )
        notebook.differs(
            "The paper's spheres are not published; ours are a jammed random bed in a box with the "
            "same numbers of spheres and contacts."
        )
