"""`amontons resume`: continue a run that was stopped or killed, or that is to last longer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from amontons.cli.settings import Json, Live, Strict, Threads, use_threads


def resume(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder from `amontons run`.")],
    time: Annotated[
        float | None,
        typer.Option("--time", metavar="T", help="A later end \\[s].", show_default=False),
    ] = None,
    threads: Threads = None,
    live: Live = False,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Continue a run from its last checkpoint: the result is that of an uninterrupted run.

    Under `mpiexec -n N` the N processes share it, whatever the number was before.

    Exit code: 0 ran to its end, 2 bad input, 3 became unstable or is strict and had a note, 130
    stopped by Ctrl-C again, 143 by SIGTERM, 129 by SIGHUP.
    """
    from amontons.checks import positive
    from amontons.cli.sharing import agreed, carry_out_silently, shared
    from amontons.cli.watched_run import carry_out
    from amontons.results import follow_resumed
    from amontons.results import resume as go_on

    if time is not None:
        positive("--time", time)
    with shared() as ranks:
        use_threads(threads)
        if ranks is not None and not ranks.leads:
            run = follow_resumed(folder, ranks, time=time)
            agreed(ranks, False)  # all have read what rank 0 writes on
            carry_out_silently(run, ranks, strict=strict)
            return
        agreed(ranks, False)
        carry_out(
            go_on(folder, time=time, ranks=ranks), json=json, live=live, strict=strict, ranks=ranks
        )
