"""A bar that shows how far a sweep has come, for scripts and notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from amontons.sweeps.sweeping import Tally, Watch


@contextmanager
def bar(wanted: bool) -> Iterator[Watch]:
    """Show runs that are done on a bar, or nothing at all; it never asks for an end."""
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
