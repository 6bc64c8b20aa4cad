"""Results: a run in one HDF5 file, readable while it grows, and checkpoints to resume from."""

from amontons.frames.frame import BodyList, Frame
from amontons.frames.single_frame import SingleFrame
from amontons.frames.surfaces import Surface
from amontons.results.layout import COLUMNS as READINGS
from amontons.results.layout import STAGES
from amontons.results.reader import Results
from amontons.results.recorder import Recorder
from amontons.results.runs import FollowedRun, RecordedRun, begin, follow, follow_resumed, resume

__all__ = [
    "READINGS",
    "STAGES",
    "BodyList",
    "FollowedRun",
    "Frame",
    "RecordedRun",
    "Recorder",
    "Results",
    "SingleFrame",
    "Surface",
    "begin",
    "follow",
    "follow_resumed",
    "resume",
]
