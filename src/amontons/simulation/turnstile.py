"""One step at a time, on a world that holds still meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from amontons.errors import InputError, SimulationError
from amontons.model.world import World


class Turnstile:
    """Lets one thread into a step; a second one, or a step within a step, is an error.

    Two steps at once would mix two states without a word.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise SimulationError(
                "this simulation is in the middle of a step, taken by another thread or by what "
                "called this function (a force, a motion): one simulation takes one step at a "
                "time; give each thread a simulation and a world of its own"
            )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type[Turnstile], tuple[()]]:
        return type(self), ()  # a copy of a simulation is in no step


@contextmanager
def holding_still(world: World) -> Iterator[None]:
    """Raise InputError where bodies, joints or forces come or go inside of a step."""
    version = world.version
    try:
        yield
    except Exception as reason:
        if world.version != version:
            raise _changed() from reason
        raise
    if world.version != version:
        raise _changed()


def _changed() -> InputError:
    return InputError(
        "bodies, joints or forces were added or removed in the middle of a step, by a force's or a "
        "motion's function or by another thread; the step was not taken. Change the world between "
        "steps: after sim.step(), or in run(on_step=...)"
    )
