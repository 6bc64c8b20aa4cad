"""Where a process finds the others."""

from __future__ import annotations

from functools import cache

from amontons.ranks.communicator import Communicator, OneProcess
from amontons.ranks.mpi import MpiRank, under_mpi


@cache
def here() -> Communicator:
    """The processes that `mpiexec` or `srun` started along with this one, or this one alone.

    Under MPI each process then uses its share of the machine's cores, and an exception that nobody
    catches in one process ends all of them.
    """
    if not under_mpi():
        return OneProcess()
    ranks = MpiRank()
    ranks.share_cores()
    ranks.end_together()
    return ranks
