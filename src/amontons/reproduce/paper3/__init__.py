"""Experiments of paper 3."""

from amontons.reproduce.experiment import Experiment
from amontons.reproduce.paper3.bulldozer import BulldozerExperiment
from amontons.reproduce.paper3.cohesion import CohesiveBalls
from amontons.reproduce.paper3.crater import CraterLaw
from amontons.reproduce.paper3.hourglass import FlowRate
from amontons.reproduce.paper3.mixer import MixerScaling
from amontons.reproduce.paper3.slab import Slab
from amontons.reproduce.paper3.sliding_ball import SlidingBall
from amontons.reproduce.paper3.wall_impact import WallImpact

EXPERIMENTS: tuple[type[Experiment], ...] = (
    SlidingBall,
    Slab,
    MixerScaling,
    CohesiveBalls,
    WallImpact,
    FlowRate,
    CraterLaw,
    BulldozerExperiment,
)
