"""Experiments of paper 4."""

from amontons_papers.experiment import Experiment
from amontons_papers.paper4.cost import CostOfAStep
from amontons_papers.paper4.gripper import GripperExperiment
from amontons_papers.paper4.heaps import ArticulatedObjects, NonConvexShapes
from amontons_papers.paper4.high_stacks import HighStacks
from amontons_papers.paper4.packaging import PackagingExperiment
from amontons_papers.paper4.pebbles import PebbleRefuelling
from amontons_papers.paper4.segregation import SizeSegregation
from amontons_papers.paper4.violations import ViolationsAgainstIterations
from amontons_papers.paper4.walking_robot import WalkingRobotExperiment

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
