"""Forces and torques that are given, as constants or as functions of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from amontons.checks import finite_vector
from amontons.checks.arrays import Vector
from amontons.errors import InputError
from amontons.model.forces.base import Load
from amontons.model.joints.checks import BodyLike, some_body

VectorSignal = Vector | Callable[[float], ArrayLike]
"""Three numbers, or a function of time [s] that gives three."""


def vector_signal(name: str, value: Any) -> VectorSignal:
    """Three numbers, or a function of time."""
    return value if callable(value) else finite_vector(name, value)


def checked_frame(name: str, frame: Any) -> str:
    """The frame in which a vector is given."""
    if frame not in ("world", "body"):
        raise InputError(f"{name} must be 'world' or 'body', got {frame!r}")
    return str(frame)


@dataclass(frozen=True)
class AppliedForce(Load):
    """A force on a body.

    Parameters
    ----------
    body:
        The body, or its id.
    force:
        Force [N], or a function of time that gives it, shape (3,).
    point:
        Where it acts [m]: in world coordinates for the body's pose when the force is added, fixed
        in the body from then on; by default at the centre of mass.
    frame:
        Whose axes the force is given in: those of the "world", or of the "body", turning with it.
    """

    body: BodyLike
    force: VectorSignal
    point: Vector | None = None
    frame: str = "world"

    def check(self) -> None:
        some_body("body", self.body)
        self._check("force", vector_signal)
        self._check("frame", checked_frame)
        if self.point is not None:
            self._check("point", finite_vector)

    @property
    def ids(self) -> tuple[int, ...]:
        return (some_body("body", self.body),)


@dataclass(frozen=True)
class AppliedTorque(Load):
    """A torque on a body.

    Parameters
    ----------
    body:
        The body, or its id.
    torque:
        Torque [N m], or a function of time that gives it, shape (3,).
    frame:
        Whose axes the torque is given in: those of the "world", or of the "body", turning with it.
    """

    body: BodyLike
    torque: VectorSignal
    frame: str = "world"

    def check(self) -> None:
        some_body("body", self.body)
        self._check("torque", vector_signal)
        self._check("frame", checked_frame)

    @property
    def ids(self) -> tuple[int, ...]:
        return (some_body("body", self.body),)
