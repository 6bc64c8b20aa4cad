"""What pulls bodies together that touch: cohesion, and adhesion by surface energy.

A sphere of the reduced radius R* that a surface with the work of adhesion w [J/m²] holds comes off
under the force 1.5 π w R* where it is soft (Johnson, Kendall and Roberts 1971), and 2 π w R* where
it is hard (Derjaguin, Muller and Toporov 1975).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Flags, Floats, Ints
from amontons.collision.contacts import ContactSet
from amontons.collision.images.image_contacts import PeriodicContacts
from amontons.dynamics.contact_laws import ContactRules
from amontons.model.materials import PairTable

JKR, DMT = 1.5 * np.pi, 2.0 * np.pi
"""Pull-off forces by w R*."""

NO_CURVATURE = np.empty(0)
"""That of bodies none of which adheres."""


def pulls_of(
    contacts: ContactSet,
    material: Ints,
    curvature: Floats,
    pairs: PairTable,
    rules: ContactRules,
    step: float,
) -> Floats | None:
    """Largest pull of each contact as an impulse [N s], shape (contacts,); None: nothing pulls.

    `material` and `curvature` [1/m] are those of bodies, shape (bodies,).
    """
    if not pairs.pulls:
        return None
    of = tuple(material[contacts.bodies].T)
    force = np.asarray(pairs.cohesion[of])
    if pairs.adheres:
        by_radius = JKR * pairs.surface_energy_jkr + DMT * pairs.surface_energy_dmt
        force = force + by_radius[of] * reduced_radii(curvature[contacts.bodies])
    touching = contacts.gaps <= rules.cohesion_range
    return np.asarray(step * shared(force, pair_numbers(contacts), touching))


def reduced_radii(curvature: Floats) -> Floats:
    """R* [m] with 1/R* = 1/R_A + 1/R_B, from these, shape (contacts, 2); 0 between flat faces."""
    both = curvature.sum(axis=1)
    return np.asarray(np.divide(1.0, both, out=np.zeros_like(both), where=both > 0.0))


def pair_numbers(contacts: ContactSet) -> NDArray[np.int64]:
    """The same number for contacts of one pair, a body or its image with another, (contacts,)."""
    bodies = contacts.bodies
    if isinstance(contacts, PeriodicContacts):
        _, pair = np.unique(np.column_stack([bodies, contacts.shifts]), axis=0, return_inverse=True)
        return np.asarray(pair.reshape(-1))
    other = np.any(bodies[1:] != bodies[:-1], axis=1)  # contacts of a pair are neighbours
    return np.concatenate([np.zeros(min(len(bodies), 1), dtype=np.int64), np.cumsum(other)])


def shared(force: Floats, pair: NDArray[np.int64], touching: Flags) -> Floats:
    """A pair's force [N] shared by those of its contacts that touch, shape (contacts,)."""
    members = np.bincount(pair, weights=touching)[pair]
    return np.where(touching, force / np.maximum(members, 1.0), 0.0)
