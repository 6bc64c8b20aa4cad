"""One experiment, from its start to a folder with page, plots and data."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from amontons.errors import OutputError
from amontons_papers.experiment import Experiment
from amontons_papers.notebook import Notebook
from amontons_papers.outcome import Outcome, forget_outcome, keep_outcome
from amontons_papers.page import page


def reproduce(
    experiment: Experiment,
    folder: str | os.PathLike[str],
    *,
    report: Callable[[str, float], None] = lambda text, share: None,
) -> Outcome:
    """Run an experiment and write its page, `page.md`, plots and data into `folder`.

    What an earlier run left of its outcome there is taken away first, so that a run that was
    stopped does not pass for finished.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as reason:
        raise OutputError(f"{folder} cannot be made: {reason.strerror}") from None
    forget_outcome(folder)
    notebook = Notebook(folder, report)
    start, spent = time.perf_counter(), cpu_time()
    experiment.run(notebook)
    seconds, spent = time.perf_counter() - start, cpu_time() - spent
    (folder / "page.md").write_text(page(experiment, notebook, seconds), encoding="utf-8")
    (folder / "data.json").write_text(notebook.as_json(), encoding="utf-8")
    failed = [each for each in notebook.bands if not each.passed]
    outcome = Outcome(
        name=experiment.name,
        paper=experiment.paper,
        shows=experiment.shows,
        folder=folder,
        seconds=seconds,
        bands=len(notebook.bands),
        passed=len(notebook.bands) - len(failed),
        failures=tuple(
            f"{each.quantity} is {each.ours:.4g}, must be {each.range}; {each.reason}".rstrip("; ")
            for each in failed
        ),
        size=experiment.size,
        cpu_seconds=spent,
    )
    keep_outcome(outcome)
    return outcome


def cpu_time() -> float:
    """Seconds of processor time so far, of this process and of those it has waited for."""
    return sum(os.times()[:4])
