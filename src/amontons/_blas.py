"""Threads of the BLAS and OpenMP libraries that numpy, scipy and others bring along.

Matrices of a step are small. OpenBLAS would still wake its threads for them and wait: a Cholesky
factorisation of 180 unknowns takes 0.1 ms on one thread and up to 136 ms on two of a busy machine.
What it computes differs in the last digits, too, so inside a solve there is one thread of BLAS,
whatever there is outside. threadpoolctl finds the libraries.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Callable
from typing import Any

import threadpoolctl


class Pool:
    """The threads of one library."""

    def __init__(self, controller: Any) -> None:
        self.path = str(controller.filepath)
        self.is_blas = controller.user_api == "blas"
        layer = getattr(controller, "threading_layer", "")
        self.of_thread = layer == "openmp" or controller.user_api == "openmp"
        """Whether each thread of Python has a number of its own."""
        self.get: Callable[[], int] = controller.get_num_threads
        self.set: Callable[[int], Any] = controller.set_num_threads
        if controller.internal_api == "openblas" and not self.of_thread:
            # threadpoolctl lets one thread of Python alone change it; here a lock sees to that
            self.get = _openblas(controller.dynlib, "get") or self.get
            self.set = _openblas(controller.dynlib, "set") or self.set
        self.most = int(self.get() or 1)
        """Threads that it had when it was found."""
        self.outside = self.most
        """Threads that it goes back to after a solve."""


def _openblas(library: ctypes.CDLL, verb: str) -> Callable[..., Any] | None:
    """OpenBLAS' own function, whatever a distribution adds to its name."""
    for before, after in itertools.product(("", "scipy_"), ("", "64_", "_64")):
        found = getattr(library, f"{before}openblas_{verb}_num_threads{after}", None)
        if found is not None:
            return found  # type: ignore[no-any-return]
    return None


class OneThread:
    """A context in which BLAS has one thread: entering and leaving takes some 4 µs.

    Contexts nest. Where several threads of Python are in it, the last to leave restores what was.
    """

    def __init__(self) -> None:
        self.pools: list[Pool] = []
        self._limit: int | None = None
        self._lock = threading.Lock()
        self._inside = 0  # threads of Python
        self._own = threading.local()
        self._looked = False

    def __enter__(self) -> None:
        depth = getattr(self._own, "depth", 0)
        self._own.depth = depth + 1
        if depth:
            return
        with self._lock:
            if not self._looked:
                self._look()
            self._inside += 1
            for pool in self.pools:
                if pool.is_blas:
                    if self._inside == 1:
                        pool.outside = pool.get()
                    pool.set(1)

    def __exit__(self, *error: object) -> None:
        self._own.depth -= 1
        if self._own.depth:
            return
        with self._lock:
            self._inside -= 1
            for pool in self.pools:
                if pool.is_blas and (pool.of_thread or not self._inside):
                    pool.set(pool.outside)

    def look_again(self) -> None:
        """Take in libraries that were loaded since the last look."""
        with self._lock:
            self._look()

    def limit(self, threads: int) -> None:
        """Leave every library so many threads at most, also those that are loaded later."""
        with self._lock:
            self._limit = threads
            self._look()
            for pool in self.pools:
                self._apply(pool)

    def _look(self) -> None:
        self._looked = True
        known = {pool.path for pool in self.pools}
        for controller in threadpoolctl.ThreadpoolController().lib_controllers:
            if str(controller.filepath) not in known:
                pool = Pool(controller)
                self.pools.append(pool)
                self._apply(pool)

    def _apply(self, pool: Pool) -> None:
        """Give a library what the limit allows; in a solve, that is for afterwards."""
        pool.outside = pool.most if self._limit is None else min(pool.most, self._limit)
        if pool.is_blas and self._inside:
            pool.set(1)
        elif self._limit is not None:
            pool.set(pool.outside)


one_blas_thread = OneThread()
