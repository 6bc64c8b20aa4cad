"""`amontons view`: a page that shows a run in any browser, without a network."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from amontons.cli.output import complain, console, megabytes
from amontons.errors import InputError

LARGE = 200_000_000
"""Bytes of a page from which on browsers take their time."""


def view(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of `amontons run`.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The page. \\[default: view.html in the run's folder]"),
    ] = None,
    every: Annotated[int, typer.Option("--every", metavar="K", help="Each K-th frame.")] = 1,
    open: Annotated[bool, typer.Option("--open/--no-open", help="Show it now.")] = True,
) -> None:
    """Make one HTML file with the whole run in it, and open it where there is a screen."""
    from amontons.results import Results
    from amontons.viewer import write_page

    if every < 1:
        raise InputError(f"--every must be 1 or more, got {every}")
    with Results(folder) as results:
        path = out or results.path.parent / "view.html"
        write_page(results, path, every=every)
    size = path.stat().st_size
    console().print(f"wrote {path} ({megabytes(size)}): open it in a browser", soft_wrap=True)
    if size > LARGE:
        complain("the page is large; --every 2 halves it", kind="note", style="bold yellow")
    if open and _has_screen():
        typer.launch(str(path))


def _has_screen() -> bool:
    """Whether a browser could show anything here."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True
