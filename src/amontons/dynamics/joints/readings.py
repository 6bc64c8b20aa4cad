"""What joints tell after a step: reactions, motor efforts, errors, energies, coordinates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.dynamics.joints.law import FREE, LIMIT, POSITION
from amontons.dynamics.joints.tables import ANGLE, TRAVEL, Bools, Ints, Tables

Floats = NDArray[np.float64]


class Selections(NamedTuple):
    """Rows that readings ask for, while the joints stay the same; each of shape (rows,)."""

    limits: Bools
    most: Floats  # error that counts at most: none, where a limit is not reached
    rigid: Bools  # that hold or limit a coordinate without any give
    springs: Bools  # that store energy when they are stretched, if they are
    elastic: bool  # whether there are any springs
    breakable: bool  # whether any joint may break

    @classmethod
    def of(cls, tables: Tables) -> Selections:
        """Those of the rows of these joints."""
        rows, joints = tables.rows, tables.joints
        limits = rows.law == LIMIT
        springs = ((rows.law == POSITION) | limits) & np.isfinite(rows.stiffness) & ~rows.motor
        breakable = np.isfinite(joints.break_force) | np.isfinite(joints.break_torque)
        held = (rows.law == POSITION) & (rows.set == FREE) | limits
        return cls(
            limits=limits,
            most=np.where(limits, 0.0, np.inf),
            rigid=held & np.isinf(rows.stiffness),
            springs=springs,
            elastic=bool(springs.any()),
            breakable=bool(breakable.any()),
        )


class Readings:
    """Readings of a system of joints: arrays, one entry a joint in the order of `ids`.

    Forces are those of the last accepted step; the rest is as of the last poses measured.
    """

    tables: Tables
    values: Floats
    """Values of all coordinates [m, rad], shape (coordinates,)."""
    jacobian: Floats
    """Their derivatives by the velocities of A and B, shape (coordinates, 12)."""
    _now: Floats
    _chosen: Selections

    def __len__(self) -> int:
        return len(self.tables.joints.id)

    @property
    def ids(self) -> NDArray[np.int64]:
        """Numbers that joints keep for life, shape (joints,)."""
        return self.tables.joints.id

    @property
    def broken(self) -> Bools:
        """Which joints are broken, shape (joints,)."""
        return self.tables.joints.broken

    @property
    def reaction_force(self) -> Floats:
        """Forces on B in world axes, motors and friction included [N], shape (joints, 3)."""
        return self.tables.joints.reaction_force

    @property
    def reaction_torque(self) -> Floats:
        """Torques on B about the joint's point, in world axes [N m], shape (joints, 3)."""
        return self.tables.joints.reaction_torque

    @property
    def motor_effort(self) -> Floats:
        """Torques or forces of the motors on B [N m or N], zero without one; shape (joints,)."""
        rows = self.tables.rows
        effort = np.where(rows.motor, rows.force, 0.0)
        return _sums(rows.joint, effort, len(self))

    @property
    def angle(self) -> Floats:
        """Angles about the joints' axes, over full turns [rad]; NaN without; shape (joints,)."""
        return self._reading(ANGLE)

    @property
    def travel(self) -> Floats:
        """Travels along the joints' axes, or lengths [m]; NaN without; shape (joints,)."""
        return self._reading(TRAVEL)

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
        return float(self._rigid_errors().max(initial=0.0)) if len(self) else 0.0

    def _largest_error(self, *, angular: bool) -> Floats:
        rows = self.tables.rows
        asked = self.tables.coordinates.angular[rows.coordinate] == angular
        largest = np.zeros(len(self))
        np.maximum.at(largest, rows.joint[asked], self._rigid_errors()[asked])
        return largest

    def _rigid_errors(self) -> Floats:
        """Sizes of the errors of rigid rows, limits included; zero for the others, (rows,)."""
        error = np.minimum(self._errors(), self._chosen.most)
        held = self._chosen.rigid & ~self.broken[self.tables.rows.joint]
        return np.where(held, np.abs(error), 0.0)

    def _errors(self) -> Floats:
        """Ψ of every row; zero for functions of time that were not asked yet."""
        rows = self.tables.rows
        error = rows.sign * (self.values[rows.coordinate] - self._now)
        return np.where(np.isnan(error), 0.0, error)

    def potential_energies(self) -> Floats:
        """Energy ½kΨ² of each joint's springs, motors left out [J], shape (joints,)."""
        rows, error, chosen = self.tables.rows, self._errors(), self._chosen
        spring = chosen.springs & (~chosen.limits | (error < 0.0)) & ~self.broken[rows.joint]
        energy = np.zeros(rows.law.size)
        energy[spring] = 0.5 * rows.stiffness[spring] * error[spring] ** 2
        return _sums(rows.joint, energy, len(self))

    def potential_energy(self) -> float:
        """Energy of all springs [J]."""
        return float(self.potential_energies().sum()) if self._chosen.elastic else 0.0


def _sums(joint: Ints, values: Floats, count: int) -> Floats:
    """Sums of the rows' values by joint, shape (count,)."""
    return np.asarray(np.bincount(joint, values, minlength=count), dtype=np.float64)
