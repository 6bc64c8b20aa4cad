"""Images and belts as rows of their own, for kernels that ask how fast a contact's bodies move."""

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


NO_IMAGES = np.empty((0, 3)), np.empty(0, dtype=np.int32)


class ImageRows(NamedTuple):
    """Contacts whose body B is a row behind all bodies where it moves otherwise than its body.

    Either it is an image that drifts away, or a surface runs over one of the two bodies.
    """

    contacts: ContactSet  # with these rows
    shifts: Floats  # from bodies to the images [m], (images, 3)
    rows: NDArray[np.int32]  # of the bodies that they are images of, (images,)
    slides: Floats | None = None  # of surfaces that run, those of B less A's [m/s], (images, 3)

    @classmethod
    def of(cls, contacts: ContactSet, bodies: int, slides: Floats | None = None) -> ImageRows:
        """Those of some contacts of so many bodies, with surfaces that run, (contacts, 3)."""
        if isinstance(contacts, PeriodicContacts):
            shifts = contacts.shifts
        elif slides is None:
            return cls(contacts, *NO_IMAGES)
        else:
            shifts = np.zeros((len(contacts), 3))
        moved = shifts if slides is None else np.concatenate([shifts, slides], axis=1)
        across = np.flatnonzero(moved.any(axis=1))
        if not across.size:
            return cls(contacts, *NO_IMAGES)
        ends = contacts.bodies.copy()
        ends[across, 1] = bodies + np.arange(across.size, dtype=np.int32)
        seen = dataclasses.replace(contacts, bodies=ends)
        running = None if slides is None else slides[across]
        return cls(seen, shifts[across], contacts.bodies[across, 1], running)

    def velocities(self, of_bodies: Floats, gradient: Floats) -> Floats:
        """Those of bodies and of images that drift by a gradient [1/s], (bodies + images, 6)."""
        if not self.rows.size:
            return of_bodies
        of_images = of_bodies[self.rows]
        of_images[:, :3] += self.shifts @ gradient.T
        if self.slides is not None:
            of_images[:, :3] += self.slides
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
