"""`Sweep`: an opened sweep folder: its table, its runs, and what is missing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from amontons.errors import InputError
from amontons.results import Results
from amontons.sweeps.outcomes import Outcome, read_outcome
from amontons.sweeps.plan import Plan, read_plan
from amontons.sweeps.table import table_of
from amontons.sweeps.workers import require_dask


class Sweep:
    """The content of a sweep's folder: `Sweep("folder").table` is its table.

    Parameters
    ----------
    folder:
        Folder made by `amontons.sweep` or `amontons sweep`; the sweep may still be going on.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.plan: Plan = read_plan(self.folder)
        """What is run, and with which values."""
        self._outcomes = read_outcomes(self.folder, self.plan)

    def __len__(self) -> int:
        return len(self.plan.points)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the varied parameters."""
        return self.plan.parameters

    @property
    def table(self) -> Any:
        """A pandas `DataFrame` with one row for each run: parameters, status, results, error."""
        require_dask()
        return table_of(self.plan, self._outcomes)

    @property
    def measured(self) -> tuple[str, ...]:
        """Names of the columns that come from the user's own measure."""
        found = (name for each in self._outcomes.values() for name in each.get("measured", {}))
        taken = self.parameters
        return tuple(dict.fromkeys(f"{n}_measured" if n in taken else n for n in found))

    @property
    def failed(self) -> dict[str, str]:
        """Runs that failed, and why."""
        return {
            self.plan.run_name(number): each["error"] or each.get("measure_error", "")
            for number, each in sorted(self._outcomes.items())
            if each["status"] == "failed" or each.get("measure_error")
        }

    @property
    def missing(self) -> tuple[str, ...]:
        """Runs that are not finished."""
        numbers = range(len(self))
        return tuple(self.plan.run_name(i) for i in numbers if i not in self._outcomes)

    def results(self, run: int | str) -> Results:
        """A run by its number or its name."""
        names = [self.plan.run_name(number) for number in range(len(self))]
        name = names[run] if isinstance(run, int) and 0 <= run < len(self) else run
        if name not in names:
            raise InputError(f"there is no run {run!r}; they are {names[0]} to {names[-1]}")
        return Results(self.folder / str(name))

    def __repr__(self) -> str:
        done = len(self) - len(self.failed) - len(self.missing)
        return (
            f"<Sweep of {self.plan.name} over {', '.join(self.parameters)}: {done} of {len(self)} "
            f"runs done, {len(self.failed)} failed, in {self.folder}>"
        )


def read_outcomes(folder: Path, plan: Plan) -> dict[int, Outcome]:
    """Outcomes of the finished runs, by number."""
    found = {
        number: read_outcome(folder / plan.run_name(number)) for number in range(len(plan.points))
    }
    return {number: outcome for number, outcome in found.items() if outcome is not None}
