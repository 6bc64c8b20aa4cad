"""Binding joints to bodies: what was said in world coordinates is fixed in the bodies' frames."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from amontons.algebra.rotations import quaternion_product, rotation_matrices
from amontons.array_types import Floats, Ints, Longs
from amontons.dynamics.joints.coordinates import TermArrays
from amontons.dynamics.joints.law import (
    BOUNDED,
    EFFORT,
    FREE,
    INERTIA,
    LIMIT,
    ONE_SIDED,
    POSITION,
    SPEED,
)
from amontons.dynamics.joints.measures import NUMBER
from amontons.dynamics.joints.tables import (
    ANGLE,
    MODES,
    NO_READING,
    TRAVEL,
    CoordinateArrays,
    JointArrays,
    RowArrays,
    Tables,
)
from amontons.errors import InputError
from amontons.model.joints.base import Connection
from amontons.model.joints.constraints import (
    ConstraintRow,
    JointConstraints,
    JointMeasure,
    Law,
    Term,
)
from amontons.model.joints.strength import Strength

IndexOf = Callable[[int], int]
"""From a body's id to its row in the bodies' arrays; raises `InputError` for unknown ones."""

WORLD = -1
ROUNDING = 1e-12
"""Distance of two points, relative to their coordinates, up to which they are one."""
LAW = {
    Law.POSITION: POSITION,
    Law.SPEED: SPEED,
    Law.LIMIT: LIMIT,
    Law.EFFORT: EFFORT,
    Law.INERTIA: INERTIA,
}
READING = {"": NO_READING, "angle": ANGLE, "travel": TRAVEL}


class Frames:
    """Frames of the bodies of each of a number of items; −1 is the world."""

    def __init__(self, bodies: Ints, position: Floats, orientation: Floats) -> None:
        known = np.concatenate([position, np.zeros((1, 3))])  # −1 finds the last: the world
        turned = np.concatenate([orientation, [[1.0, 0.0, 0.0, 0.0]]])
        self.place, self.quaternion = known[bodies], turned[bodies]
        self.rotation = rotation_matrices(self.quaternion)

    def points(self, points: Floats) -> Floats:
        """Points of the world [m], seen from each frame; shape (items, 3)."""
        return self.axes(points - self.place)

    def axes(self, axes: Floats) -> Floats:
        """Directions of the world, seen from each frame; shape (items, 3)."""
        return np.asarray(np.einsum("nij,ni->nj", self.rotation, axes))


def body_rows(joints: Sequence[Connection], index_of: IndexOf) -> Ints:
    """Rows of the joints' bodies in the bodies' arrays, shape (joints, 2)."""
    rows = np.empty((len(joints), 2), dtype=np.int32)
    for j, joint in enumerate(joints):
        for side, body in enumerate(joint.bodies):
            try:
                rows[j, side] = WORLD if body is None else index_of(body)
            except (InputError, LookupError) as reason:
                raise InputError(f"{joint.title} joins body {body}: {reason}") from reason
    return rows


def bind(
    joints: Sequence[Connection],
    ids: Longs,
    index_of: IndexOf,
    position: Floats,
    orientation: Floats,
) -> Tables:
    """Tables of joints, as bodies stand now.

    Positions [m] have shape (bodies, 3), orientations (bodies, 4).
    """
    for joint in joints:
        if not isinstance(joint, Connection):
            raise InputError(f"a joint such as amontons.Revolute was expected, got {joint!r}")
    bodies = body_rows(joints, index_of)
    parts = [joint.constraints() for joint in joints]
    for joint, constraints in zip(joints, parts, strict=True):
        if not constraints.rows:
            raise InputError(f"{joint.title} has no rows: it does nothing")
    coordinates = _coordinates(parts, bodies)
    owner = np.repeat(coordinates.joint, coordinates.terms)
    terms = [term for constraints in parts for c in constraints.coordinates for term in c.terms]
    rows, functions = _rows(parts)
    return Tables(
        _terms(terms, bodies[owner], position, orientation),
        coordinates,
        rows,
        _joints(joints, parts, ids, bodies, position, orientation),
        functions,
    )


def _coordinates(parts: Sequence[JointConstraints], bodies: Ints) -> CoordinateArrays:
    owner = [j for j, constraints in enumerate(parts) for _ in constraints.coordinates]
    all_of_them = [c for constraints in parts for c in constraints.coordinates]
    return CoordinateArrays(
        joint=np.array(owner, dtype=np.int32),
        terms=np.array([len(c.terms) for c in all_of_them], dtype=np.int32),
        bodies=bodies[owner].reshape(-1, 2),
        angular=np.array([c.angular for c in all_of_them], dtype=np.bool_),
        reading=np.array([READING[c.reading] for c in all_of_them], dtype=np.uint8),
    )


def _terms(
    terms: Sequence[Term], bodies: Ints, position: Floats, orientation: Floats
) -> TermArrays:
    swapped = np.array([term.swapped for term in terms], dtype=np.bool_)
    ordered = np.where(swapped[:, None], bodies[:, ::-1], bodies)
    first, second = (Frames(ordered[:, side], position, orientation) for side in (0, 1))

    def column(name: str) -> Floats:
        return np.array([getattr(term, name) for term in terms]).reshape(-1, 3)

    back = first.quaternion * np.array([1.0, -1.0, -1.0, -1.0])
    return TermArrays(
        measure=np.array([NUMBER[term.measure] for term in terms], dtype=np.uint8),
        swapped=swapped,
        weight=np.array([term.weight for term in terms], dtype=np.float64),
        point_a=first.points(column("point_a")),
        point_b=second.points(column("point_b")),
        axis_a=first.axes(column("axis_a")),
        axis_b=second.axes(column("axis_b")),
        normal=first.axes(column("normal")),
        reference=quaternion_product(back, second.quaternion),
    )


def _rows(
    parts: Sequence[JointConstraints],
) -> tuple[RowArrays, tuple[tuple[int, Callable[[float], float]], ...]]:
    first = np.cumsum([0, *(len(constraints.coordinates) for constraints in parts)])
    rows = [(j, row) for j, constraints in enumerate(parts) for row in constraints.rows]
    functions = tuple((r, row.target) for r, (_, row) in enumerate(rows) if callable(row.target))

    def column(values: list[float]) -> Floats:
        return np.array(values, dtype=np.float64)

    arrays = RowArrays(
        joint=np.array([j for j, _ in rows], dtype=np.int32),
        coordinate=np.array([first[j] + row.coordinate for j, row in rows], dtype=np.int32),
        law=np.array([LAW[row.law] for _, row in rows], dtype=np.uint8),
        set=np.array([_set_of(row) for _, row in rows], dtype=np.uint8),
        sign=column([row.sign for _, row in rows]),
        target=column([math.nan if callable(row.target) else row.target for _, row in rows]),
        stiffness=column([row.softness.stiffness for _, row in rows]),
        damping=column([row.softness.damping for _, row in rows]),
        bound=column([row.bound for _, row in rows]),
        margin=column([row.margin for _, row in rows]),
        motor=np.array([row.motor for _, row in rows], dtype=np.bool_),
        inertia=column([row.inertia for _, row in rows]),
        per_load=column([row.per_load for _, row in rows]),
    )
    return arrays, functions


def _set_of(row: ConstraintRow) -> int:
    if row.law is Law.LIMIT:
        return ONE_SIDED
    return BOUNDED if row.law is Law.EFFORT or math.isfinite(row.bound) else FREE


def _joints(
    joints: Sequence[Connection],
    parts: Sequence[JointConstraints],
    ids: Longs,
    bodies: Ints,
    position: Floats,
    orientation: Floats,
) -> JointArrays:
    frames = Frames(bodies[:, 1], position, orientation)
    points = np.array([constraints.point for constraints in parts]).reshape(-1, 3)
    return JointArrays(
        id=ids,
        bodies=bodies,
        point=frames.points(points),
        axis=frames.axes(_axes(joints, parts, bodies, position)),
        strength=np.array([_strengths(joint) for joint in joints]).reshape(-1, len(MODES)),
        break_time=np.array([joint.break_time for joint in joints], dtype=np.float64),
        collide=np.array([joint.collide for joint in joints], dtype=np.bool_),
        weld=np.array([joint.weld for joint in joints], dtype=np.bool_),
    )


def _strengths(joint: Connection) -> tuple[float, ...]:
    """Largest loads of a joint, in the order of `MODES` [N, N m]."""
    return joint.break_force, joint.break_torque, *(joint.strength or Strength()).limits


def _axes(
    joints: Sequence[Connection], parts: Sequence[JointConstraints], bodies: Ints, position: Floats
) -> Floats:
    """Axes that strengths speak of, from A to B in world axes; zero for lines of two points."""
    axes = np.zeros((len(joints), 3))
    for j, (joint, constraints) in enumerate(zip(joints, parts, strict=True)):
        given = None if joint.strength is None else joint.strength.axis
        if given is None and _has_line(constraints):
            continue
        own = constraints.axis if given is None else given
        axes[j] = _line_of_centres(constraints, bodies[j], position) if own is None else own
        if joint.strength is not None and not axes[j].any():
            raise InputError(
                f"{joint.title} has a strength, but no axis to tell tension from shear: its bodies "
                "have their centres of mass in one place; give the axis, Strength(axis=...)"
            )
    return axes


def _has_line(constraints: JointConstraints) -> bool:
    """Whether it has two ends, and so a line that goes with both bodies."""
    return any(c.terms[0].measure is JointMeasure.LENGTH for c in constraints.coordinates)


def _line_of_centres(constraints: JointConstraints, ends: Ints, position: Floats) -> Floats:
    """Direction from A's centre of mass to B's; the joint's point stands for the world's."""
    first, second = (
        np.array(constraints.point) if row == WORLD else position[row] for row in ends.tolist()
    )
    apart = second - first
    length = float(np.linalg.norm(apart))
    if length <= ROUNDING * max(np.abs(first).max(), np.abs(second).max()):
        return np.zeros(3)
    return np.asarray(apart / length)
