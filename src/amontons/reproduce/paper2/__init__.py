"""Experiments of paper 2."""

from amontons.reproduce.experiment import Experiment

EXPERIMENTS: tuple[type[Experiment], ...] = ()
