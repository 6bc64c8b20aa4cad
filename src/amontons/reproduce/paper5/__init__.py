"""Experiments of paper 5."""

from amontons.reproduce.experiment import Experiment
from amontons.reproduce.paper5.redundancy import RedundantContacts
from amontons.reproduce.paper5.sizes import IterationsAgainstSize
from amontons.reproduce.paper5.warm_start import WarmStart

EXPERIMENTS: tuple[type[Experiment], ...] = (IterationsAgainstSize, WarmStart, RedundantContacts)
