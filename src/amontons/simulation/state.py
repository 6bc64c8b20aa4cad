"""`State`: everything that changes in a run, as a plain set of named arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.collision.memory import RememberedContacts
from amontons.dynamics.bonds.model import NO_BONDS, BondState
from amontons.dynamics.energy_ledger import CAUSES, Work
from amontons.dynamics.joints.model import JointModel
from amontons.dynamics.joints.tables import JointState, state_without
from amontons.errors import InputError
from amontons.model.cell import Cell
from amontons.simulation.cell.cell_state import CellState
from amontons.simulation.detection.margins import NEAR_ONLY, MarginLevel
from amontons.simulation.flows.flow_state import FlowState

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

WINDOW = 10
"""Steps after which energy counts as what the run holds (see `energy.runaway`)."""


NOT_SENSED = np.empty(0)
"""What no sensors read."""


class BodyState(NamedTuple):
    """The changing properties of bodies; one row per body."""

    id: NDArray[np.int64]  # numbers that bodies keep for life, (bodies,)
    position: Floats  # centres of mass [m], (bodies, 3)
    orientation: Floats  # unit quaternions (w, x, y, z), (bodies, 4)
    twist: Floats  # linear, then angular velocity in world axes [m/s, rad/s], (bodies, 6)
    force: Floats  # that users apply from now on [N], (bodies, 3)
    torque: Floats  # [N m], (bodies, 3)
    surface_velocity: Floats  # of belts, along body axes [m/s], (bodies, 3)
    asleep: Flags  # (bodies,)
    still: Floats  # for how long a body has hardly moved [s], (bodies,)
    seen: Flags  # whether a body has been in any step, (bodies,)
    turned: Floats  # angular velocity a step before [rad/s], (bodies, 3)


class EnergyState(NamedTuple):
    """The books of energy since the start."""

    work: Floats  # by cause, as in `CAUSES` [J], (causes,)
    held: float  # kinetic and potential at the end of the last step [J]
    in_loads: float  # of that, the potentials that users' forces tell of [J]
    in_springs: float  # of joints, bushings and springs [J]
    in_contacts: float  # that give way [J]

    @property
    def stored(self) -> float:
        """Energy that is neither of motion nor in gravity [J]."""
        return self.in_loads + self.in_springs + self.in_contacts

    @property
    def by_cause(self) -> Work:
        """The work with its causes named [J]."""
        return Work(*self.work.tolist())


class WatchState(NamedTuple):
    """What is known of the energy of a run when it is watched for runaways."""

    recent: Floats  # energy held and energy supplied in the last steps [J], (WINDOW, 2)
    supplied: float  # since the start [J]
    peak: float  # the most that was held until `WINDOW` steps ago [J]
    last: float  # kinetic, at the end of the last step [J]
    strikes: int  # suspicious steps in a row
    changed: bool  # whether the world has other bodies, joints or forces than in the last step


class RestState(NamedTuple):
    """What is known of bodies that rest.

    What differs from what they were like at the end of the last step was changed by hand.
    """

    seen: Floats  # force and torque, position, orientation; NaN: not known, (bodies, 13)
    gravity: Floats  # [m/s²], (3,)
    laws: int  # a checksum of what materials do to each other; −1: not known
    since: Floats  # position and orientation at which a body became still, (bodies, 7)
    dormant: RememberedContacts  # of bodies that sleep, as they were when those fell asleep

    @classmethod
    def unknown(cls, bodies: int) -> RestState:
        """That of so many bodies before their first step."""
        return cls(
            seen=np.full((bodies, 13), np.nan),
            gravity=np.full(3, np.nan),
            laws=-1,
            since=np.full((bodies, 7), np.nan),
            dormant=RememberedContacts.none(bodies),
        )

    def renumbered(self, old_ids: NDArray[np.int64], new_ids: NDArray[np.int64]) -> RestState:
        """The same after bodies changed their rows; of new ones nothing is known yet."""
        new = RestState.unknown(new_ids.size)
        _, old_rows, new_rows = np.intersect1d(old_ids, new_ids, return_indices=True)
        new.seen[new_rows], new.since[new_rows] = self.seen[old_rows], self.since[old_rows]
        dormant = self.dormant.renumbered(old_ids, new_ids)
        return self._replace(seen=new.seen, since=new.since, dormant=dormant)


class State(NamedTuple):
    """Everything that changes in a run.

    A value: steps take one and give another, and change none. `Simulation.state` is the current
    state, whose bodies are those of the world; take a :meth:`copy` to keep it.
    """

    time: float  # simulated [s]
    steps: int  # taken so far
    gravity: Floats  # [m/s²], (3,)
    bodies: BodyState
    joints: JointState
    contacts: RememberedContacts
    margin: MarginLevel  # how far ahead contacts are looked for
    energy: EnergyState
    watch: WatchState
    rest: RestState
    cell: CellState
    sensors: Floats = NOT_SENSED  # what all sensors read of the last step, (numbers,)
    flows: FlowState = FlowState.none()  # what sources, sinks and meters have counted
    bonds: BondState = NO_BONDS

    @property
    def broken(self) -> Flags:
        """Which joints are, then which bonds, shape (joints + bonds,)."""
        if not self.bonds.broken.size:
            return self.joints.broken
        return np.concatenate([self.joints.broken, self.bonds.broken])

    @property
    def overlap(self) -> Floats:
        """In which joints and bonds left their bodies when they broke [m], (joints + bonds,)."""
        return np.concatenate([self.joints.overlap, self.bonds.overlap])

    def with_overlap(self, overlap: Floats) -> State:
        """The same with this much of it left."""
        count = self.joints.overlap.size
        return self._replace(
            joints=self.joints._replace(overlap=overlap[:count]),
            bonds=self.bonds._replace(overlap=overlap[count:]),
        )

    @classmethod
    def at_start(
        cls, bodies: BodyState, joints: JointState, gravity: Floats, cell: Cell | None = None
    ) -> State:
        """That before the first step."""
        return cls(
            time=0.0,
            steps=0,
            gravity=gravity,
            bodies=bodies,
            joints=joints,
            contacts=RememberedContacts.none(len(bodies.id)),
            margin=NEAR_ONLY,
            energy=EnergyState(np.zeros(len(CAUSES)), 0.0, 0.0, 0.0, 0.0),
            watch=WatchState(np.zeros((WINDOW, 2)), 0.0, 0.0, 0.0, 0, True),
            rest=RestState.unknown(len(bodies.id)),
            cell=CellState.of(cell, len(bodies.id)),
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of it by name, such as `bodies.position`; numbers are arrays of no dimension."""
        return dict(_named(self, ""))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> State:
        """The state that :meth:`arrays` gave, in arrays of its own."""
        missing = [name for name in _names_of(cls, "") if name not in arrays]
        if missing:
            raise InputError(f"these arrays lack {', '.join(missing)}, which a state needs")
        state: State = _built(cls, "", arrays)
        return state

    def copy(self) -> State:
        """A copy, which no step changes."""
        return State.from_arrays(self.arrays())

    def equals(self, other: State) -> bool:
        """Whether every number is the same, bit for bit."""
        return self.hash() == other.hash()

    def hash(self) -> str:
        """A fingerprint of every bit, 16 hexadecimal digits: the same on any number of threads."""
        digest = hashlib.sha256()
        for name, array in _named(self, ""):
            digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    def take(self, rows: ArrayLike, joints: JointModel) -> State:
        """The state of some bodies, given by their rows, and of everything between them.

        Contacts, joints and bonds are kept if both bodies are, or one and the world. The books of
        energy are those of all bodies.
        """
        chosen = np.asarray(rows)
        if chosen.dtype == np.bool_:
            chosen = np.flatnonzero(chosen)
        if chosen.ndim != 1 or (np.diff(chosen) <= 0).any():
            raise InputError("rows of bodies must increase, each once: ids keep their order")
        count = len(self.bodies.id)
        if chosen.size and not 0 <= chosen[0] <= chosen[-1] < count:
            raise InputError(f"there are {count} bodies, but rows {chosen[0]} to {chosen[-1]}")
        kept = np.zeros(count + 1, dtype=bool)  # the last is the world: −1
        kept[chosen] = kept[-1] = True
        gone = np.asarray(~kept[joints.bodies].all(axis=1))
        ids = self.bodies.id
        return self._replace(
            bodies=BodyState._make(column[chosen] for column in self.bodies),
            joints=state_without(self.joints, joints.tables, gone),
            bonds=self.bonds.take(np.asarray(np.isin(self.bonds.bodies, ids[chosen]).all(axis=1))),
            contacts=self.contacts.renumbered(ids, ids[chosen]),
            rest=self.rest.renumbered(ids, ids[chosen]),
            cell=self.cell._replace(
                images=self.cell.images[chosen] if self.cell.images.size else self.cell.images
            ),
        )

    def __repr__(self) -> str:
        return (
            f"<State: {len(self.bodies.id)} bodies at {self.time:.6g} s after {self.steps} steps, "
            f"{self.hash()}>"
        )


def _named(group: Any, prefix: str) -> Iterator[tuple[str, NDArray[Any]]]:
    for name, value in zip(group._fields, group, strict=True):
        if isinstance(value, tuple):
            yield from _named(value, f"{prefix}{name}.")
        else:
            yield prefix + name, np.asarray(value)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _names_of(kind: type, prefix: str) -> Iterator[str]:
    for name, hint in _hints(kind).items():
        if hasattr(hint, "_fields"):
            yield from _names_of(hint, f"{prefix}{name}.")
        else:
            yield prefix + name


def _built(kind: Any, prefix: str, arrays: Mapping[str, NDArray[Any]]) -> Any:
    values = {}
    for name, hint in _hints(kind).items():
        if hasattr(hint, "_fields"):
            values[name] = _built(hint, f"{prefix}{name}.", arrays)
        elif hint in (float, int, bool):
            values[name] = hint(arrays[prefix + name])
        else:
            values[name] = np.array(arrays[prefix + name])
    return kind(**values)
