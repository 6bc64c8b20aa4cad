"""Experiments of paper 1."""

from amontons.reproduce.experiment import Experiment
from amontons.reproduce.paper1.tracked_vehicle import TrackedVehicleExperiment

EXPERIMENTS: tuple[type[Experiment], ...] = (TrackedVehicleExperiment,)
