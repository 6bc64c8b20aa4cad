"""Experiments of paper 3."""

from amontons.reproduce.experiment import Experiment

EXPERIMENTS: tuple[type[Experiment], ...] = ()
