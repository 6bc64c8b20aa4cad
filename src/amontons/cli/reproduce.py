"""`amontons reproduce`: the papers' experiments, each with the paper's figures beside ours.

The experiments are a package of their own, `amontons_papers`, in the folder `papers` of the
repository: the library itself does not need them.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from amontons.cli.output import NOT_CONVERGED
from amontons.cli.settings import Json, Threads, use_threads
from amontons.errors import InputError

FOLDER = Path("reproduced")
PAPERS = Path(__file__).parents[3] / "papers"
"""Folder of the experiments, if this library runs from a clone of the repository."""


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Experiments to run; without any, list them all."),
    ] = None,
    all: Annotated[bool, typer.Option("--all", help="Every experiment.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="The paper's own problem sizes: hours.")
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Small problems: seconds.")] = False,
    paper: Annotated[
        int | None, typer.Option("--paper", min=1, max=5, help="All experiments of one paper.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Rerun those whose results are already in DIR.")
    ] = False,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where to.")] = FOLDER,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Run experiments of the papers; write a page, plots and data for each.

    With --all or --paper, experiments that an earlier run in DIR finished in the same size are
    skipped. They come with a clone of the repository. Exit code: 0 every band passed, 1 some did
    not, 2 bad input.
    """
    if full and quick:
        raise InputError("--full and --quick cannot be combined")
    use_threads(threads)
    size = "full" if full else "quick" if quick else "default"
    passed = _experiments().reproduce(
        names or [], every=all, paper=paper, again=again, size=size, out=out, json=json
    )
    if not passed:
        raise typer.Exit(NOT_CONVERGED)


def _experiments() -> Any:
    """The command of `amontons_papers`: from this clone, or else as installed."""
    if PAPERS.is_dir() and str(PAPERS) not in sys.path:
        sys.path.insert(0, str(PAPERS))
    try:
        return importlib.import_module("amontons_papers.command")
    except ModuleNotFoundError as missing:
        if missing.name != "amontons_papers":
            raise
    raise InputError(
        "the papers' experiments are not part of the installed library: they are the folder "
        "`papers` of its repository; clone it, and run `pip install ./papers` there (or install "
        "the library itself from the clone, with `pip install -e .`)"
    )
