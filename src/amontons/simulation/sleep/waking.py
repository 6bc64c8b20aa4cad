"""What wakes bodies: what is changed by hand, what moves, and who is awake and touches them.

Bodies that touch, or share a joint, are awake or asleep together. So contacts between sleepers need
neither be found nor solved: they are put by as they were when their bodies fell asleep.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.collision.contacts import ContactSet
from amontons.collision.memory import RememberedContacts, match
from amontons.dynamics.islands import islands
from amontons.model.joints import Connection
from amontons.model.materials import PAIRED, PairTable
from amontons.simulation.model import Model
from amontons.simulation.reports.contacts import Contacts
from amontons.simulation.sleep.sleeping import Sleeping, among, beside, roundings
from amontons.simulation.solve.step_solution import STICKING
from amontons.simulation.state import BodyState, RestState, State

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Astir(NamedTuple):
    """A state whose sleepers were left alone, and the bodies that may touch them."""

    state: State
    active: Flags | None  # who moves or was moved, (bodies,); None: nobody sleeps


def stirred(model: Model, state: State, twist: Floats, wrench: Floats, h: float) -> Astir:
    """The state with those awake that something has stirred, before contacts are looked for."""
    asleep = state.bodies.asleep
    if not asleep.any():
        return Astir(state, None)
    driven = model.masses.driven
    changed = disturbed(state.bodies, wrench, state.gravity, model.pairs, state.rest)
    moves = model.masses.surface_speeds(twist) > roundings(state.bodies, model.masses, h)
    moves |= state.bodies.surface_velocity.any(axis=1)
    if model.masses.kinematic.size:  # those are moved in each step, and not by hand
        changed[model.masses.kinematic] = False
    active = np.where(driven, changed | moves, ~asleep)
    held = bearing(state.rest.dormant)
    joined = model.tied(state)
    joined = joined[(joined >= 0).all(axis=1)]
    pairs = np.concatenate([held, joined])
    return woken(model, state, active, asleep & (changed | beside(pairs, active)))


def woken(model: Model, state: State, active: Flags, who: Flags) -> Astir:
    """The state with these sleepers awake, and their islands, whose contacts are put back."""
    asleep = state.bodies.asleep
    if not who.any():
        return Astir(state, active)
    dormant = state.rest.dormant
    joined = model.tied(state)
    island = islands(np.concatenate([bearing(dormant), joined]), asleep)
    up = asleep & (np.bincount(island, weights=who & asleep)[island] > 0.0)
    back = up[dormant.bodies].any(axis=1)
    state = state._replace(
        bodies=wake(state.bodies, up),
        contacts=state.contacts.beside(dormant.take(np.flatnonzero(back))),
        rest=state.rest._replace(dormant=dormant.take(np.flatnonzero(~back))),
    )
    return Astir(state, active | up)


def touched(asleep: Flags, contacts: ContactSet, near: float) -> Flags:
    """Sleepers that others come near, closer than that [m]; shape (bodies,)."""
    close = contacts.bodies[contacts.gaps <= near]
    return beside(close, ~asleep) & asleep


def of_awake(model: Model, asleep: Flags, contacts: ContactSet) -> ContactSet:
    """Those contacts of which one body at least may be pushed."""
    awake = ~(asleep | model.masses.driven)
    of = awake[contacts.bodies].any(axis=1)
    return contacts if of.all() else contacts.take(np.flatnonzero(of))


def bearing(contacts: RememberedContacts) -> NDArray[np.int32]:
    """Bodies of contacts that carry something, shape (pairs, 2)."""
    return contacts.bodies[contacts.values[:, :STICKING].any(axis=1)]


def wake(bodies: BodyState, who: Flags) -> BodyState:
    """The bodies with these awake, shape (bodies,)."""
    up = who & bodies.asleep
    if not up.any():
        return bodies
    return bodies._replace(asleep=bodies.asleep & ~up, still=np.where(up, 0.0, bodies.still))


def put_by(
    dormant: RememberedContacts, step: RememberedContacts, asleep: Flags
) -> RememberedContacts:
    """What sleepers remember after a step: that of those that fell asleep in it is added."""
    new = np.flatnonzero(asleep[step.bodies].any(axis=1))
    return dormant if not new.size else dormant.beside(step.take(new))


def dozed_off(
    sleeping: Sleeping | None, model: Model, state: State, moved: BodyState, contacts: ContactSet,
    loosened: State, h: float,
) -> tuple[BodyState, Floats]:  # fmt: skip
    """The bodies at the end of a step, with those asleep that rest, and where each is still.

    `moved` are those bodies awake as yet, `contacts` those of the step, and `loosened` has the
    joints and bonds that hold at its end.
    """
    if sleeping is None:
        return moved, state.rest.since
    moved, since = sleeping.watched(moved, model.masses, state.rest.since, state.gravity, h)
    return sleeping.lulled(moved, model, contacts, model.tied(loosened), state.gravity), since


def noted(
    state: State, bodies: BodyState, since: Floats, wrench: Floats, pairs: PairTable,
    contacts: RememberedContacts,
) -> RestState:  # fmt: skip
    """What there is to compare with in the next step; `wrench` acts on the bodies, (bodies, 6)."""
    return RestState(
        seen=np.concatenate([wrench, bodies.position, bodies.orientation], axis=1),
        gravity=state.gravity.copy(),
        laws=checksum(pairs),
        since=since,
        dormant=put_by(state.rest.dormant, contacts, bodies.asleep),
    )


def asleep_contacts(model: Model, state: State, ids: NDArray[np.int64]) -> Contacts:
    """Contacts that bodies fell asleep with, and what they carried then; `ids` are the bodies'."""
    bodies, dormant = state.bodies, state.rest.dormant
    length = np.linalg.norm(bodies.orientation, axis=1, keepdims=True)
    asleep = among(dormant.bodies, len(ids)) & bodies.asleep
    margin = model.masses.typical_size  # no contact acts from farther
    found = model.detector.detect_unit(
        bodies.position, bodies.orientation / length, margin, free=asleep
    )
    found = found.take(np.flatnonzero(match(found, dormant) >= 0))
    carried = dormant.recall(found, dormant.values.shape[1])
    acting = np.flatnonzero(carried[:, :STICKING].any(axis=1))
    found, carried = found.take(acting), carried[acting]
    points = 0.5 * (found.points_a(bodies.position) + found.points_b(bodies.position))
    return Contacts(
        ids[found.bodies], points, found.normals, found.gaps, carried[:, :3], carried[:, 3:6]
    )


