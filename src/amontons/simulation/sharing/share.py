"""What a step asks of the processes that share it; of one process alone, that changes nothing.

Bodies, joints and what contacts remember are the same on all processes. Contacts of a step, their
laws, their problem and its solution are not: each process has those that touch its own bodies.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons.collision.broad.rows import BodyOrder
from amontons.collision.contacts import ContactSet
from amontons.collision.memory import RememberedContacts
from amontons.dynamics.contact_laws import ContactTerms
from amontons.dynamics.joints.law import JointRows
from amontons.problem.solution import Solution
from amontons.ranks.border import Border, SharedSums
from amontons.ranks.communicator import Communicator
from amontons.ranks.division import Division

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Longs = NDArray[np.int64]

DIVIDED_FROM = 256
"""Bodies from which processes share a step: one of fewer takes less time than what must be said."""


LEAST_CARRIED = 3
"""Columns at least of what contacts remember: forces."""


class Share:
    """The part of a step that this process takes: here all of it."""

    divided = False
    """Whether others have parts of it, or would have, were there any."""

    def any(self, flag: bool) -> bool:
        """Whether it is so for any process."""
        return flag

    def largest(self, value: float) -> float:
        """The largest of all processes' values."""
        return value

    def largest_of(self, values: Floats) -> Floats:
        """The largest of all processes' values, one by one, shape (n,)."""
        return values

    def free(self, awake: Flags | None) -> Flags | None:
        """Bodies of which every pair must have one, shape (bodies,); None: any that moves."""
        return awake

    def listed(self, contacts: ContactSet) -> ContactSet:
        """The contacts that were found, in the order in which processes deal them out."""
        return contacts

    def rows_here(self, rows: JointRows, acting: Flags) -> Flags | Longs:
        """Which of the rows that act are in this process's problem."""
        return acting

    def met(self, contacts: ContactSet, rows: JointRows) -> ContactSet:
        """The contacts, in a problem of the bodies that these and rows of joints touch."""
        return contacts

    def filled(self, terms: ContactTerms) -> ContactTerms:
        """The contacts of the problem, with others between them that touch nobody."""
        return terms

    def problem(self, rows: JointRows) -> dict[str, Any]:
        """How :func:`assemble` is to put the problem of these contacts and rows together."""
        return {}

    def guess(self, guess: Floats, width: int) -> Floats:
        """Impulses in the problem, from those of contacts and rows."""
        return guess

    def solution(self, solution: Solution, width: int) -> Solution:
        """The solution, of contacts and rows alone."""
        return solution

    def by_contact(self, values: Floats, width: int, contacts: int) -> Floats:
        """Values of contacts (contacts, width), from those of all internal rows of the problem."""
        return values[: width * contacts].reshape(width, -1).T

    def of_bodies(self, change: Floats, order: BodyOrder | None) -> Floats:
        """Rows of all bodies (bodies, n), from those in the order of the problem."""
        return change if order is None else change[order.place[:-1]]

    def number(self, contacts: ContactSet) -> int:
        """How many contacts there are in all."""
        return len(contacts)

    def sums(
        self, contacts: ContactSet, columns: int, of: Callable[[slice], Sequence[float]]
    ) -> list[float]:
        """Sums over all contacts of what `of` says of some that follow each other."""
        return list(of(slice(None))) if len(contacts) else [0.0] * columns

    def own_contacts(self, contacts: ContactSet) -> Longs:
        """Numbers of the contacts that count on this process."""
        return np.arange(len(contacts))

    def gathered(self, rows: Floats) -> Floats:
        """Rows of all processes, one process after the other, shape (rows, n)."""
        return rows

    def remembered(self, contacts: ContactSet, values: Floats) -> RememberedContacts:
        """All contacts with what each carries on to the next step, shape (contacts, n)."""
        return RememberedContacts.of(contacts, values)

    def impulses_of_rows(self, rows: JointRows, acting: Flags | Longs, found: Floats) -> Floats:
        """Impulses of all rows of joints, from those in this process's problem; sleepers' stay."""
        if found.size == acting.size:
            return found
        impulses = rows.guess.copy()
        impulses[acting] = found
        return impulses

    def worst(self, missed: float, pair: tuple[int, int]) -> tuple[float, tuple[int, int]]:
        """The largest of what processes say is missed, and the two bodies there."""
        return missed, pair


WHOLE = Share()
"""A step that is not divided."""


