"""A bar that shows how far a run has come, on terminals and in notebooks."""

from __future__ import annotations

import html
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from amontons.checks import finite
from amontons.errors import InputError
from amontons.simulation.reports.report import StepReport

PAUSE = 0.2
"""Seconds between two updates in a notebook."""


class Show(Protocol):
    """Called with each step's report."""

    def __call__(self, report: StepReport) -> None: ...


def progress_bar(start: float, end: float, wanted: bool) -> AbstractContextManager[Show]:
    """Show steps from time `start` to `end` [s] on a bar, or nothing at all."""
    if not wanted:
        return _nothing()
    from rich.console import Console

    return _in_notebook(start, end) if Console().is_jupyter else _on_terminal(start, end)


@contextmanager
def _nothing() -> Iterator[Show]:
    yield lambda report: None


@contextmanager
def _on_terminal(start: float, end: float) -> Iterator[Show]:
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
            bar.update(task, completed=report.time - start, what=_told(report))

        yield show


@contextmanager
def _in_notebook(start: float, end: float) -> Iterator[Show]:
    """One output that is written anew: it needs no widgets, and stays in the saved notebook."""
    from IPython.display import HTML, display

    handle = display(HTML(""), display_id=True)
    last: StepReport | None = None
    shown = -PAUSE

    def show(report: StepReport) -> None:
        nonlocal last, shown
        last = report
        if time.monotonic() - shown >= PAUSE:
            shown = time.monotonic()
            handle.update(HTML(_html(report, start, end)))

    try:
        yield show
    finally:
        if last is not None:
            handle.update(HTML(_html(last, start, end)))


def _html(report: StepReport, start: float, end: float) -> str:
    share = (report.time - start) / max(end - start, 1e-300)
    text = f"{report.time:.3g} of {end:.3g} s, {_told(report)}"
    return f'<progress value="{share:.4f}"></progress> {html.escape(text)}'


def _told(report: StepReport) -> str:
    return (
        f"{report.contacts} contacts, {report.iterations} iterations, "
        f"residual {report.residual:.0e}"
    )


def end_of_run(now: float, duration: float | None, until: float | None) -> tuple[float, float]:
    """When a run ends [s], and when it is so near to that that rounding must be the rest."""
    if (duration is None) == (until is None):
        raise InputError("run() takes either a duration or until")
    if duration is None:
        end = finite("until", until)
        return end, end - 1e-9 * abs(end)
    if finite("duration", duration) < 0.0:
        raise InputError(f"duration is {duration:g} s; it must not be negative")
    return now + duration, now + duration - 1e-9 * duration
