"""Contacts in a periodic cell."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from amontons.collision.contacts import ContactSet

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class PeriodicContacts(ContactSet):
    """Contacts between bodies and images of bodies; arms are relative to each, as always."""

    shifts: Floats = field(default_factory=lambda: np.empty((0, 3)))
    """From body B to the image of it that A touches [m], shape (contacts, 3)."""
    branches: Floats = field(default_factory=lambda: np.empty((0, 3)))
    """From A to that image [m], shape (contacts, 3); zero unless space carries both along."""
    drifts: Floats = field(default_factory=lambda: np.empty((0, 3)))
    """Velocity of that image relative to B [m/s], shape (contacts, 3)."""

    def take(self, kept: NDArray[np.int64]) -> Self:
        """The contacts of these increasing numbers, shape (m,)."""
        return dataclasses.replace(
            self,
            bodies=self.bodies.take(kept, axis=0),
            normals=self.normals.take(kept, axis=0),
            arms_a=self.arms_a.take(kept, axis=0),
            arms_b=self.arms_b.take(kept, axis=0),
            gaps=self.gaps.take(kept),
            keys=self.keys.take(kept),
            first=kept.searchsorted(self.first),
            shifts=self.shifts.take(kept, axis=0),
            branches=self.branches.take(kept, axis=0),
            drifts=self.drifts.take(kept, axis=0),
        )

    def points_b(self, position: Floats) -> Floats:
        """Points on the surfaces of the images of B [m], shape (contacts, 3)."""
        return super().points_b(position) + self.shifts