def disturbed(
    bodies: BodyState, wrench: Floats, gravity: Floats, pairs: PairTable, known: RestState
) -> Flags:
    """Bodies that are not what they were, shape (bodies,); all, if gravity or a material is.

    Of whom nothing is known that is not disturbed by it.
    """
    other_gravity = not np.isnan(known.gravity).any() and (gravity != known.gravity).any()
    if other_gravity or known.laws not in (-1, checksum(pairs)):
        return np.ones(len(bodies.id), dtype=bool)
    now = np.concatenate([wrench, bodies.position, bodies.orientation], axis=1)
    changed = (now != known.seen) & ~np.isnan(known.seen)
    return np.asarray(changed.any(axis=1) | (bodies.asleep & bodies.twist.any(axis=1)))


def checksum(pairs: PairTable) -> int:
    """A number that is another where materials act on each other in another way."""
    total = 0
    for name in PAIRED:
        total = zlib.crc32(np.ascontiguousarray(getattr(pairs, name)).tobytes(), total)
    return total


def neighbours_of_gone(
    ids: NDArray[np.int64], old_ids: NDArray[np.int64], state: State
) -> NDArray[np.int64]:
    """Ids of those that touched a body which is gone; `old_ids` are of the state's bodies."""
    gone = ~np.isin(old_ids, ids)
    pairs = np.concatenate([state.contacts.bodies, state.rest.dormant.bodies])
    return np.unique(old_ids[pairs[gone[pairs].any(axis=1)]])


def ends_of_changes(before: Sequence[Connection], now: Sequence[Connection]) -> NDArray[np.int64]:
    """Ids of the bodies that joints hold which are new or gone."""
    stay = {id(joint) for joint in before} & {id(joint) for joint in now}
    changed = [joint for joint in (*before, *now) if id(joint) not in stay]
    ends = {end for joint in changed for end in joint.bodies if end is not None}
    return np.array(sorted(ends), dtype=np.int64)
