"""Experiments of paper 1."""

from amontons.reproduce.experiment import Experiment
from amontons.reproduce.paper1.masonry import Masonry
from amontons.reproduce.paper1.networks import JointNetwork, SmoothSpheres
from amontons.reproduce.paper1.steel_plates import SteelPlates
from amontons.reproduce.paper1.tracked_vehicle import TrackedVehicleExperiment

EXPERIMENTS: tuple[type[Experiment], ...] = (
    JointNetwork,
    SmoothSpheres,
    SteelPlates,
    Masonry,
    TrackedVehicleExperiment,
)
