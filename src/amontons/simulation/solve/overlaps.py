"""How deep bodies overlap, by their own size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.collision.contacts import ContactSet
from amontons.dynamics.masses import Masses
from amontons.model.materials import PairTable
from amontons.simulation.model import Model
from amontons.simulation.sharing.share import Share
from amontons.simulation.state import BodyState

Floats = NDArray[np.float64]

SLIGHT = 0.01
"""Overlap, by the smaller half thickness of the two bodies, that steps leave at most as a rule."""

DEEP = 0.1
"""Overlap, by the smaller half thickness, from which on shapes are not where they should be."""


MENDED = 1e-4
"""Overlap, by the smaller half thickness, at which a pair that was being parted is parted."""

FARTHEST = 0.25
"""Half thicknesses that a body is moved in one step at most to part it from others."""

AT_FIRST, LATER = 1.0, 2.0
"""When a pair that is being parted came to overlap: as one of the two was new, or in the run."""


NOTHING = np.empty(0)


class StepOverlaps(NamedTuple):
    """What of the contacts of a step is no touch but an overlap."""

    depths: Floats  # by the smaller half thickness of the two bodies, (contacts,)
    new: NDArray[np.bool_]  # bodies that were in no step before, (bodies,)
    parting: Floats  # `AT_FIRST` or `LATER` for those that are being parted, else 0, (contacts,)
    any: bool  # whether there are any, on any process

    @property
    def mended(self) -> NDArray[np.bool_] | None:
        """Contacts that are parted by a motion that does not last, (contacts,); None: none."""
        return self.depths > 0.0 if self.any else None


def overlaps_of(
    contacts: ContactSet, model: Model, bodies: BodyState, remembered: Floats, share: Share
) -> StepOverlaps:
    """Overlaps as a step begins; `remembered` is the `parting` of the last step, (contacts,)."""
    new, depths, since = ~bodies.seen, NOTHING, NOTHING
    if len(contacts):
        depths = relative_depths(contacts, model.masses, model.bodies.material, model.pairs)
        since = partings(contacts, depths, new, remembered)
    return StepOverlaps(depths, new, since, share.any(bool(since.any())))


def relative_depths(
    contacts: ContactSet, masses: Masses, material: NDArray[np.int32], pairs: PairTable
) -> Floats:
    """Overlaps by the smaller half thickness of the bodies that can move, shape (contacts,).

    Contacts that do not overlap have zero, and so have compliant ones: there overlap is elastic.
    """
    depth: Floats = np.zeros(len(contacts))
    inside = np.flatnonzero(contacts.gaps < 0.0)
    if not inside.size:
        return depth
    a, b = contacts.bodies[inside].T
    deep = -contacts.gaps[inside] / np.minimum(masses.span[a], masses.span[b])
    if pairs.yields:
        deep[pairs.compliance[material[a], material[b]] > 0.0] = 0.0
    depth[inside] = deep
    return depth


def partings(
    contacts: ContactSet, depths: Floats, new: NDArray[np.bool_], remembered: Floats
) -> Floats:
    """`AT_FIRST` or `LATER` for contacts of pairs that overlap too deeply, else 0; (contacts,).

    They are parted until they do not overlap any more. `depths` are those of
    :func:`relative_depths`, `new` are bodies that were in no step before (bodies,), and
    `remembered` is what this function gave in the last step. A pair is parted as a whole: its
    contacts come and go meanwhile.
    """
    deepest = depths.max(initial=0.0)
    if deepest <= (MENDED if remembered.any() else SLIGHT):
        return np.zeros(len(depths))
    deep = depths > SLIGHT
    found = deep | ((remembered > 0.0) & (depths > MENDED))
    if not found.any():
        return np.zeros(len(depths))
    since = np.where(remembered > 0.0, remembered, LATER)
    since[deep & new[contacts.bodies].any(axis=1)] = AT_FIRST
    a, b = contacts.bodies.T.astype(np.int64)
    _, pair = np.unique(a * (int(contacts.bodies.max()) + 1) + b, return_inverse=True)
    first = np.full(int(pair.max()) + 1, np.inf)
    np.minimum.at(first, pair[found], since[found])
    of_pair = first[pair]
    return np.where((depths > 0.0) & np.isfinite(of_pair), of_pair, 0.0)


def parting_excess(velocity: Floats, motion: Floats, masses: Masses, step: float) -> float:
    """How many times too far the motion beyond the velocity, (bodies, 6) both, goes; 1 at least.

    Too far is `FARTHEST` of a body's half thickness. As velocities that part contacts less are
    between the two, all of the motion is cut by one factor.
    """
    speed = masses.surface_speeds(motion - velocity)
    return max(1.0, float((speed * step / (FARTHEST * masses.span)).max(initial=0.0)))
