"""What paper 1's benchmarks share: its rivals, and how fast each converges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from amontons.plots import convergence
from amontons.problem.problem import ConeProblem
from amontons.problem.solution import Solution
from amontons.solvers import (
    APGD,
    ConjugateGradient,
    GaussSeidel,
    Jacobi,
    MinimumResidual,
    Solver,
    SpectralGradient,
)
from amontons_papers.histories import iterations_to
from amontons_papers.notebook import Cell, Notebook

LEVELS = (1e-3, 1e-6, 1e-8)
"""Of the scaled error, at which iterations are counted."""

P_SPG_FB = "P-SPG-FB"


def rivals(*, krylov: bool = False, **limits: Any) -> dict[str, Solver]:
    """P-SPG-FB, and what the paper compares it with; `limits` go to each solver."""
    found: dict[str, Solver] = {P_SPG_FB: SpectralGradient(**limits)}
    if krylov:
        found["MINRES"] = MinimumResidual(**limits)
        found["CG"] = ConjugateGradient(**limits)
    found["APGD"] = APGD(**limits)
    found["Gauss–Seidel"] = GaussSeidel(**limits)
    found["Jacobi"] = Jacobi(**limits)
    return found


def race(
    problem: ConeProblem,
    solvers: dict[str, Solver],
    report: Callable[[str, float], None] = lambda text, share: None,
) -> dict[str, Solution]:
    """Every solver from a cold start; `report` is told what is being done."""
    solutions = {}
    for number, (name, solver) in enumerate(solvers.items()):
        report(f"{name} on {problem.blocks} blocks", number / len(solvers))
        solutions[name] = solver.solve(problem)
    return solutions


def counts(
    solutions: dict[str, Solution], levels: Sequence[float] = LEVELS
) -> list[tuple[Cell, ...]]:
    """A row a solver: iterations to each level, error and seconds at the end."""
    return [
        (
            name,
            *(iterations_to(solution.history, level) for level in levels),
            solution.residual,
            solution.iterations,
            solution.time,
        )
        for name, solution in solutions.items()
    ]


def record(
    solutions: dict[str, Solution], title: str, notebook: Notebook, name: str, caption: str
) -> None:
    """Table, plot and data of a race."""
    columns = (
        "solver",
        *(f"iterations to {level:g}" for level in LEVELS),
        "error at the end",
        "iterations",
        "seconds",
    )
    notebook.table(title, columns, counts(solutions))
    notebook.plot(convergence(solutions, title=title), name, caption)
    curves = {f"error_{i}": s.history.residual for i, s in enumerate(solutions.values())}
    notebook.data(name, solvers=list(solutions), **curves)


def advantage(solutions: dict[str, Solution], over: str, level: float) -> float:
    """Iterations of a rival to a level over P-SPG-FB's; its limit counts where it is not there."""
    ours = iterations_to(solutions[P_SPG_FB].history, level)
    if ours is None:
        return 0.0
    theirs = iterations_to(solutions[over].history, level)
    return (solutions[over].iterations if theirs is None else theirs) / max(ours, 1)


def error_after(solution: Solution, iterations: int) -> float:
    """Best scaled error within so many iterations."""
    best = solution.history.best_residual
    return float(best[min(iterations, best.size - 1)])
