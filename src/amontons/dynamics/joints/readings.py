"""Readings of joints after a step: reactions, motor efforts, errors, energies, coordinates."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from amontons._jit import serial_kernel
from amontons.array_types import Flags, Floats, Ints, Longs
from amontons.dynamics.joints.breaking import mode_names
from amontons.dynamics.joints.coordinates import Measured
from amontons.dynamics.joints.model import JointModel
from amontons.dynamics.joints.tables import ANGLE, TRAVEL, UNBROKEN, JointState, Tables
from amontons.errors import InputError
from amontons.model.joints.base import Connection


@serial_kernel
def largest_rigid_error(rows, rigid, most, values, target, broken):
    """Largest error Ψ of rigid rows of joints that hold; a limit that is not reached has none."""
    largest = 0.0
    for r in range(rigid.size):
        if rigid[r] and not broken[rows.joint[r]]:
            error = rows.sign[r] * (values[rows.coordinate[r]] - target[r])
            if not math.isnan(error):  # of a function of time that was not asked yet
                largest = max(largest, abs(min(error, most[r])))
    return largest


@serial_kernel
def spring_energy(rows, sprung, most, values, target, broken):
    """Sum of ½kΨ² of the rows that are springs, of joints that hold [J]."""
    total = 0.0
    for i in range(sprung.size):
        r = sprung[i]
        if broken[rows.joint[r]]:
            continue
        error = rows.sign[r] * (values[rows.coordinate[r]] - target[r])
        if not math.isnan(error):
            error = min(error, most[r])
            total += 0.5 * rows.stiffness[r] * error * error
    return total


@serial_kernel
def servo_energy(rows, servos, values, target):
    """Sum of ½kΨ² of the rows of motors that are springs [J]."""
    total = 0.0
    for i in range(servos.size):
        r = servos[i]
        error = rows.sign[r] * (values[rows.coordinate[r]] - target[r])
        if not math.isnan(error):
            total += 0.5 * rows.stiffness[r] * error * error
    return total


class JointReadings:
    """Readings of joints: arrays with one entry per joint, in the order of `ids`.

    Forces are those of the last accepted step; the rest is as of the last poses measured.
    """

    def __init__(self, model: JointModel, state: JointState, measured: Measured) -> None:
        self.model, self.state, self.measured = model, state, measured

    @property
    def tables(self) -> Tables:
        """What joints are made of."""
        return self.model.tables

    @property
    def joints(self) -> tuple[Connection, ...]:
        """The joints themselves, in the order of all readings."""
        return self.model.joints

    @property
    def values(self) -> Floats:
        """Values of all coordinates [m, rad], shape (coordinates,)."""
        return self.measured.values

    @property
    def jacobian(self) -> Floats:
        """Their derivatives by the velocities of A and B, shape (coordinates, 12)."""
        return self.measured.jacobian

    def __len__(self) -> int:
        return len(self.tables.joints.id)

    @property
    def ids(self) -> Longs:
        """Numbers that joints keep for life, shape (joints,)."""
        return self.tables.joints.id

    @property
    def broken(self) -> Flags:
        """Which joints are broken, shape (joints,)."""
        return self.state.broken

    @property
    def broken_by(self) -> NDArray[np.str_]:
        """Which of the `MODES` broke each joint, such as "shear"; else empty; shape (joints,)."""
        return mode_names(np.where(self.broken, self.state.broken_by, UNBROKEN))

    @property
    def broken_at(self) -> Floats:
        """Largest load of that kind, zero where it has not broken [N or N m], shape (joints,)."""
        return np.where(self.broken, self.state.broken_at, 0.0)

    @property
    def loads(self) -> Floats:
        """What strengths are compared with, averaged over each joint's `break_time`.

        One column for each of the `MODES`: force, torque, tension, compression, shear, bending,
        torsion [N, N m]; shape (joints, 7).
        """
        return self.state.loads

    def index(self, joint: Connection | str) -> int:
        """Row of a joint in the readings, by the joint itself or by its name."""
        if isinstance(joint, str):
            rows = [row for row, mine in enumerate(self.joints) if mine.name == joint]
        else:
            rows = [row for row, mine in enumerate(self.joints) if mine is joint]
        if len(rows) == 1:
            return rows[0]
        if rows:
            raise InputError(f"{len(rows)} joints are called {joint!r}; ask by the joint itself")
        if isinstance(joint, str):
            raise InputError(f"there is no joint called {joint!r}")
        title = joint.title if isinstance(joint, Connection) else repr(joint)
        raise InputError(f"{title} is not a joint of this simulation (any more)")

    @property
    def reaction_force(self) -> Floats:
        """Forces on B in world axes, motors and friction included [N], shape (joints, 3)."""
        return self.state.reaction_force

    @property
    def reaction_torque(self) -> Floats:
        """Torques on B about the joint's point, in world axes [N m], shape (joints, 3)."""
        return self.state.reaction_torque

    @property
    def motor_effort(self) -> Floats:
        """Torques or forces of the motors on B [N m or N], zero without one; shape (joints,)."""
        rows = self.tables.rows
        effort = np.where(rows.motor, self.state.force, 0.0)
        return _sums(rows.joint, effort, len(self))

    @property
    def angle(self) -> Floats:
        """Angles about the joints' axes, over full turns [rad]; NaN without; shape (joints,)."""
        return self._reading(ANGLE)

    @property
    def travel(self) -> Floats:
        """Travels along the joints' axes, or lengths [m]; NaN without; shape (joints,)."""
        return self._reading(TRAVEL)

    def speeds(self, twist: Floats) -> Floats:
        """Speeds of the angle, or of the travel where there is none, shape (joints,).

        In [rad/s or m/s], of bodies with these velocities, shape (bodies, 6); NaN for a joint that
        has neither.
        """
        found, c = np.full(len(self), np.nan), self.tables.coordinates
        padded = np.concatenate([twist, np.zeros((1, 6))])  # −1 is the world
        rate = np.einsum("ci,ci->c", self.jacobian, padded[c.bodies].reshape(-1, 12))
        for kind in (TRAVEL, ANGLE):
            which = c.reading == kind
            found[c.joint[which]] = rate[which]
        return found

    def _reading(self, kind: int) -> Floats:
        found = np.full(len(self), np.nan)
        which = self.tables.coordinates.reading == kind
        found[self.tables.coordinates.joint[which]] = self.values[which]
        return found

    @property
    def position_error(self) -> Floats:
        """Largest error of rigid rows in metres, limits included [m], shape (joints,)."""
        return self._largest_error(angular=False)

    @property
    def angle_error(self) -> Floats:
        """Largest error of rigid rows in radians, limits included [rad], shape (joints,)."""
        return self._largest_error(angular=True)

    @property
    def largest_error(self) -> float:
        """Largest error of all rigid rows, limits included [m or rad]."""
        if not len(self):
            return 0.0
        rows, chosen = self.tables.rows, self.model.chosen
        return float(
            largest_rigid_error(
                rows, chosen.rigid, chosen.most, self.values, self.state.target, self.broken
            )
        )

    def _largest_error(self, *, angular: bool) -> Floats:
        rows = self.tables.rows
        asked = self.tables.coordinates.angular[rows.coordinate] == angular
        largest = np.zeros(len(self))
        np.maximum.at(largest, rows.joint[asked], self._rigid_errors()[asked])
        return largest

    def _rigid_errors(self) -> Floats:
        """Sizes of the errors of rigid rows, limits included; zero for the others, (rows,)."""
        error = np.minimum(self._errors(), self.model.chosen.most)
        held = self.model.chosen.rigid & ~self.broken[self.tables.rows.joint]
        return np.where(held, np.abs(error), 0.0)

    def _errors(self) -> Floats:
        """Ψ of every row; zero for functions of time that were not asked yet."""
        rows = self.tables.rows
        error = rows.sign * (self.values[rows.coordinate] - self.state.target)
        return np.where(np.isnan(error), 0.0, error)

    def potential_energies(self) -> Floats:
        """Energy ½kΨ² of each joint's springs, motors left out [J], shape (joints,)."""
        return np.where(self.broken, 0.0, self._in_springs())

    def energy_of_broken(self, ids: list[int]) -> float:
        """Energy that the springs of joints that just broke held [J]."""
        return float(self._in_springs()[np.isin(self.ids, ids)].sum())

    def _in_springs(self) -> Floats:
        """Energy of each joint's springs, were it whole [J], shape (joints,)."""
        joint = self.tables.rows.joint[self.model.chosen.sprung]
        return _sums(joint, self._row_energies(), len(self))

    def _row_energies(self) -> Floats:
        """½kΨ² of the rows that are springs [J], shape (springs,)."""
        rows, which = self.tables.rows, self.model.chosen.sprung
        error = rows.sign[which] * (self.values[rows.coordinate[which]] - self.state.target[which])
        error = np.minimum(np.where(np.isnan(error), 0.0, error), self.model.chosen.most[which])
        return np.asarray(0.5 * rows.stiffness[which] * error * error)

    def potential_energy(self) -> float:
        """Energy of all springs [J]."""
        chosen = self.model.chosen
        if not chosen.sprung.size:
            return 0.0
        return float(
            spring_energy(
                self.tables.rows, chosen.sprung, chosen.most, self.values, self.state.target,
                self.broken,
            )
        )  # fmt: skip

    def elastic_energy(self) -> float:
        """Energy of all springs, and of motors that are springs [J]."""
        total, servos = self.potential_energy(), self.model.chosen.servos
        if servos.size:
            total += float(servo_energy(self.tables.rows, servos, self.values, self.state.target))
        return total


def _sums(joint: Ints, values: Floats, count: int) -> Floats:
    """Sums of the rows' values by joint, shape (count,)."""
    return np.asarray(np.bincount(joint, values, minlength=count), dtype=np.float64)
