"""`BondModel` and `BondState`: bonds as arrays, what stays the same of them and what a run changes.

A beam of length L whose ends are A and B gives way at its middle by a shift δ and a turn θ of B
against A. Between shear force V and moment M there, which together are

    M(x) = M + (L/2 − x) V  at the distance x from A,

energy has no mixed term: the beam's stiffness about its middle is diagonal (see `stiffness_of`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Flags, Floats, Ints, Longs
from amontons.model.bonds import Bonds

SHEAR_SHARE = 0.9
"""κ of a round section: shear is not even across it, and the beam gives way as if A were κA."""

TENSION, SHEAR, WHOLE = range(3)
"""How a bond broke, or that it did not."""

WAYS_TO_BREAK = ("tension", "shear", "")
"""Names of these."""


class Beams(NamedTuple):
    """What kernels need to know of bonds; one row each."""

    bodies: Ints  # rows in the bodies' arrays, (bonds, 2)
    point_a: Floats  # of the middle, in A's frame [m], (bonds, 3)
    point_b: Floats  # in B's frame [m], (bonds, 3)
    frame_a: Floats  # quaternions of the beam's axes in A's frame, (bonds, 4)
    frame_b: Floats  # in B's frame, (bonds, 4)
    stiffness: Floats  # along and across, about and across [N/m, N m/rad], (bonds, 6)
    damping: Floats  # time in which dashpots relax the beams [s], (bonds,)


class BondModel(NamedTuple):
    """Bonds bound to rows of bodies."""

    id: Longs  # numbers that bonds keep for life, in rising order, (bonds,)
    beams: Beams
    length: Floats  # [m], (bonds,)
    radius: Floats  # [m], (bonds,)
    strength: Floats  # in tension and in shear [Pa], (bonds, 2)

    @classmethod
    def of(cls, bonds: Bonds, ids: Longs) -> BondModel:
        """That of bonds between bodies whose ids, in rising order, these are."""
        beams = Beams(
            bodies=np.searchsorted(ids, bonds.bodies).astype(np.int32),
            point_a=bonds.point_a.copy(),
            point_b=bonds.point_b.copy(),
            frame_a=bonds.frame_a.copy(),
            frame_b=bonds.frame_b.copy(),
            stiffness=stiffness_of(bonds),
            damping=bonds.damping.copy(),
        )
        strength = np.stack([bonds.tensile, bonds.shear_strength], axis=1)
        return cls(bonds.id.copy(), beams, bonds.length.copy(), bonds.radius.copy(), strength)

    @property
    def bodies(self) -> Ints:
        """Rows of A and B, shape (bonds, 2)."""
        return self.beams.bodies


def stiffness_of(bonds: Bonds) -> Floats:
    """Forces by shifts and moments by turns of B's middle against A's, shape (bonds, 6).

    Along the beam EA/L; across it 1/(L³/12EI + L/κGA), as a beam gives way by bending and by shear;
    about it GJ/L, and about the other two axes EI/L; with A = πr², I = πr⁴/4 and J = 2I.
    """
    length, area = bonds.length, np.pi * bonds.radius**2
    bending = 0.25 * area * bonds.radius**2
    stretch, turn = bonds.young * area / length, bonds.young * bending / length
    across = 1.0 / (length**2 / (12.0 * turn) + length / (SHEAR_SHARE * bonds.shear * area))
    twist = 2.0 * bonds.shear * bending / length
    return np.stack([stretch, across, across, twist, turn, turn], axis=1)


class BondState(NamedTuple):
    """All that a run changes of bonds; one row each."""

    id: Longs  # (bonds,)
    bodies: Longs  # ids of A and B, (bonds, 2)
    load: Floats  # force and moment at the middle on B, in the beam's axes [N, N m], (bonds, 6)
    broken: Flags  # (bonds,)
    broken_by: NDArray[np.uint8]  # TENSION, SHEAR or WHOLE, (bonds,)
    broken_at: Floats  # at the end of which step [s], infinite while it holds, (bonds,)
    broken_under: Floats  # the stress then [Pa], (bonds,)
    overlap: Floats  # that breaking left its bodies in, as far as it lasts [m], (bonds,)

    @classmethod
    def fresh(cls, ids: Longs, bodies: Longs) -> BondState:
        """That of bonds between bodies of these ids which no step has loaded yet."""
        count = ids.size
        return cls(
            id=ids.copy(),
            bodies=bodies.copy(),
            load=np.zeros((count, 6)),
            broken=np.zeros(count, dtype=np.bool_),
            broken_by=np.full(count, WHOLE, dtype=np.uint8),
            broken_at=np.full(count, np.inf),
            broken_under=np.zeros(count),
            overlap=np.full(count, np.inf),
        )

    def take(self, kept: Flags) -> BondState:
        """That of some bonds alone, shape (bonds,)."""
        return BondState._make(column[kept] for column in self)

    def followed(self, bonds: Bonds) -> BondState:
        """That of the bonds that there are now: known ones keep what they had."""
        if np.array_equal(bonds.id, self.id):
            return self
        made = BondState.fresh(bonds.id, bonds.bodies)
        _, old, new = np.intersect1d(self.id, bonds.id, return_indices=True)
        for name, column in self._asdict().items():
            getattr(made, name)[new] = column[old]
        return made

    def ends_of_changes(self, bonds: Bonds) -> Longs:
        """Ids of the bodies that bonds hold which are new among these, or gone."""
        new, gone = ~np.isin(bonds.id, self.id), ~np.isin(self.id, bonds.id)
        return np.concatenate([bonds.bodies[new].ravel(), self.bodies[gone].ravel()])


NO_BONDS = BondState.fresh(np.empty(0, dtype=np.int64), np.empty((0, 2), dtype=np.int64))
"""The state of a world without any."""
