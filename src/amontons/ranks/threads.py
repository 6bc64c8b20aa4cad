"""Processes that are threads of this one: for tests, and for a look at a division without MPI."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from amontons._jit import set_threads
from amontons.array_types import Floats
from amontons.ranks.communicator import Communicator, Letters

Result = TypeVar("Result")

PATIENCE = 300.0
"""Seconds after which a thread that others wait for counts as lost: a kernel may be compiled."""


class ThreadRank(Communicator):
    """One of several threads, which meet at a barrier and leave what they say on a board."""

    def __init__(self, rank: int, barrier: threading.Barrier, board: list[Any]) -> None:
        super().__init__(rank, barrier.parties)
        self._barrier, self._board = barrier, board

    @classmethod
    def several(cls, count: int) -> list[ThreadRank]:
        """So many, who know each other."""
        barrier, board = threading.Barrier(count, timeout=PATIENCE), [None] * count
        return [cls(rank, barrier, board) for rank in range(count)]

    def exchange(self, outgoing: Letters, incoming: Letters) -> None:
        with self.traffic.measured():
            everyone = self._posted("exchange", dict(outgoing))
            for sender, array in incoming:
                array[:] = everyone[sender][self.rank]
            self._barrier.wait()  # nobody changes what others still read
        self.traffic.exchanges += 1
        self.traffic.bytes += sum(array.nbytes for _, array in outgoing)

    def joined(self, part: Floats, sizes: Sequence[int]) -> Floats:
        with self.traffic.measured():
            everyone = self._posted("joined", part)
            assert [len(each) for each in everyone] == list(sizes)
            assert {each.dtype for each in everyone} == {np.dtype(np.float64)}
            together = np.concatenate(everyone)
            self._barrier.wait()
        self.traffic.reductions += 1
        self.traffic.bytes += part.nbytes
        return together

    def delivered(self, letters: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
        everyone = self._posted("delivered", list(letters))
        mine = [each[self.rank].copy() for each in everyone]
        self._barrier.wait()
        return mine

    def abort(self) -> None:
        """Have every rank that waits for another one raise `threading.BrokenBarrierError`."""
        self._barrier.abort()

    def give_up(self, code: int) -> NoReturn:
        self.abort()
        raise SystemExit(code)

    def _posted(self, what: str, said: Any) -> list[Any]:
        """What everybody says; all must ask for the same at the same time."""
        self._board[self.rank] = what, said
        self._barrier.wait()
        everyone = list(self._board)
        if any(each[0] != what for each in everyone):
            self._barrier.abort()
            raise RuntimeError(f"ranks went different ways: {[each[0] for each in everyone]}")
        return [each[1] for each in everyone]


def run_in_threads(count: int, work: Callable[[Communicator], Result]) -> list[Result]:
    """What `work` makes of each of `count` ranks, in as many threads, one core each.

    An error in one of them ends all, and is raised here.
    """
    errors: list[BaseException] = []

    def guarded(mine: ThreadRank) -> Result:
        set_threads(1)
        try:
            return work(mine)
        except BaseException as reason:
            if not isinstance(reason, threading.BrokenBarrierError):
                errors.append(reason)
            mine.abort()
            raise

    with ThreadPoolExecutor(count) as pool:
        futures = [pool.submit(guarded, each) for each in ThreadRank.several(count)]
    if errors:
        raise errors[0]
    return [future.result() for future in futures]
