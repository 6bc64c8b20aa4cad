"""Who does what in a step: bodies dealt out to processes, and contacts with their bodies.

Bodies are taken in the order in which contacts are listed, and cut into units of neighbours. Every
process gets whole units, one after the other in that order, as many as make about equal work. It
has all contacts and rows of joints that touch one of its bodies: it alone sums all impulses on
these, in the order in which one process would. What touches bodies of two processes is on both, and
counts on one: a contact belongs to the body that found it, or to the other if that cannot move.

All sums are taken unit by unit, and then over units in their order. As units depend on the bodies
alone, and never on how many processes there are, no bit of any sum does.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons.array_types import Floats
from amontons.collision.broad.rows import BodyOrder
from amontons.collision.contacts import ContactSet
from amontons.ranks.communicator import Communicator

Flags = NDArray[np.bool_]
Longs = NDArray[np.int64]

SMALLEST, MOST = 24, 256
"""Bodies of a unit at least, and units at most (as every process hears of every unit's sums)."""

LANES = 32
"""Contacts of a unit are filled up to a multiple of this.

Compiled loops work on several contacts at once, and on what is left over one by one, which may
round otherwise. On two processes a contact may be at different places of such a loop: so nothing
must be left over.
"""


class Filled(NamedTuple):
    """Where contacts are in a list in which those of each unit have been filled up."""

    slots: Longs  # of each contact, (contacts,)
    entries: int  # of that list
    begin: Longs  # where this process's units begin there, and the end, (units + 1,)

    def take(self, values: NDArray[Any], filling: float = 0.0) -> NDArray[Any]:
        """Values of the entries of that list, from those of contacts, (contacts, ...)."""
        out = np.full((self.entries, *values.shape[1:]), filling, dtype=values.dtype)
        out[self.slots] = values
        return out

    def of_contacts(self, values: Floats, width: int) -> Floats:
        """Values of contacts and what follows, from those of the list's entries and that."""
        contacts = values[: width * self.entries].reshape(self.entries, width)[self.slots]
        return np.concatenate([contacts.ravel(), values[width * self.entries :]])


class Division:
    """Bodies of one step, dealt out; every process works out the same.

    Parameters
    ----------
    order:
        In which contacts are listed; None: as bodies are numbered.
    mobile:
        Bodies that impulses can move, shape (bodies,).
    load:
        Contacts that each body had in the last step, shape (bodies,).
    """

    def __init__(
        self, communicator: Communicator, order: BodyOrder | None, mobile: Flags, load: Longs
    ) -> None:
        self.communicator, self.mobile, self.bodies = communicator, mobile, mobile.size
        numbers = np.arange(self.bodies, dtype=np.int32)
        self.listed = numbers if order is None else order.body
        """Bodies in the order in which they are dealt out, shape (bodies,)."""
        self.place = numbers if order is None else order.place[:-1]
        """Place of each body in that order, shape (bodies,)."""
        size = max(SMALLEST, -(-self.bodies // MOST))
        units = np.append(np.arange(0, self.bodies, size), self.bodies)
        work = np.add.reduceat((2 + load * mobile)[self.listed], units[:-1])
        done = np.cumsum(work)
        keeper = (2 * done - work) * communicator.count // (2 * done[-1])
        ends = np.searchsorted(keeper, np.arange(communicator.count + 1))
        self.units_of: list[int] = np.diff(ends).tolist()
        """How many units each process has."""
        self.ends = units[ends]
        """Places at which the bodies of each process begin, and the end, shape (processes + 1,)."""
        rank = communicator.rank
        self.starts = units[ends[rank] : ends[rank + 1] + 1]
        """Places at which this process's units begin, and the end, shape (units + 1,)."""
        self.first, self.last = int(self.ends[rank]), int(self.ends[rank + 1])

    @property
    def units(self) -> int:
        """Units of this process."""
        return len(self.starts) - 1

    @cached_property
    def own(self) -> Flags:
        """Bodies of this process, shape (bodies,)."""
        own = np.zeros(self.bodies, dtype=bool)
        own[self.listed[self.first : self.last]] = True
        return own

    @cached_property
    def pushed(self) -> Flags:
        """Bodies of this process that impulses can move, shape (bodies,)."""
        return self.own & self.mobile

    def keepers(self, bodies: NDArray[np.int32]) -> Longs:
        """Which process has each of these bodies."""
        return np.asarray(np.searchsorted(self.ends, self.place[bodies], side="right") - 1)

    # -- contacts and rows of joints --------------------------------------------------------------

    def _owner_of(self, bodies: NDArray[np.int32], first: NDArray[np.int32]) -> NDArray[np.int32]:
        """The body whose each pair (n, 2) is: the `first` of the two, or the other if it is stuck.

        −1 is the world.
        """
        mobile = np.append(self.mobile, False)
        other = np.where(bodies[:, 0] == first, bodies[:, 1], bodies[:, 0])
        return np.where(mobile[first], first, other)

    def listed_by_owner(self, contacts: ContactSet) -> ContactSet:
        """The contacts with those that a body found which cannot move listed by the other body."""
        begin = self.begin(contacts)
        finder = np.repeat(self.listed, np.diff(begin))
        if self.mobile[finder].all():
            return contacts
        place = self.place[self._owner_of(contacts.bodies, finder)]
        order = np.argsort(place, kind="stable")
        first = np.empty_like(contacts.first)
        first[-1] = len(contacts)
        first[self.listed] = np.searchsorted(place[order], np.arange(self.bodies))
        return dataclasses.replace(
            contacts,
            bodies=contacts.bodies[order],
            normals=contacts.normals[order],
            arms_a=contacts.arms_a[order],
            arms_b=contacts.arms_b[order],
            gaps=contacts.gaps[order],
            keys=contacts.keys[order],
            first=first,
        )

    def begin(self, contacts: ContactSet) -> Longs:
        """Where the contacts of bodies begin, place by place, and the end, (bodies + 1,)."""
        return np.append(contacts.first[self.listed], contacts.first[-1])

    def units_in(self, contacts: ContactSet) -> Longs:
        """Where the contacts of this process's units begin, and the end, shape (units + 1,)."""
        return np.asarray(self.begin(contacts)[self.starts])

    def filled(self, contacts: ContactSet) -> Filled:
        """Where these contacts are in a list of whole `LANES` for each unit."""
        ends = np.concatenate([[0], self.units_in(contacts), [len(contacts)]])
        counts = np.diff(ends)
        begin = np.append(0, np.cumsum(-(-counts // LANES) * LANES))
        slots = np.arange(len(contacts)) + np.repeat(begin[:-1] - ends[:-1], counts)
        return Filled(slots, int(begin[-1]), begin[1:-1])

    def own_contacts(self, contacts: ContactSet) -> slice:
        """Those that count on this process: no other has them."""
        begin = self.units_in(contacts)
        return slice(int(begin[0]), int(begin[-1]))

    def rows_here(self, bodies: NDArray[np.int32], parts: Sequence[int]) -> Longs:
        """Numbers of the rows of joints that this process works on, part by part, unit by unit.

        `bodies` are those of all rows (n, 2), and `parts` how many rows of each kind there are.
        """
        pushed = np.append(self.pushed, False)
        here: Flags = np.asarray(pushed[bodies].any(axis=1))
        first, found = 0, [np.empty(0, dtype=np.int64)]
        for count in parts:
            rows = first + np.flatnonzero(here[first : first + count])
            owner = self._owner_of(bodies[rows], bodies[rows, 0])
            found.append(rows[np.argsort(self.place[owner], kind="stable")])
            first += count
        return np.concatenate(found)

    def units_in_rows(self, bodies: NDArray[np.int32]) -> Longs:
        """Where the rows of this process's units begin, of rows of one kind as they are here."""
        places = self.place[self._owner_of(bodies, bodies[:, 0])]
        return np.asarray(np.searchsorted(places, self.starts))

    # -- sums -------------------------------------------------------------------------------------

    def added(self, sums: Floats) -> list[float]:
        """Sums over all units of all processes, from those of this one's, shape (units, n)."""
        columns = sums.shape[1]
        sizes = [columns * each for each in self.units_of]
        together = self.communicator.joined(np.ascontiguousarray(sums).ravel(), sizes)
        total = np.add.accumulate(together.reshape(-1, columns))[-1]
        return list(total.tolist())

    def summed(
        self, begin: Longs, columns: int, of: Callable[[slice], Sequence[float]]
    ) -> list[float]:
        """Sums over all contacts of what `of` says of those of a unit; they begin at `begin`."""
        sums = np.zeros((self.units, columns))
        for unit, (low, high) in enumerate(itertools.pairwise(begin)):
            if low < high:
                sums[unit] = of(slice(int(low), int(high)))
        return self.added(sums)

    # -- what all are to know ---------------------------------------------------------------------

    def of_bodies(self, own: Floats) -> Floats:
        """Rows of all bodies (bodies, n) as they are numbered, from those of this process's own."""
        columns = own.shape[1]
        sizes = (columns * np.diff(self.ends)).tolist()
        together = self.communicator.joined(np.ascontiguousarray(own).ravel(), sizes)
        everybody = np.empty((self.bodies, columns))
        everybody[self.listed] = together.reshape(-1, columns)
        return everybody

    def gathered(self, rows: Floats) -> Floats:
        """Rows (n, columns) of all processes, one process after the other."""
        rows, columns = np.asarray(rows, dtype=np.float64), rows.shape[1]
        counts = self.communicator.joined(
            np.array([float(len(rows))]), [1] * self.communicator.count
        )
        sizes = [columns * int(each) for each in counts]
        together = self.communicator.joined(np.ascontiguousarray(rows).ravel(), sizes)
        return together.reshape(-1, columns)

    def columns(self, own: Sequence[Floats]) -> tuple[int, dict[int, Floats]]:
        """How many rows all processes have, and columns of these, from those of this one's rows.

        Columns go by their numbers. Those in which every bit is zero are neither sent nor returned.
        """
        rows, count = len(own[0]), self.communicator.count
        told = [rows, *(column.view(np.uint64).any() for column in own)]
        everyone = self.communicator.joined(np.array(told, dtype=np.float64), [len(told)] * count)
        rows_of, *used = everyone.reshape(count, -1).T
        wanted = np.flatnonzero(np.any(used, axis=1)).tolist()
        table = np.empty((rows, len(wanted)))
        for place, column in enumerate(wanted):
            table[:, place] = own[column]
        total = int(rows_of.sum())
        sizes = [len(wanted) * int(each) for each in rows_of]
        together = self.communicator.joined(table.ravel(), sizes).reshape(total, len(wanted))
        return total, {column: together[:, place] for place, column in enumerate(wanted)}
