"""States of worlds in the arrays that compiled loops step, and back again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Flags
from amontons.collision.memory import RememberedContacts
from amontons.dynamics.joints.coordinates import Measured
from amontons.dynamics.joints.tables import JointState
from amontons.simulation.detection.margins import MarginLevel
from amontons.simulation.state import EnergyState, State, WatchState
from amontons.small_worlds.worlds import WorldArrays, WorldInputs, room_for_worlds

Number = TypeVar("Number", bound=np.generic)
Arrays = TypeVar("Arrays", bound=tuple[Any, ...])


class WorldStore:
    """Several worlds like one: their states now, and before their last step."""

    def __init__(self, like: State, coordinates: int, worlds: int = 1) -> None:
        bodies = len(like.bodies.id)
        self.like = like
        sizes = worlds, bodies, like.joints, coordinates, max(16, 4 * bodies)
        self.current, self.before = room_for_worlds(*sizes), room_for_worlds(*sizes)
        self.inputs = WorldInputs(
            np.zeros((worlds, bodies, 3)), np.zeros((worlds, bodies, 3)), np.zeros((worlds, 3))
        )
        self.seen: Flags = np.zeros((worlds, bodies), dtype=bool)
        self._spare: tuple[WorldArrays, WorldInputs] | None = None  # of `before` and `inputs`
        self._left = like._replace(joints=like.joints.copy())  # no one's state so far

    def make_room(self, contacts: int) -> None:
        """Have room for at least so many contacts in each world."""
        there = self.current.keys.shape[1]
        if contacts > there:
            more = max(contacts, 2 * there) - there
            self.current, self.before = (
                _widened(each, more) for each in (self.current, self.before)
            )
            self._spare = None

    def load(self, w: int, state: State, measured: Measured) -> None:
        """Have world w in this state, in which joints have these coordinates."""
        to, bodies, count = self.current, state.bodies, state.contacts.keys.size
        self.make_room(count)
        to = self.current
        to.time[w], to.steps[w], to.contacts[w] = state.time, state.steps, count
        to.position[w], to.orientation[w] = bodies.position, bodies.orientation
        to.twist[w], to.turned[w], self.seen[w] = bodies.twist, bodies.turned, bodies.seen
        joints: Any = to.joints
        for mine, theirs in zip(joints, state.joints, strict=True):
            mine[w] = theirs
        to.values[w], to.jacobian[w] = measured.values, measured.jacobian
        to.pairs[w, :count], to.keys[w, :count] = state.contacts.bodies, state.contacts.keys
        to.first[w] = state.contacts.first
        if count:
            to.carried[w, :count] = state.contacts.widened(to.carried.shape[2]).values
        to.margin[w] = state.margin
        to.work[w], watch = state.energy.work, state.watch
        to.holds[w] = state.energy[1:]
        to.recent[w], to.known[w] = watch.recent, (watch.supplied, watch.peak, watch.last)
        to.alarm[w] = watch.strikes, watch.changed
        self.inputs.force[w], self.inputs.torque[w] = bodies.force, bodies.torque
        self.inputs.gravity[w] = state.gravity

    def fill(self, which: Flags, other: WorldStore) -> None:
        """Have some worlds be like the first of another store, shape (worlds,)."""
        count = int(other.current.contacts[0])
        self.make_room(count)
        for mine, theirs in zip(
            _arrays((self.current, self.inputs)), _arrays((other.current, other.inputs)),
            strict=True,
        ):  # fmt: skip
            if mine.shape[1:] == theirs.shape[1:]:
                mine[which] = theirs[0]
            else:  # those of contacts, of which there is room for more or fewer
                mine[which, :count] = theirs[0, :count]
        self.seen[which] = other.seen[0]

    def step_from_here(self, w: int) -> None:
        """Have the state of world w now be that before its last step."""
        for before, now in zip(_arrays((self.before,)), _arrays((self.current,)), strict=True):
            before[w] = now[w]

    def state(self, w: int) -> State:
        """The state of world w, in arrays of its own."""
        return self._state(self.like, self.current, self.inputs, w, self.seen[w])

    def begun(self, like: State, seen: Flags) -> Callable[[], State]:
        """What gives the state before the last step of a single world, until the next is taken.

        `like` is the state in which it was loaded, and `seen` which bodies had been in any step.
        What is before the next step is written elsewhere, for that step may fail.
        """
        begun = self.before, self.inputs
        if self._spare is None:
            self._spare = _copied(begun)
        self.before, self.inputs = self._spare
        self._spare = begun
        return partial(self._state, like, *begun, 0, seen)

    def left_behind(self, state: State) -> State:
        """The state of a single world that was loaded with this one: bodies stay in its arrays."""
        of, bodies = self.current, state.bodies
        bodies.position[:], bodies.orientation[:] = of.position[0], of.orientation[0]
        bodies.twist[:], bodies.turned[:], bodies.seen[:] = of.twist[0], of.turned[0], True
        now = of.joints
        joints = state.joints._replace(
            angle=now.angle[0].copy(),
            force=now.force[0].copy(),
            target=now.target[0].copy(),
            broken_by=now.broken_by[0].copy(),
            broken_at=now.broken_at[0].copy(),
            left=now.left[0].copy(),
            reaction_force=now.reaction_force[0].copy(),
            reaction_torque=now.reaction_torque[0].copy(),
            average=now.average[0].copy(),
            loads=now.loads[0].copy(),
        )  # the others change where a joint lets go, which is left to staged steps
        self._left = self._with(state, of, 0, joints)
        return self._left

    def load_again(self, state: State, measured: Measured) -> None:
        """Have a single world in this state, which is quick if :meth:`left_behind` gave it.

        Steps make values that nobody writes into; bodies, forces and commands belong to users.
        """
        if any(a is not b for a, b in zip(state[4:], self._left[4:], strict=True)):
            self.load(0, state, measured)
            return
        to, inputs, bodies = self.current, self.inputs, state.bodies
        to.time[0], to.steps[0] = state.time, state.steps
        to.position[0], to.orientation[0] = bodies.position, bodies.orientation
        to.twist[0], to.turned[0] = bodies.twist, bodies.turned
        to.joints.command[0] = state.joints.command
        inputs.force[0], inputs.torque[0], inputs.gravity[0] = (
            bodies.force, bodies.torque, state.gravity,
        )  # fmt: skip

    def measured(self, w: int) -> Measured:
        """Coordinates of the joints of world w."""
        return Measured(self.current.values[w].copy(), self.current.jacobian[w].copy())

    def _state(
        self, like: State, of: WorldArrays, inputs: WorldInputs, w: int, seen: Flags
    ) -> State:
        bodies = like.bodies
        return self._with(
            like._replace(
                gravity=inputs.gravity[w].copy(),
                bodies=bodies._replace(
                    position=of.position[w].copy(),
                    orientation=of.orientation[w].copy(),
                    twist=of.twist[w].copy(),
                    force=inputs.force[w].copy(),
                    torque=inputs.torque[w].copy(),
                    surface_velocity=np.zeros_like(bodies.surface_velocity),
                    asleep=np.zeros_like(bodies.asleep),
                    still=bodies.still.copy(),
                    seen=seen.copy(),
                    turned=of.turned[w].copy(),
                ),
            ), of, w, JointState._make([each[w].copy() for each in of.joints]),
        )  # fmt: skip

    @staticmethod
    def _with(like: State, of: WorldArrays, w: int, joints: JointState) -> State:
        """The same with these joints and all else that steps change of world w but its bodies."""
        count = of.contacts.item(w)
        supplied, peak, last = of.known[w].tolist()
        strikes, changed = of.alarm[w].tolist()
        return like._replace(
            time=of.time.item(w),
            steps=of.steps.item(w),
            joints=joints,
            contacts=RememberedContacts(
                of.pairs[w, :count].copy(), of.keys[w, :count].copy(), of.first[w].copy(),
                of.carried[w, :count].copy(),
            ),
            margin=MarginLevel._make(of.margin[w].tolist()),
            energy=EnergyState(of.work[w].copy(), *of.holds[w].tolist()),
            watch=WatchState(of.recent[w].copy(), supplied, peak, last, strikes, bool(changed)),
        )  # fmt: skip


def _copied(arrays: Arrays) -> Arrays:
    """The same named tuples, of arrays of their own."""
    made: Any = type(arrays)
    members = [_copied(each) if isinstance(each, tuple) else each.copy() for each in arrays]
    return tuple(members) if made is tuple else made._make(members)  # type: ignore[return-value]


def _arrays(group: tuple[Any, ...]) -> Iterator[NDArray[Any]]:
    """The arrays of named tuples, one after the other."""
    for each in group:
        if isinstance(each, tuple):
            yield from _arrays(each)
        else:
            yield each


def _widened(arrays: WorldArrays, more: int) -> WorldArrays:
    """The same with room for more contacts."""
    return arrays._replace(
        pairs=_wider(arrays.pairs, more),
        keys=_wider(arrays.keys, more),
        carried=_wider(arrays.carried, more),
        normals=_wider(arrays.normals, more),
    )


def _wider(array: NDArray[Number], more: int) -> NDArray[Number]:
    shape = (array.shape[0], more, *array.shape[2:])
    return np.concatenate([array, np.zeros(shape, dtype=array.dtype)], axis=1)
