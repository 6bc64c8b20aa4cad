"""`amontons view`: a page that shows a run in any browser, without a network."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from amontons.cli.output import complain, console, megabytes
from amontons.cli.settings import Force
from amontons.errors import InputError

LARGE = 200_000_000
"""Size of a page [bytes] above which browsers get slow."""


def view(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...", help="A folder from `amontons run`; several: side by side."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The page. \\[default: view.html in the first folder]"),
    ] = None,
    every: Annotated[int, typer.Option("--every", metavar="K", help="Every K-th frame.")] = 1,
    force: Force = False,
    open: Annotated[bool, typer.Option("--open/--no-open", help="Open it in a browser.")] = True,
    live: Annotated[
        bool, typer.Option("--live", help="Follow a run that is still running, until Ctrl-C.")
    ] = False,
) -> None:
    """Make one HTML file of a whole run, or of several; open it if there is a screen."""
    if live:
        if len(folders) > 1:
            raise InputError("--live follows one run: name one folder")
        follow(folders[0], open)
        return
    from amontons.cli.watched_run import tell_notes_of
    from amontons.results import Results
    from amontons.results.folder import run_files
    from amontons.storage.targets import check_target
    from amontons.viewer import view as page_of

    if every < 1:
        raise InputError(f"--every must be 1 or more, got {every}")
    with ExitStack() as stack:
        runs = [stack.enter_context(Results(folder)) for folder in folders]
        homes = [run.path.parent for run in runs]
        path = out or homes[0] / "view.html"
        inputs = [run.path for run in runs] + [file for home in homes for file in run_files(home)]
        check_target(path, inputs=inputs, ours=homes[0], replaces=force)
        page_of(*runs, every=every).save(path)
        for run in runs:
            tell_notes_of(run)
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
    """Open a page in a browser, if there is a display."""
    if _has_screen():
        typer.launch(where)


def _has_screen() -> bool:
    """Whether there is a display for a browser."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True
