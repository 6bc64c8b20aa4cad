"""Figures of how solvers fare and how runs went.

They need matplotlib: `pip install "amontons[plots]"`. Figures are made without pyplot: there is no
global state, and no window is opened.
"""

from amontons.plots.convergence import convergence
from amontons.plots.forces import forces
from amontons.plots.meters import meters
from amontons.plots.probes import probes
from amontons.plots.profile import performance_profile
from amontons.plots.runs import contacts, effort, energy, joints, sensors, stages
from amontons.plots.style import MissingExtraError, save
from amontons.plots.sweeps import over

__all__ = [
    "MissingExtraError",
    "contacts",
    "convergence",
    "effort",
    "energy",
    "forces",
    "joints",
    "meters",
    "over",
    "performance_profile",
    "probes",
    "save",
    "sensors",
    "stages",
]
