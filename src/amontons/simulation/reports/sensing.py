"""What sensors read of a step: one array of all their numbers, which is part of the state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from amontons.algebra.rotations import rotation_matrices
from amontons.array_types import Floats
from amontons.dynamics.joints.readings import JointReadings
from amontons.model.sensors import ForceTorque, Imu, JointSensor, RangeFan, Sensor, Touch
from amontons.simulation.model import Model
from amontons.simulation.reports.contacts import Contacts
from amontons.simulation.state import BodyState, State

NO_SENSORS: tuple[Sensor, ...] = ()


class Sensed(NamedTuple):
    """A step, as far as sensors are concerned."""

    model: Model
    before: BodyState
    after: State
    joints: JointReadings  # at the end of the step
    contacts: Contacts
    step: float  # its length [s]


def size_of(sensors: Sequence[Sensor]) -> int:
    """How many numbers sensors give."""
    return sum(len(sensor.channels) for sensor in sensors)


def not_read(sensors: Sequence[Sensor]) -> Floats:
    """What sensors say before the first step: NaN, shape (numbers,)."""
    return np.full(size_of(sensors), np.nan)


def read_before(earlier: Sequence[Sensor], sensors: Sequence[Sensor], values: Floats) -> Floats:
    """What sensors read of the last step, as far as they were there; else NaN, (numbers,)."""
    found, starts = not_read(sensors), {}
    first = 0
    for sensor in earlier:
        starts[id(sensor)] = first
        first += len(sensor.channels)
    first = 0
    for sensor in sensors:
        width = len(sensor.channels)
        if id(sensor) in starts:
            found[first : first + width] = values[starts[id(sensor)] :][:width]
        first += width
    return found


def sense(sensed: Sensed) -> Floats:
    """All numbers of all sensors after a step, shape (numbers,)."""
    found = [_read(sensor, sensed) for sensor in sensed.model.sensors]
    return np.concatenate(found) if found else np.empty(0)


def mean_of_substeps(sensors: Sequence[Sensor], parts: Sequence[Floats]) -> Floats:
    """What sensors say of a step of several parts, each of shape (numbers,)."""
    if len(parts) == 1 or not sensors:
        return parts[-1]
    averaged = np.repeat(
        [sensor.averaged for sensor in sensors], [len(sensor.channels) for sensor in sensors]
    )
    return np.where(averaged, np.mean(parts, axis=0), parts[-1])


def by_name(sensors: Sequence[Sensor], values: Floats) -> dict[str, Floats]:
    """The numbers of each sensor, by its name."""
    found, first = {}, 0
    for sensor in sensors:
        width = len(sensor.channels)
        found[sensor.name] = values[first : first + width].copy()
        first += width
    return found


def _read(sensor: Sensor, sensed: Sensed) -> Floats:
    if isinstance(sensor, JointSensor):
        return _joint(sensor, sensed)
    if isinstance(sensor, ForceTorque):
        return _force_torque(sensor, sensed)
    if isinstance(sensor, Imu):
        return _imu(sensor, sensed)
    if isinstance(sensor, Touch):
        return _touch(sensor, sensed)
    if isinstance(sensor, RangeFan):
        return _ranges(sensor, sensed)
    raise TypeError(f"nobody knows how to read a {type(sensor).__name__}")


def _row(body: int, sensed: Sensed) -> int:
    return int(np.searchsorted(sensed.model.bodies.id, body))


def _turn(quaternion: Floats) -> Floats:
    return np.asarray(rotation_matrices(np.asarray(quaternion)[None])[0])


def _joint(sensor: JointSensor, sensed: Sensed) -> Floats:
    joints = sensed.joints
    row = joints.index(sensor.joint)
    angle = joints.angle[row]
    position = joints.travel[row] if np.isnan(angle) else angle
    speed = joints.speeds(sensed.after.bodies.twist)[row]
    return np.array([position, speed, joints.motor_effort[row]])


def _force_torque(sensor: ForceTorque, sensed: Sensed) -> Floats:
    row, joints = sensed.joints.index(sensor.joint), sensed.joints
    body = joints.model.bodies[row, 1]
    turn = np.eye(3) if body < 0 else _turn(sensed.before.orientation[body])
    return np.concatenate(
        [turn.T @ joints.reaction_force[row], turn.T @ joints.reaction_torque[row]]
    )


def _imu(sensor: Imu, sensed: Sensed) -> Floats:
    row = _row(sensor.body_id, sensed)
    before, after = sensed.before, sensed.after.bodies
    here, there = _turn(before.orientation[row]), _turn(after.orientation[row])
    point = np.array(sensor.point)
    speed = before.twist[row, :3] + np.cross(before.twist[row, 3:], here @ point)
    later = after.twist[row, :3] + np.cross(after.twist[row, 3:], there @ point)
    felt = (later - speed) / sensed.step - sensed.after.gravity
    own = there @ _turn(np.array(sensor.orientation))
    return np.concatenate([own.T @ felt, own.T @ after.twist[row, 3:]])


def _touch(sensor: Touch, sensed: Sensed) -> Floats:
    contacts = sensed.contacts
    mine = (contacts.bodies == sensor.body_id).any(axis=1)
    return np.array([np.einsum("ci,ci->", contacts.force[mine], contacts.normals[mine])])


def _ranges(sensor: RangeFan, sensed: Sensed) -> Floats:
    row, after = _row(sensor.body_id, sensed), sensed.after.bodies
    turn = _turn(after.orientation[row])
    rays = np.array(sensor.directions) @ turn.T
    origin = after.position[row] + turn @ np.array(sensor.point)
    seen = sensed.model.detector.at(after.position, after.orientation).cast_rays(
        np.tile(origin, (len(rays), 1)), rays, longest=sensor.reach, ignore=np.full(len(rays), row)
    )
    return np.asarray(np.minimum(seen.distances, sensor.reach))
