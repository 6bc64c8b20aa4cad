"""Images as rows of their own, for kernels that ask how fast the bodies of a contact move."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from amontons.collision.contacts import ContactSet
from amontons.collision.images.image_contacts import PeriodicContacts
from amontons.dynamics.contact_laws import ContactTerms

Floats = NDArray[np.float64]

Kind = TypeVar("Kind", bound=np.generic)


class ImageRows(NamedTuple):
    """Contacts whose body B is a row behind all bodies where it is an image that drifts away."""

    contacts: ContactSet  # with these rows
    shifts: Floats  # from bodies to the images [m], (images, 3)
    rows: NDArray[np.int32]  # of the bodies that they are images of, (images,)

    @classmethod
    def of(cls, contacts: ContactSet, bodies: int) -> ImageRows:
        """Those of some contacts of so many bodies; images of a world without a cell: none."""
        if not isinstance(contacts, PeriodicContacts) or not contacts.shifts.any():
            return cls(contacts, np.empty((0, 3)), np.empty(0, dtype=np.int32))
        across = np.flatnonzero(contacts.shifts.any(axis=1))
        ends = contacts.bodies.copy()
        ends[across, 1] = bodies + np.arange(across.size, dtype=np.int32)
        seen = dataclasses.replace(contacts, bodies=ends)
        return cls(seen, contacts.shifts[across], contacts.bodies[across, 1])

    def velocities(self, of_bodies: Floats, gradient: Floats) -> Floats:
        """Those of bodies and of images that drift by a gradient [1/s], (bodies + images, 6)."""
        if not self.rows.size:
            return of_bodies
        of_images = of_bodies[self.rows]
        of_images[:, :3] += self.shifts @ gradient.T
        return np.concatenate([of_bodies, of_images])

    def values(self, of_bodies: NDArray[Kind]) -> NDArray[Kind]:
        """What images have as their bodies do, shape (bodies + images, ...)."""
        return np.concatenate([of_bodies, of_bodies[self.rows]]) if self.rows.size else of_bodies

    def terms_of_bodies(self, terms: ContactTerms, contacts: ContactSet) -> ContactTerms:
        """The same terms, of contacts between bodies."""
        if self.rows.size:
            terms.contacts = contacts if terms.kept is None else contacts.take(terms.kept)
        return terms


NO_GRADIENT = np.zeros((3, 3))


def drifting(contacts: ContactSet, gradient: Floats) -> ContactSet:
    """The contacts with images that drift by a gradient [1/s], shape (3, 3)."""
    if not isinstance(contacts, PeriodicContacts):
        return contacts
    return dataclasses.replace(contacts, drifts=contacts.shifts @ gradient.T)
