"""Contacts of the last step, with the forces that they carried."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Contacts:
    """Where bodies touched, or nearly did, in the last step; places are those at its start."""

    bodies: NDArray[np.int64]
    """Ids of bodies A and B, shape (contacts, 2)."""
    points: Floats
    """Midway between the two surfaces [m], shape (contacts, 3)."""
    normals: Floats
    """Unit vectors from A to B, shape (contacts, 3)."""
    gaps: Floats
    """Negative where the bodies overlap [m], shape (contacts,).

    Between bodies of a broken joint it counts from the overlap in which that left them."""
    force: Floats
    """On body B in world axes [N], shape (contacts, 3); A feels the opposite."""
    torque: Floats
    """On body B by rolling and spinning friction, in world axes [N m], shape (contacts, 3)."""

    @classmethod
    def none(cls) -> Contacts:
        """No contacts at all."""
        bodies = np.empty((0, 2), dtype=np.int64)
        rows = np.empty((0, 3))
        return cls(bodies, rows, rows, np.empty(0), rows, rows)

    def __len__(self) -> int:
        return len(self.gaps)

    @property
    def normal_force(self) -> Floats:
        """Force along the normal, positive where it pushes apart [N], shape (contacts,)."""
        return np.asarray(np.einsum("ci,ci->c", self.force, self.normals))

    @property
    def friction_force(self) -> Floats:
        """The part across the normal of the force on body B, in world axes [N], (contacts, 3)."""
        return np.asarray(self.force - self.normal_force[:, None] * self.normals)

    @property
    def tangential_force(self) -> Floats:
        """Magnitude of the friction force, ‖:attr:`friction_force`‖ ≥ 0 [N], shape (contacts,)."""
        return np.asarray(np.linalg.norm(self.friction_force, axis=1))

    def among(self, ids: NDArray[np.int64]) -> Contacts:
        """Those of which both bodies are among `ids`, as after some were removed."""
        kept = np.flatnonzero(np.isin(self.bodies, ids).all(axis=1))
        return self if kept.size == len(self) else self.take(kept)

    def take(self, rows: NDArray[np.int64]) -> Contacts:
        """Those in some rows, in that order."""
        return Contacts(*(getattr(self, each.name)[rows] for each in fields(self)))

    def beside(self, others: Contacts) -> Contacts:
        """These, then others."""
        pairs = ((getattr(self, each.name), getattr(others, each.name)) for each in fields(self))
        return Contacts(*(np.concatenate(pair) for pair in pairs))

    def between(self, first: int, second: int) -> NDArray[np.int64]:
        """Rows of the contacts between two bodies, given by their ids."""
        pair = sorted((int(first), int(second)))
        return np.flatnonzero((np.sort(self.bodies, axis=1) == pair).all(axis=1))

    def __repr__(self) -> str:
        if not len(self):
            return "<Contacts: none>"
        return f"<Contacts: {len(self)}, largest force {self.normal_force.max():.4g} N>"
