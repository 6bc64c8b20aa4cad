"""`amontons compare`: several solvers on one problem or many, as a table and a plot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amontons.cli.loading import expand
from amontons.cli.output import BAD_INPUT, INTERRUPTED, console, print_json
from amontons.cli.settings import (
    DEFAULT_TOLERANCE,
    Exact,
    Force,
    Json,
    MaxIterations,
    Settings,
    Threads,
    TimeLimit,
    Tolerance,
    use_threads,
)
from amontons.errors import InputError
from amontons.storage.targets import check_target

if TYPE_CHECKING:
    from amontons.cli.solver_runs import SolverRuns

DEFAULT_SOLVERS = "apgd,spectral-gradient,gauss-seidel"


def compare(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="Problems, folders of them, patterns, or generated problems."
        ),
    ],
    solvers: Annotated[
        str, typer.Option("--solvers", "-s", help="Solvers, separated by commas.")
    ] = DEFAULT_SOLVERS,
    tolerance: Tolerance = DEFAULT_TOLERANCE,
    max_iterations: MaxIterations = None,
    time_limit: TimeLimit = None,
    exact: Exact = False,
    threads: Threads = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            "-p",
            help="Draw the convergence on one problem, or the performance profile over several, "
            "to this .png, .svg or .pdf.",
        ),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Compare solvers on one problem or many.

    Times exclude compiling. Bold is the best solver of a problem.

    Exit code: 0 compared (converged or not), 2 bad input, 130 stopped by Ctrl-C.
    """
    from amontons.cli.report import as_json, print_tables
    from amontons.cli.solver_runs import run_solvers

    settings = Settings(
        tolerance=tolerance, max_iterations=max_iterations, time_limit=time_limit, exact=exact
    )
    methods = {name: settings.solver(name) for name in _names(solvers)}
    paths = expand(files)
    if plot is not None:
        from amontons.plots.style import check_format

        check_format(plot)
        check_target(plot, inputs=paths, replaces=force)
    use_threads(threads)
    runs = run_solvers(paths, methods)
    if json:
        print_json(as_json(runs, settings))
    elif runs.done:
        print_tables(console(), runs, settings)
    if plot is not None and runs.done:
        _draw(plot, runs, settings)
        if not json:
            console().print(f"plot: {plot}", soft_wrap=True)
    if runs.done and not json:
        first = runs.done[0]
        console().print(
            f"next: `amontons solve {first.file} --solver {first.solver}` shows every residual; "
            "`amontons compare --help` has more solvers, tolerances and --exact",
            soft_wrap=True,
            markup=False,
        )
    if runs.interrupted or runs.failed:
        raise typer.Exit(INTERRUPTED if runs.interrupted else BAD_INPUT)


def _names(solvers: str) -> list[str]:
    names = [name.strip() for name in solvers.split(",") if name.strip()]
    if not names:
        raise InputError(f"--solvers is empty; name some, such as {DEFAULT_SOLVERS}")
    return list(dict.fromkeys(names))


def _draw(path: Path, runs: SolverRuns, settings: Settings) -> None:
    """One problem: convergence. Several: a performance profile."""
    from amontons import plots

    if runs.several:
        figure = plots.performance_profile(
            runs.column("time"),
            iterations=runs.column("iterations"),
            title=f"{len(runs.problems)} problems to a scaled error of {settings.tolerance:g}",
        )
    else:
        solutions = {t.solver: t.solution for t in runs.done if t.solution is not None}
        figure = plots.convergence(solutions, tolerance=settings.tolerance, title=runs.problems[0])
    plots.save(figure, path)
