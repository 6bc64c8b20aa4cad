"""A bar that shows how far a run has come, on terminals and in notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from amontons.simulation.report import StepReport


class Show(Protocol):
    """Called with each step's report."""

    def __call__(self, report: StepReport) -> None: ...


@contextmanager
def progress_bar(start: float, end: float, wanted: bool) -> Iterator[Show]:
    """Show steps from time `start` to `end` [s] on a bar, or nothing at all."""
    if not wanted:
        yield lambda report: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.completed:.3g} of {task.total:.3g} s"),
        BarColumn(),
        TextColumn("{task.fields[what]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns) as bar:
        task = bar.add_task("", total=end - start, what="")

        def show(report: StepReport) -> None:
            what = (
                f"{report.contacts} contacts, {report.iterations} iterations, "
                f"residual {report.residual:.0e}"
            )
            bar.update(task, completed=report.time - start, what=what)

        yield show
