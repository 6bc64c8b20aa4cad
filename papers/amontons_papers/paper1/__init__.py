"""Experiments of paper 1."""

from amontons_papers.experiment import Experiment
from amontons_papers.paper1.masonry import Masonry
from amontons_papers.paper1.networks import JointNetwork, SmoothSpheres
from amontons_papers.paper1.steel_plates import SteelPlates
from amontons_papers.paper1.tracked_vehicle import TrackedVehicleExperiment

EXPERIMENTS: tuple[type[Experiment], ...] = (
    JointNetwork,
    SmoothSpheres,
    SteelPlates,
    Masonry,
    TrackedVehicleExperiment,
)
