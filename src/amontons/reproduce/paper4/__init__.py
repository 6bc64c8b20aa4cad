"""Experiments of paper 4."""

from amontons.reproduce.experiment import Experiment

EXPERIMENTS: tuple[type[Experiment], ...] = ()
