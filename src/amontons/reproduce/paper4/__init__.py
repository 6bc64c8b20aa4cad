"""Experiments of paper 4."""

from amontons.reproduce.experiment import Experiment
from amontons.reproduce.paper4.walking_robot import WalkingRobotExperiment

EXPERIMENTS: tuple[type[Experiment], ...] = (WalkingRobotExperiment,)
