"""Sleeping: bodies that rest for a while fall asleep, island by island."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons.checks import finite, positive
from amontons.collision.contacts import ContactSet
from amontons.dynamics.islands import islands
from amontons.dynamics.joints.model import JointModel
from amontons.dynamics.masses import Masses
from amontons.errors import InputError
from amontons.model.materials import PairTable
from amontons.simulation.model import Model
from amontons.simulation.state import BodyState

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Pairs = NDArray[np.int32]

PLACE = 1e-5
"""Distance from where it became still, in half thicknesses, up to which a body is at rest."""

SLOW, BALANCED = 1e-3, 0.02
"""Speeds of bodies at rest at most: by √(g r) with their half thickness r, and by what gravity
gives in a step. Forces that are out of balance by a share of the weight give that share."""

FALLS, FALLS_BY_SPEED = 10.0, 3.0
"""For how long bodies must rest, by the time in which a typical one falls by its half thickness:
without and with a speed that users give."""


@dataclass(frozen=True, kw_only=True)
class Sleeping:
    """When bodies fall asleep: they then stand still and cost almost nothing.

    Parameters
    ----------
    speed:
        Of no point of a body more than this [m/s]. By default bodies must be at rest by their own
        measure: for the `time` no point moves farther than 1e-5 of the body's half thickness r, nor
        faster than 1e-3 √(g r) or 2 % of the speed that gravity gives in a step, and they lie on
        something that does not move. Without gravity none falls asleep.
    time:
        For this long [s], and likewise all bodies that it touches or shares a joint with. By
        default ten times as long as a typical body takes to fall by half its thickness; with a
        `speed` three times as long or, without gravity, as long as it takes to move by a tenth of
        that.
    """

    speed: float | None = None
    time: float | None = None

    def __post_init__(self) -> None:
        if self.speed is not None:
            object.__setattr__(self, "speed", positive("speed", self.speed))
        if self.time is None:
            return
        object.__setattr__(self, "time", finite("time", self.time))
        if self.time < 0.0:
            raise InputError(f"time is {self.time:g} s; it must not be negative")

    def patience(self, gravity: Floats, size: float) -> float:
        """How long bodies must be still [s], where a typical one has this half thickness [m]."""
        g = float(np.linalg.norm(gravity))
        if self.speed is None and g == 0.0:
            return math.inf
        if self.time is not None:
            return self.time
        if g > 0.0:
            return (FALLS if self.speed is None else FALLS_BY_SPEED) * math.sqrt(2.0 * size / g)
        assert self.speed is not None
        return 0.1 * size / self.speed

    def limits(self, masses: Masses, gravity: Floats, step: float) -> tuple[Floats, Floats]:
        """Speed [m/s] and way [m] of each body up to which it counts as still, each (bodies,)."""
        size = masses.span
        if self.speed is not None:
            return np.full_like(size, self.speed), np.full_like(size, np.inf)
        g = float(np.linalg.norm(gravity))
        if g == 0.0:
            return np.zeros_like(size), np.zeros_like(size)
        return np.minimum(SLOW * np.sqrt(g * size), BALANCED * g * step), PLACE * size

    def watched(
        self, bodies: BodyState, masses: Masses, since: Floats, gravity: Floats, step: float
    ) -> tuple[BodyState, Floats]:
        """The bodies with the time for which each has been still, and where it has been so since.

        Kinematic bodies are still where they do not move at all. `since` has positions and
        orientations, shape (bodies, 7).
        """
        slow, near = self.limits(masses, gravity, step)
        slow[masses.driven] = roundings(bodies, masses, step)[masses.driven]
        pose = np.concatenate([bodies.position, bodies.orientation], axis=1)
        restless = masses.surface_speeds(bodies.twist) > slow
        restless |= ~(ways(pose, since, masses.reach) <= near)  # NaN, too: not known
        still = np.where(restless, 0.0, bodies.still + step)
        return bodies._replace(still=still), np.where(restless[:, None], pose, since)

    def lulled(
        self,
        bodies: BodyState,
        model: Model,
        contacts: ContactSet,
        joined: Pairs,
        gravity: Floats,
    ) -> BodyState:
        """The bodies with islands asleep all of which have been still for long enough.

        `contacts` are those of the step that was taken, and `joined` are bodies that share a joint.
        """
        masses, mobile = model.masses, ~model.masses.driven
        tired = bodies.still >= self.patience(gravity, masses.typical_size)
        tired &= bodies.still > 0.0
        if not (tired & mobile & ~bodies.asleep).any():
            return bodies
        island = islands(np.concatenate([contacts.bodies, joined]), mobile)
        lively = mobile & ~tired | driven_by_motors(model.joints, mobile.size)
        lively |= beside(contacts.bodies, ~mobile & ~tired)  # kinematic bodies that moved of late
        if self.speed is None:
            lively |= springy(contacts, model.bodies.material, model.pairs, mobile.size)
            lies = np.bincount(island, weights=beside(contacts.bodies, ~mobile)) > 0.0
            lively |= mobile & ~lies[island]
        awake = np.bincount(island, weights=lively)[island] > 0.0
        asleep = bodies.asleep | (mobile & ~awake)
        twist = bodies.twist.copy()
        twist[asleep] = 0.0
        return bodies._replace(asleep=asleep, twist=twist)


def roundings(bodies: BodyState, masses: Masses, step: float) -> Floats:
    """Speeds up to which prescribed motions are nothing but rounding [m/s], shape (bodies,)."""
    far = np.abs(bodies.position).max(axis=1) + masses.reach
    return np.asarray(8.0 * np.finfo(np.float64).eps / step * far)


def ways(pose: Floats, since: Floats, reach: Floats) -> Floats:
    """Bounds of how far any point of each body is from where it was [m], shape (bodies,).

    A turn by the angle θ changes a unit quaternion by 2 sin(θ/4), up to its sign.
    """
    shift = np.linalg.norm(pose[:, :3] - since[:, :3], axis=1)
    turns = (np.linalg.norm(pose[:, 3:] + sign * since[:, 3:], axis=1) for sign in (1.0, -1.0))
    return np.asarray(shift + 2.0 * reach * np.minimum(*turns))


def driven_by_motors(joints: JointModel, bodies: int) -> Flags:
    """Bodies on which a motor acts or a joint whose target moves, shape (bodies,)."""
    rows = joints.tables.rows
    driving = rows.motor | np.isnan(rows.target)
    if not driving.any():
        return np.zeros(bodies, dtype=bool)
    return among(joints.bodies[rows.joint[driving]], bodies)


def springy(
    contacts: ContactSet, material: NDArray[np.int32], pairs: PairTable, bodies: int
) -> Flags:
    """Bodies with contacts that give way, and so hold energy; shape (bodies,)."""
    if not pairs.yields:
        return np.zeros(bodies, dtype=bool)
    soft = pairs.compliance[tuple(material[contacts.bodies].T)] > 0.0
    return among(contacts.bodies[soft], bodies)


def beside(pairs: Pairs, who: Flags) -> Flags:
    """Bodies that are paired with some of those, shape (bodies,)."""
    found = np.zeros(who.size, dtype=bool)
    found[pairs[who[pairs[:, 1]], 0]] = True
    found[pairs[who[pairs[:, 0]], 1]] = True
    return found


def among(rows: NDArray[np.int32], bodies: int) -> Flags:
    """Which of so many bodies are in these rows; −1, the world, is none of them."""
    flags = np.zeros(bodies + 1, dtype=bool)
    flags[rows.ravel()] = True
    return flags[:-1]
