"""Forces given by a user's function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.errors import InputError
from amontons.model.forces.base import Bodies, Load, body_ids

Floats = NDArray[np.float64]


class ForceState(NamedTuple):
    """What a force may depend on: n bodies, in the order in which they were named."""

    time: float  # [s]
    position: Floats  # centres of mass [m], (n, 3)
    orientation: Floats  # unit quaternions (w, x, y, z), (n, 4)
    velocity: Floats  # [m/s], (n, 3)
    angular_velocity: Floats  # in world axes [rad/s], (n, 3)


@dataclass(frozen=True)
class Force(Load):
    """Any force: a function of time and of the state of some bodies.

    Parameters
    ----------
    bodies:
        One body or several; None means all bodies at any time.
    function:
        From a :class:`ForceState` of those n bodies to forces and torques in world axes at the
        centres of mass [N, N m], shape (n, 6). It is called once per step, with the state at
        its beginning, so stiff forces need short steps: use springs where they will do.
    potential:
        From the same state to the potential energy [J], for readings.
    """

    bodies: Bodies
    function: Callable[[ForceState], ArrayLike]
    potential: Callable[[ForceState], float] | None = None

    def check(self) -> None:
        body_ids("bodies", self.bodies)
        if not callable(self.function):
            raise InputError(f"function of {self.title} must be callable, got {self.function!r}")
        if self.potential is not None and not callable(self.potential):
            raise InputError(f"potential of {self.title} must be callable, got {self.potential!r}")

    @property
    def ids(self) -> tuple[int, ...] | None:
        return body_ids("bodies", self.bodies)
