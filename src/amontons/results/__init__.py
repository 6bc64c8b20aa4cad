"""Results: a run in one HDF5 file, readable while it grows, and checkpoints to resume from."""

from amontons.results.layout import STAGES
from amontons.results.moment import Moment
from amontons.results.reader import BodyList, Frame, Results, Surface
from amontons.results.recorder import Recorder
from amontons.results.runs import Run, begin, resume

__all__ = [
    "STAGES",
    "BodyList",
    "Frame",
    "Moment",
    "Recorder",
    "Results",
    "Run",
    "Surface",
    "begin",
    "resume",
]
