"""Bodies that rest for a while fall asleep, island by island, until something stirs them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons.collision.memory import ContactMemory
from amontons.dynamics.islands import islands
from amontons.dynamics.joints.system import JointSystem
from amontons.dynamics.masses import Masses
from amontons.errors import InputError
from amontons.model.bodies import Bodies
from amontons.model.shapes.checks import finite, positive

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
        For this long [s], and likewise all bodies that it touches or shares a joint with.
    """

    speed: float
    time: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "speed", positive("speed", self.speed))
        object.__setattr__(self, "time", finite("time", self.time))
        if self.time < 0.0:
            raise InputError(f"time is {self.time:g} s; it must not be negative")

    def moving(self, twist: Floats, masses: Masses) -> Flags:
        """Bodies that are faster than sleepers may be, shape (bodies,)."""
        v, w = twist[:, :3], twist[:, 3:]
        reach = np.where(np.isfinite(masses.reach), masses.reach, 0.0)
        speed = np.sqrt(np.einsum("ij,ij->i", v, v)) + reach * np.sqrt(np.einsum("ij,ij->i", w, w))
        return np.asarray(speed > self.speed)

    def lull(
        self, bodies: Bodies, masses: Masses, pairs: Pairs, restless: Flags, step: float
    ) -> None:
        """Send islands to sleep that have been still for long enough.

        `pairs` are bodies that touch or share a joint; who is `restless` never sleeps.
        """
        still = bodies.columns["still"]
        still[:] = np.where(self.moving(bodies.twist, masses), 0.0, still + step)
        mobile = ~masses.driven
        tired = (still >= self.time) & ~restless
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
        moving = self.moving(twist, masses) & ~bodies.asleep
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


def wake_neighbours(bodies: Bodies, old_ids: NDArray[np.int64], memory: ContactMemory) -> None:
    """Wake those that touched a body which is gone; `old_ids` are of when contacts were stored."""
    gone = ~np.isin(old_ids, bodies.id)
    if not gone.any() or not bodies.asleep.any():
        return
    pairs = memory.contents(len(old_ids))[0].bodies
    touched = old_ids[pairs[gone[pairs].any(axis=1)]]
    woken = np.isin(bodies.id, touched)
    bodies.asleep[woken] = False
    bodies.columns["still"][woken] = 0.0
