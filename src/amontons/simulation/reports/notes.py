"""Notes: what a careful user should know about a step, and summaries of a run's notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

CONVERGENCE = "convergence"
TRAVEL = "travel"
FIRST_OVERLAP = "first overlap"
OVERLAP = "overlap"
RUNAWAY = "runaway"
BROKEN_JOINT = "broken joint"
BROKEN_BOND = "broken bonds"
WAITING_SOURCE = "waiting source"

HEADINGS = {
    CONVERGENCE: "the solver did not converge",
    TRAVEL: "bodies moved farther than their half thickness",
    FIRST_OVERLAP: "new bodies overlapped",
    OVERLAP: "bodies overlapped deeply",
    RUNAWAY: "energy came from nowhere",
    BROKEN_JOINT: "joints broke",
    BROKEN_BOND: "bonds broke",
    WAITING_SOURCE: "sources began to wait for room",
}
"""Kinds of notes, and what a summary says of each."""


@dataclass(frozen=True, kw_only=True)
class Note:
    """One thing that a careful user should know about a step; `str(note)` says it in a sentence.

    `value` orders notes of a kind, the worst is the largest: the residual (convergence), half
    thicknesses covered (travel), overlap by half thickness (first overlap, overlap), energy by what
    could have been supplied (runaway).
    """

    kind: str
    """One of the keys of `HEADINGS`."""
    message: str
    """What happened, to which bodies, and what to do."""
    step: int
    """Number of the step, from 1."""
    time: float
    """At the end of the step [s]."""
    bodies: tuple[str, ...] = ()
    """Names of the bodies concerned."""
    value: float = 0.0

    @property
    def expected(self) -> bool:
        """Whether it reports something intended, such as a breaking joint, rather than trouble."""
        return self.kind in (BROKEN_JOINT, BROKEN_BOND, WAITING_SOURCE)

    def __str__(self) -> str:
        return f"step {self.step} (t = {self.time:.6g} s): {self.message}"


class NoteSummary(NamedTuple):
    """All notes of one kind in a run."""

    kind: str
    steps: int  # that have such a note
    share: float  # of all steps
    first: float  # time of the first of them [s]
    last: float  # time of the last [s]
    worst: Note

    def __str__(self) -> str:
        when = f"at {self.first:.4g} s"
        if self.last > self.first:
            when = f"from {self.first:.4g} s to {self.last:.4g} s"
        count = "1 step" if self.steps == 1 else f"{self.steps} steps"
        head = f"{HEADINGS.get(self.kind, self.kind)} in {count} ({percent(self.share)}), {when}"
        return f"{head}; the worst: {self.worst}" if self.steps > 1 else f"{head}: {self.worst}"


def summaries(notes: Iterable[Note], steps: int) -> list[NoteSummary]:
    """Summaries of the notes of a run, one per kind; troubles come first."""
    kinds: dict[str, list[Note]] = {}
    for note in notes:
        kinds.setdefault(note.kind, []).append(note)
    order = {kind: place for place, kind in enumerate((RUNAWAY, *HEADINGS))}
    return [
        _summary(kind, kinds[kind], steps)
        for kind in sorted(kinds, key=lambda kind: order.get(kind, len(order)))
    ]


def _summary(kind: str, notes: Sequence[Note], steps: int) -> NoteSummary:
    hit = len({note.step for note in notes})
    times = [note.time for note in notes]
    worst = max(notes, key=lambda note: note.value)
    return NoteSummary(kind, hit, hit / max(steps, hit), min(times), max(times), worst)


def brief(found: Sequence[NoteSummary]) -> str:
    """The kinds of notes of a run and in how many of its steps they were, in a row."""
    heads = (f"{HEADINGS.get(one.kind, one.kind)} in {percent(one.share)} of them" for one in found)
    return "; ".join(heads)


def percent(share: float) -> str:
    """A share in %, never rounded to none or to all."""
    if 0.0 < share < 1e-3:
        return "less than 0.1 %"
    if 0.999 < share < 1.0:
        return "almost all"
    return f"{100.0 * share:.3g} %"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Names in a row; the first few, and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def troubles(notes: Iterable[Note]) -> Iterator[Note]:
    """The notes that report trouble."""
    return (note for note in notes if not note.expected)
