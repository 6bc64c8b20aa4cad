"""Experiments of paper 2."""

from amontons_papers.experiment import Experiment
from amontons_papers.paper2.splitting import Splitting

EXPERIMENTS: tuple[type[Experiment], ...] = (Splitting,)
