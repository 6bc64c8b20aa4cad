"""A process's part of a problem: bodies of its own, those of others that it hears of, and sums."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons._jit import TILE
from amontons.algebra.cones import CONES, FREE, INTERVAL, NONNEGATIVE, ROWS_OF_KIND
from amontons.algebra.sums import Ranks
from amontons.array_types import Floats
from amontons.collision.broad.rows import BodyOrder
from amontons.problem.operators import BodyOperator
from amontons.problem.operators.body_kernels import (
    body_velocities,
    quadratic_of_units,
    velocity_product,
)
from amontons.problem.sets import Product
from amontons.ranks.division import LANES, Division, Filled

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

PIECE = TILE // LANES * LANES
"""Contacts that a kernel goes through at a time: whole `LANES` again."""

SCALARS = (FREE, NONNEGATIVE, INTERVAL)
"""Kinds of rows of joints, in the order in which a step has them."""


class Border:
    """Where bodies of this process meet those of others in a step, and who hears of whom.

    Parameters
    ----------
    met:
        Bodies of all contacts and rows that this process works on, flat; −1 is the world.
    """

    def __init__(self, division: Division, met: NDArray[np.int32]) -> None:
        self.division, communicator = division, division.communicator
        here = np.zeros(division.bodies + 1, dtype=bool)
        here[met] = True
        others = np.flatnonzero(here[:-1] & ~division.own).astype(np.int32)
        own = division.listed[division.first : division.last]
        self.own = own.size
        listed = np.concatenate([own, others])
        place = np.full(division.bodies + 1, -1, dtype=np.int32)
        place[listed] = np.arange(listed.size, dtype=np.int32)
        self.order = BodyOrder(listed, place)
        """Bodies of this process, then the others that its contacts touch."""
        self.pushed: Flags = division.pushed[listed]
        ghosts = others[division.mobile[others]]
        self.ghosts = ghosts.size
        keepers = division.keepers(ghosts)
        wanted = [ghosts[keepers == rank].astype(np.int64) for rank in range(communicator.count)]
        asked = communicator.delivered(wanted)
        self._incoming, self._slots = _letters(wanted, place)
        self._outgoing, self._told = _letters(asked, place)

    def exchange(self, velocity: Floats) -> None:
        """Fill in the velocities (bodies, 6) of other processes' bodies, and tell of its own."""
        for told, (_, letter) in zip(self._told, self._outgoing, strict=True):
            np.take(velocity, told, axis=0, out=letter)
        self.division.communicator.exchange(self._outgoing, self._incoming)
        for slots, (_, letter) in zip(self._slots, self._incoming, strict=True):
            velocity[slots] = letter

    def operator(self, **arrays: Any) -> SharedOperator:
        """N over these bodies; as :meth:`BodyOperator.trusted`."""
        return SharedOperator(self, **arrays)


def _letters(
    ids: list[Longs], place: NDArray[np.int32]
) -> tuple[list[tuple[int, Floats]], list[NDArray[np.int32]]]:
    """Room for velocities of bodies for each process that has any, and where they are here."""
    some = [(rank, each) for rank, each in enumerate(ids) if each.size]
    return [(rank, np.empty((each.size, 6))) for rank, each in some], [place[e] for _, e in some]


class SharedOperator(BodyOperator):
    """N over bodies of several processes: a product takes one exchange.

    It sums impulses on bodies of this process alone; velocities of others come from theirs.
    """

    def __init__(
        self,
        border: Border,
        *,
        inverse_mass: Floats,
        inverse_inertia: Floats,
        bodies: NDArray[np.int32],
        arms_a: Floats,
        arms_b: Floats,
        wrenches: int,
        jacobian: Floats,
    ) -> None:
        """The operator of a part; the other arguments are those of :meth:`trusted`."""
        self.border = border
        self._hold(inverse_mass, inverse_inertia, bodies, arms_a, arms_b, wrenches, jacobian)

    def _summing(self) -> Flags:
        return self.border.pushed

    def apply(  # type: ignore[override]  # xᵀNx is no by-product here
        self, x: Floats, out: Floats, scratch: Floats
    ) -> None:
        constraints = self.arrays.body.shape[0]
        body_velocities.sized(constraints)(self.arrays, x, scratch)
        self.border.exchange(scratch)
        velocity_product.sized(constraints)(self.arrays, scratch, out)

    def quadratic(self, new: Floats, old: Floats, older: Floats, beta: float) -> float:
        raise NotImplementedError("sums over bodies that processes share are taken by units")

    def squares(self, new: Floats, old: Floats, older: Floats, beta: float) -> Floats:
        """dᵀNd by units of bodies for d = new − old − β(old − older), given M⁻¹ D of each."""
        division = self.border.division
        sums = np.zeros((division.units, 1))
        quadratic_of_units.sized(self.arrays.body.shape[0])(
            self.masses, new, old, older, beta, division.starts - division.first, sums
        )
        return sums


