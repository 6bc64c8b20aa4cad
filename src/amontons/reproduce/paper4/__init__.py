"""Experiments of paper 4."""

from amontons.reproduce.experiment import Experiment
from amontons.reproduce.paper4.cost import CostOfAStep
from amontons.reproduce.paper4.high_stacks import HighStacks
from amontons.reproduce.paper4.pebbles import PebbleRefuelling
from amontons.reproduce.paper4.segregation import SizeSegregation
from amontons.reproduce.paper4.violations import ViolationsAgainstIterations

EXPERIMENTS: tuple[type[Experiment], ...] = (
    ViolationsAgainstIterations,
    CostOfAStep,
    HighStacks,
    SizeSegregation,
    PebbleRefuelling,
)
