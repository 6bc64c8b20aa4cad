"""Wall-clock time of the stages of a step."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STAGES = ("detect", "assemble", "solve", "advance")


class Stopwatch:
    """Wall-clock time of the stages of a step."""

    def __init__(self) -> None:
        self._spent = dict.fromkeys(STAGES, 0.0)
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """Count the time since the last lap as that of a stage."""
        now = time.perf_counter()
        self._spent[stage] += now - self._last
        self._last = now

    @property
    def seconds(self) -> Floats:
        """Time of each of the `STAGES` [s], shape (stages,)."""
        return np.array(list(self._spent.values()))
