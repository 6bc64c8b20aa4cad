"""Experiments of paper 5."""

from amontons.reproduce.experiment import Experiment

EXPERIMENTS: tuple[type[Experiment], ...] = ()
