"""Contacts of pairs of parts, as found by the narrow phase."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import helper
from amontons.array_types import Floats, Ints, Longs

MOST = 4
"""Contacts that one pair of convex parts may have."""


class ContactSlots(NamedTuple):
    """Contacts of n pairs (A, B); pair i has `number[i]` of them, from slot [i, 0] on.

    Directions are in world axes. Points are relative to the origin of A's frame, so that nothing is
    lost far away from the world's origin. The point on B is `point + gap·normal`.
    """

    number: Ints  # of contacts, (n,)
    normal: Floats  # unit, from A to B, (n, most, 3)
    point: Floats  # on A's surface, less the place of A [m], (n, most, 3)
    gap: Floats  # along the normal, negative where the two overlap [m], (n, most)
    key: NDArray[np.uint32]  # features that meet, the same while they do, (n, most)


def empty_slots(pairs: int, most: int = MOST) -> ContactSlots:
    """Empty slots for the contacts of `pairs` pairs, at most `most` each."""
    return ContactSlots(
        np.zeros(pairs, dtype=np.int32),
        np.empty((pairs, most, 3)),
        np.empty((pairs, most, 3)),
        np.empty((pairs, most)),
        np.zeros((pairs, most), dtype=np.uint32),
    )


@helper
def put_contact(normal, point, gap, key, i, k, n, p, distance, code):
    """Contact `k` of pair `i`: unit normal n, point p on A less A's place [m], gap [m] and key.

    It takes the arrays of :class:`ContactSlots` one by one, since it stands in innermost loops.
    """
    normal[i, k, 0], normal[i, k, 1], normal[i, k, 2] = n[0], n[1], n[2]
    point[i, k, 0], point[i, k, 1], point[i, k, 2] = p[0], p[1], p[2]
    gap[i, k] = distance
    key[i, k] = code


class PairContacts(NamedTuple):
    """Contacts of pairs (A, B), with directions and points as in :class:`ContactSlots`.

    Those of pair i are the rows first[i] to first[i] + number[i] of the last four arrays, which may
    have other rows between them.
    """

    number: Ints  # contacts of each pair, (pairs,)
    first: Longs  # row of a pair's first contact, (pairs,)
    normal: Floats  # (rows, 3)
    point: Floats  # (rows, 3)
    gap: Floats  # (rows,)
    key: NDArray[np.uint32]  # (rows,)


def in_slots(found: ContactSlots) -> PairContacts:
    """The contacts found by a kernel, including empty slots."""
    pairs, most = found.gap.shape
    return PairContacts(
        found.number,
        np.arange(0, most * pairs, most, dtype=np.int64),
        found.normal.reshape(-1, 3),
        found.point.reshape(-1, 3),
        found.gap.reshape(-1),
        found.key.reshape(-1),
    )


def packed(found: ContactSlots) -> PairContacts:
    """The contacts found by a kernel, without the empty slots."""
    full = np.arange(found.gap.shape[1]) < found.number[:, None]
    return PairContacts(
        found.number,
        np.cumsum(found.number, dtype=np.int64) - found.number,
        found.normal[full],
        found.point[full],
        found.gap[full],
        found.key[full],
    )


def joined(batches: list[PairContacts]) -> PairContacts:
    """Contacts of several batches of pairs, without empty slots, as those of all pairs."""
    number = np.concatenate([each.number for each in batches])
    return PairContacts(
        number,
        np.cumsum(number, dtype=np.int64) - number,
        np.concatenate([each.normal for each in batches]),
        np.concatenate([each.point for each in batches]),
        np.concatenate([each.gap for each in batches]),
        np.concatenate([each.key for each in batches]),
    )
