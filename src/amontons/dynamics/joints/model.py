"""`JointModel`: joints bound to bodies, with all that stays the same while they do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Flags, Floats, Ints, Longs
from amontons.dynamics.energy_ledger import FRICTION, MOTOR, RIGID, SLACK, SPRING, STOP
from amontons.dynamics.joints.law import BOUNDED, EFFORT, FREE, INERTIA, LIMIT, POSITION, SPEED
from amontons.dynamics.joints.measures import LENGTH
from amontons.dynamics.joints.tables import Bytes, Tables
from amontons.model.joints.base import Connection


class Selections(NamedTuple):
    """What is asked of rows while the joints stay the same; each of shape (rows,)."""

    most: Floats  # error that counts at most: none, where a limit is not reached
    rigid: Flags  # that hold or limit a coordinate without any give
    sprung: Longs  # numbers of those that are springs, (springs,)
    servos: Longs  # numbers of the rows of motors that are springs
    lines: NDArray[np.intp]  # coordinates along which their joints' axes are, (lines,)
    kind: Bytes  # whose work the ledger of energy takes a row's for
    moving: bool  # whether any target may move

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
            moving=bool(
                tables.functions or rows.motor.any() or rows.target[rows.law == SPEED].any()
            ),
        )


class JointModel(NamedTuple):
    """Joints bound to bodies; what a run changes of them is a `JointState`."""

    joints: tuple[Connection, ...]  # in the order of all readings
    tables: Tables
    first: Ints  # where the terms of each coordinate begin, (coordinates + 1,)
    chosen: Selections

    @classmethod
    def of(cls, joints: tuple[Connection, ...], tables: Tables) -> JointModel:
        """The model of joints and their tables."""
        return cls(joints, tables, tables.first, Selections.of(tables))

    @property
    def ids(self) -> Longs:
        """Numbers that joints keep for life, shape (joints,)."""
        return self.tables.joints.id

    @property
    def bodies(self) -> Ints:
        """Rows of the bodies that joints hold, −1 for the world, shape (joints, 2)."""
        return self.tables.joints.bodies

    def bound(self) -> dict[str, Floats]:
        """What was fixed in the bodies where they stood when joints were added, by name."""
        return {
            f"{table}.{name}": getattr(getattr(self.tables, table), name)
            for table, names in BOUND.items()
            for name in names
        }


BOUND = {
    "terms": ("point_a", "point_b", "axis_a", "axis_b", "normal", "reference"),
    "joints": ("point", "axis"),
}
"""Columns of the tables that are taken from poses."""


def _kinds(tables: Tables) -> Bytes:
    """Kinds of rows by whose work theirs is, shape (rows,).

    A rigid row that follows a function of time is a motor, whatever it calls itself; a rotor's
    energy is its motor's.
    """
    rows = tables.rows
    soft, limits = np.isfinite(rows.stiffness), rows.law == LIMIT
    driving = rows.motor | (rows.law == EFFORT) | np.isnan(rows.target) & ~soft
    driving |= (rows.law == SPEED) & (rows.target != 0.0) | (rows.law == INERTIA)
    return np.select(
        [driving, rows.law == SPEED, soft & limits, soft, limits],
        [MOTOR, np.where(rows.set == BOUNDED, FRICTION, RIGID), SLACK, SPRING, STOP],
        RIGID,
    ).astype(np.uint8)
