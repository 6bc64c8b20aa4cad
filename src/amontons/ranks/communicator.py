"""What processes that share a simulation say to each other, whoever carries the messages."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats

Letters = Sequence[tuple[int, Floats]]
"""Arrays, each with the rank that it goes to or comes from."""


@dataclass
class Traffic:
    """What this process has sent and waited for."""

    proposals: int = 0
    """Points that `APGD` proposed; some are too far, and are proposed again nearer by."""
    exchanges: int = 0
    """Rounds in which neighbours swapped velocities."""
    reductions: int = 0
    """Rounds in which all processes put their parts together."""
    bytes: int = 0
    """Sent by this process in either."""
    seconds: float = 0.0
    """Spent in either, waiting for slower processes included [s]."""
    processor: float = 0.0
    """Time of the processor in it [s]: MPI's processes spin while they wait."""

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Count the time of what is done inside."""
        start, used = time.perf_counter(), time.thread_time()
        yield
        self.seconds += time.perf_counter() - start
        self.processor += time.thread_time() - used


class Communicator(ABC):
    """The processes of a run, as one of them sees them.

    All of them must call the same methods in the same order: what decides on a call must be known
    to all, and must never be a size or a clock of one process.
    """

    rank: int
    """Number of this process, from 0."""
    count: int
    """Number of processes."""

    def __init__(self, rank: int, count: int) -> None:
        self.rank, self.count = rank, count
        self.traffic = Traffic()

    @property
    def leads(self) -> bool:
        """Whether this is the process that writes files and speaks for all."""
        return self.rank == 0

    @abstractmethod
    def exchange(self, outgoing: Letters, incoming: Letters) -> None:
        """Send arrays to other ranks, and fill those that come from them."""

    @abstractmethod
    def joined(self, part: Floats, sizes: Sequence[int]) -> Floats:
        """The flat parts of all processes, one after the other; `sizes` are their lengths."""

    @abstractmethod
    def delivered(self, letters: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
        """What every rank has for this one, from what this one has for every rank."""

    @abstractmethod
    def give_up(self, code: int) -> NoReturn:
        """End all processes at once: one of them cannot go on."""

    def largest(self, value: float) -> float:
        """The largest of the values that all processes bring."""
        return float(self.joined(np.array([value]), [1] * self.count).max())

    def alike(self, value: float) -> bool:
        """Whether all processes bring the same value."""
        values = self.joined(np.array([value]), [1] * self.count)
        return bool((values == values[0]).all())


class OneProcess(Communicator):
    """A process on its own: what it says comes back to it."""

    def __init__(self) -> None:
        super().__init__(0, 1)

    def exchange(self, outgoing: Letters, incoming: Letters) -> None:
        self.traffic.exchanges += 1

    def joined(self, part: Floats, sizes: Sequence[int]) -> Floats:
        self.traffic.reductions += 1
        return part

    def delivered(self, letters: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
        return list(letters)

    def give_up(self, code: int) -> NoReturn:
        raise SystemExit(code)
