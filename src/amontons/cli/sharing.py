"""Commands started several times by `mpiexec`: one run, reported once, and a common end."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from amontons.cli.output import BAD_INPUT, INTERRUPTED, STOPPED, complain, describe
from amontons.cli.progress import Interrupt
from amontons.errors import AmontonsError, SimulationError

if TYPE_CHECKING:
    from amontons.ranks import Communicator
    from amontons.results import FollowedRun


@contextlib.contextmanager
def shared() -> Iterator[Communicator | None]:
    """The processes that MPI started along with this one; None without MPI.

    A fatal error in one of them ends all, since the others would wait for it for ever.
    """
    from amontons.ranks.mpi import FIRST_WORD, under_mpi

    if not under_mpi():
        yield None
        return
    from amontons.ranks import here

    ranks = here()
    try:
        yield ranks
    except typer.Exit:  # all have agreed to end
        raise
    except (AmontonsError, OSError, MemoryError, KeyboardInterrupt) as reason:
        if not ranks.leads:
            time.sleep(FIRST_WORD)  # rank 0 reports what is wrong on all ranks
        stopped = isinstance(reason, KeyboardInterrupt)
        text = "interrupted; go on with `amontons resume`" if stopped else describe(reason)
        complain(text if ranks.leads else f"rank {ranks.rank} of {ranks.count}: {text}")
        ranks.give_up(INTERRUPTED if stopped else BAD_INPUT)


def agreed(ranks: Communicator | None, wish: bool) -> bool:
    """Whether any process wants to stop: then all stop, after the same step."""
    return wish if ranks is None else ranks.largest(float(wish)) > 0.0


def carry_out_silently(run: FollowedRun, ranks: Communicator, *, strict: bool) -> None:
    """Take part in a run that rank 0 records and reports."""
    with Interrupt("after this step", tell=False) as interrupt:

        def on_step(_: object) -> bool:
            run.simulation.readings.clear()
            return agreed(ranks, interrupt.requested)

        try:
            run.simulation.run(until=run.settings.time, on_step=on_step, strict=strict)
        except SimulationError:  # which rank 0 reports
            raise typer.Exit(STOPPED) from None
