"""Experiments of paper 3."""

from amontons.reproduce.experiment import Experiment
from amontons.reproduce.paper3.crater import CraterLaw

EXPERIMENTS: tuple[type[Experiment], ...] = (CraterLaw,)
