"""Processes that `mpiexec` or `srun` started: messages go through mpi4py."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Sequence
from types import TracebackType
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from amontons._jit import max_threads, set_threads
from amontons.array_types import Floats
from amontons.errors import InputError
from amontons.ranks.communicator import Communicator, Letters

STARTED_BY_MPI = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK")
"""Variables of which one is set in a process that MPICH, Open MPI, MVAPICH or SLURM started."""

FIRST_WORD = 1.0
"""Seconds that other ranks leave to rank 0 to say what went wrong, where it does everywhere."""

TAG = 18


def under_mpi() -> bool:
    """Whether this process is one of several that an MPI launcher started."""
    return any(name in os.environ for name in STARTED_BY_MPI)


class MpiRank(Communicator):
    """One of the processes of `MPI.COMM_WORLD`."""

    def __init__(self) -> None:
        try:
            from mpi4py import MPI
        except ImportError as reason:
            raise InputError(
                f"this process was started by MPI, but mpi4py cannot be used ({reason}): "
                "pip install 'amontons[mpi]', or mpi4py built for the cluster's own MPI"
            ) from None
        self._mpi, self._all = MPI, MPI.COMM_WORLD
        super().__init__(self._all.Get_rank(), self._all.Get_size())
        node = self._all.Split_type(MPI.COMM_TYPE_SHARED)
        self.on_this_node = int(node.Get_size())
        """Processes on this machine, which share its cores."""
        node.Free()

    def share_cores(self) -> None:
        """Use as many threads as there are cores for each process of this machine."""
        set_threads(max(1, max_threads() // self.on_this_node))

    def end_together(self) -> None:
        """From now on an exception that nobody catches ends all processes, not this one alone.

        The others would wait for it for ever.
        """
        usual = sys.excepthook

        def hook(
            kind: type[BaseException], reason: BaseException, trace: TracebackType | None
        ) -> None:
            if not self.leads:
                time.sleep(FIRST_WORD)
                lines = "".join(traceback.format_exception(kind, reason, trace))
                print(f"amontons: rank {self.rank} of {self.count}:\n{lines}", file=sys.stderr)
            else:
                usual(kind, reason, trace)
            self.give_up(130 if issubclass(kind, KeyboardInterrupt) else 1)

        sys.excepthook = hook

    def exchange(self, outgoing: Letters, incoming: Letters) -> None:
        with self.traffic.measured():
            requests: list[Any] = [self._all.Irecv(array, rank, TAG) for rank, array in incoming]
            requests += [self._all.Isend(array, rank, TAG) for rank, array in outgoing]
            self._mpi.Request.Waitall(requests)
        self.traffic.exchanges += 1
        self.traffic.bytes += sum(array.nbytes for _, array in outgoing)

    def joined(self, part: Floats, sizes: Sequence[int]) -> Floats:
        together = np.empty(sum(sizes))
        with self.traffic.measured():
            self._all.Allgatherv(part, (together, list(sizes)))
        self.traffic.reductions += 1
        self.traffic.bytes += part.nbytes
        return together

    def delivered(self, letters: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
        return list(self._all.alltoall(list(letters)))

    def give_up(self, code: int) -> NoReturn:
        sys.stdout.flush()
        sys.stderr.flush()
        self._all.Abort(code)
        raise SystemExit(code)
