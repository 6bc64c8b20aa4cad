"""Experiments of paper 1."""

from amontons.reproduce.experiment import Experiment

EXPERIMENTS: tuple[type[Experiment], ...] = ()
