"""A progress bar of a sweep, for scripts and notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from amontons.sweeps.sweeping import SweepWatcher, Tally


@contextmanager
def bar(wanted: bool) -> Iterator[SweepWatcher]:
    """Show finished runs on a bar, or nothing at all; it never asks the sweep to stop."""
    if not wanted:
        yield lambda tally: False
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns) as bars:
        task = bars.add_task("starting")

        def watch(tally: Tally) -> bool:
            bars.update(task, description=str(tally), completed=tally.done, total=tally.total)
            return False

        yield watch
