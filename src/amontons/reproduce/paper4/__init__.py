"""Experiments of paper 4."""

from amontons.reproduce.experiment import Experiment
from amontons.reproduce.paper4.cost import CostOfAStep
from amontons.reproduce.paper4.gripper import GripperExperiment
from amontons.reproduce.paper4.heaps import ArticulatedObjects, NonConvexShapes
from amontons.reproduce.paper4.high_stacks import HighStacks
from amontons.reproduce.paper4.packaging import PackagingExperiment
from amontons.reproduce.paper4.pebbles import PebbleRefuelling
from amontons.reproduce.paper4.segregation import SizeSegregation
from amontons.reproduce.paper4.violations import ViolationsAgainstIterations
from amontons.reproduce.paper4.walking_robot import WalkingRobotExperiment

EXPERIMENTS: tuple[type[Experiment], ...] = (
    SizeSegregation,
    ViolationsAgainstIterations,
    CostOfAStep,
    HighStacks,
    GripperExperiment,
    ArticulatedObjects,
    NonConvexShapes,
    PackagingExperiment,
    PebbleRefuelling,
    WalkingRobotExperiment,
)
