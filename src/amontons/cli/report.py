"""The outcome of `amontons compare` as tables and as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from amontons.cli.output import grouped, seconds, styled
from amontons.cli.settings import Settings
from amontons.cli.solve import COLOURS, residuals_of
from amontons.cli.solver_runs import NOT_APPLICABLE, SolverRun, SolverRuns

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

MISSING = "-"


def print_tables(screen: Console, runs: SolverRuns, settings: Settings) -> None:
    """Every run, and for several problems a line per solver."""
    screen.print(_runs(runs, settings))
    if len(runs.problems) > 1:
        screen.print(_totals(runs))


def _runs(runs: SolverRuns, settings: Settings) -> Table:
    from rich import box
    from rich.table import Table

    law = "exact Coulomb friction" if settings.exact else "convex problem"
    table = Table(
        title=f"{law}, scaled error {settings.tolerance:g}", title_justify="left", box=box.SIMPLE
    )
    table.add_column("problem", overflow="fold")
    table.add_column("solver", no_wrap=True)
    table.add_column("status", no_wrap=True)
    for heading in ("iterations", "time", "scaled error", "objective [J]"):
        table.add_column(heading, justify="right", no_wrap=True)
    for problem in dict.fromkeys(run.problem for run in runs.done):
        mine = runs.of(problem)
        table.add_section()
        for i, run in enumerate(mine):
            table.add_row("" if i else problem, run.solver, *_cells(run, mine))
    return table


def _cells(run: SolverRun, rivals: list[SolverRun]) -> list[str | Text]:
    """Status and numbers of a run; the best of its problem in bold."""
    solution = run.solution
    if solution is None:
        return [styled(NOT_APPLICABLE, "dim"), *[styled(MISSING, "dim")] * 4]
    style = COLOURS.get(run.status, "dark_orange").removeprefix("bold ")
    return [
        styled(run.status, style),
        _bold(grouped(solution.iterations), _is_best(run, rivals, "iterations")),
        _bold(seconds(solution.time), _is_best(run, rivals, "time")),
        f"{solution.residuals.scaled:.1e}",
        f"{solution.objective:.9g}",
    ]


def _bold(text: str, best: bool) -> str | Text:
    return styled(text, "bold") if best else text


def _is_best(run: SolverRun, rivals: list[SolverRun], quantity: str) -> bool:
    """Whether a run converged and was the best of several that did."""
    values = [getattr(rival.solution, quantity) for rival in rivals if rival.converged]
    return (
        run.converged and len(rivals) > 1 and bool(getattr(run.solution, quantity) == min(values))
    )


def _totals(runs: SolverRuns) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=f"{len(runs.problems)} problems", title_justify="left", box=box.SIMPLE)
    table.add_column("solver", no_wrap=True)
    for heading in ("solved", "fastest", "time of those solved"):
        table.add_column(heading, justify="right")
    rows = totals(runs)
    most = max((row["solved"] for row in rows), default=0)
    for row in rows:
        solved = _bold(f"{row['solved']} of {len(runs.problems)}", row["solved"] == most)
        table.add_row(row["solver"], solved, str(row["fastest"]), seconds(row["time"]))
    return table


def totals(runs: SolverRuns) -> list[dict[str, Any]]:
    """For each solver how many problems it solved, on how many it was fastest, and in what time."""
    times = runs.column("time")
    rows = []
    for solver, mine in times.items():
        solved = [t for t in mine if math.isfinite(t)]
        fastest = sum(
            math.isfinite(t) and t == min(column[i] for column in times.values())
            for i, t in enumerate(mine)
        )
        rows.append(
            {"solver": solver, "solved": len(solved), "fastest": fastest, "time": sum(solved)}
        )
    return rows


def as_json(runs: SolverRuns, settings: Settings) -> dict[str, Any]:
    """Everything, for programs."""
    return {
        "tolerance": settings.tolerance,
        "exact": settings.exact,
        "interrupted": runs.interrupted,
        "unreadable": [str(path) for path in runs.failed],
        "runs": [_run(run) for run in runs.done],
        "totals": totals(runs),
    }


def _run(run: SolverRun) -> dict[str, Any]:
    head = {
        "file": str(run.file),
        "problem": run.problem,
        "solver": run.solver,
        "status": run.status,
        "converged": run.converged,
    }
    solution = run.solution
    if solution is None:
        return head
    return head | {
        "iterations": solution.iterations,
        "time": solution.time,
        "residuals": residuals_of(solution),
        "objective": solution.objective,
    }