class SharedSums(Ranks):
    """Sums over a problem of which every process has a part, unit by unit.

    Parameters
    ----------
    contacts:
        Where the contacts of this process's units are.
    rows:
        The same of rows of joints: for bilateral, one-sided and bounded ones.
    """

    count = 2
    """At least, as methods see it: one process goes the way of many, and finds the same bits."""

    def __init__(self, division: Division, contacts: Filled, rows: tuple[Longs, ...]) -> None:
        self.division, self._contacts = division, contacts
        self._begin = dict.fromkeys(CONES, contacts.begin)
        self._begin |= dict(zip(SCALARS, rows, strict=True))
        self._groups: list[tuple[int, int, int, int]] = []
        self._unit = np.empty(0, dtype=np.int64)  # of each chunk; −1: it counts elsewhere

    def arranged(self, sets: Product) -> Product:
        """The sets with chunks of one unit each, and chunks of what counts elsewhere."""
        self._groups = [tuple(group) for group in sets.arrays.groups.tolist()]
        chunks, units = [], []
        for group in self._groups:
            ends = [0, *self._begin[group[0]].tolist(), group[2]]
            for unit, (begin, end) in enumerate(itertools.pairwise(ends), start=-1):
                for low in range(begin, end, PIECE):
                    chunks.append((*group, low, min(low + PIECE, end)))
                    units.append(unit if unit < self.division.units else -1)
        self._unit = np.array(units, dtype=np.int64)
        return sets.in_chunks(np.array(chunks, dtype=np.int64).reshape(-1, 6))

    def by_units(self, partial: Floats) -> Floats:
        """Sums over this process's units, from those over all of its chunks, (chunks, n)."""
        sums = np.zeros((self.division.units, partial.shape[1]))
        counted = self._unit >= 0
        np.add.at(sums, self._unit[counted], partial[counted])
        return sums

    def sums(self, found: tuple[float, ...], partial: Floats) -> tuple[float, ...]:
        return tuple(self.division.added(self.by_units(partial)))

    def total(self, parts: tuple[float, ...]) -> tuple[float, ...]:
        raise NotImplementedError("sums that processes share are taken by units")

    def size(self, rows: int, blocks: int, one_sided: bool) -> tuple[float, float, bool]:
        own_rows = own_blocks = 0
        slots = self._contacts.slots
        for kind, *_ in self._groups:
            first, last = int(self._begin[kind][0]), int(self._begin[kind][-1])
            count = last - first
            if kind in CONES:
                count = int(np.count_nonzero((slots >= first) & (slots < last)))
            own_blocks += count
            own_rows += int(ROWS_OF_KIND[kind]) * count
        told = np.array([[own_rows, own_blocks, float(one_sided)]])
        all_rows, all_blocks, others = self.division.gathered(told).sum(axis=0).tolist()
        return all_rows, all_blocks, others > 0.0

    def maximum(self, parts: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(self.division.gathered(np.array([parts])).max(axis=0).tolist())

    def any(self, flag: bool) -> bool:
        return self.division.communicator.largest(float(flag)) > 0.0

    def of_rows(self, values: Floats) -> Floats:
        """Sums over this process's units of values of all its rows, shape (units, 1)."""
        sums = np.zeros((self.division.units, 1))
        for kind, _, count, row in self._groups:
            of_blocks = values[row : row + int(ROWS_OF_KIND[kind]) * count]
            self._add(sums, kind, of_blocks.reshape(-1, count).sum(axis=0))
        return sums

    def of_blocks(self, values: Floats) -> Floats:
        """Sums over this process's units of values of all its blocks, shape (units, 1).

        Contacts that only fill up units do not count.
        """
        sums = np.zeros((self.division.units, 1))
        for kind, first, count, _ in self._groups:
            here = values[first : first + count]
            if kind in CONES:
                here = self._contacts.take(here[self._contacts.slots])
            self._add(sums, kind, here)
        return sums

    def _add(self, sums: Floats, kind: int, values: Floats) -> None:
        begin = self._begin[kind]
        some = np.flatnonzero(begin[:-1] < begin[1:])
        if some.size:
            sums[some, 0] += np.add.reduceat(values[: begin[-1]], begin[some])

    def norm(self, a: Floats) -> float:
        (largest,) = self.maximum((float(np.abs(a).max(initial=0.0)),))
        if not 1e-150 < largest < 1e150:
            scaled = a / (largest or 1.0)
            return largest * math.sqrt(self.inner(scaled, scaled))
        return math.sqrt(self.inner(a, a))

    def inner(self, a: Floats, b: Floats) -> float:
        return self.division.added(self.of_rows(a * b))[0]
