"""Joints as arrays: terms, coordinates, rows and joints, one table each; and what a run changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Flags, Floats, Ints, Longs
from amontons.dynamics.joints.coordinates import TermArrays
from amontons.model.joints.strength import WAYS

Bytes = NDArray[np.uint8]
Table = TypeVar("Table", bound=tuple[Any, ...])


class CoordinateArrays(NamedTuple):
    """What rows speak of."""

    joint: Ints  # row in the table of joints, (coordinates,)
    terms: Ints  # how many, (coordinates,)
    bodies: Ints  # rows in the bodies' arrays, −1 for the world, (coordinates, 2)
    angular: Flags  # radians, not metres, (coordinates,)
    reading: Bytes  # 0, or which of the joint's own coordinates it is, (coordinates,)


NO_READING, ANGLE, TRAVEL = range(3)

MODES = ("force", "torque", *WAYS)
"""Loads that strengths are compared with: the whole force and torque, then parts of them."""

UNBROKEN = len(MODES)
"""Stands for the mode of a joint that has not broken."""


class RowArrays(NamedTuple):
    """What is demanded of the coordinates."""

    joint: Ints  # (rows,)
    coordinate: Ints  # (rows,)
    law: Bytes  # (rows,)
    set: Bytes  # (rows,)
    sign: Floats  # (rows,)
    target: Floats  # as the law has it; NaN where it is a function of time, (rows,)
    stiffness: Floats  # [N/m, N m/rad], (rows,)
    damping: Floats  # [N s/m, N m s/rad], (rows,)
    bound: Floats  # [N, N m], (rows,)
    margin: Floats  # [m, rad], (rows,)
    motor: Flags  # (rows,)
    inertia: Floats  # of rotors [kg, kg m²], (rows,)
    per_load: Floats  # that bounds grow by, per newton across the joint's axis [1, m], (rows,)


class JointArrays(NamedTuple):
    """One row per joint, in the order in which they were added."""

    id: Longs  # (joints,)
    bodies: Ints  # rows in the bodies' arrays, (joints, 2)
    point: Floats  # where reactions are given, in B's frame [m], (joints, 3)
    axis: Floats  # from A to B, in B's frame; zero where it has none of its own, (joints, 3)
    strength: Floats  # largest load by each of the `MODES` [N, N m], (joints, modes)
    break_time: Floats  # that loads are averaged over [s], (joints,)
    collide: Flags  # whether its bodies do so while it holds, (joints,)
    weld: Flags  # whether it leaves B no way to move in A, (joints,)


class Tables(NamedTuple):
    """All joints of a system."""

    terms: TermArrays
    coordinates: CoordinateArrays
    rows: RowArrays
    joints: JointArrays
    functions: tuple[tuple[int, Callable[[float], float]], ...] = ()  # row, and its target

    @property
    def first(self) -> Ints:
        """Where the terms of each coordinate begin, shape (coordinates + 1,)."""
        return np.concatenate([[0], np.cumsum(self.coordinates.terms)]).astype(np.int32)


class JointState(NamedTuple):
    """All that a run changes of joints."""

    angle: Floats  # of terms, the last value, for angles over full turns [rad], (terms,)
    force: Floats  # of rows, in the last step [N, N m], (rows,)
    target: Floats  # of rows, as last asked for; NaN: a function of time not asked yet, (rows,)
    command: Floats  # of rows, what motors are told; NaN: nothing, their own law holds, (rows,)
    broken: Flags  # (joints,)
    broken_by: Bytes  # mode in which it was most too much, or `UNBROKEN`, (joints,)
    broken_at: Floats  # the load then [N or N m], (joints,)
    left: Floats  # until it lets go, once it was too much [s], (joints,)
    overlap: Floats  # that breaking left its bodies in, as far as it lasts [m], (joints,)
    reaction_force: Floats  # on B, in world axes [N], (joints, 3)
    reaction_torque: Floats  # on B about the point, in world axes [N m], (joints, 3)
    average: Floats  # force and torque on B about the point, in B's axes [N, N m], (joints, 6)
    loads: Floats  # by each of the `MODES` [N, N m], (joints, modes)

    def copy(self) -> JointState:
        """The same in arrays of its own."""
        return JointState._make(array.copy() for array in self)


def fresh_state(tables: Tables) -> JointState:
    """That of joints which no step has loaded yet."""
    terms, rows, joints = tables.terms.weight.size, tables.rows.law.size, tables.joints.id.size
    return JointState(
        angle=np.zeros(terms),
        force=np.zeros(rows),
        target=tables.rows.target.copy(),
        command=np.full(rows, np.nan),
        broken=np.zeros(joints, dtype=np.bool_),
        broken_by=np.full(joints, UNBROKEN, dtype=np.uint8),
        broken_at=np.zeros(joints),
        left=np.full(joints, np.inf),
        overlap=np.full(joints, np.inf),
        reaction_force=np.zeros((joints, 3)),
        reaction_torque=np.zeros((joints, 3)),
        average=np.zeros((joints, 6)),
        loads=np.zeros((joints, len(MODES))),
    )


def selected(table: Table, keep: Flags) -> Table:
    """The rows of a table that are kept."""
    return type(table)(*(np.ascontiguousarray(column[keep]) for column in table))


def joined(one: Table, other: Table) -> Table:
    """The rows of one table, then those of another."""
    return type(one)(*(np.concatenate(pair) for pair in zip(one, other, strict=True)))


def parts_without(tables: Tables, gone: Flags) -> tuple[Flags, Flags, Flags, Flags]:
    """Which terms, coordinates, rows and joints stay; gone has shape (joints,)."""
    stay = ~gone
    coordinates, rows = stay[tables.coordinates.joint], stay[tables.rows.joint]
    return np.repeat(coordinates, tables.coordinates.terms), coordinates, rows, stay


def without(tables: Tables, gone: Flags) -> Tables:
    """The tables without some joints; gone has shape (joints,)."""
    terms, coordinates, rows, stay = parts_without(tables, gone)
    new_joint, new_coordinate, new_row = (
        (np.cumsum(kept) - 1).astype(np.int32) for kept in (stay, coordinates, rows)
    )
    c, r = selected(tables.coordinates, coordinates), selected(tables.rows, rows)
    return Tables(
        selected(tables.terms, terms),
        c._replace(joint=new_joint[c.joint]),
        r._replace(joint=new_joint[r.joint], coordinate=new_coordinate[r.coordinate]),
        selected(tables.joints, stay),
        tuple((int(new_row[row]), call) for row, call in tables.functions if rows[row]),
    )


def state_without(state: JointState, tables: Tables, gone: Flags) -> JointState:
    """The state of the joints that are left; tables are those of all, gone has shape (joints,)."""
    terms, _, rows, stay = parts_without(tables, gone)
    kept = {"angle": terms, "force": rows, "target": rows, "command": rows}
    return JointState._make(getattr(state, name)[kept.get(name, stay)] for name in state._fields)


def appended(tables: Tables, more: Tables) -> Tables:
    """The joints of one set of tables, then those of another."""
    joints, coordinates = len(tables.joints.id), len(tables.coordinates.joint)
    c = more.coordinates._replace(joint=more.coordinates.joint + np.int32(joints))
    r = more.rows._replace(
        joint=more.rows.joint + np.int32(joints),
        coordinate=more.rows.coordinate + np.int32(coordinates),
    )
    shift = len(tables.rows.joint)
    return Tables(
        joined(tables.terms, more.terms),
        joined(tables.coordinates, c),
        joined(tables.rows, r),
        joined(tables.joints, more.joints),
        tables.functions + tuple((row + shift, call) for row, call in more.functions),
    )
