"""A run with progress, a Ctrl-C that leaves it resumable, and a report."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from amontons.cli.output import (
    STOPPED,
    complain,
    console,
    grouped,
    megabytes,
    print_json,
    seconds,
    styled,
)
from amontons.cli.progress import Display, Interrupt
from amontons.cli.sharing import agreed
from amontons.errors import SimulationError

if TYPE_CHECKING:
    from amontons.ranks import Communicator
    from amontons.results import RecordedRun, Results
    from amontons.simulation.reports.notes import NoteSummary
    from amontons.simulation.reports.report import StepReport


def carry_out(
    run: RecordedRun,
    *,
    json: bool,
    live: bool = False,
    strict: bool = False,
    ranks: Communicator | None = None,
) -> None:
    """Run to the end, or until Ctrl-C, and report; `live` shows it in a browser meanwhile.

    A run that has become unstable ends early, and a `strict` one at its first note. Processes that
    share it stop after the same step.
    """
    from amontons._jit import announcer

    begun, start = time.perf_counter(), run.simulation.time
    trouble = ""
    with (
        serving(run.recorder.folder, live),
        Interrupt("after this step") as interrupt,
        run.recorder,
        Display() as display,
    ):
        announcer.quiet = display.shown
        display.announce("getting ready (the first run compiles, once)")

        def on_step(report: StepReport) -> bool:
            run.recorder(report)
            run.simulation.readings.clear()  # they are in the file
            if display.due:
                passed = (report.time - start) / max(run.settings.time - start, 1e-300)
                display.update(_text(report, run, passed, time.perf_counter() - begun), passed)
            interrupt.requested = agreed(ranks, interrupt.requested)
            return interrupt.requested

        try:
            run.simulation.run(until=run.settings.time, on_step=on_step, strict=strict)
        except SimulationError as reason:  # the recorder has all steps up to here
            trouble = str(reason)
    report = summary(run, time.perf_counter() - begun)
    whole = not interrupt.requested or run.left <= 1e-9 * run.settings.time
    report["finished"], report["trouble"] = whole and not trouble, trouble or None
    if json:
        print_json(report)
    else:
        _print(report)
        tell_notes(report["notes"])
    if trouble:
        complain(
            f"at {run.simulation.time:.4g} of {run.settings.time:g} s: {trouble}", kind="stopped"
        )
        raise typer.Exit(STOPPED)
    if not report["finished"]:
        complain(
            f"at {run.simulation.time:.4g} of {run.settings.time:g} s; continue with: "
            f"amontons resume {run.recorder.folder}",
            kind="stopped",
            style="bold yellow",
        )
        raise typer.Exit(interrupt.exit_code)


@contextlib.contextmanager
def serving(folder: Path, wanted: bool) -> Iterator[None]:
    """Serve a page that follows the run, and wait at the end until it has received all of it."""
    if not wanted:
        yield
        return
    from amontons.cli.view import launch
    from amontons.viewer.live import LiveServer

    with LiveServer(folder) as server:
        complain(f"{server.url} in a browser on this machine", kind="live", style="bold green")
        launch(server.url)
        yield
        server.linger()


def _text(report: StepReport, run: RecordedRun, passed: float, wall: float) -> str:
    to_go = wall * (1.0 - passed) / max(passed, 1e-9)
    return (
        f"{report.time:.3f} of {run.settings.time:g} s, {grouped(report.contacts)} contacts, "
        f"{report.iterations} iterations, residual {report.residual:.0e}, "
        f"{seconds(to_go)} to go,"
    )


def summary(run: RecordedRun, wall: float) -> dict[str, Any]:
    """The report of a run, by the names of the JSON output; the run's tables are written, too."""
    from amontons.results import STAGES, Results
    from amontons.results.exports import write_tables

    folder = run.recorder.folder
    with Results(folder) as results:
        totals = results.totals()
        energy = results.readings("kinetic_energy") + results.readings("potential_energy")
        some = bool(results.steps)
        return {
            "scene": run.scene.name,
            "folder": str(folder),
            "bodies": int(results.bodies.dynamic.sum()),
            "time": run.simulation.time,
            "steps": results.steps,
            "frames": results.frames,
            "wall_time": wall,
            "stages": {name: totals[name] for name in STAGES},
            "solver": run.settings.solver,
            "tolerance": run.settings.tolerance,
            "contacts": int(results.readings("contacts")[-1]) if some else 0,
            "most_contacts": int(totals["contacts"]),
            "mean_iterations": totals["iterations"],
            "unconverged_steps": results.steps - int(totals["converged"]),
            "largest_residual": totals["residual"],
            "deepest_overlap": totals["penetration"],
            "joint_error": totals["joint_error"],
            "energy": [float(energy[0]), float(energy[-1])] if some else None,
            "notes": [_note(each) for each in results.note_summaries],
            "bytes": results.path.stat().st_size,
            "tables": [str(path) for path in write_tables(results, folder)],
        }


