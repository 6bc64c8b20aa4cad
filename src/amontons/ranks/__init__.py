"""Ranks: the processes that share one simulation, and how they divide the work of a step.

Scripts call `here()`; :mod:`~amontons.ranks.division` assigns the work.
"""

from amontons.ranks.communicator import Communicator, OneProcess, Traffic
from amontons.ranks.divided import DividedAPGD
from amontons.ranks.starting import here
from amontons.ranks.threads import run_in_threads

__all__ = ["Communicator", "DividedAPGD", "OneProcess", "Traffic", "here", "run_in_threads"]
