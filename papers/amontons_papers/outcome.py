"""How an experiment went: kept in its folder, so that a later run need not do it again."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amontons_papers.experiment import Experiment, Size

FILE = "outcome.json"
"""In the folder of an experiment; written last, so it stands for a run that came to its end."""
SUMMARY = "summary.json"
"""In the folder of all experiments."""


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
    size: Size = "default"
    cpu_seconds: float = 0.0
    """Of all cores, and of processes that were started."""

    @property
    def ok(self) -> bool:
        """Whether it ran to its end and every band passed."""
        return self.error is None and self.passed == self.bands

    def as_dict(self) -> dict[str, Any]:
        """All of it for JSON."""
        plain = {**dataclasses.asdict(self), "folder": str(self.folder), "ok": self.ok}
        return {**plain, "failures": list(self.failures)}


def keep_outcome(outcome: Outcome) -> None:
    """Write `outcome.json` into the experiment's folder."""
    (outcome.folder / FILE).write_text(json.dumps(outcome.as_dict(), indent=1), encoding="utf-8")


def forget_outcome(folder: Path) -> None:
    """Take away what `keep_outcome` wrote."""
    (folder / FILE).unlink(missing_ok=True)


def kept_outcome(kind: type[Experiment], size: Size, folder: Path) -> Outcome | None:
    """The outcome of an earlier run to the end in this size, or None."""
    try:
        content = json.loads((folder / FILE).read_text(encoding="utf-8"))
        fields = {each.name: content[each.name] for each in dataclasses.fields(Outcome)}
    except (OSError, ValueError, KeyError, TypeError):
        return None  # there is none, or it was cut off: the experiment is run
    if fields["name"] != kind.name or fields["size"] != size or fields["error"] is not None:
        return None
    return Outcome(**{**fields, "folder": folder, "failures": tuple(fields["failures"])})


def write_summary(outcomes: Sequence[Outcome], out: Path, size: Size, planned: int) -> None:
    """Write `summary.json`: every outcome so far and their sums."""
    summary = {
        "size": size,
        "experiments": planned,
        "done": len(outcomes),
        "passed": sum(each.ok for each in outcomes),
        "seconds": sum(each.seconds for each in outcomes),
        "cpu_seconds": sum(each.cpu_seconds for each in outcomes),
        "outcomes": [each.as_dict() for each in outcomes],
    }
    (out / SUMMARY).write_text(json.dumps(summary, indent=1), encoding="utf-8")
