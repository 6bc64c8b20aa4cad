"""What joints tell after a step: reactions, motor efforts, errors, energies, coordinates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.dynamics.energy_ledger import FRICTION, MOTOR, RIGID, SLACK, SPRING, STOP
from amontons.dynamics.joints.breaking import UNBROKEN, mode_names
from amontons.dynamics.joints.law import BOUNDED, EFFORT, FREE, LIMIT, POSITION, SPEED
from amontons.dynamics.joints.measures import LENGTH
from amontons.dynamics.joints.tables import ANGLE, TRAVEL, Bools, Bytes, Ints, Tables
from amontons.errors import InputError
from amontons.model.joints.base import Connection

Floats = NDArray[np.float64]


class Selections(NamedTuple):
    """Rows that readings ask for, while the joints stay the same; each of shape (rows,)."""

    most: Floats  # error that counts at most: none, where a limit is not reached
    rigid: Bools  # that hold or limit a coordinate without any give
    sprung: NDArray[np.int64]  # numbers of those that are springs, (springs,)
    servos: NDArray[np.int64]  # numbers of the rows of motors that are springs
    lines: NDArray[np.intp]  # coordinates along which their joints' axes are, (lines,)
    kind: Bytes  # whose work the ledger of energy takes a row's for

    @classmethod
    def of(cls, tables: Tables) -> Selections:
        """Those of the rows of these joints."""
        rows, joints = tables.rows, tables.joints
        limits = rows.law == LIMIT
        springs = ((rows.law == POSITION) | limits) & np.isfinite(rows.stiffness) & ~rows.motor
        first = tables.terms.measure[tables.first[:-1]]
        alone = ~np.any(joints.axis[tables.coordinates.joint], axis=1)
        held = (rows.law == POSITION) & (rows.set == FREE) | limits
        return cls(
            most=np.where(limits, 0.0, np.inf),
            rigid=held & np.isinf(rows.stiffness),
            sprung=np.flatnonzero(springs),
            servos=np.flatnonzero(
                (rows.law == POSITION) & rows.motor & np.isfinite(rows.stiffness)
            ),
            lines=np.flatnonzero((first == LENGTH) & alone),
            kind=_kinds(tables),
        )


class Readings:
    """Readings of a system of joints: arrays, one entry a joint in the order of `ids`.

    Forces are those of the last accepted step; the rest is as of the last poses measured.
    """

    joints: list[Connection]
    """The joints themselves, in the order of all readings."""
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
    def broken_by(self) -> NDArray[np.str_]:
        """Which of the `MODES` broke each joint, such as "shear"; else empty; shape (joints,)."""
        table = self.tables.joints
        return mode_names(np.where(table.broken, table.broken_by, UNBROKEN))

    @property
    def broken_at(self) -> Floats:
        """Largest load of that kind, zero where it has not broken [N or N m], shape (joints,)."""
        return np.where(self.broken, self.tables.joints.broken_at, 0.0)

    @property
    def loads(self) -> Floats:
        """What strengths are compared with, averaged over each joint's `break_time`.

        One column for each of the `MODES`: force, torque, tension, compression, shear, bending,
        torsion [N, N m]; shape (joints, 7).
        """
        return self.tables.joints.loads

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
        raise InputError(f"{title} is no joint of this simulation (any more)")

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
        return np.where(self.broken, 0.0, self._in_springs())

    def energy_of_broken(self, ids: list[int]) -> float:
        """Energy that the springs of joints that just broke held [J]."""
        return float(self._in_springs()[np.isin(self.ids, ids)].sum())

    def _in_springs(self) -> Floats:
        """Energy of each joint's springs, were it whole [J], shape (joints,)."""
        joint = self.tables.rows.joint[self._chosen.sprung]
        return _sums(joint, self._row_energies(), len(self))

    def _row_energies(self) -> Floats:
        """½kΨ² of the rows that are springs [J], shape (springs,)."""
        rows, which = self.tables.rows, self._chosen.sprung
        error = rows.sign[which] * (self.values[rows.coordinate[which]] - self._now[which])
        error = np.minimum(np.where(np.isnan(error), 0.0, error), self._chosen.most[which])
        return np.asarray(0.5 * rows.stiffness[which] * error * error)

    def potential_energy(self) -> float:
        """Energy of all springs [J]."""
        which = self._chosen.sprung
        if not which.size:
            return 0.0
        rows = self.tables.rows
        whole = ~self.broken[rows.joint[which]]
        return float((whole * self._row_energies()).sum())

    def elastic_energy(self) -> float:
        """Energy of all springs, and of motors that are springs [J]."""
        total, servos = self.potential_energy(), self._chosen.servos
        if servos.size:
            stiffness, error = self.tables.rows.stiffness[servos], self._errors()[servos]
            total += float((0.5 * stiffness * error**2).sum())
        return total


def _kinds(tables: Tables) -> Bytes:
    """Kinds of rows by whose work theirs is, shape (rows,).

    A rigid row that follows a function of time is a motor, whatever it calls itself.
    """
    rows = tables.rows
    soft, limits = np.isfinite(rows.stiffness), rows.law == LIMIT
    driving = rows.motor | (rows.law == EFFORT) | np.isnan(rows.target) & ~soft
    driving |= (rows.law == SPEED) & (rows.target != 0.0)
    return np.select(
        [driving, rows.law == SPEED, soft & limits, soft, limits],
        [MOTOR, np.where(rows.set == BOUNDED, FRICTION, RIGID), SLACK, SPRING, STOP],
        RIGID,
    ).astype(np.uint8)


def _sums(joint: Ints, values: Floats, count: int) -> Floats:
    """Sums of the rows' values by joint, shape (count,)."""
    return np.asarray(np.bincount(joint, values, minlength=count), dtype=np.float64)
