"""One experiment, from its start to a folder with page, plots and data."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from amontons.errors import OutputError
from amontons.reproduce.experiment import Experiment
from amontons.reproduce.notebook import Notebook
from amontons.reproduce.page import page


@dataclass(frozen=True)
class Outcome:
    """How an experiment went."""

    name: str
    paper: int
    shows: str
    folder: Path
    seconds: float
    bands: int
    passed: int
    failures: tuple[str, ...]
    """Every band that failed, in words."""
    error: str | None = None
    """What stopped the experiment, if something did."""

    @property
    def ok(self) -> bool:
        """Whether it ran to its end and every band passed."""
        return self.error is None and self.passed == self.bands


def reproduce(
    experiment: Experiment,
    folder: str | os.PathLike[str],
    *,
    report: Callable[[str, float], None] = lambda text, share: None,
) -> Outcome:
    """Run an experiment and write its page, `page.md`, plots and data into `folder`."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as reason:
        raise OutputError(f"{folder} cannot be made: {reason.strerror}") from None
    notebook = Notebook(folder, report)
    start = time.perf_counter()
    experiment.run(notebook)
    seconds = time.perf_counter() - start
    (folder / "page.md").write_text(page(experiment, notebook, seconds), encoding="utf-8")
    (folder / "data.json").write_text(notebook.as_json(), encoding="utf-8")
    failed = [each for each in notebook.bands if not each.passed]
    return Outcome(
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
    )
