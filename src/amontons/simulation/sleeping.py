"""Bodies that rest for a while fall asleep, island by island, until something stirs them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons.checks import finite, positive
from amontons.collision.memory import RememberedContacts
from amontons.dynamics.islands import islands
from amontons.dynamics.joints.model import JointModel
from amontons.dynamics.masses import Masses
from amontons.errors import InputError
from amontons.model.joints import Connection
from amontons.simulation.state import BodyState, RestState

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Pairs = NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class Sleeping:
    """When bodies fall asleep: they stand still then, and cost next to nothing.

    Parameters
    ----------
    speed:
        Of no point of a body more than this [m/s].
    time:
        For this long [s], and likewise all bodies that it touches or shares a joint with; by
        default three times as long as a typical body takes to fall by half its thickness or,
        without gravity, as long as it takes to move by a tenth of that at `speed`.
    """

    speed: float
    time: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "speed", positive("speed", self.speed))
        if self.time is None:
            return
        object.__setattr__(self, "time", finite("time", self.time))
        if self.time < 0.0:
            raise InputError(f"time is {self.time:g} s; it must not be negative")

    def patience(self, gravity: Floats, size: float) -> float:
        """How long bodies must be still [s], where a typical one has this half thickness [m]."""
        if self.time is not None:
            return self.time
        g = float(np.linalg.norm(gravity))
        return 3.0 * math.sqrt(2.0 * size / g) if g > 0.0 else 0.1 * size / self.speed

    def moving(self, twist: Floats, masses: Masses) -> Flags:
        """Bodies that are faster than sleepers may be, shape (bodies,)."""
        return np.asarray(masses.surface_speeds(twist) > self.speed)

    def lull(
        self,
        bodies: BodyState,
        masses: Masses,
        pairs: Pairs,
        restless: Flags,
        gravity: Floats,
        step: float,
    ) -> BodyState:
        """The bodies with islands asleep that have been still for long enough.

        `pairs` are bodies that touch or share a joint; who is `restless` never sleeps.
        """
        still = np.where(self.moving(bodies.twist, masses), 0.0, bodies.still + step)
        bodies = bodies._replace(still=still)
        mobile = ~masses.driven
        tired = (still >= self.patience(gravity, masses.typical_size)) & ~restless
        if not (tired & mobile & ~bodies.asleep).any():
            return bodies
        island = islands(pairs, mobile)
        awake = np.bincount(island, weights=mobile & ~tired)[island] > 0
        asleep = bodies.asleep | (mobile & ~awake)
        twist = bodies.twist.copy()
        twist[asleep] = 0.0
        return bodies._replace(asleep=asleep, twist=twist)

    def stir(
        self, bodies: BodyState, masses: Masses, twist: Floats, pairs: Pairs, disturbed: Flags
    ) -> BodyState:
        """The bodies with islands awake that a moving one touches, or of which one is disturbed."""
        if not bodies.asleep.any():
            return bodies
        moving = (self.moving(twist, masses) | disturbed) & ~bodies.asleep
        inside = pairs[(pairs >= 0).all(axis=1)]
        a, b = inside.T
        woken = disturbed & bodies.asleep
        woken[a[bodies.asleep[a] & moving[b]]] = True
        woken[b[bodies.asleep[b] & moving[a]]] = True
        if not woken.any():
            return bodies
        island = islands(inside, bodies.asleep)
        return wake(bodies, np.bincount(island, weights=woken)[island] > 0)


def wake(bodies: BodyState, who: Flags) -> BodyState:
    """The bodies with these awake, shape (bodies,)."""
    woken = who & bodies.asleep
    if not woken.any():
        return bodies
    return bodies._replace(
        asleep=bodies.asleep & ~woken, still=np.where(woken, 0.0, bodies.still)
    )  # fmt: skip


def restless(joints: JointModel, bodies: int) -> Flags:
    """Bodies that a motor drives, shape (bodies,)."""
    rows = joints.tables.rows
    return among(joints.bodies[rows.joint[rows.motor]], bodies)


def among(rows: NDArray[np.int32], bodies: int) -> Flags:
    """Which of so many bodies are in these rows; −1, the world, is none of them."""
    flags = np.zeros(bodies + 1, dtype=bool)
    flags[rows.ravel()] = True
    return flags[:-1]


def neighbours_of_gone(
    ids: NDArray[np.int64], old_ids: NDArray[np.int64], contacts: RememberedContacts
) -> NDArray[np.int64]:
    """Ids of those that touched a body which is gone; `old_ids` are of the contacts' bodies."""
    gone = ~np.isin(old_ids, ids)
    pairs = contacts.bodies
    return np.unique(old_ids[pairs[gone[pairs].any(axis=1)]])


def ends_of_changes(before: Sequence[Connection], now: Sequence[Connection]) -> NDArray[np.int64]:
    """Ids of the bodies that joints hold which are new or gone."""
    stay = {id(joint) for joint in before} & {id(joint) for joint in now}
    changed = [joint for joint in (*before, *now) if id(joint) not in stay]
    ends = {end for joint in changed for end in joint.bodies if end is not None}
    return np.array(sorted(ends), dtype=np.int64)


def as_noted(bodies: BodyState, wrench: Floats, gravity: Floats) -> RestState:
    """What there is to compare with in the next step; `wrench` acts on the bodies, (bodies, 6)."""
    seen = np.concatenate([wrench, bodies.position, bodies.orientation], axis=1)
    return RestState(seen, gravity.copy())


def disturbed(bodies: BodyState, wrench: Floats, gravity: Floats, noted: RestState) -> Flags:
    """Bodies that are not what they were, shape (bodies,); all, if gravity is another."""
    if (gravity != noted.gravity).any():
        return np.ones(len(bodies.id), dtype=bool)
    now = np.concatenate([wrench, bodies.position, bodies.orientation], axis=1)
    return np.asarray((now != noted.seen).any(axis=1) | bodies.twist.any(axis=1))


def renumbered(
    noted: RestState, old_ids: NDArray[np.int64], new_ids: NDArray[np.int64]
) -> RestState:
    """The same after bodies changed their rows; new ones are not known yet."""
    seen = np.full((new_ids.size, 13), np.nan)
    both, old, new = np.intersect1d(old_ids, new_ids, return_indices=True)
    if both.size:
        seen[new] = noted.seen[old]
    return noted._replace(seen=seen)
