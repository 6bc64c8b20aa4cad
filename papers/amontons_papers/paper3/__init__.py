"""Experiments of paper 3."""

from amontons_papers.experiment import Experiment
from amontons_papers.paper3.bulldozer import BulldozerExperiment
from amontons_papers.paper3.cohesion import CohesiveBalls
from amontons_papers.paper3.crater import CraterLaw
from amontons_papers.paper3.hourglass import FlowRate
from amontons_papers.paper3.mixer import MixerScaling
from amontons_papers.paper3.slab import Slab
from amontons_papers.paper3.sliding_ball import SlidingBall
from amontons_papers.paper3.wall_impact import WallImpact

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
