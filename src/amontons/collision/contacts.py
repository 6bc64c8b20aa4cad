"""Contacts of bodies, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons._jit import kernel, prange
from amontons.collision.found import Poses, Touching
from amontons.collision.parts import PartsOfBodies

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class ContactSet:
    """Where bodies touch, or come within the margin of touching.

    Contacts of one pair of bodies are neighbours. The order depends on the scene alone, never on
    the number of threads.
    """

    bodies: Ints
    """Bodies A and B of each contact, the smaller number first; shape (contacts, 2)."""
    normals: Floats
    """Unit vectors from A to B, shape (contacts, 3)."""
    arms_a: Floats
    """From the position of A to the point on its surface [m], shape (contacts, 3)."""
    arms_b: Floats
    """From the position of B to the point on its surface [m], shape (contacts, 3)."""
    gaps: Floats
    """Distance along the normal, negative where the bodies overlap [m], shape (contacts,)."""
    keys: NDArray[np.uint64]
    """Names of the features that touch: unique within a pair of bodies, the same from step to step
    while the same features touch; shape (contacts,)."""
    first: NDArray[np.int64]
    """Contacts that body i found are first[i] to first[i + 1]; shape (bodies + 1,)."""

    def __len__(self) -> int:
        return len(self.gaps)

    def __repr__(self) -> str:
        if not len(self):
            return "<ContactSet: none>"
        return (
            f"<ContactSet: {len(self)}, gaps from {self.gaps.min():.3g} to {self.gaps.max():.3g} m>"
        )

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, in bytes."""
        return sum(value.nbytes for value in vars(self).values())

    def points_a(self, position: Floats) -> Floats:
        """Points on A's surface [m], where the bodies are at `position`; shape (contacts, 3)."""
        return np.asarray(position[self.bodies[:, 0]] + self.arms_a)

    def points_b(self, position: Floats) -> Floats:
        """Points on B's surface [m], where the bodies are at `position`; shape (contacts, 3)."""
        return np.asarray(position[self.bodies[:, 1]] + self.arms_b)


@kernel
def assemble(
    pairs, swapped, start, normal, point, gap, key, place, body, local, position,
    bodies, normals, arms_a, arms_b, gaps, keys,
):  # fmt: skip
    """Contacts of pairs of parts as contacts of bodies: arms from their positions, A below B.

    Contacts of pair i are start[i] to start[i + 1].
    """
    for i in prange(pairs.shape[0]):
        a = pairs[i, 1] if swapped[i] else pairs[i, 0]  # as the narrow phase had them
        b = pairs[i, 0] if swapped[i] else pairs[i, 1]
        p, q = body[a], body[b]
        # from the bodies' positions to the origin of part A's frame
        o0, o1, o2 = (
            place[a, 0] - position[p, 0],
            place[a, 1] - position[p, 1],
            place[a, 2] - position[p, 2],
        )
        # through part B's place: its difference to A's is exact where the two are far out
        e0 = (place[a, 0] - place[b, 0]) + (place[b, 0] - position[q, 0])
        e1 = (place[a, 1] - place[b, 1]) + (place[b, 1] - position[q, 1])
        e2 = (place[a, 2] - place[b, 2]) + (place[b, 2] - position[q, 2])
        flip = p > q
        first, second = (b, a) if flip else (a, b)
        name = (np.uint64(local[first]) << np.uint64(48)) | (
            np.uint64(local[second]) << np.uint64(32)
        )
        for c in range(start[i], start[i + 1]):
            n0, n1, n2, g = normal[c, 0], normal[c, 1], normal[c, 2], gap[c]
            u0, u1, u2 = point[c, 0] + o0, point[c, 1] + o1, point[c, 2] + o2
            v0 = point[c, 0] + g * n0 + e0
            v1 = point[c, 1] + g * n1 + e1
            v2 = point[c, 2] + g * n2 + e2
            if flip:
                n0, n1, n2 = -n0, -n1, -n2
                u0, u1, u2, v0, v1, v2 = v0, v1, v2, u0, u1, u2
            bodies[c, 0], bodies[c, 1] = body[first], body[second]
            normals[c, 0], normals[c, 1], normals[c, 2] = n0, n1, n2
            arms_a[c, 0], arms_a[c, 1], arms_a[c, 2] = u0, u1, u2
            arms_b[c, 0], arms_b[c, 1], arms_b[c, 2] = v0, v1, v2
            gaps[c] = g
            keys[c] = name | np.uint64(key[c])


def contact_set(
    parts: PartsOfBodies,
    local: Ints,
    poses: Poses,
    position: Floats,
    pairs: Ints,
    touching: Touching,
    swapped: NDArray[np.bool_],
) -> ContactSet:
    """Contacts of bodies from contacts of their parts; `pairs` are grouped by their first part."""
    start = np.zeros(len(pairs) + 1, dtype=np.int64)
    np.cumsum(touching.number, out=start[1:])
    total = int(start[-1])
    # pairs come grouped by finder: the contacts of body i begin with its first pair
    first = start[np.searchsorted(parts.body[pairs[:, 0]], np.arange(parts.bodies + 1))]
    contacts = ContactSet(
        np.empty((total, 2), dtype=np.int32),
        np.empty((total, 3)),
        np.empty((total, 3)),
        np.empty((total, 3)),
        np.empty(total),
        np.empty(total, dtype=np.uint64),
        first,
    )
    assemble.sized(len(pairs))(
        pairs, swapped, start, touching.normal, touching.point, touching.gap, touching.key,
        poses.place, parts.body, local, position, contacts.bodies, contacts.normals,
        contacts.arms_a, contacts.arms_b, contacts.gaps, contacts.keys,
    )  # fmt: skip
    return contacts
