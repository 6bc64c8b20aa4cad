"""States of worlds in the arrays that compiled loops step, and back again."""

from __future__ import annotations

from collections.abc import Iterator
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

    def make_room(self, contacts: int) -> None:
        """Have room for at least so many contacts in each world."""
        there = self.current.keys.shape[1]
        if contacts > there:
            more = max(contacts, 2 * there) - there
            self.current, self.before = (
                _widened(each, more) for each in (self.current, self.before)
            )

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
        return self._state(self.current, w, self.seen[w].copy())

    def begun(self, w: int, taken: int) -> State:
        """That before the last of so many steps."""
        return self._state(self.before, w, self.seen[w] | (taken > 1))

    def measured(self, w: int) -> Measured:
        """Coordinates of the joints of world w."""
        return Measured(self.current.values[w].copy(), self.current.jacobian[w].copy())

    def _state(self, of: WorldArrays, w: int, seen: Flags) -> State:
        like, count = self.like, int(of.contacts[w])
        supplied, peak, last = of.known[w].tolist()
        doublings, calm = of.margin[w].tolist()
        strikes, changed = of.alarm[w].tolist()
        bodies = like.bodies._replace(
            position=of.position[w].copy(),
            orientation=of.orientation[w].copy(),
            twist=of.twist[w].copy(),
            force=self.inputs.force[w].copy(),
            torque=self.inputs.torque[w].copy(),
            surface_velocity=like.bodies.surface_velocity.copy(),
            asleep=like.bodies.asleep.copy(),
            still=like.bodies.still.copy(),
            seen=seen,
            turned=of.turned[w].copy(),
        )
        return like._replace(
            time=float(of.time[w]),
            steps=int(of.steps[w]),
            gravity=self.inputs.gravity[w].copy(),
            bodies=bodies,
            joints=JointState._make(each[w].copy() for each in of.joints),
            contacts=RememberedContacts(
                of.pairs[w, :count].copy(), of.keys[w, :count].copy(), of.first[w].copy(),
                of.carried[w, :count].copy(),
            ),
            margin=MarginLevel(doublings, calm),
            energy=EnergyState(of.work[w].copy(), *of.holds[w].tolist()),
            watch=WatchState(of.recent[w].copy(), supplied, peak, last, strikes, bool(changed)),
        )  # fmt: skip


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
