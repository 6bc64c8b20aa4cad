"""Threads that share worlds among them, each with kernels of one thread."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numba

from amontons._jit import get_threads

LEAST = 4
"""Worlds of a part at least: entering the compiled code takes as long as a step or two."""

PARTS = 8
"""Parts for each thread: worlds differ in what a step costs."""


def in_parts(count: int, take: Callable[[int, int], None]) -> None:
    """Call `take(low, high)` for parts of so many items, on as many threads as kernels may use."""
    threads = min(get_threads(), -(-count // LEAST))
    # Numba's own layer, where there is no other, ends the process if two threads enter it at once
    if threads <= 1 or numba.threading_layer() == "workqueue":
        with _alone():
            take(0, count)
        return
    size = max(LEAST, -(-count // (PARTS * threads)))
    crew = _crew(threads, os.getpid())  # the threads of a parent stay behind when it forks
    calls = [crew.submit(take, low, min(count, low + size)) for low in range(0, count, size)]
    for call in calls:
        call.result()


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Let parallel kernels that are called meanwhile do without a crew of their own."""
    usual = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(usual)


@lru_cache(maxsize=4)
def _crew(threads: int, process: int) -> ThreadPoolExecutor:
    """Threads of a process; in each, kernels have one thread."""
    return ThreadPoolExecutor(
        threads, f"amontons-{process}", initializer=numba.set_num_threads, initargs=(1,)
    )
