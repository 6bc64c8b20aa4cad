"""Experiments of paper 3."""

from amontons.reproduce.experiment import Experiment
from amontons.reproduce.paper3.slab import Slab
from amontons.reproduce.paper3.sliding_ball import SlidingBall

EXPERIMENTS: tuple[type[Experiment], ...] = (SlidingBall, Slab)
