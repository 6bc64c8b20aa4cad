"""`amontons reproduce`: the papers' experiments, each with the paper's figures beside ours."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amontons.cli.output import NOT_CONVERGED, complain, console, print_json, seconds
from amontons.cli.progress import Display
from amontons.cli.settings import Json, Threads, use_threads
from amontons.errors import AmontonsError, InputError

if TYPE_CHECKING:
    from amontons.reproduce import Experiment, Outcome, Size

FOLDER = Path("reproduced")


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Experiments; none: list them all."),
    ] = None,
    all: Annotated[bool, typer.Option("--all", help="Every experiment.")] = False,
    full: Annotated[bool, typer.Option("--full", help="The paper's own size: hours.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A small size: seconds.")] = False,
    paper: Annotated[
        int | None, typer.Option("--paper", min=1, max=5, help="All experiments of one paper.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where to.")] = FOLDER,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Run experiments of the papers; write a page, plots and data for each.

    Exit code: 0 every band passed, 1 some did not, 2 bad input.
    """
    from amontons.reproduce import EXPERIMENTS, find_experiment

    if full and quick:
        raise InputError("--full and --quick exclude each other")
    use_threads(threads)
    chosen = [find_experiment(name) for name in names or []]
    if all or paper is not None:
        chosen += [kind for kind in EXPERIMENTS.values() if paper in (None, kind.paper)]
    if not chosen:
        _list(list(EXPERIMENTS.values()), json=json)
        return
    size: Size = "full" if full else "quick" if quick else "default"
    outcomes = [_carry_out(kind, size, out, quiet=json) for kind in dict.fromkeys(chosen)]
    if len(outcomes) > 1:
        from amontons.reproduce.page import overview

        (out / "index.md").write_text(overview(outcomes), encoding="utf-8")
    if json:
        print_json([_plain(each) for each in outcomes])
    if not _summed_up(outcomes, out, quiet=json):
        raise typer.Exit(NOT_CONVERGED)


def _carry_out(kind: type[Experiment], size: Size, out: Path, *, quiet: bool) -> Outcome:
    """One experiment; what stops it is an outcome too, so that the others still run."""
    from amontons.reproduce import Outcome
    from amontons.reproduce import reproduce as run

    folder = out / kind.name
    try:
        with Display() as display:

            def report(text: str, share: float) -> None:
                if display.due:
                    display.update(f"{kind.name}: {text}", share)

            outcome = run(kind(size), folder, report=report)
    except Exception as error:  # one experiment must not end the others
        what = str(error) if isinstance(error, AmontonsError) else repr(error)
        outcome = Outcome(kind.name, kind.paper, kind.shows, folder, 0.0, 0, 0, (), what)
    if not quiet:
        word = "[green]pass[/]" if outcome.ok else "[bold red]FAIL[/]"
        console().print(
            f"{word} {kind.name}: {outcome.passed} of {outcome.bands} bands, "
            f"{seconds(outcome.seconds)}, {folder / 'page.md'}",
            soft_wrap=True,
        )
    return outcome


def _summed_up(outcomes: list[Outcome], out: Path, *, quiet: bool) -> bool:
    """Print what failed; whether nothing did."""
    for each in outcomes:
        for failure in (*each.failures, *([each.error] if each.error else [])):
            complain(f"{each.name}: {failure}", kind="failed", style="bold red")
    if len(outcomes) > 1 and not quiet:
        good = sum(each.ok for each in outcomes)
        console().print(f"{good} of {len(outcomes)} experiments passed; all: {out / 'index.md'}")
    return all(each.ok for each in outcomes)


def _plain(outcome: Outcome) -> dict[str, Any]:
    return {**dataclasses.asdict(outcome), "folder": str(outcome.folder), "ok": outcome.ok}


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
