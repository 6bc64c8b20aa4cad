"""All experiments by name."""

from amontons.errors import InputError
from amontons_papers import paper1, paper2, paper3, paper4, paper5
from amontons_papers.experiment import Experiment

EXPERIMENTS: dict[str, type[Experiment]] = {
    kind.name: kind
    for paper in (paper1, paper2, paper3, paper4, paper5)
    for kind in paper.EXPERIMENTS
}
"""By the names that the command line knows them by, in the order of the papers."""


def find_experiment(name: str) -> type[Experiment]:
    """The experiment of that name; underscores will do."""
    kind = EXPERIMENTS.get(name.strip().lower().replace("_", "-"))
    if kind is None:
        raise InputError(f"there is no experiment {name!r}; choose one of {', '.join(EXPERIMENTS)}")
    return kind
