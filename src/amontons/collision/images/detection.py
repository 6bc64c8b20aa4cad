"""Contacts across the borders of a cell: copies of bodies near a border are detected, too.

A body's images that may touch a body in the cell are added as copies, on one half of all sides:
where body A touches the image of B at +s, B touches that of A at −s, and one of the two is enough.
A contact of a copy is attributed to its original, with the shift from one to the other. Arms are
relative to each body, so whatever comes after needs to know of images no more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.collision.broad.rows import BodyOrder
from amontons.collision.contacts import ContactSet
from amontons.collision.detector import CollisionDetector
from amontons.collision.images.image_contacts import PeriodicContacts
from amontons.collision.images.lattice import Lattice

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

IMAGE_BITS = 3
"""Bits of a contact's key, for each axis, that say which image it is with."""


class PeriodicDetector:
    """Finds contacts between bodies and images of bodies.

    Parameters
    ----------
    detector:
        Of the bodies as they are.
    reach:
        Radii of balls about the bodies' positions that hold them [m], shape (bodies,).
    unbounded:
        Unbounded bodies, such as planes: they have no images, and meet none; shape (bodies,).
    """

    def __init__(self, detector: CollisionDetector, reach: Floats, unbounded: Flags) -> None:
        self._detector, self._unbounded = detector, unbounded
        self._reach = reach
        self._widest = float(reach[~unbounded].max(initial=0.0))
        self._originals: Longs = np.arange(reach.size)
        self._copies = detector

    def detect(
        self,
        lattice: Lattice,
        position: Floats,
        orientation: Floats,
        margin: float,
        order: BodyOrder | None = None,
    ) -> PeriodicContacts:
        """All contacts within the margin [m], each pair of images once.

        Positions may be outside the cell: all images are considered.
        """
        home = np.where(self._unbounded[:, None], 0, lattice.home(position))
        inside = position + lattice.shifts(home)
        original, cell = self._near_borders(lattice, inside, margin)
        originals = np.concatenate([np.arange(len(position)), original])
        found = self._of(originals).detect_unit(
            np.concatenate([inside, inside[original] + lattice.shifts(cell)]),
            orientation[originals],
            margin,
        )
        image = np.concatenate([home, home[original] + cell])
        return _of_originals(found, originals, image, self._unbounded, lattice, order)

    def _of(self, originals: Longs) -> CollisionDetector:
        """The detector of these bodies; that of the previous step if they are the same."""
        if not np.array_equal(originals, self._originals):
            self._originals = originals
            self._copies = self._detector.of_copies(originals)
        return self._copies

    def _near_borders(self, lattice: Lattice, inside: Floats, margin: float) -> tuple[Longs, Longs]:
        """Bodies with images near the cell, and the cell of each image."""
        cells = lattice.half_of_neighbours(2.0 * self._widest + margin)
        reach = (self._reach + self._widest + margin)[:, None]
        low, high = lattice.origin, lattice.origin + lattice.lengths
        bodies, where = [], []
        for cell in cells:
            image = inside + lattice.shifts(cell)
            near = (image >= low - reach) & (image <= high + reach)
            near = (near | ~lattice.periodic).all(axis=1) & ~self._unbounded
            bodies.append(np.flatnonzero(near))
            where.append(np.tile(cell, (bodies[-1].size, 1)))
        if not bodies:
            return np.empty(0, dtype=np.int64), np.empty((0, 3), dtype=np.int64)
        return np.concatenate(bodies), np.concatenate(where)


def _of_originals(
    found: ContactSet,
    originals: Longs,
    image: Longs,
    unbounded: Flags,
    lattice: Lattice,
    order: BodyOrder | None,
) -> PeriodicContacts:
    """Contacts of bodies and copies as contacts of bodies and images.

    A copy comes after all bodies, so that it is B of its contacts. Two copies touch where their
    originals do; a copy does not touch unbounded bodies, as its original does; and no body
    touches itself.
    """
    count = unbounded.size
    copied = found.bodies >= count
    a, b = originals[found.bodies].T
    kept = ~copied[:, 0] & (a != b) & ~(copied[:, 1] & unbounded[a])
    rows = np.flatnonzero(kept)
    a, b = a[rows], b[rows]
    relative = image[found.bodies[rows, 1]] - image[found.bodies[rows, 0]]
    relative[unbounded[a] | unbounded[b]] = 0
    flip = a > b
    sign = np.where(flip, -1.0, 1.0)[:, None]
    lower, upper = np.where(flip, b, a), np.where(flip, a, b)
    relative[flip] *= -1
    one, two = found.arms_a[rows], found.arms_b[rows]
    slot = np.arange(count) if order is None else order.place[:-1].astype(np.int64)
    finder, partner = np.minimum(slot[lower], slot[upper]), np.maximum(slot[lower], slot[upper])
    keys = found.keys[rows] ^ _name(relative)
    listed = np.lexsort((keys, partner, finder))
    first = finder[listed].searchsorted(np.arange(count + 1))
    if order is not None:
        first = np.append(first[slot], first[-1])
    bodies = np.stack([lower, upper], axis=1).astype(np.int32)
    none = np.zeros((rows.size, 3))
    return PeriodicContacts(
        bodies=bodies[listed],
        normals=(sign * found.normals[rows])[listed],
        arms_a=np.where(flip[:, None], two, one)[listed],
        arms_b=np.where(flip[:, None], one, two)[listed],
        gaps=found.gaps[rows][listed],
        keys=keys[listed],
        first=first,
        order=order,
        shifts=lattice.shifts(relative[listed]),
        branches=none,
        drifts=none,
    )


def _name(relative: Longs) -> NDArray[np.uint64]:
    """Upper bits of a key: which image of B it is; nothing for B itself."""
    low = (1 << IMAGE_BITS) - 1
    x, y, z = (relative & low).T
    code = (x << (2 * IMAGE_BITS)) | (y << IMAGE_BITS) | z
    return np.asarray(code.astype(np.uint64) << np.uint64(64 - 3 * IMAGE_BITS))
