"""Motors, which drive the free coordinate of a joint, its angle or its travel."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from amontons.checks import not_negative, positive_or_infinite
from amontons.errors import InputError
from amontons.model.joints.checks import signal
from amontons.model.joints.constraints import RIGID, ConstraintRow, Law, Signal, Softness


@dataclass(frozen=True, kw_only=True)
class Motor(ABC):
    """Drives a coordinate of a joint: an angle [rad] by a torque, a travel [m] by a force.

    Parameters
    ----------
    limit:
        Largest torque [N m] or force [N].
    """

    limit: float = math.inf

    def __post_init__(self) -> None:
        self._check("limit", positive_or_infinite)

    def _check(self, name: str, check: Callable[[str, Any], Any]) -> None:
        object.__setattr__(self, name, check(name, getattr(self, name)))

    @abstractmethod
    def row(self, coordinate: int) -> ConstraintRow:
        """Its row for this coordinate of a joint."""


@dataclass(frozen=True, kw_only=True)
class SpeedMotor(Motor):
    """Holds a speed, as far as its limit allows.

    Parameters
    ----------
    speed:
        Speed of B in A [rad/s or m/s], or a function of time that gives it.
    damping:
        Torque or force per error of speed [N m s/rad or N s/m]; infinite is rigid.
    """

    speed: Signal
    damping: float = math.inf

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("speed", signal)
        self._check("damping", positive_or_infinite)

    def row(self, coordinate: int) -> ConstraintRow:
        softness = RIGID if math.isinf(self.damping) else Softness(0.0, self.damping)
        return ConstraintRow(
            coordinate, Law.SPEED, self.speed, softness=softness, bound=self.limit, motor=True
        )


@dataclass(frozen=True, kw_only=True)
class PositionMotor(Motor):
    """Holds a position, as far as its limit allows, stiffly or as a spring and damper.

    Parameters
    ----------
    position:
        Angle or travel of B in A [rad or m], zero where the joint was added; or a function of time.
    stiffness, damping:
        Of a compliant servo [N m/rad, N m s/rad or N/m, N s/m]; an infinite stiffness is rigid.
    """

    position: Signal
    stiffness: float = math.inf
    damping: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("position", signal)
        self._check("stiffness", positive_or_infinite)
        self._check("damping", not_negative)
        if self.damping > 0.0 and self.stiffness == math.inf:
            raise InputError(f"damping is {self.damping:g}, but the motor is rigid; give stiffness")

    def row(self, coordinate: int) -> ConstraintRow:
        softness = Softness(self.stiffness, self.damping)
        return ConstraintRow(
            coordinate, Law.POSITION, self.position, softness=softness, bound=self.limit, motor=True
        )


@dataclass(frozen=True, kw_only=True)
class TorqueMotor(Motor):
    """Acts with a given torque about an axis, or force along it, cut off at its limit.

    Parameters
    ----------
    torque:
        Torque [N m] or force [N] on B, and its opposite on A; or a function of time.
    """

    torque: Signal

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("torque", signal)

    def row(self, coordinate: int) -> ConstraintRow:
        return ConstraintRow(coordinate, Law.EFFORT, self.torque, bound=self.limit, motor=True)


def checked_motor(name: str, motor: Any) -> Motor | None:
    """A motor, or none."""
    if motor is not None and not isinstance(motor, Motor):
        raise InputError(
            f"{name} must be a SpeedMotor, a PositionMotor or a TorqueMotor, got {motor!r}"
        )
    return motor
