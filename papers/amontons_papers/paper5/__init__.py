"""Experiments of paper 5."""

from amontons_papers.experiment import Experiment
from amontons_papers.paper5.redundancy import RedundantContacts
from amontons_papers.paper5.sizes import IterationsAgainstSize
from amontons_papers.paper5.warm_start import WarmStart

EXPERIMENTS: tuple[type[Experiment], ...] = (IterationsAgainstSize, WarmStart, RedundantContacts)
