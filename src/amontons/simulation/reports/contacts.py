"""Contacts of the last step, with their forces."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.checks import finite_vector
from amontons.errors import InputError
from amontons.model.bodies import Body

Floats = NDArray[np.float64]

ROWS = ("bodies", "points", "normals", "gaps", "force", "torque")
"""The fields of `Contacts` that have a row for each."""


class NetLoad(NamedTuple):
    """The net effect of all contacts on a body."""

    force: Floats  # [N], (3,)
    torque: Floats  # about the point that was asked for [N m], (3,)
    contacts: int  # how many took part, in the last substep


@dataclass(frozen=True)
class Contacts:
    """Where bodies touched, or nearly did, in the last step; positions are those at its start."""

    bodies: NDArray[np.int64]
    """Ids of bodies A and B, shape (contacts, 2)."""
    points: Floats
    """Midway between the two surfaces [m], shape (contacts, 3)."""
    normals: Floats
    """Unit vectors from A to B, shape (contacts, 3)."""
    gaps: Floats
    """Negative where the bodies overlap [m], shape (contacts,).

    Between bodies of a broken joint it is relative to their overlap when that broke."""
    force: Floats
    """On body B in world axes [N], shape (contacts, 3); A feels the opposite."""
    torque: Floats
    """On body B by rolling and spinning friction, in world axes [N m], shape (contacts, 3)."""
    step: float = math.nan
    """Length of the step [s], in which a contact's impulse is its force times this."""
    earlier: tuple[Contacts, ...] = field(default=(), repr=False, compare=False)
    """Contacts of earlier substeps of the same step; not stored in files."""

    @classmethod
    def none(cls) -> Contacts:
        """No contacts at all."""
        bodies = np.empty((0, 2), dtype=np.int64)
        rows = np.empty((0, 3))
        return cls(bodies, rows, rows, np.empty(0), rows, rows)

    @classmethod
    def of_rows(cls, rows: Floats, step: float) -> Contacts:
        """Those that :meth:`as_rows` has made rows of, in a step of this length [s]."""
        bodies, points, normals, gaps, force, torque = np.split(rows, (2, 5, 8, 9, 12), axis=1)
        return cls(bodies.astype(np.int64), points, normals, gaps[:, 0], force, torque, step)

    def as_rows(self) -> Floats:
        """All of each contact in a row of numbers, shape (contacts, 15)."""
        return np.column_stack([getattr(self, name) for name in ROWS])

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
        """Contacts between bodies among `ids`, as after some were removed."""
        kept = np.flatnonzero(np.isin(self.bodies, ids).all(axis=1))
        if kept.size == len(self) and not self.earlier:
            return self
        return replace(self.take(kept), earlier=tuple(each.among(ids) for each in self.earlier))

    def take(self, rows: NDArray[np.int64]) -> Contacts:
        """The contacts in given rows, in that order."""
        return replace(self, **{name: getattr(self, name)[rows] for name in ROWS})

    def beside(self, others: Contacts) -> Contacts:
        """These contacts followed by others."""
        rows: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(others, name)]) for name in ROWS
        }
        return replace(self, **rows)

    def on(self, body: Body | int, *, about: ArrayLike = (0.0, 0.0, 0.0)) -> NetLoad:
        """Net force and torque on a body, given by its handle or id: the mean over substeps.

        The torque is about the point `about` [m], by default the origin of the world. It
        includes that of the forces at their points, and that of rolling and spinning friction.
        """
        number = body.id if isinstance(body, Body) else body
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise InputError(f"a body is given by its handle or its id, not by {body!r}")
        point = np.array(finite_vector("about", about))
        sums = [each._sum_on(int(number), point) for each in (*self.earlier, self)]
        force, torque = np.mean([each[:2] for each in sums], axis=0)
        return NetLoad(force, torque, sums[-1].contacts)

    def _sum_on(self, body: int, about: Floats) -> NetLoad:
        """Sum over these contacts alone."""
        sign = np.where(self.bodies == body, [-1.0, 1.0], 0.0).sum(axis=1)  # on B as it is
        mine = np.flatnonzero(sign)
        force = sign[mine, None] * self.force[mine]
        torque = sign[mine, None] * self.torque[mine]
        torque += np.cross(self.points[mine] - about, force)
        return NetLoad(force.sum(axis=0), torque.sum(axis=0), mine.size)

    def between(self, first: int, second: int) -> NDArray[np.int64]:
        """Rows of the contacts between two bodies, given by their ids."""
        pair = sorted((int(first), int(second)))
        return np.flatnonzero((np.sort(self.bodies, axis=1) == pair).all(axis=1))

    def __repr__(self) -> str:
        if not len(self):
            return "<Contacts: none>"
        return f"<Contacts: {len(self)}, largest force {self.normal_force.max():.4g} N>"
