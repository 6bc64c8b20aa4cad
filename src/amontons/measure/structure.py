"""Structure of a packing: contacts that carry force, their directions and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.checks import not_negative, whole
from amontons.errors import InputError
from amontons.measure.regions import MeasuredRegion
from amontons.measure.sample import Sample, Source, sample_of
from amontons.model.between import Between
from amontons.model.regions import Region

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SLIGHT = 1e-3
"""Share of the mean normal force below which a contact counts as one that carries nothing."""


class Pairs(NamedTuple):
    """Pairs of bodies that press each other; their contact points are taken together."""

    bodies: Ints  # ids, (pairs, 2)
    normal: Floats  # unit vectors from A to B, (pairs, 3)
    point: Floats  # where their force acts in the mean [m], (pairs, 3)
    force: Floats  # on body B [N], (pairs, 3)


def pressed_pairs(sample: Sample, slight: float = SLIGHT) -> Pairs:
    """Pairs whose normal force is more than `slight` times the mean of those that press."""
    contacts = sample.contacts
    push = contacts.normal_force
    acting = np.flatnonzero(push > 0.0)
    bodies, group = np.unique(contacts.bodies[acting], axis=0, return_inverse=True)
    group = group.ravel()
    total = np.bincount(group, push[acting], len(bodies))
    kept = total > slight * total.mean() if len(bodies) else np.zeros(0, dtype=bool)
    weighted = push[acting, None] * np.hstack([contacts.normals[acting], contacts.points[acting]])
    sums = _summed(weighted, group, len(bodies))[kept] / total[kept, None]
    normal = sums[:, :3] / np.linalg.norm(sums[:, :3], axis=1, keepdims=True)
    force = _summed(contacts.force[acting], group, len(bodies))[kept]
    return Pairs(bodies[kept], normal, sums[:, 3:], force)


def pairs_in(
    source: Source, region: Region | Between | None, slight: float
) -> tuple[Sample, Pairs]:
    """A sample, and its pairs whose contact is in the region."""
    sample = sample_of(source, region)
    pairs = pressed_pairs(sample, not_negative("slight", slight))
    if region is not None:
        inside = sample.region(region).inside(pairs.point)
        pairs = Pairs._make(each[inside] for each in pairs)
    return sample, pairs


def fabric(
    source: Source, region: Region | Between | None = None, *, slight: float = SLIGHT
) -> Floats:
    """Fabric tensor: the mean of n ⊗ n over pairs of bodies that press each other, (3, 3).

    Its trace is 1; it is a third of the unit matrix where normals point everywhere alike. Contacts
    with walls count.

    Parameters
    ----------
    region:
        Pairs count whose contact is in it; by default all do.
    slight:
        Pairs that press with no more than this share of the mean normal force do not count.
    """
    _, pairs = pairs_in(source, region, slight)
    if not len(pairs.normal):
        raise InputError("there is no contact that carries force in the region, so no fabric")
    return np.asarray(np.einsum("pi,pj->ij", pairs.normal, pairs.normal) / len(pairs.normal))


@dataclass(frozen=True, eq=False)
class Coordination:
    """Coordination: how many others each body touches; walls count as others."""

    ids: Ints
    """Of the bodies in the region."""
    contacts: Ints
    """Pairs that press, of each, shape (bodies,)."""
    rattler: NDArray[np.bool_]
    """Which have too few contacts to be held, once other rattlers are removed; shape (bodies,)."""
    held: Ints
    """Pairs of each that remain without those of rattlers, shape (bodies,)."""

    @property
    def mean(self) -> float:
        """Of all bodies; NaN where there are none."""
        return float(self.contacts.mean()) if self.contacts.size else float("nan")

    @property
    def mean_held(self) -> float:
        """Without rattlers and their contacts: the mechanical coordination number."""
        kept = self.held[~self.rattler]
        return float(kept.mean()) if kept.size else float("nan")

    @property
    def rattlers(self) -> float:
        """Share of the bodies that are rattlers."""
        return float(self.rattler.mean()) if self.rattler.size else float("nan")

    def __repr__(self) -> str:
        return (
            f"<Coordination: {self.mean:.3f} of {len(self.ids)} bodies, {self.mean_held:.3f} "
            f"without {100.0 * self.rattlers:.1f} % rattlers>"
        )


def coordination(
    source: Source,
    region: Region | Between | None = None,
    *,
    fewest: int = 2,
    slight: float = SLIGHT,
) -> Coordination:
    """Contacts per body, with rattlers and without.

    Rattlers are removed together with their contacts, which may turn others into rattlers,
    until none is left. Points at which one pair of bodies touches count as one contact.
    A packing that is not at rest has fewer than in equilibrium: see :func:`unbalanced_force`.

    Parameters
    ----------
    region:
        Bodies count whose centre is in it, with all their contacts; by default all do.
    fewest:
        Contacts that a body needs to be held: 2 with friction, 4 for smooth spheres. A body with
        fewer is a rattler.
    slight:
        Pairs that press with no more than this share of the mean normal force do not count.
    """
    whole("fewest", fewest, least=1)
    sample = sample_of(source, region)
    pairs = pressed_pairs(sample, not_negative("slight", slight))
    rows = sample.rows_of(pairs.bodies)
    count = _counted(rows, len(sample))
    held, rattler = count.copy(), np.zeros(len(sample), dtype=bool)
    while True:
        loose = ~rattler & (held < fewest)
        if not loose.any():
            break
        rattler |= loose
        rows = rows[~((rows >= 0) & rattler[rows]).any(axis=1)]
        held = _counted(rows, len(sample))
    inside = _inside(sample, None if region is None else sample.region(region))
    return Coordination(sample.id[inside], count[inside], rattler[inside], held[inside])


def _inside(sample: Sample, region: MeasuredRegion | None) -> NDArray[np.bool_]:
    if region is None:
        return np.ones(len(sample), dtype=bool)
    return region.inside(sample.position)


def _counted(rows: Ints, bodies: int) -> Ints:
    """Pairs of each body; rows of −1 are walls."""
    return np.bincount(rows[rows >= 0], minlength=bodies)


def _summed(values: Floats, group: Ints, groups: int) -> Floats:
    """Sums of rows by group, shape (groups, columns)."""
    columns = [np.bincount(group, column, groups) for column in values.T]
    return np.stack(columns, axis=1)
