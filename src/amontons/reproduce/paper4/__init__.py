"""Experiments of paper 4."""

from amontons.reproduce.experiment import Experiment
from amontons.reproduce.paper4.pebbles import PebbleRefuelling
from amontons.reproduce.paper4.segregation import SizeSegregation

EXPERIMENTS: tuple[type[Experiment], ...] = (SizeSegregation, PebbleRefuelling)
