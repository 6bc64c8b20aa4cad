"""Sweeps: one scene with many values of its parameters, run by Dask, and one table of results."""

from amontons.sweeps.opened import Sweep
from amontons.sweeps.sweeping import sweep

__all__ = ["Sweep", "sweep"]