def _note(found: NoteSummary) -> dict[str, Any]:
    """A summary of the notes of one kind."""
    return {
        "kind": found.kind,
        "steps": found.steps,
        "share": found.share,
        "first": found.first,
        "last": found.last,
        "worst": {
            "step": found.worst.step,
            "time": found.worst.time,
            "value": found.worst.value,
            "bodies": list(found.worst.bodies),
            "message": found.worst.message,
        },
        "expected": found.worst.expected,
        "text": str(found),
    }


def tell_notes(notes: list[dict[str, Any]]) -> None:
    """Print notes on standard error, one paragraph per kind."""
    for note in notes:
        style = "bold green" if note["expected"] else "bold yellow"
        complain(note["text"], kind="note", style=style)


def tell_notes_of(results: Results) -> None:
    """Print the notes of a run on standard error."""
    tell_notes([_note(each) for each in results.note_summaries])


def _print(report: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    stages = ", ".join(f"{name} {seconds(value)}" for name, value in report["stages"].items())
    energy = report["energy"]
    rows = {
        "scene": f"{report['scene']}, {grouped(report['bodies'])} moving bodies",
        "simulated": f"{report['time']:.4g} s in {grouped(report['steps'])} steps",
        "took": f"{seconds(report['wall_time'])} ({stages})",
        "contacts": f"{grouped(report['contacts'])} at the end, "
        f"{grouped(report['most_contacts'])} at most",
        "solver": f"{report['solver']}, {report['mean_iterations']:.0f} iterations per step; "
        + _convergence(report),
        "overlap": f"{1e3 * report['deepest_overlap']:.3g} mm at most",
        "energy": f"{energy[0]:.4g} J → {energy[1]:.4g} J" if energy else "no steps",
        "written": f"{grouped(report['frames'])} frames, {megabytes(report['bytes'])}, "
        f"in {report['folder']}",
    }
    if report["tables"]:
        rows["tables"] = ", ".join(report["tables"])
    for key, value in rows.items():
        table.add_row(key, value)
    screen = console()
    screen.print(table)
    folder = report["folder"]
    watch = styled("watch it: ", "none") + styled(f"amontons view {folder}", "bold")
    screen.print(watch, soft_wrap=True)
    screen.print(f"plot it: amontons plot {folder}", soft_wrap=True)


def _convergence(report: dict[str, Any]) -> str:
    missed = report["unconverged_steps"]
    if not missed:
        return f"every step converged to {report['tolerance']:g}"
    return (
        f"{grouped(missed)} steps missed the tolerance {report['tolerance']:g} "
        f"(largest residual {report['largest_residual']:.1e})"
    )


def free_folder(name: str) -> Path:
    """A folder here that does not exist yet: the name, or the name with a number."""
    folder, number = Path(name), 1
    while folder.exists():
        number += 1
        folder = Path(f"{name}-{number}")
    return folder
