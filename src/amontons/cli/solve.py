"""`amontons solve`: one problem, one solver, and an honest account of the result."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amontons.cli.loading import load_guess, load_problem
from amontons.cli.output import (
    NOT_CONVERGED,
    console,
    grouped,
    print_json,
    seconds,
)
from amontons.cli.progress import Display, Interrupt, Watch
from amontons.cli.settings import (
    DEFAULT_TOLERANCE,
    SOLVER_NAMES,
    Exact,
    Json,
    MaxIterations,
    Settings,
    Threads,
    TimeLimit,
    Tolerance,
    prepare,
    use_threads,
)
from amontons.storage.targets import check_target

if TYPE_CHECKING:
    from rich.table import Table

    from amontons.problem.problem import ConeProblem
    from amontons.problem.solution import Solution


def solve(
    file: Annotated[
        Path,
        typer.Argument(
            help="A problem: .npz, FCLIB's .hdf5, or a generated one (b1, packing:4000)."
        ),
    ],
    solver: Annotated[str, typer.Option("--solver", "-s", help=f"One of {SOLVER_NAMES}.")] = "apgd",
    tolerance: Tolerance = DEFAULT_TOLERANCE,
    measure: Annotated[
        str, typer.Option(help="Which residual counts: scaled, paper1 or paper3.")
    ] = "scaled",
    max_iterations: MaxIterations = None,
    time_limit: TimeLimit = None,
    exact: Exact = False,
    guess: Annotated[
        Path | None,
        typer.Option(help="Start from the impulses in this file, written by --out, or a .npy."),
    ] = None,
    threads: Threads = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write impulses, velocities and summary to this .npz."),
    ] = None,
    json: Json = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but warnings and errors.")
    ] = False,
) -> None:
    """Solve a problem and report how good the solution is.

    Exit code: 0 converged, 1 not converged, 2 bad input, 130 stopped by Ctrl-C.
    """
    settings = Settings(
        tolerance=tolerance,
        measure=measure,
        max_iterations=max_iterations,
        time_limit=time_limit,
        exact=exact,
    )
    if out is not None:
        check_target(out, inputs=[file, *([guess] if guess else [])], replaces=True)
    method = settings.solver(solver)
    use_threads(threads)
    problem = load_problem(file)
    start = None if guess is None else load_guess(guess)
    _hush_compiler(quiet)
    with Interrupt() as interrupt:
        preparation = prepare(method, problem)
        with Display(shown=not quiet) as display:
            watch = Watch(display=display, interrupt=interrupt)
            solution = watch.solve(method, problem, start)
    report = summary(file, problem, solver, settings, solution)
    report["preparation_time"] = preparation
    if interrupt.requested and not solution.converged:
        report["message"] = "Ctrl-C ended the run; this is the best iterate so far"
    if out is not None:
        write_solution(out, solution, report)
    if json:
        print_json(report)
    elif not quiet:
        console().print(as_table(report, problem, solution))
    if not solution.converged:
        raise typer.Exit(interrupt.exit_code if interrupt.requested else NOT_CONVERGED)


def _hush_compiler(quiet: bool) -> None:
    from amontons._jit import announcer

    announcer.quiet = quiet


def summary(
    file: Path, problem: ConeProblem, solver: str, settings: Settings, solution: Solution
) -> dict[str, Any]:
    """The command's report, by the names of its JSON output."""
    return {
        "file": str(file),
        "name": problem.name,
        "rows": problem.rows,
        "blocks": problem.blocks,
        "solver": solver,
        "exact": settings.exact,
        "tolerance": settings.tolerance,
        "status": solution.status.value,
        "message": solution.message,
        "converged": solution.converged,
        "iterations": solution.iterations,
        "time": solution.time,
        "residual": solution.residual,
        "measure": solution.measure.value,
        "residuals": residuals_of(solution),
        "objective": solution.objective,
    }


def residuals_of(solution: Solution) -> dict[str, float]:
    """Every residual of a solution by its name."""
    every = dataclasses.asdict(solution.residuals)
    return {key: value for key, value in every.items() if key not in ("objective", "exact")}


def write_solution(path: Path, solution: Solution, report: dict[str, Any]) -> None:
    """Write impulses, velocities and every entry of the summary as `.npz`, all or nothing."""
    import numpy as np

    from amontons.storage.writing import replacing

    entries = {key: value for key, value in report.items() if key not in ("file", "residuals")}
    entries["problem_file"] = report["file"]
    entries |= {f"residual_{key}": value for key, value in report["residuals"].items()}
    with replacing(path) as stream:
        np.savez_compressed(
            stream, impulses=solution.impulses, velocities=solution.velocities, **entries
        )


COLOURS = {"converged": "bold green", "invalid": "bold red", "stopped": "bold yellow"}
"""Exit codes by status; all others ended at a limit."""


def as_table(report: dict[str, Any], problem: ConeProblem, solution: Solution) -> Table:
    """The summary for people."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    status = Text(report["status"], COLOURS.get(report["status"], "bold dark_orange"))
    status.append(f": {report['message']}", "default")
    ready = seconds(report["preparation_time"])
    for key, value in {
        "problem": report["name"] or report["file"],
        "size": f"{grouped(problem.rows)} rows, {grouped(problem.blocks)} blocks: {_sets(problem)}",
        "operator": _operator(problem),
        "solver": report["solver"] + (", for exact Coulomb friction" if report["exact"] else ""),
        "status": status,
        "iterations": grouped(report["iterations"]),
        "time": f"{seconds(report['time'])}, and before it {ready} to get the solver ready",
        "objective": f"{report['objective']:.10g} J",
    }.items():
        table.add_row(key, value)
    _add_residuals(table, report)
    return table


UNITS = {
    "paper1": "m/s",
    "paper3": "m/s",
    "impulse_violation": "N s",
    "velocity_violation": "m/s",
    "complementarity": "J",
}


def _add_residuals(table: Table, report: dict[str, Any]) -> None:
    for i, (key, value) in enumerate(report["residuals"].items()):
        line = f"{value:.2e} {UNITS.get(key, ''):<4}{key.replace('_', ' ')}"
        if key == report["measure"]:
            line += f" (tolerance {report['tolerance']:g})"
        table.add_row("" if i else "residuals", line)


def _sets(problem: ConeProblem) -> str:
    runs: dict[str, int] = {}
    for run in problem.sets.runs:
        kind = run.kind.name.lower()
        runs[kind] = runs.get(kind, 0) + run.blocks
    return ", ".join(f"{grouped(count)} × {kind}" for kind, count in runs.items()) or "none"


def _operator(problem: ConeProblem) -> str:
    from amontons.problem.operators import BodyOperator, MatrixOperator

    operator = problem.operator
    if isinstance(operator, BodyOperator):
        return f"{grouped(operator.bodies)} bodies, matrix-free"
    if isinstance(operator, MatrixOperator):
        return f"sparse matrix, {grouped(operator.matrix.nnz)} entries"
    return "factored mass matrix"
