"""Sensors: what is measured in a world after every step, as by a robot's instruments.

A sensor is a description; its readings belong to the state of a run
(`amontons.simulation.reports.sensing`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from amontons.checks import finite_vector, positive, unit_quaternion
from amontons.checks.arrays import Vector
from amontons.errors import InputError
from amontons.model.joints import Connection
from amontons.model.joints.checks import BodyLike, some_body

AXES = ("x", "y", "z")

Channels = tuple[tuple[str, str], ...]
"""Names and units of the values of a sensor."""


def _vector(name: str, unit: str) -> Channels:
    return tuple((f"{name}_{axis}", unit) for axis in AXES)


@dataclass(frozen=True)
class Sensor(ABC):
    """Measures some values after every step.

    Parameters
    ----------
    name:
        Its key: `sim.sensors["imu"]`.
    """

    _: KW_ONLY
    name: str

    averaged: ClassVar[bool] = True
    """Whether it gives the mean over substeps, if there are several, or the last value."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"a sensor needs a name that is text, got {self.name!r}")
        self.check()

    @abstractmethod
    def check(self) -> None:
        """Check and normalise the fields; raises `InputError`."""

    @property
    @abstractmethod
    def channels(self) -> Channels:
        """Names and units of its numbers."""

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)


@dataclass(frozen=True)
class BodySensor(Sensor):
    """A sensor that a body carries; `point` is from its centre of mass in its axes [m]."""

    body: BodyLike

    def check(self) -> None:
        some_body("body", self.body)

    @property
    def body_id(self) -> int:
        """Id of the body."""
        return some_body("body", self.body)


@dataclass(frozen=True)
class JointSensor(Sensor):
    """Position and speed of a joint, and the effort of its motor.

    Position and speed are those at the end of the step, the effort is the mean over it [rad,
    rad/s, N m; or m, m/s, N]; the position is zero where the joint was added.
    """

    joint: Connection
    averaged: ClassVar[bool] = False

    def check(self) -> None:
        _require_joint(self.joint)

    @property
    def channels(self) -> Channels:
        return ("position", "rad or m"), ("speed", "rad/s or m/s"), ("effort", "N m or N")


@dataclass(frozen=True)
class ForceTorque(Sensor):
    """Force and torque that a joint exerts on its body B, at its point and in B's axes."""

    joint: Connection

    def check(self) -> None:
        _require_joint(self.joint)

    @property
    def channels(self) -> Channels:
        return (*_vector("force", "N"), *_vector("torque", "N m"))


@dataclass(frozen=True)
class Imu(BodySensor):
    """Acceleration less gravity at a point, and angular velocity, in the sensor's axes.

    The acceleration is the mean over the step: at rest it reads g, upwards.

    Parameters
    ----------
    point:
        From the body's centre of mass, in its axes [m].
    orientation:
        Of the sensor in the body, a unit quaternion (w, x, y, z).
    """

    point: Vector = (0.0, 0.0, 0.0)
    orientation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)

    def check(self) -> None:
        super().check()
        self._set("point", finite_vector("point", self.point))
        self._set("orientation", unit_quaternion("orientation", self.orientation))

    @property
    def channels(self) -> Channels:
        return (*_vector("acceleration", "m/s²"), *_vector("angular_velocity", "rad/s"))


@dataclass(frozen=True)
class Touch(BodySensor):
    """Normal forces of all contacts of a body, added up [N]: the mean over a step's substeps."""

    @property
    def channels(self) -> Channels:
        return (("force", "N"),)


@dataclass(frozen=True)
class RangeFan(BodySensor):
    """Distances along rays to the first body that is not its own [m], as a laser scanner's.

    Parameters
    ----------
    directions:
        Of the rays in the body's axes, of any length but zero, as many as you like.
    reach:
        Longest distance [m], returned if nothing is hit.
    point:
        Where the rays begin, from the body's centre of mass in its axes [m].
    """

    _: KW_ONLY
    directions: tuple[Vector, ...]
    reach: float
    point: Vector = (0.0, 0.0, 0.0)
    averaged: ClassVar[bool] = False

    def check(self) -> None:
        super().check()
        self._set("reach", positive("reach", self.reach))
        self._set("point", finite_vector("point", self.point))
        rays = tuple(finite_vector("directions", each) for each in self.directions)
        if not rays or not all(any(ray) for ray in rays):
            raise InputError("directions of a RangeFan must be some vectors, none of them zero")
        self._set("directions", rays)

    @property
    def channels(self) -> Channels:
        return tuple((f"range_{i}", "m") for i in range(len(self.directions)))


def _require_joint(joint: object) -> None:
    if not isinstance(joint, Connection):
        raise InputError(
            f"a sensor of a joint needs the joint itself, got {joint!r}; what sim.joints and "
            "robot.joints give has it as its .joint"
        )


def sensors_left(
    sensors: Sequence[Sensor], joints: Sequence[Connection], gone: Collection[int] = ()
) -> list[Sensor]:
    """The sensors that remain with these bodies and joints."""
    there = {id(joint) for joint in joints}
    return [
        each
        for each in sensors
        if (
            each.body_id not in gone
            if isinstance(each, BodySensor)
            else id(getattr(each, "joint", None)) in there
        )
    ]
