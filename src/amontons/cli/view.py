"""`amontons view`: a page that shows a run in any browser, without a network."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from amontons.cli.output import complain, console, megabytes
from amontons.cli.settings import Force
from amontons.errors import InputError

LARGE = 200_000_000
"""Bytes of a page from which on browsers take their time."""


def view(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder from `amontons run`.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The page. \\[default: view.html in the run's folder]"),
    ] = None,
    every: Annotated[int, typer.Option("--every", metavar="K", help="Every K-th frame.")] = 1,
    force: Force = False,
    open: Annotated[bool, typer.Option("--open/--no-open", help="Show it now.")] = True,
    live: Annotated[
        bool, typer.Option("--live", help="Follow a run that is still going on, until Ctrl-C.")
    ] = False,
) -> None:
    """Make one HTML file with the whole run in it, and open it where there is a screen."""
    if live:
        follow(folder, open)
        return
    from amontons.cli.watched_run import tell_notes_of
    from amontons.results import Results
    from amontons.results.folder import run_files
    from amontons.storage.targets import check_target
    from amontons.viewer import write_page

    if every < 1:
        raise InputError(f"--every must be 1 or more, got {every}")
    with Results(folder) as results:
        home = results.path.parent
        path = out or home / "view.html"
        check_target(path, inputs=[results.path, *run_files(home)], ours=home, replaces=force)
        write_page(results, path, every=every)
        tell_notes_of(results)
    size = path.stat().st_size
    console().print(f"wrote {path} ({megabytes(size)}): open it in a browser", soft_wrap=True)
    if size > LARGE:
        complain("the page is large; --every 2 halves it", kind="note", style="bold yellow")
    if open:
        launch(str(path))


def follow(folder: Path, shown: bool) -> None:
    """Serve a page that follows a run of another process, until Ctrl-C."""
    from amontons.cli.progress import Interrupt
    from amontons.viewer.live import LiveServer

    with Interrupt("now") as interrupt, LiveServer(folder) as server:
        console().print(f"{server.url} follows the run; Ctrl-C ends this", soft_wrap=True)
        if shown:
            launch(server.url)
        while not interrupt.requested:
            time.sleep(0.1)


def launch(where: str) -> None:
    """Show a page in a browser, if one could show anything here."""
    if _has_screen():
        typer.launch(where)


def _has_screen() -> bool:
    """Whether a browser could show anything here."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True
