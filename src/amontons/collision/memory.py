"""What contacts remember: the impulses of a step are the first guess of the next."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from amontons._jit import kernel, prange
from amontons.collision.contacts import ContactSet
from amontons.errors import InputError

Floats = NDArray[np.float64]


@kernel
def gather_values(matches, old, values):
    """values ← the old values of matching contacts, zero for new ones."""
    for c in prange(matches.size):
        o = matches[c]
        for k in range(values.shape[1]):
            values[c, k] = old[o, k] if o >= 0 else 0.0


@kernel
def find_matches(bodies, keys, old_first, old_bodies, old_keys, matches):
    """Matches ← the old contact with the same bodies and key, or −1.

    A pair is in the list of whoever found it, which may change from step to step: look in both.
    """
    known = old_first.size - 1
    for c in prange(keys.size):
        a, b = bodies[c, 0], bodies[c, 1]
        matches[c] = -1
        for side in range(2):
            i = a if side == 0 else b
            if i >= known:
                continue
            for o in range(old_first[i], old_first[i + 1]):
                if old_bodies[o, 0] == a and old_bodies[o, 1] == b and old_keys[o] == keys[c]:
                    matches[c] = o
                    break
            if matches[c] >= 0:
                break


def match(new: ContactSet, old: ContactSet) -> NDArray[np.int64]:
    """For each new contact the old one between the same features, or −1; shape (contacts,)."""
    matches = np.empty(len(new), dtype=np.int64)
    find_matches.sized(len(new))(new.bodies, new.keys, old.first, old.bodies, old.keys, matches)
    return matches


class ContactMemory:
    """Carries a value a contact (impulses, say) from one contact set to the next.

    >>> memory = ContactMemory()                      # doctest: +SKIP
    >>> guess = memory.recall(contacts)               # zeros where a contact is new
    >>> memory.store(contacts, solution.impulses.reshape(-1, 3))
    """

    def __init__(self) -> None:
        self._contacts: ContactSet | None = None
        self._values: Floats = np.empty((0, 3))

    def store(self, contacts: ContactSet, values: Floats) -> None:
        """Remember one row a contact, such as world-frame impulses [N s]; shape (contacts, n)."""
        values = np.asarray(values, dtype=np.float64)
        if values.ndim != 2 or len(values) != len(contacts):
            raise InputError(
                f"values must have shape ({len(contacts)}, n), one row a contact, "
                f"got {values.shape}"
            )
        self._contacts, self._values = contacts, values.copy()

    def recall(self, contacts: ContactSet, width: int = 3) -> Floats:
        """Values of the same contacts when last stored, zero for new ones; (contacts, width)."""
        if self._contacts is None or not len(contacts) or not len(self._contacts):
            return np.zeros((len(contacts), width))
        if self._values.shape[1] != width:
            raise InputError(
                f"rows of {self._values.shape[1]} values are stored, but {width} were asked for"
            )
        recalled = np.empty((len(contacts), width))
        matches = match(contacts, self._contacts)
        gather_values.sized(len(contacts))(matches, self._values, recalled)
        return recalled

    def contents(self, bodies: int) -> tuple[ContactSet, Floats]:
        """What is remembered, for a checkpoint: contacts and their values; none is none."""
        if self._contacts is not None:
            return self._contacts, self._values
        rows = np.empty((0, 3))
        none = np.empty((0, 2), dtype=np.int32), rows, rows, rows, np.empty(0)
        first = np.zeros(bodies + 1, dtype=np.int64)
        return ContactSet(*none, np.empty(0, dtype=np.uint64), first), self._values

    def renumber(self, old_ids: NDArray[np.int64], new_ids: NDArray[np.int64]) -> None:
        """Follow bodies whose numbers changed: body i had id `old_ids[i]`; ids rise.

        Contacts of bodies that are gone are forgotten.
        """
        if self._contacts is None or np.array_equal(old_ids, new_ids):
            return
        number = np.searchsorted(new_ids, old_ids)
        there = number < new_ids.size
        there[there] = new_ids[number[there]] == old_ids[there]
        old = self._contacts
        kept = np.flatnonzero(there[old.bodies].all(axis=1))
        taken = old.take(kept)
        first = np.full(new_ids.size + 1, len(kept), dtype=np.int64)
        first[number[there]] = taken.first[:-1][there]
        # bodies that are new have no contacts: theirs begin where the next body's do
        first = np.minimum.accumulate(first[::-1])[::-1]
        bodies = number[taken.bodies].astype(np.int32)
        self._contacts = dataclasses.replace(taken, bodies=bodies, first=first)
        self._values = self._values[kept]

    def forget(self) -> None:
        """Forget everything, as after bodies were renumbered."""
        self._contacts = None

    def __repr__(self) -> str:
        kept = 0 if self._contacts is None else len(self._contacts)
        return f"<ContactMemory: {kept} contacts>"
