"""`JointSystem`: the joints of a world, which come and go, and what they are doing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.array_types import Floats, Longs
from amontons.checks import finite, positive, positive_or_infinite
from amontons.dynamics.joints.binding import IndexOf, bind, body_rows
from amontons.dynamics.joints.coordinates import Measured
from amontons.dynamics.joints.law import JointRows
from amontons.dynamics.joints.model import JointModel
from amontons.dynamics.joints.readings import JointReadings
from amontons.dynamics.joints.step import JointStep, joint_rows, loaded, measure
from amontons.dynamics.joints.tables import (
    JointState,
    appended,
    fresh_state,
    joined,
    state_without,
    without,
)
from amontons.errors import InputError
from amontons.model.joints.base import Connection


class JointSystem(JointReadings):
    """Joints, springs and bushings bound to bodies.

    A `JointModel`, a `JointState` and the functions of `amontons.dynamics.joints.step` in one
    object: a step calls :meth:`rows`, and :meth:`accept` with the impulses that were found. Bodies
    are rows of arrays: positions [m], shape (bodies, 3), orientations (w, x, y, z), shape
    (bodies, 4), and twists, linear then angular in world axes [m/s, rad/s], shape (bodies, 6).

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
        self._next = 0
        self._step: JointStep | None = None
        tables = bind([], np.empty(0, dtype=np.int64), index_of, *_poses(position, orientation))
        nothing = Measured(np.empty(0), np.empty((0, 12)))
        super().__init__(JointModel.of((), tables), fresh_state(tables), nothing)
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
    ) -> Longs:
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
        self.model = JointModel.of((*self.joints, *joints), appended(self.tables, more))
        self.state = joined(self.state, fresh_state(more))
        self._next = max(self._next, int(new.max(initial=-1)) + 1)
        self._step = None
        self.measure(*poses)
        return new

    def remove(self, ids: Iterable[int]) -> None:
        """Take joints out; the others keep their order and their state."""
        unwanted = np.array(list(ids), dtype=np.int64)
        unknown = np.setdiff1d(unwanted, self.ids)
        if unknown.size:
            raise InputError(f"there is no joint {unknown[0]} (any more)")
        gone = np.isin(self.ids, unwanted)
        if not gone.any():
            return
        kept = tuple(joint for joint, out in zip(self.joints, gone, strict=True) if not out)
        here = ~gone[self.tables.coordinates.joint]
        self.state = state_without(self.state, self.tables, gone)
        self.measured = Measured(self.values[here], self.jacobian[here])
        self.model = JointModel.of(kept, without(self.tables, gone))
        self._step = None

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
        """Longs of the joints that name any of these bodies, given by their ids."""
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
        tables = t._replace(
            joints=t.joints._replace(bodies=bodies),
            coordinates=t.coordinates._replace(bodies=bodies[t.coordinates.joint].reshape(-1, 2)),
        )
        self.model = self.model._replace(tables=tables)

    # -- one step ---------------------------------------------------------------------------------

    def measure(self, position: Floats, orientation: Floats) -> None:
        """Take all coordinates and their derivatives anew, at these poses.

        Angles over full turns go on from those of the last call, the nearer way.
        """
        angle, self.measured = measure(self.model, self.state.angle, position, orientation)
        self.state = self.state._replace(angle=angle)

    def rows(
        self, position: Floats, orientation: Floats, twist: Floats, time: float, step: float
    ) -> JointRows:
        """Rows of the problem of the step from `time` on [s], of length `step` [s]."""
        self.state, self._step = joint_rows(
            self.model, self.state, position, orientation, twist, finite("time", time),
            positive("step", step), self.recovery_speed,
        )  # fmt: skip
        self.measured = self._step.measured
        return self._step.rows

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
        found = last._replace(step=positive("step", step))
        self.state, broken = loaded(self.model, self.state, found, given)
        return broken

    def show(self, state: JointState, measured: Measured) -> None:
        """Have the state that a step outside has reached, and the coordinates there."""
        self.state, self.measured, self._step = state, measured, None

    # -- state ------------------------------------------------------------------------------------

    def saved(self) -> dict[str, NDArray[Any]]:
        """All that is needed to go on bit for bit, with the same joints."""
        return {
            "id": self.ids.copy(),
            **{f"bound.{name}": array.copy() for name, array in self.model.bound().items()},
            **self.state.copy()._asdict(),
        }

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what :meth:`saved` gave, of a system with the same joints.

        Coordinates are up to date after the next :meth:`measure`.
        """
        for name, mine in self.saved().items():
            if name not in saved or saved[name].shape != mine.shape:
                raise InputError(f"this is not a state of these joints: {name!r} does not fit")
        if (saved["id"] != self.ids).any():
            raise InputError("this is a state of other joints: their ids differ")
        for name, array in self.model.bound().items():
            array[:] = saved[f"bound.{name}"]
        held = self.state._asdict()
        self.state = JointState._make(np.array(saved[name], held[name].dtype) for name in held)

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