class DividedShare(Share):
    """A part of a step that others take parts of."""

    divided = True

    def __init__(self, division: Division) -> None:
        self.division, self.communicator = division, division.communicator
        self._border: Border | None = None
        self._filled = division.filled(ContactSet.none(division.bodies))

    @classmethod
    def of(
        cls, ranks: Communicator | None, order: BodyOrder | None, mobile: Flags,
        remembered: RememberedContacts,
    ) -> Share:  # fmt: skip
        """The part of this process in a step of so many bodies, (bodies,) that can move or not."""
        if ranks is None or mobile.size < DIVIDED_FROM:
            return WHOLE
        load = np.bincount(remembered.bodies.ravel(), minlength=mobile.size)
        return cls(Division(ranks, order, mobile, load))

    def any(self, flag: bool) -> bool:
        return self.communicator.largest(float(flag)) > 0.0

    def largest(self, value: float) -> float:
        return self.communicator.largest(value)

    def largest_of(self, values: Floats) -> Floats:
        return np.asarray(self.division.gathered(values[None]).max(axis=0))

    def free(self, awake: Flags | None) -> Flags | None:
        return self.division.pushed

    def listed(self, contacts: ContactSet) -> ContactSet:
        return self.division.listed_by_owner(contacts)

    def rows_here(self, rows: JointRows, acting: Flags) -> Flags | Longs:
        return self.division.rows_here(rows.bodies, (rows.free, rows.one_sided, rows.bounded))

    def met(self, contacts: ContactSet, rows: JointRows) -> ContactSet:
        bodies = np.concatenate([contacts.bodies.ravel(), rows.bodies.ravel()])
        self._border = Border(self.division, bodies)
        return dataclasses.replace(contacts, order=self._border.order)

    def filled(self, terms: ContactTerms) -> ContactTerms:
        self._filled = filled = self.division.filled(terms.contacts)
        contacts = terms.contacts
        upright = filled.take(contacts.normals)
        upright[:, 2] += (upright == 0.0).all(axis=1)
        values: dict[str, Any] = {
            name: filled.take(value)
            for name, value in vars(terms).items()
            if isinstance(value, np.ndarray) and name != "kept"
        }
        return dataclasses.replace(
            terms,
            contacts=dataclasses.replace(
                contacts,
                bodies=filled.take(contacts.bodies, -1),
                normals=upright,
                arms_a=filled.take(contacts.arms_a),
                arms_b=filled.take(contacts.arms_b),
                gaps=filled.take(contacts.gaps),
                keys=filled.take(contacts.keys),
            ),
            **values,
        )

    def problem(self, rows: JointRows) -> dict[str, Any]:
        assert self._border is not None
        sums = SharedSums(self.division, self._filled, tuple(self._units_of(rows)))
        return {"ranks": sums, "operator": self._border.operator}

    def guess(self, guess: Floats, width: int) -> Floats:
        count = width * len(self._filled.slots)
        of_contacts = self._filled.take(guess[:count].reshape(-1, width))
        return np.concatenate([of_contacts.ravel(), guess[count:]])

    def solution(self, solution: Solution, width: int) -> Solution:
        return dataclasses.replace(
            solution,
            impulses=self._filled.of_contacts(solution.impulses, width),
            velocities=self._filled.of_contacts(solution.velocities, width),
        )

    def by_contact(self, values: Floats, width: int, contacts: int) -> Floats:
        rows = values[: width * self._filled.entries].reshape(width, -1)
        return rows[:, self._filled.slots].T

    def _units_of(self, rows: JointRows) -> list[Longs]:
        """Where units begin in the rows of each kind."""
        ends = np.cumsum([0, rows.free, rows.one_sided, rows.bounded])
        parts = itertools.pairwise(ends)
        return [self.division.units_in_rows(rows.bodies[low:high]) for low, high in parts]

    def of_bodies(self, change: Floats, order: BodyOrder | None) -> Floats:
        assert self._border is not None
        return self.division.of_bodies(change[: self._border.own])

    def number(self, contacts: ContactSet) -> int:
        own = self.division.own_contacts(contacts)
        return int(sum(self.division.gathered(np.array([[own.stop - own.start]])).ravel()))

    def sums(
        self, contacts: ContactSet, columns: int, of: Callable[[slice], Sequence[float]]
    ) -> list[float]:
        return self.division.summed(self.division.units_in(contacts), columns, of)

    def own_contacts(self, contacts: ContactSet) -> Longs:
        own = self.division.own_contacts(contacts)
        return np.arange(own.start, own.stop)

    def gathered(self, rows: Floats) -> Floats:
        return self.division.gathered(rows)

    def remembered(self, contacts: ContactSet, values: Floats) -> RememberedContacts:
        """Names of contacts travel in the bits of numbers; last columns of zeros are left out."""
        division = self.division
        own = division.own_contacts(contacts)
        names = contacts.bodies.view(np.float64)[own, 0], contacts.keys.view(np.float64)[own]
        total, told = division.columns([*names, *values[own].T])
        bodies = told.pop(0, np.empty(0))  # no pair of bodies is 0 and 0
        keys = told.pop(1, np.zeros(total))
        kept = np.zeros((total, max([LEAST_CARRIED, *(column - 1 for column in told)])))
        for column, found in told.items():
            kept[:, column - 2] = found
        return RememberedContacts(
            np.ascontiguousarray(bodies).view(np.int32).reshape(-1, 2),
            np.ascontiguousarray(keys).view(np.uint64),
            self._first_of_bodies(contacts),
            kept,
        )

    def _first_of_bodies(self, contacts: ContactSet) -> Longs:
        """Where the contacts of all processes begin that a body found, and their number."""
        division = self.division
        found = np.diff(division.begin(contacts)[division.first : division.last + 1])
        of_bodies = division.of_bodies(found[:, None].astype(np.float64))[:, 0].astype(np.int64)
        first = np.empty(division.bodies + 1, dtype=np.int64)
        ends = np.cumsum(of_bodies[division.listed])
        first[division.listed] = ends - of_bodies[division.listed]
        first[-1] = ends[-1]
        return first

    def impulses_of_rows(self, rows: JointRows, acting: Flags | Longs, found: Floats) -> Floats:
        here = rows.only(acting)
        counted, offset = [], 0
        for begin, count in zip(
            self._units_of(here), (here.free, here.one_sided, here.bounded), strict=True
        ):
            counted.append(offset + np.arange(begin[0], begin[-1]))
            offset += count
        own = np.concatenate(counted)
        told = self.division.gathered(np.column_stack([acting[own], found[own]]))
        impulses = rows.guess.copy()
        impulses[told[:, 0].astype(np.int64)] = told[:, 1]
        return impulses

    def worst(self, missed: float, pair: tuple[int, int]) -> tuple[float, tuple[int, int]]:
        told = self.division.gathered(np.array([[missed, *pair]]))
        largest, a, b = told[int(np.argmax(told[:, 0]))].tolist()
        return largest, (int(a), int(b))
