"""`amontons sweep`: a scene with many values of its parameters, and a table of results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amontons.cli.output import STOPPED, complain, console, print_json
from amontons.cli.settings import Json
from amontons.errors import InputError

if TYPE_CHECKING:
    from amontons.sweeps import Sweep
    from amontons.sweeps.sweeping import Tally

SHOWN = 40
"""Rows of a table that are printed on a terminal; the files have all."""


def sweep(
    scene: Annotated[
        str,
        typer.Argument(
            metavar="SCENE|FILE|DIR",
            help="A scene, a scene file, or the folder of a sweep, whose table is shown.",
        ),
    ],
    set: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUES",
            help="0.1:0.8:8 (evenly spaced), 0:9 (whole numbers), 1e-4:1:5:log, 0.2,0.5 or one "
            "value; repeatable: every combination is run.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder of the sweep. \\[default: SCENE-sweep]",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", metavar="N", help="Runs at a time. \\[default: one per core]"),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask", metavar="ADDRESS", help="Address of a Dask scheduler: tcp://host:8786."
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            metavar="K",
            help="Threads per run. \\[default: cores over jobs]",
            show_default=False,
        ),
    ] = None,
    frames: Annotated[
        float, typer.Option("--frames", metavar="FPS", help="Frames per simulated second.")
    ] = 60.0,
    contacts: Annotated[
        bool, typer.Option("--contacts", help="Record contacts and their forces, too.")
    ] = False,
    retries: Annotated[
        int,
        typer.Option("--retries", metavar="N", help="Retries of a run that failed by accident."),
    ] = 2,
    json: Json = False,
) -> None:
    """Run a scene with many values; when started again, do only what is missing.

    Time, step, solver, tolerance and max_iterations are set like parameters. Exit code: 0 all runs
    are done, 2 bad input, 3 some failed, 130 stopped by Ctrl-C (the same command goes on).
    """
    from amontons.sweeps import Sweep
    from amontons.sweeps.plan import holds_sweep
    from amontons.sweeps.workers import Workforce, require_dask

    require_dask()
    if not set:
        if holds_sweep(Path(scene)) or Path(scene).is_dir():
            _show(Sweep(scene), json)
            return
        raise InputError(
            "nothing is to be varied: say --set NAME=VALUES, such as friction=0.1:0.8:8"
        )
    force = Workforce(jobs=jobs, dask=dask, threads=threads)
    words = _words(set)
    folder, stopped = _carry_out(scene, words, out, force, (frames, contacts, retries))
    done = Sweep(folder)
    _show(done, json)
    if stopped:
        complain(
            f"{len(done.missing)} of {len(done)} runs are missing; the same command goes on",
            kind="stopped",
            style="bold yellow",
        )
        raise typer.Exit(stopped)
    if done.failed:
        raise typer.Exit(STOPPED)


def _words(given: list[str]) -> dict[str, str]:
    """Texts of values by the names of parameters."""
    words: dict[str, str] = {}
    for each in given:
        name, equals, value = each.partition("=")
        name = name.strip()
        if not equals or not name:
            raise InputError(f"--set takes NAME=VALUES such as friction=0.1:0.8:8, got {each!r}")
        if name in words:
            raise InputError(f"--set {name} is given twice; list its values with commas")
        words[name] = value.strip()
    return words


def _carry_out(
    scene: str,
    words: dict[str, str],
    out: Path | None,
    force: Any,
    output: tuple[float, bool, int],
) -> tuple[Path, int]:
    """Do what is missing; return the folder, and the exit code if Ctrl-C ended it."""
    from amontons.checks import positive, whole
    from amontons.cli.progress import Display, Interrupt
    from amontons.sweeps.plan import make_plan
    from amontons.sweeps.subjects import subject_of
    from amontons.sweeps.sweeping import Job, conduct

    rate, contacts, retries = output
    positive("--frames", rate)
    whole("--retries", retries)
    subject = subject_of(scene)
    words = {name if "." in name else name.replace("-", "_"): text for name, text in words.items()}
    plan = make_plan(subject, words, {}, rate=rate, contacts=contacts)
    named = Path(scene).stem if subject.name not in scene else subject.name
    folder = out or Path(f"{named}-sweep")
    job = Job(folder.absolute(), subject, plan, {}, retries=retries)
    with Interrupt("after the current steps") as interrupt, Display() as display:
        display.announce("getting ready (the first sweep compiles, once)")

        def watch(tally: Tally) -> bool:
            if display.due:
                display.update(str(tally), tally.done / max(tally.total, 1))
            return interrupt.requested

        whole_sweep = conduct(job, force, watch)
    return folder, 0 if whole_sweep else interrupt.exit_code


def _show(done: Sweep, json: bool) -> None:
    """The table, and which runs failed."""
    table = done.table
    if json:
        print_json(
            {
                "folder": str(done.folder),
                "scene": done.plan.name,
                "parameters": list(done.parameters),
                "runs": len(done),
                "missing": list(done.missing),
                "failed": done.failed,
                "table": [_row(each) for each in table.to_dict("records")],
            }
        )
        return
    from rich.table import Table

    columns = _columns(done, list(table.columns))
    shown = Table(box=None, header_style="bold", padding=(0, 1))
    for name in columns:
        shown.add_column(name, justify="left" if name in ("run", "status") else "right")
    for row in table.head(SHOWN).to_dict("records"):
        shown.add_row(*(_cell(row[name]) for name in columns))
    screen = console()
    screen.print(shown)
    if len(table) > SHOWN:
        screen.print(f"… and {len(table) - SHOWN} more")
    for name, why in done.failed.items():
        complain(f"{name}: {why}", kind="failed")
    good = len(done) - len(done.failed) - len(done.missing)
    screen.print(f"{good} of {len(done)} runs done; all columns: {done.folder / 'sweep.csv'}")
    screen.print(f"plot it: amontons plot {done.folder}", soft_wrap=True)


def _columns(done: Sweep, there: list[str]) -> list[str]:
    """Columns that fit on a terminal: parameters, the user's own results, and a few others."""
    usual = ["kinetic_energy", "mean_height", "contacts", "converged", "overlap", "cpu_seconds"]
    chosen = ["run", *done.parameters, "status", *done.measured, *usual]
    return [name for name in dict.fromkeys(chosen) if name in there]


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:.4g}"
    return str(value)


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """A row for JSON output: missing values are null."""
    return {name: None if value != value else value for name, value in row.items()}
