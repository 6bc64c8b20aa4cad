"""Every experiment of the five papers: one file each, run by `amontons reproduce`.

An experiment of paper k lives in the folder `paperk`, is listed in that folder's `EXPERIMENTS`, and
writes what it finds into a :class:`Notebook`, from which its page is made.
"""

from amontons.errors import InputError
from amontons.reproduce import paper1, paper2, paper3, paper4, paper5
from amontons.reproduce.experiment import Experiment, Size
from amontons.reproduce.notebook import Band, Notebook
from amontons.reproduce.outcome import Outcome
from amontons.reproduce.running import reproduce

EXPERIMENTS: dict[str, type[Experiment]] = {
    kind.name: kind
    for paper in (paper1, paper2, paper3, paper4, paper5)
    for kind in paper.EXPERIMENTS
}
"""All experiments by the names that the command line knows them by, in the order of the papers."""


def find_experiment(name: str) -> type[Experiment]:
    """The experiment of that name; underscores will do."""
    kind = EXPERIMENTS.get(name.strip().lower().replace("_", "-"))
    if kind is None:
        raise InputError(f"there is no experiment {name!r}; choose one of {', '.join(EXPERIMENTS)}")
    return kind


__all__ = [
    "EXPERIMENTS",
    "Band",
    "Experiment",
    "Notebook",
    "Outcome",
    "Size",
    "find_experiment",
    "reproduce",
]
