"""Experiments of paper 3."""

from amontons.reproduce.experiment import Experiment
from amontons.reproduce.paper3.bulldozer import BulldozerExperiment

EXPERIMENTS: tuple[type[Experiment], ...] = (BulldozerExperiment,)
