"""Experiments of paper 4."""

from amontons.reproduce.experiment import Experiment
from amontons.reproduce.paper4.gripper import GripperExperiment
from amontons.reproduce.paper4.heaps import ArticulatedObjects, NonConvexShapes
from amontons.reproduce.paper4.packaging import PackagingExperiment
from amontons.reproduce.paper4.walking_robot import WalkingRobotExperiment

EXPERIMENTS: tuple[type[Experiment], ...] = (
    GripperExperiment,
    ArticulatedObjects,
    NonConvexShapes,
    PackagingExperiment,
    WalkingRobotExperiment,
)
