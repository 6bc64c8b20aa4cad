"""Bodies that rest for a while fall asleep, island by island, until something stirs them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons.checks import finite, positive
from amontons.collision.memory import ContactMemory
from amontons.dynamics.islands import islands
from amontons.dynamics.joints.system import JointSystem
from amontons.dynamics.masses import Masses
from amontons.errors import InputError
from amontons.model.bodies import Bodies
from amontons.model.joints import Connection

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
        bodies: Bodies,
        masses: Masses,
        pairs: Pairs,
        restless: Flags,
        gravity: Floats,
        step: float,
    ) -> None:
        """Send islands to sleep that have been still for long enough.

        `pairs` are bodies that touch or share a joint; who is `restless` never sleeps.
        """
        still = bodies.columns["still"]
        still[:] = np.where(self.moving(bodies.twist, masses), 0.0, still + step)
        mobile = ~masses.driven
        tired = (still >= self.patience(gravity, masses.typical_size)) & ~restless
        if not (tired & mobile & ~bodies.asleep).any():
            return
        island = islands(pairs, mobile)
        awake = np.bincount(island, weights=mobile & ~tired)[island] > 0
        bodies.asleep[:] |= mobile & ~awake
        bodies.twist[bodies.asleep] = 0.0

    def stir(
        self, bodies: Bodies, masses: Masses, twist: Floats, pairs: Pairs, disturbed: Flags
    ) -> None:
        """Wake islands that a moving body touches, or of which a body is `disturbed`."""
        if not bodies.asleep.any():
            return
        moving = (self.moving(twist, masses) | disturbed) & ~bodies.asleep
        inside = pairs[(pairs >= 0).all(axis=1)]
        a, b = inside.T
        woken = disturbed & bodies.asleep
        woken[a[bodies.asleep[a] & moving[b]]] = True
        woken[b[bodies.asleep[b] & moving[a]]] = True
        if not woken.any():
            return
        island = islands(inside, bodies.asleep)
        wake = np.bincount(island, weights=woken)[island] > 0
        wake &= bodies.asleep
        bodies.asleep[wake] = False
        bodies.columns["still"][wake] = 0.0


def restless(joints: JointSystem, bodies: int) -> Flags:
    """Bodies that a motor drives, shape (bodies,)."""
    rows = joints.tables.rows
    driven = np.unique(joints.tables.joints.bodies[rows.joint[rows.motor]])
    flags = np.zeros(bodies, dtype=bool)
    flags[driven[driven >= 0]] = True
    return flags


def wake(bodies: Bodies, ids: NDArray[np.int64]) -> None:
    """Wake the bodies of these ids."""
    woken = np.isin(bodies.id, ids) & bodies.asleep
    bodies.asleep[woken] = False
    bodies.columns["still"][woken] = 0.0


def neighbours_of_gone(
    bodies: Bodies, old_ids: NDArray[np.int64], memory: ContactMemory
) -> NDArray[np.int64]:
    """Ids of those that touched a body which is gone; `old_ids` are of the contacts stored."""
    gone = ~np.isin(old_ids, bodies.id)
    if not gone.any():
        return old_ids[:0]
    pairs = memory.contents(len(old_ids))[0].bodies
    return np.unique(old_ids[pairs[gone[pairs].any(axis=1)]])


def ends_of_changes(before: list[Connection], now: list[Connection]) -> NDArray[np.int64]:
    """Ids of the bodies that joints hold which are new or gone."""
    stay = {id(joint) for joint in before} & {id(joint) for joint in now}
    changed = [joint for joint in (*before, *now) if id(joint) not in stay]
    ends = {end for joint in changed for end in joint.bodies if end is not None}
    return np.array(sorted(ends), dtype=np.int64)


def ends_of(joints: JointSystem, ids: list[int]) -> NDArray[np.int64]:
    """Ids of the bodies that these joints hold."""
    held = [joints.joints[row] for row in np.flatnonzero(np.isin(joints.ids, ids))]
    ends = {end for joint in held for end in joint.bodies if end is not None}
    return np.array(sorted(ends), dtype=np.int64)


class Surroundings:
    """What bodies were like at the end of the last step: what differs now was changed by hand."""

    def __init__(self, bodies: int) -> None:
        self.seen = np.full((bodies, 13), np.nan)
        """Force and torque, position, orientation: shape (bodies, 13)."""
        self.gravity = np.full(3, np.nan)

    def note(self, bodies: Bodies, wrench: Floats, gravity: Floats) -> None:
        """Remember all this; `wrench` is what acts on the bodies, shape (bodies, 6)."""
        self.seen = np.concatenate([wrench, bodies.position, bodies.orientation], axis=1)
        self.gravity = gravity.copy()

    def changed(self, bodies: Bodies, wrench: Floats, gravity: Floats) -> Flags:
        """Bodies that are not what they were, shape (bodies,); all, if gravity is another."""
        if (gravity != self.gravity).any():
            return np.ones(len(bodies), dtype=bool)
        now = np.concatenate([wrench, bodies.position, bodies.orientation], axis=1)
        return np.asarray((now != self.seen).any(axis=1) | bodies.twist.any(axis=1))

    def renumber(self, old_ids: NDArray[np.int64], new_ids: NDArray[np.int64]) -> None:
        """Follow bodies whose rows changed; new ones are not known yet."""
        seen = np.full((new_ids.size, 13), np.nan)
        both, old, new = np.intersect1d(old_ids, new_ids, return_indices=True)
        if both.size:
            seen[new] = self.seen[old]
        self.seen = seen
