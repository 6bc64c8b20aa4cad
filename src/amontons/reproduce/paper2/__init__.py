"""Experiments of paper 2."""

from amontons.reproduce.experiment import Experiment
from amontons.reproduce.paper2.splitting import Splitting

EXPERIMENTS: tuple[type[Experiment], ...] = (Splitting,)
