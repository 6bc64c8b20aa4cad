"""`amontons reproduce`: the papers' experiments, each with the paper's figures beside ours."""

from __future__ import annotations

import contextlib
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amontons.cli.output import NOT_CONVERGED, complain, console, print_json, seconds
from amontons.cli.progress import Display
from amontons.cli.settings import Json, Threads, use_threads
from amontons.errors import AmontonsError, InputError

if TYPE_CHECKING:
    from amontons.reproduce import Experiment, Outcome, Size

FOLDER = Path("reproduced")
TRACE = "error.txt"
"""Where an experiment that ended in an unforeseen error leaves its traceback."""
MINUTE = 60.0
"""Seconds between lines of progress where there is no terminal."""


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Experiments to run; without any, list them all."),
    ] = None,
    all: Annotated[bool, typer.Option("--all", help="Every experiment.")] = False,
    full: Annotated[bool, typer.Option("--full", help="The paper's own size: hours.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A small size: seconds.")] = False,
    paper: Annotated[
        int | None, typer.Option("--paper", min=1, max=5, help="All experiments of one paper.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Also those that DIR holds the results of.")
    ] = False,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where to.")] = FOLDER,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Run experiments of the papers; write a page, plots and data for each.

    With --all or --paper, those that an earlier run in DIR finished in the same size are not run
    again. Exit code: 0 every band passed, 1 some did not, 2 bad input.
    """
    from amontons.reproduce import EXPERIMENTS, find_experiment

    if full and quick:
        raise InputError("--full and --quick cannot be combined")
    use_threads(threads)
    named = [find_experiment(name) for name in names or []]
    many = all or paper is not None
    listed = [kind for kind in EXPERIMENTS.values() if many and paper in (None, kind.paper)]
    chosen = list(dict.fromkeys(named + listed))
    if not chosen:
        _list(list(EXPERIMENTS.values()), json=json)
        return
    size: Size = "full" if full else "quick" if quick else "default"
    anew = chosen if again else named
    outcomes = _one_by_one(chosen, size, out, anew=anew, quiet=json)
    if json:
        print_json([each.as_dict() for each in outcomes])
    if not _summed_up(outcomes, out, quiet=json):
        raise typer.Exit(NOT_CONVERGED)


def _one_by_one(
    kinds: list[type[Experiment]],
    size: Size,
    out: Path,
    *,
    anew: list[type[Experiment]],
    quiet: bool,
) -> list[Outcome]:
    """Run all that is to be run; list and summary are up to date whenever one has ended."""
    from amontons.reproduce.outcome import kept_outcome, write_summary
    from amontons.reproduce.page import overview

    outcomes: list[Outcome] = []
    for number, kind in enumerate(kinds, start=1):
        kept = None if kind in anew else kept_outcome(kind, size, out / kind.name)
        if kept is None:
            _announce(kind, size, f"{number} of {len(kinds)}")
        outcome = kept or _carry_out(kind, size, out / kind.name)
        outcomes.append(outcome)
        if not quiet:
            _print_outcome(outcome, kept=kept is not None)
        if len(kinds) > 1:
            write_summary(outcomes, out, size, len(kinds))
            (out / "index.md").write_text(overview(outcomes), encoding="utf-8")
    return outcomes


def _announce(kind: type[Experiment], size: Size, place: str) -> None:
    """Say on standard error which experiment begins, terminal or not."""
    about = f", about {kind.minutes:g} min" if size == "default" else ""
    text = f"{place}: {kind.name} (paper {kind.paper}, {kind.shows}){about}"
    console(stderr=True).print(text, style="dim", soft_wrap=True)


def _carry_out(kind: type[Experiment], size: Size, folder: Path) -> Outcome:
    """One experiment; what stops it is an outcome too, so that the others still run."""
    from amontons.reproduce import Outcome
    from amontons.reproduce import reproduce as run
    from amontons.reproduce.running import cpu_time

    start, spent = time.perf_counter(), cpu_time()
    with contextlib.suppress(OSError):  # of an earlier run, if there was one
        (folder / TRACE).unlink()
    try:
        with Display() as display:
            report = _Report(kind.name, display)
            return run(kind(size), folder, report=report)
    except Exception as error:  # one experiment must not end the others
        what = str(error) if isinstance(error, AmontonsError) else _kept_trace(error, folder)
        wall, spent = time.perf_counter() - start, cpu_time() - spent
        return Outcome(kind.name, kind.paper, kind.shows, folder, wall, 0, 0, (), what, size, spent)


def _kept_trace(error: Exception, folder: Path) -> str:
    """Write where an unforeseen error came from, and say what it is."""
    try:
        trace = folder / TRACE
        trace.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    except OSError:
        return repr(error)
    return f"{error!r}; {trace} has its traceback"


class _Report:
    """Progress of an experiment: a bar on a terminal, and a line a minute in a file."""

    def __init__(self, name: str, display: Display) -> None:
        self.name, self.display, self.last = name, display, time.perf_counter()

    def __call__(self, text: str, share: float) -> None:
        now = time.perf_counter()
        if self.display.due:
            self.display.update(f"{self.name}: {text}", share)
        elif not self.display.shown and now - self.last > MINUTE:
            self.last = now
            console(stderr=True).print(f"  {text}, {share:.0%}", style="dim", soft_wrap=True)


def _print_outcome(outcome: Outcome, *, kept: bool) -> None:
    where = outcome.folder / "page.md"
    came = f"{outcome.passed} of {outcome.bands} bands, {where}"
    console().print(
        f"{_verdict(outcome)} {outcome.name}: {came if outcome.error is None else 'an error'}, "
        f"{seconds(outcome.seconds)}{', from an earlier run' if kept else ''}",
        soft_wrap=True,
    )


def _verdict(outcome: Outcome) -> str:
    return "[green]pass[/]" if outcome.ok else "[bold red]FAIL[/]"


def _summed_up(outcomes: list[Outcome], out: Path, *, quiet: bool) -> bool:
    """Print what failed and a table of all; whether nothing failed."""
    for each in outcomes:
        for failure in (*each.failures, *([each.error] if each.error else [])):
            complain(f"{each.name}: {failure}", kind="failed", style="bold red")
    if len(outcomes) > 1 and not quiet:
        _print_table(outcomes)
        good = sum(each.ok for each in outcomes)
        console().print(f"{good} of {len(outcomes)} experiments passed; all: {out / 'index.md'}")
    return all(each.ok for each in outcomes)


def _print_table(outcomes: list[Outcome]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_footer=True)
    wall = sum(each.seconds for each in outcomes)
    spent = sum(each.cpu_seconds for each in outcomes)
    table.add_column("experiment", footer="all")
    table.add_column("")
    for title, total in (("bands", ""), ("clock", seconds(wall)), ("processor", seconds(spent))):
        table.add_column(title, footer=total, justify="right")
    for each in outcomes:
        bands = f"{each.passed} of {each.bands}" if each.error is None else "error"
        times = (seconds(each.seconds), seconds(each.cpu_seconds))
        table.add_row(each.name, _verdict(each), bands, *times)
    console().print(table)


def _list(kinds: list[type[Experiment]], *, json: bool) -> None:
    if json:
        print_json(
            [
                {"name": k.name, "paper": k.paper, "shows": k.shows, "summary": k.summary}
                for k in kinds
            ]
        )
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("experiment", "paper", "what is done", "minutes"):
        table.add_column(column)
    for kind in kinds:
        what = f"{kind.paper}: {kind.shows}"
        table.add_row(f"[bold]{kind.name}[/]", what, kind.summary, f"{kind.minutes:g}")
    screen = console()
    screen.print(table)
    screen.print("run one: amontons reproduce NAME [--full]; all of them: amontons reproduce --all")
