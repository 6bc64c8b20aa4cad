"""What `amontons reproduce` does: runs experiments one by one, and tells how they went."""

from __future__ import annotations

import contextlib
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from amontons.cli.output import complain, console, print_json, seconds, styled
from amontons.cli.progress import Display
from amontons.errors import AmontonsError
from amontons_papers import registry
from amontons_papers.experiment import Experiment, Size
from amontons_papers.outcome import Outcome, kept_outcome, write_summary
from amontons_papers.page import overview
from amontons_papers.run_experiment import cpu_time
from amontons_papers.run_experiment import reproduce as run

if TYPE_CHECKING:
    from rich.text import Text

TRACE = "error.txt"
"""Where an experiment that ended in an unforeseen error leaves its traceback."""
MINUTE = 60.0
"""Seconds between lines of progress where there is no terminal."""


def reproduce(
    names: list[str],
    *,
    every: bool,
    paper: int | None,
    again: bool,
    size: Size,
    out: Path,
    json: bool,
) -> bool:
    """Run the named experiments and those of `paper`, or list all; whether every band passed."""
    named = [registry.find_experiment(name) for name in names]
    kinds = list(registry.EXPERIMENTS.values())
    listed = kinds if every else [kind for kind in kinds if kind.paper == paper]
    chosen = list(dict.fromkeys(named + listed))
    if not chosen:
        _list(kinds, json=json)
        return True
    outcomes = _one_by_one(chosen, size, out, anew=chosen if again else named, quiet=json)
    if json:
        print_json([each.as_dict() for each in outcomes])
    return _summed_up(outcomes, out, quiet=json)


def _one_by_one(
    kinds: list[type[Experiment]],
    size: Size,
    out: Path,
    *,
    anew: list[type[Experiment]],
    quiet: bool,
) -> list[Outcome]:
    """Run all that is to be run; list and summary are up to date whenever one has ended."""
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
    """Progress of an experiment: a bar on a terminal, and a line per minute in a file."""

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
        _verdict(outcome),
        f"{outcome.name}: {came if outcome.error is None else 'an error'}, "
        f"{seconds(outcome.seconds)}{', of an earlier run' if kept else ''}",
        soft_wrap=True,
    )


def _verdict(outcome: Outcome) -> Text:
    return styled("pass", "green") if outcome.ok else styled("FAIL", "bold red")


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
        table.add_row(styled(kind.name, "bold"), what, kind.summary, f"{kind.minutes:g}")
    screen = console()
    screen.print(table)
    screen.print("run one: amontons reproduce NAME [--full]; all of them: amontons reproduce --all")
