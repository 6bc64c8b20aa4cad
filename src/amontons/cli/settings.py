"""Options that several commands share, and the solver that they describe."""

from __future__ import annotations

import dataclasses
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from amontons.errors import InputError

if TYPE_CHECKING:
    from amontons.problem.problem import ConeProblem
    from amontons.solvers import Solver

SOLVER_NAMES = (
    "auto, apgd, interior-point, spectral-gradient, gauss-seidel, jacobi, direct, "
    "conjugate-gradient or minimum-residual"
)
"""For help texts, which must not import the solvers; the registry is authoritative."""

DEFAULT_TOLERANCE = 1e-8

Tolerance = Annotated[
    float, typer.Option("--tolerance", "-t", help="Residual at which a run has converged.")
]
MaxIterations = Annotated[
    int | None,
    typer.Option(
        "--max-iterations",
        "-n",
        metavar="N",
        help="Maximum number of iterations. \\[default: the solver's own]",
        show_default=False,
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="Maximum time in seconds. \\[default: none]",
        show_default=False,
    ),
]
Exact = Annotated[
    bool, typer.Option("--exact", help="Solve exact Coulomb friction, with the solver inside.")
]
Live = Annotated[bool, typer.Option("--live", help="Show it in a browser while it runs.")]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first note, such as no convergence.")
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="K",
        help="Threads for kernels of large problems. \\[default: all cores]",
        show_default=False,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a run, whatever its solver."""

    tolerance: float = DEFAULT_TOLERANCE
    measure: str = "scaled"
    max_iterations: int | None = None
    time_limit: float | None = None
    exact: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.tolerance) and self.tolerance > 0):
            raise InputError(
                f"--tolerance must be a positive number such as 1e-8, got {self.tolerance}"
            )

    def solver(self, name: str) -> Solver:
        """The solver of that name with these settings."""
        from amontons.solvers import SOLVERS, ExactCoulomb

        kind = SOLVERS.get(name)
        if kind is None:
            raise InputError(f"unknown solver {name!r}; choose one of {', '.join(SOLVERS)}")
        limits: dict[str, int | float] = {}
        if self.max_iterations is not None:
            limits["max_iterations"] = self.max_iterations
        if self.time_limit is not None:
            limits["time_limit"] = self.time_limit
        if self.exact:
            inner = kind(**limits)  # type: ignore[arg-type]
            return ExactCoulomb(
                inner=inner,
                tolerance=self.tolerance,
                measure=self.measure,
                **limits,  # type: ignore[arg-type]
            )
        return kind(tolerance=self.tolerance, measure=self.measure, **limits)  # type: ignore[arg-type]


def use_threads(threads: int | None) -> None:
    """Set the number of threads, if one was given."""
    if threads is not None:
        from amontons._jit import set_threads

        set_threads(threads)


def prepare(method: Solver, problem: ConeProblem) -> float:
    """Compile or load the kernels of a run by a very short one; return the seconds it took."""
    from amontons.solvers import Auto

    start = time.perf_counter()
    for one in (method, method.interior) if isinstance(method, Auto) else (method,):
        dataclasses.replace(one, max_iterations=1).solve(problem)
    return time.perf_counter() - start
