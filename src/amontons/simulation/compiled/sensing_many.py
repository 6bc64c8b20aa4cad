"""What sensors read of a step in many worlds at once: `sensing` with an axis of worlds first."""

from __future__ import annotations

import numpy as np

from amontons.algebra.rotations import rotation_matrices
from amontons.array_types import Floats
from amontons.dynamics.joints.tables import ANGLE
from amontons.model.sensors import ForceTorque, Imu, JointSensor, Sensor, Touch
from amontons.simulation.compiled.world_store import WorldStore
from amontons.simulation.model import Model

SENSORS = (JointSensor, ForceTorque, Imu, Touch)
"""Kinds of sensors that many worlds may have."""


def sensed_by_all(model: Model, store: WorldStore, step: float) -> Floats:
    """All numbers of all sensors after a step of this length [s], shape (worlds, numbers)."""
    reader = _Reader(model, store, step)
    return np.concatenate([reader.read(sensor) for sensor in model.sensors], axis=1)


class _Reader:
    """Reads sensors of one kind or another."""

    def __init__(self, model: Model, store: WorldStore, step: float) -> None:
        self.model, self.now, self.before, self.step = model, store.current, store.before, step
        self.gravity = store.inputs.gravity

    def read(self, sensor: Sensor) -> Floats:
        """The numbers of a sensor, shape (worlds, channels)."""
        if isinstance(sensor, JointSensor):
            return self.joint(sensor)
        if isinstance(sensor, ForceTorque):
            return self.load(sensor)
        if isinstance(sensor, Imu):
            return self.imu(sensor)
        assert isinstance(sensor, Touch)
        return self.touch(sensor)

    def joint(self, sensor: JointSensor) -> Floats:
        """Position, speed and effort."""
        row, of = self._joint_row(sensor), self.model.joints.tables.coordinates
        mine = np.flatnonzero((of.joint == row) & (of.reading > 0))
        found = np.full((len(self.now.time), 3), np.nan)
        if mine.size:
            angles = mine[of.reading[mine] == ANGLE]
            c = int((angles if angles.size else mine)[-1])
            found[:, 0] = self.now.values[:, c]
            twist = np.concatenate([self._twist(int(body)) for body in of.bodies[c]], axis=1)
            found[:, 1] = np.einsum("wi,wi->w", self.now.jacobian[:, c], twist)
        rows = self.model.joints.tables.rows
        motors = rows.motor & (rows.joint == row)
        found[:, 2] = self.now.joints.force[:, motors].sum(axis=1)
        return found

    def load(self, sensor: ForceTorque) -> Floats:
        """Force and torque on body B in its own axes."""
        row, joints = self._joint_row(sensor), self.now.joints
        body = int(self.model.joints.bodies[row, 1])
        pair = [joints.reaction_force[:, row], joints.reaction_torque[:, row]]
        if body >= 0:
            turn = rotation_matrices(self.before.orientation[:, body])
            pair = [np.einsum("wji,wj->wi", turn, each) for each in pair]
        return np.concatenate(pair, axis=1)

    def imu(self, sensor: Imu) -> Floats:
        """Acceleration less gravity, and angular velocity, in the sensor's axes."""
        row, point = self._row(sensor), np.array(sensor.point)
        speeds, there = [], np.empty(0)
        for state in (self.before, self.now):
            there = rotation_matrices(state.orientation[:, row])
            arm, twist = there @ point, state.twist[:, row]
            speeds.append(twist[:, :3] + np.cross(twist[:, 3:], arm))
        felt = (speeds[1] - speeds[0]) / self.step - self.gravity
        own = there @ rotation_matrices(np.array(sensor.orientation)[None])[0]
        turning = self.now.twist[:, row, 3:]
        return np.concatenate(
            [np.einsum("wji,wj->wi", own, each) for each in (felt, turning)], axis=1
        )

    def touch(self, sensor: Touch) -> Floats:
        """Normal forces of all contacts of a body."""
        of, row = self.now, self._row(sensor)
        there = np.arange(of.keys.shape[1]) < of.contacts[:, None]
        mine = there & (of.pairs == row).any(axis=2)
        push = np.einsum("wci,wci->wc", of.carried[:, :, :3], of.normals)
        return np.asarray(np.where(mine, push, 0.0).sum(axis=1)[:, None])

    def _joint_row(self, sensor: JointSensor | ForceTorque) -> int:
        rows = [n for n, joint in enumerate(self.model.joints.joints) if joint is sensor.joint]
        return rows[0]

    def _row(self, sensor: Imu | Touch) -> int:
        return int(np.searchsorted(self.model.bodies.id, sensor.body_id))

    def _twist(self, body: int) -> Floats:
        """Of a body, or of the world, −1."""
        return np.zeros((len(self.now.time), 6)) if body < 0 else self.now.twist[:, body]
