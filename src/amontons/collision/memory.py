"""Memory of contacts: the impulses of a step are the initial guess of the next."""

from __future__ import annotations

from typing import NamedTuple

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

    A pair is listed under the body that found it, which may change between steps: look in both
    lists. The list of body i begins at old_first[i], and all contacts in it are of body i.
    """
    known, count = old_first.size - 1, old_keys.size
    for c in prange(keys.size):
        a, b = bodies[c, 0], bodies[c, 1]
        matches[c] = -1
        for side in range(2):
            i = a if side == 0 else b
            if i >= known:
                continue
            for o in range(old_first[i], count):
                one, two = old_bodies[o, 0], old_bodies[o, 1]
                if one != i and two != i:
                    break
                if one == a and two == b and old_keys[o] == keys[c]:
                    matches[c] = o
                    break
            if matches[c] >= 0:
                break


def match(new: ContactSet, old: ContactSet | RememberedContacts) -> NDArray[np.int64]:
    """For each new contact the old one between the same features, or −1; shape (contacts,)."""
    matches = np.empty(len(new), dtype=np.int64)
    find_matches.sized(len(new))(new.bodies, new.keys, old.first, old.bodies, old.keys, matches)
    return matches


class RememberedContacts(NamedTuple):
    """Contacts of a step with the values that each carries on to the next; immutable."""

    bodies: NDArray[np.int32]  # rows of the two bodies, (contacts, 2)
    keys: NDArray[np.uint64]  # which features of the two touch, (contacts,)
    first: NDArray[np.int64]  # where those that a body found begin, and their number, (bodies + 1,)
    values: Floats  # such as world-frame impulses [N s], (contacts, n)

    @classmethod
    def none(cls, bodies: int) -> RememberedContacts:
        """No contacts, for a number of bodies."""
        return cls(
            np.empty((0, 2), dtype=np.int32), np.empty(0, dtype=np.uint64),
            np.zeros(bodies + 1, dtype=np.int64), np.empty((0, 3)),
        )  # fmt: skip

    @classmethod
    def of(cls, contacts: ContactSet, values: Floats) -> RememberedContacts:
        """These contacts with a row of values each; all arrays but the values are copied."""
        return cls(contacts.bodies.copy(), contacts.keys.copy(), contacts.first.copy(), values)

    def recall(self, contacts: ContactSet, width: int) -> Floats:
        """Values of the same contacts, zero for new ones; shape (contacts, width)."""
        if not len(contacts) or not self.keys.size:
            return np.zeros((len(contacts), width))
        if self.values.shape[1] != width:
            raise InputError(
                f"rows of {self.values.shape[1]} values are stored, but {width} were requested"
            )
        recalled = np.empty((len(contacts), width))
        gather_values.sized(len(contacts))(match(contacts, self), self.values, recalled)
        return recalled

    def widened(self, width: int) -> RememberedContacts:
        """The same with so many values each: zeros beyond those there are."""
        there = self.values.shape[1]
        if there == width:
            return self
        values = np.zeros((len(self.values), width))
        values[:, :there] = self.values[:, :width]
        return self._replace(values=values)

    def take(self, rows: NDArray[np.int64]) -> RememberedContacts:
        """Those in some rows, listed by the lower of their bodies."""
        return self._listed(self.bodies[rows], self.keys[rows], self.values[rows])

    def beside(self, others: RememberedContacts) -> RememberedContacts:
        """These and others of the same bodies, listed by the lower of their bodies."""
        if not others.keys.size or not self.keys.size:
            return self if self.keys.size else others
        return self._listed(
            np.concatenate([self.bodies, others.bodies]),
            np.concatenate([self.keys, others.keys]),
            np.concatenate([self.values, others.values]),
        )

    def _listed(
        self, bodies: NDArray[np.int32], keys: NDArray[np.uint64], values: Floats
    ) -> RememberedContacts:
        order = np.argsort(bodies[:, 0], kind="stable")
        bodies = bodies[order]
        first = bodies[:, 0].searchsorted(np.arange(self.first.size))
        return RememberedContacts(bodies, keys[order], first, values[order])

    def renumbered(
        self, old_ids: NDArray[np.int64], new_ids: NDArray[np.int64]
    ) -> RememberedContacts:
        """The same after bodies changed their rows: body i had id `old_ids[i]`; ids increase.

        Contacts of removed bodies are forgotten.
        """
        if np.array_equal(old_ids, new_ids):
            return self
        number = np.searchsorted(new_ids, old_ids)
        there = number < new_ids.size
        there[there] = new_ids[number[there]] == old_ids[there]
        stays = there[self.bodies].all(axis=1)
        kept = np.flatnonzero(stays)
        # first remaining contact of each body
        began = np.concatenate([[0], np.cumsum(stays)])[self.first]
        # new bodies have no contacts: theirs begin at the end
        first = np.full(new_ids.size + 1, kept.size, dtype=np.int64)
        first[number[there]] = began[:-1][there]
        bodies = number[self.bodies[kept]].astype(np.int32)
        return RememberedContacts(bodies, self.keys[kept], first, self.values[kept])


class ContactMemory:
    """Carries a row of values per contact (impulses, say) from one contact set to the next.

    >>> memory = ContactMemory()                      # doctest: +SKIP
    >>> guess = memory.recall(contacts)               # zeros where a contact is new
    >>> memory.store(contacts, solution.impulses.reshape(-1, 3))
    """

    def __init__(self) -> None:
        self.contacts = RememberedContacts.none(0)

    def store(self, contacts: ContactSet, values: Floats) -> None:
        """Remember one row per contact, such as world-frame impulses [N s]; (contacts, n)."""
        values = np.array(values, dtype=np.float64)
        if values.ndim != 2 or len(values) != len(contacts):
            raise InputError(
                f"values must have shape ({len(contacts)}, n), one row per contact, "
                f"got {values.shape}"
            )
        self.contacts = RememberedContacts.of(contacts, values)

    def recall(self, contacts: ContactSet, width: int = 3) -> Floats:
        """Values of the same contacts when last stored, zero for new ones; (contacts, width)."""
        return self.contacts.recall(contacts, width)

    def renumber(self, old_ids: NDArray[np.int64], new_ids: NDArray[np.int64]) -> None:
        """Follow bodies whose numbers changed: body i had id `old_ids[i]`; ids increase.

        Contacts of removed bodies are forgotten.
        """
        if self.contacts.keys.size:
            self.contacts = self.contacts.renumbered(old_ids, new_ids)

    def forget(self) -> None:
        """Forget everything, as after bodies were renumbered."""
        self.contacts = RememberedContacts.none(0)

    def __repr__(self) -> str:
        return f"<ContactMemory: {self.contacts.keys.size} contacts>"
