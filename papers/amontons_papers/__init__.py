"""Every experiment of the five papers: one file each, run by `amontons reproduce`.

An experiment of paper k lives in the folder `paperk`, is listed in that folder's `EXPERIMENTS`, and
writes what it finds into a :class:`Notebook`, from which its page is made.
"""

from amontons_papers.experiment import Experiment, Size
from amontons_papers.notebook import Band, Notebook
from amontons_papers.outcome import Outcome
from amontons_papers.registry import EXPERIMENTS, find_experiment
from amontons_papers.run_experiment import reproduce

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
