"""All joints of a world, as rows of the problem of each step."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.checks import finite, positive, positive_or_infinite
from amontons.dynamics.energy_ledger import OF_JOINTS, room_for_sums, total_of, work_of_rows
from amontons.dynamics.joints.binding import IndexOf, bind, body_rows
from amontons.dynamics.joints.breaking import take_loads
from amontons.dynamics.joints.coordinates import TermArrays, measure_all
from amontons.dynamics.joints.law import (
    EFFORT,
    NO_ROWS,
    SPEED,
    JointRows,
    assemble_rows,
    room_for,
    share_out,
)
from amontons.dynamics.joints.readings import Readings, Selections
from amontons.dynamics.joints.tables import appended, without
from amontons.errors import InputError
from amontons.model.joints.base import Connection

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Ids = NDArray[np.int64]


NO_TWIST = np.zeros((0, 6))


class Targets(NamedTuple):
    """Targets of all rows at the beginning and at the end of a step, shape (rows,)."""

    now: Floats
    then: Floats


class _Step(NamedTuple):
    """What the last rows leave for their impulses."""

    order: Ints  # numbers of the rows in the table
    jacobian: Floats  # (rows, 12)
    arm: Floats  # from B's centre of mass to the joints' points [m], (joints, 3)
    turn: Floats  # orientation of the joints' bodies B, (joints, 4)
    lines: Floats  # directions of the joints that have no axis but a line, (lines, 3)
    then: Floats  # targets at the end of the step
    step: float  # its length [s]


STATE = {
    "terms": ("point_a", "point_b", "axis_a", "axis_b", "normal", "reference", "angle"),
    "rows": ("force",),
    "joints": (
        "point",
        "axis",
        "broken",
        "broken_by",
        "broken_at",
        "left",
        "overlap",
        "reaction_force",
        "reaction_torque",
        "average",
        "loads",
    ),
}
"""What a run changes, or takes from the poses at which joints were added."""


class JointSystem(Readings):
    """Joints, springs and bushings bound to bodies.

    Each step calls :meth:`rows`, and :meth:`accept` with the impulses that were found. Bodies are
    rows of arrays: positions [m], shape (bodies, 3), orientations (w, x, y, z), shape (bodies, 4),
    and twists, linear then angular in world axes [m/s, rad/s], shape (bodies, 6).

    Parameters
    ----------
    joints:
        In the order of all readings.
    index_of:
        From a body's id to its row; raises `InputError` for unknown ones. The world is not asked
        for.
    position, orientation:
        Of the bodies now: the joints' points and axes are fixed in the bodies as they stand.
    ids:
        Numbers that the joints keep, by default 0, 1, …
    recovery_speed:
        Largest speed [m/s, rad/s] at which errors of rigid joints are mended.
    """

    def __init__(
        self,
        joints: Sequence[Connection],
        index_of: IndexOf,
        position: ArrayLike,
        orientation: ArrayLike,
        *,
        ids: Iterable[int] | None = None,
        recovery_speed: float = math.inf,
    ) -> None:
        self.recovery_speed = positive_or_infinite("recovery_speed", recovery_speed)
        self.joints: list[Connection] = []
        self._next = 0
        empty = np.empty(0, dtype=np.int64)
        self.tables = bind([], empty, index_of, *_poses(position, orientation))
        self._after_change()
        self.add(joints, index_of, position, orientation, ids=ids)

    # -- joints come and go -----------------------------------------------------------------------

    def add(
        self,
        joints: Sequence[Connection],
        index_of: IndexOf,
        position: ArrayLike,
        orientation: ArrayLike,
        *,
        ids: Iterable[int] | None = None,
    ) -> Ids:
        """Add joints as bodies stand now; returns their ids. Either all are added or none."""
        chosen = range(self._next, self._next + len(joints)) if ids is None else ids
        new = np.array(list(chosen), dtype=np.int64)
        if new.shape != (len(joints),):
            raise InputError(f"{len(joints)} joints need as many ids, got {new.size}")
        both = np.concatenate([self.ids, new])
        if np.unique(both).size != both.size:
            raise InputError("two joints have the same id")
        poses = _poses(position, orientation)
        more = bind(joints, new, index_of, *poses)
        self.tables = appended(self.tables, more)
        self._next = max(self._next, int(new.max(initial=-1)) + 1)
        self.joints.extend(joints)
        self._after_change()
        self.measure(*poses)
        return new

    def remove(self, ids: Iterable[int]) -> None:
        """Take joints out; the others keep their order and their state."""
        unwanted = np.array(list(ids), dtype=np.int64)
        unknown = np.setdiff1d(unwanted, self.ids)
        if unknown.size:
            raise InputError(f"there is no joint {unknown[0]} (any more)")
        gone = np.isin(self.ids, unwanted)
        self.tables = without(self.tables, gone)
        kept = zip(self.joints, gone, strict=True)
        self.joints = [joint for joint, out in kept if not out]
        self._after_change()

    def update(
        self,
        joints: Sequence[Connection],
        index_of: IndexOf,
        position: ArrayLike,
        orientation: ArrayLike,
    ) -> None:
        """Have exactly these joints from now on, the very objects, and look up all bodies again.

        Those that were there before keep their binding and their state, and must come in the same
        order; new ones, at the end, are bound as bodies stand now.
        """
        wanted = {id(joint) for joint in joints}
        if len(wanted) != len(joints):
            raise InputError("a joint is there twice; make another one like it")
        stay = [id(joint) in wanted for joint in self.joints]
        kept = [joint for joint, stays in zip(self.joints, stay, strict=True) if stays]
        if [id(joint) for joint in joints[: len(kept)]] != [id(joint) for joint in kept]:
            raise InputError("joints must keep their order; new ones come last")
        body_rows(joints, index_of)  # before anything changes: are all bodies known?
        self.remove(self.ids[~np.array(stay, dtype=bool)])
        self.renumber(index_of)
        self.add(joints[len(kept) :], index_of, position, orientation)

    def joints_of(self, bodies: Iterable[int]) -> list[int]:
        """Ids of the joints that name any of these bodies, given by their ids."""
        wanted = {int(body) for body in bodies}
        return [
            int(id)
            for id, joint in zip(self.ids, self.joints, strict=True)
            if not wanted.isdisjoint(body for body in joint.bodies if body is not None)
        ]

    def renumber(self, index_of: IndexOf) -> None:
        """Look all bodies up again, after their rows have changed."""
        bodies = body_rows(self.joints, index_of)
        t = self.tables
        self.tables = t._replace(
            joints=t.joints._replace(bodies=bodies),
            coordinates=t.coordinates._replace(bodies=bodies[t.coordinates.joint].reshape(-1, 2)),
        )

    def _after_change(self) -> None:
        count = len(self.tables.coordinates.joint)
        self._first = self.tables.first
        self.values = np.zeros(count)
        self.jacobian = np.zeros((count, 12))
        self._now = self.tables.rows.target.copy()
        self._step: _Step | None = None
        self._chosen = Selections.of(self.tables)

    # -- one step ---------------------------------------------------------------------------------

    def measure(self, position: Floats, orientation: Floats) -> None:
        """Take all coordinates and their derivatives anew, at these poses.

        Angles over full turns go on from those of the last call, the nearer way.
        """
        out = self.values, self.jacobian
        self._measure(self.tables.terms, position, orientation, NO_TWIST, 0.0, out)

    def _measure(
        self,
        terms: TermArrays,
        position: Floats,
        orientation: Floats,
        twist: Floats,
        step: float,
        out: tuple[Floats, Floats],
    ) -> None:
        """Values and derivatives of coordinates after a step with these twists."""
        if not self.values.size:
            return
        bodies, kernel = self.tables.coordinates.bodies, measure_all.sized(self.values.size)
        kernel(bodies, self._first, terms, position, orientation, twist, step, *out)

    def rows(
        self, position: Floats, orientation: Floats, twist: Floats, time: float, step: float
    ) -> JointRows:
        """Rows of the problem of the step from `time` on [s], of length `step` [s]."""
        step = positive("step", step)
        if not self.joints:
            return NO_ROWS
        targets = self._targets(finite("time", time), step)
        self.measure(position, orientation)
        t = self.tables
        ahead = self._ahead(position, orientation, twist, step)
        made = room_for(t.rows.law.size, t.joints.id.size)
        free, one_sided, bounded = assemble_rows(
            t.rows, t.joints, t.coordinates.bodies, self.values, ahead, self.jacobian, orientation,
            twist, targets.now, targets.then, step, self.recovery_speed, made,
        )  # fmt: skip
        count = free + one_sided + bounded
        self._now = targets.now
        self._step = _Step(
            order=made.order[:count],
            jacobian=made.jacobian[:count],
            arm=made.arm,
            turn=made.turn,
            lines=self.jacobian[self._chosen.lines, 6:9],
            then=targets.then,
            step=step,
        )
        return JointRows(
            bodies=made.bodies[:count],
            jacobian=made.jacobian[:count],
            offset=made.offset[:count],
            compliance=made.compliance[:count],
            angular=t.coordinates.angular[t.rows.coordinate[made.order[:count]]],
            free=free,
            one_sided=one_sided,
            bounded=bounded,
            lower=made.lower[free + one_sided : count],
            upper=made.upper[free + one_sided : count],
            guess=made.guess[:count],
        )

    def target_speeds(self) -> Floats:
        """How fast targets move, of the last :meth:`rows` [m/s, rad/s], shape (rows,)."""
        last = self._step
        if last is None:
            return np.empty(0)
        rows, order = self.tables.rows, last.order
        law, then = rows.law[order], last.then[order]
        moved = rows.sign[order] * (then - self._now[order]) / last.step
        return np.asarray(np.where(law == SPEED, then, np.where(law == EFFORT, 0.0, moved)))

    def _ahead(self, position: Floats, orientation: Floats, twist: Floats, step: float) -> Floats:
        """Values of the coordinates after a step at the present speed, shape (coordinates,)."""
        # how turns are counted must not change by what lies ahead
        terms = self.tables.terms._replace(angle=self.tables.terms.angle.copy())
        out = np.empty_like(self.values), np.empty_like(self.jacobian)
        self._measure(terms, position, orientation, twist, step, out)
        return out[0]

    def accept(self, impulses: ArrayLike, step: float) -> list[int]:
        """Keep the impulses of the last :meth:`rows`; returns the ids of joints that broke.

        Broken joints stay in all readings, and carry nothing any more.
        """
        if not self.joints and np.size(impulses) == 0:
            return []
        last = self._step
        if last is None:
            raise InputError("accept() needs rows() first, with the joints that there are now")
        given = np.ascontiguousarray(impulses, dtype=np.float64)
        if given.shape != last.order.shape:
            raise InputError(
                f"there are {last.order.size} rows of joints, but impulses of shape {given.shape}"
            )
        rows, joints = self.tables.rows, self.tables.joints
        step = positive("step", step)
        share_out(given, last.order, last.jacobian, last.arm, step, rows, joints)
        self._now = last.then
        held = ~joints.broken
        owners = self.tables.coordinates.joint[self._chosen.lines]
        if not take_loads(joints, last.turn, owners, last.lines, step):
            return []
        rows.force[joints.broken[rows.joint]] = 0.0
        return [int(id) for id in self.ids[held & joints.broken]]

    def work(
        self,
        rows: JointRows,
        impulses: Floats,
        mean: Floats,
        after: Floats,
        inverse_mass: Floats,
        step: float,
    ) -> list[float]:
        """Work of the impulses of the last :meth:`rows`, by cause as in `OF_JOINTS` [J].

        `mean` and `after` are the mean velocities over the step and those after it, (bodies, 6).
        """
        last = self._step
        if last is None:
            raise InputError("work() needs rows() first, with the joints that there are now")
        table, partial = self.tables.rows, room_for_sums(impulses.size, len(OF_JOINTS))
        work_of_rows.sized(impulses.size)(
            rows.bodies, rows.jacobian, impulses, rows.offset, last.order, self._chosen.kind,
            table.sign, table.stiffness, table.damping, self._now, last.then, mean, after,
            inverse_mass, step, partial,
        )  # fmt: skip
        return total_of(partial)

    def _targets(self, time: float, step: float) -> Targets:
        now = self.tables.rows.target.copy()
        then = now.copy()
        for row, function in self.tables.functions:
            now[row] = self._asked(row, function, time)
            then[row] = self._asked(row, function, time + step)
        return Targets(now, then)

    def _asked(self, row: int, function: Any, time: float) -> float:
        title = self.joints[self.tables.rows.joint[row]].title
        return finite(f"the function of time of {title}, at {time:g} s,", function(time))

    # -- state ------------------------------------------------------------------------------------

    def state(self) -> dict[str, NDArray[Any]]:
        """All that is needed to go on bit for bit, with the same joints."""
        saved: dict[str, NDArray[Any]] = {"id": self.ids.copy()}
        for table, names in STATE.items():
            for name in names:
                saved[f"{table}.{name}"] = getattr(getattr(self.tables, table), name).copy()
        return saved

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what :meth:`state` gave, of a system with the same joints.

        Coordinates are up to date after the next :meth:`measure`.
        """
        wanted = self.state()
        for name, mine in wanted.items():
            if name not in state or state[name].shape != mine.shape:
                raise InputError(f"this is no state of these joints: {name!r} does not fit")
        if (state["id"] != self.ids).any():
            raise InputError("this is a state of other joints: their ids differ")
        for table, names in STATE.items():
            for name in names:
                getattr(getattr(self.tables, table), name)[:] = state[f"{table}.{name}"]

    def __repr__(self) -> str:
        broken = int(np.count_nonzero(self.broken))
        error = self.position_error.max(initial=0.0)
        return f"<JointSystem: {len(self)} joints, {broken} broken, at most {error:.1e} m apart>"


def _poses(position: ArrayLike, orientation: ArrayLike) -> tuple[Floats, Floats]:
    """Positions (bodies, 3) and orientations (bodies, 4) as arrays."""
    place = np.ascontiguousarray(position, dtype=np.float64)
    turn = np.ascontiguousarray(orientation, dtype=np.float64)
    if place.ndim != 2 or place.shape[1] != 3 or turn.shape != (len(place), 4):
        raise InputError(
            f"position must have shape (bodies, 3) and orientation (bodies, 4), "
            f"got {place.shape} and {turn.shape}"
        )
    return place, turn
