"""Contacts of bodies, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amontons._jit import kernel, prange
from amontons.collision.found import Poses
from amontons.collision.narrow.narrow_phase import Group
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

    def take(self, kept: NDArray[np.int64]) -> ContactSet:
        """The contacts of these rising numbers, shape (m,)."""
        return ContactSet(
            np.take(self.bodies, kept, axis=0),
            np.take(self.normals, kept, axis=0),
            np.take(self.arms_a, kept, axis=0),
            np.take(self.arms_b, kept, axis=0),
            np.take(self.gaps, kept),
            np.take(self.keys, kept),
            np.searchsorted(kept, self.first),
        )

    def points_a(self, position: Floats) -> Floats:
        """Points on A's surface [m], where the bodies are at `position`; shape (contacts, 3)."""
        return np.asarray(position[self.bodies[:, 0]] + self.arms_a)

    def points_b(self, position: Floats) -> Floats:
        """Points on B's surface [m], where the bodies are at `position`; shape (contacts, 3)."""
        return np.asarray(position[self.bodies[:, 1]] + self.arms_b)


@kernel
def assemble(
    pairs, kind, which, start, number, first, normal, point, gap, key, place, body, local, position,
    bodies, normals, arms_a, arms_b, gaps, keys,
):  # fmt: skip
    """Contacts of pairs of parts as contacts of bodies: arms from their positions, A below B.

    Contacts of pair i, a pair of this group, go to rows from start[i] on.
    """
    for g in prange(which.size):
        if number[g] == 0:
            continue
        i = which[g]
        a, b = pairs[i, 0], pairs[i, 1]
        if kind[a] > kind[b]:  # as the narrow phase had them
            a, b = b, a
        p, q = body[a], body[b]
        # from the bodies' positions to the origin of part A's frame
        o0 = place[a, 0] - position[p, 0]
        o1 = place[a, 1] - position[p, 1]
        o2 = place[a, 2] - position[p, 2]
        # through part B's place: its difference to A's is exact where the two are far out
        e0 = (place[a, 0] - place[b, 0]) + (place[b, 0] - position[q, 0])
        e1 = (place[a, 1] - place[b, 1]) + (place[b, 1] - position[q, 1])
        e2 = (place[a, 2] - place[b, 2]) + (place[b, 2] - position[q, 2])
        flip = p > q
        one, two = (b, a) if flip else (a, b)
        name = (np.uint64(local[one]) << np.uint64(48)) | (np.uint64(local[two]) << np.uint64(32))
        for k in range(number[g]):
            r, c = np.uint64(first[g] + k), np.uint64(start[i] + k)
            n0, n1, n2, d = normal[r, 0], normal[r, 1], normal[r, 2], gap[r]
            p0, p1, p2 = point[r, 0], point[r, 1], point[r, 2]
            u0, u1, u2 = p0 + o0, p1 + o1, p2 + o2
            v0, v1, v2 = p0 + d * n0 + e0, p1 + d * n1 + e1, p2 + d * n2 + e2
            if flip:
                n0, n1, n2 = -n0, -n1, -n2
                u0, u1, u2, v0, v1, v2 = v0, v1, v2, u0, u1, u2
            bodies[c, 0], bodies[c, 1] = body[one], body[two]
            normals[c, 0], normals[c, 1], normals[c, 2] = n0, n1, n2
            arms_a[c, 0], arms_a[c, 1], arms_a[c, 2] = u0, u1, u2
            arms_b[c, 0], arms_b[c, 1], arms_b[c, 2] = v0, v1, v2
            gaps[c] = d
            keys[c] = name | np.uint64(key[r])


@kernel
def assemble_spheres(
    pairs, place, size, shape, margin, bodies, normals, arms_a, arms_b, gaps, keys
):
    """Contacts of bodies that are single spheres: one for each pair, straight from the pairs."""
    for c in prange(gaps.size):
        a, b = min(pairs[c, 0], pairs[c, 1]), max(pairs[c, 0], pairs[c, 1])
        d0 = place[b, 0] - place[a, 0]
        d1 = place[b, 1] - place[a, 1]
        d2 = place[b, 2] - place[a, 2]
        distance = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        n0, n1, n2 = 0.0, 0.0, 1.0
        if distance > 0.0:
            inverse = 1.0 / distance
            n0, n1, n2 = d0 * inverse, d1 * inverse, d2 * inverse
        r, s = size[shape[a], 0], size[shape[b], 0]
        bodies[c, 0], bodies[c, 1] = a, b
        normals[c, 0], normals[c, 1], normals[c, 2] = n0, n1, n2
        arms_a[c, 0], arms_a[c, 1], arms_a[c, 2] = r * n0, r * n1, r * n2
        arms_b[c, 0], arms_b[c, 1], arms_b[c, 2] = -s * n0, -s * n1, -s * n2
        gaps[c] = min(distance - (r + s), margin)  # the broad phase rounds, too
        keys[c] = 0


def _room(contacts: int, first: NDArray[np.int64]) -> ContactSet:
    return ContactSet(
        np.empty((contacts, 2), dtype=np.int32),
        np.empty((contacts, 3)),
        np.empty((contacts, 3)),
        np.empty((contacts, 3)),
        np.empty(contacts),
        np.empty(contacts, dtype=np.uint64),
        first,
    )


def sphere_contacts(parts: PartsOfBodies, poses: Poses, pairs: Ints, margin: float) -> ContactSet:
    """Contacts of a scene of spheres alone, one a body: every pair of the broad phase is one."""
    found = np.bincount(pairs[:, 0], minlength=parts.bodies)
    contacts = _room(len(pairs), np.concatenate([[0], np.cumsum(found)]))
    assemble_spheres.sized(len(pairs))(
        pairs, poses.place, parts.shapes.size, parts.shape, margin, contacts.bodies,
        contacts.normals, contacts.arms_a, contacts.arms_b, contacts.gaps, contacts.keys,
    )  # fmt: skip
    return contacts


def contact_set(
    parts: PartsOfBodies,
    local: Ints,
    poses: Poses,
    position: Floats,
    pairs: Ints,
    groups: list[Group],
) -> ContactSet:
    """Contacts of bodies from contacts of their parts; `pairs` are grouped by their first part."""
    start = np.zeros(len(pairs) + 1, dtype=np.int64)
    for group in groups:
        start[1:][group.which] = group.touching.number
    np.cumsum(start, out=start)
    total = int(start[-1])
    # pairs come grouped by finder: the contacts of body i begin with its first pair
    finder = pairs[:, 0] if parts.offset is None else parts.body[pairs[:, 0]]
    found = np.bincount(finder, minlength=parts.bodies)
    first = start[np.concatenate([[0], np.cumsum(found)])]
    contacts = _room(total, first)
    kind = parts.shapes.kind[parts.shape]
    for which, touching in groups:
        assemble.sized(len(which))(
            pairs, kind, which, start, touching.number, touching.first, touching.normal,
            touching.point, touching.gap, touching.key, poses.place, parts.body, local, position,
            contacts.bodies, contacts.normals, contacts.arms_a, contacts.arms_b, contacts.gaps,
            contacts.keys,
        )  # fmt: skip
    return contacts
