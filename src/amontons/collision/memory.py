"""What contacts remember: the impulses of a step are the first guess of the next."""

from __future__ import annotations

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

    def forget(self) -> None:
        """Forget everything, as after bodies were renumbered."""
        self._contacts = None
