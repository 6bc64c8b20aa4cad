"""Contacts of bodies, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amontons._jit import kernel, prange
from amontons.collision.broad.broad_phase import ClosePairs
from amontons.collision.found import Poses
from amontons.collision.narrow.narrow_phase import Group
from amontons.collision.parts import PartNumbers, PartsOfBodies

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
            self.bodies.take(kept, axis=0),
            self.normals.take(kept, axis=0),
            self.arms_a.take(kept, axis=0),
            self.arms_b.take(kept, axis=0),
            self.gaps.take(kept),
            self.keys.take(kept),
            kept.searchsorted(self.first),
        )

    def points_a(self, position: Floats) -> Floats:
        """Points on A's surface [m], where the bodies are at `position`; shape (contacts, 3)."""
        return np.asarray(position[self.bodies[:, 0]] + self.arms_a)

    def points_b(self, position: Floats) -> Floats:
        """Points on B's surface [m], where the bodies are at `position`; shape (contacts, 3)."""
        return np.asarray(position[self.bodies[:, 1]] + self.arms_b)


ONE, TWO, THREE = np.uint64(1), np.uint64(2), np.uint64(3)
"""Rows of flat arrays are counted without sign, as Numba checks every other index for its sign."""


@kernel
def assemble(
    pairs, kind, which, start, number, first, normal, point, gap, key, place, body, local, position,
    bodies, normals, arms_a, arms_b, gaps, keys,
):  # fmt: skip
    """Contacts of pairs of parts as contacts of bodies: arms from their positions, A below B.

    Contacts of pair i, a pair of this group, go to rows from start[i] on. Arrays of vectors are
    flat, but for those of the parts.
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
            x, y, z = THREE * r, THREE * r + ONE, THREE * r + TWO
            n0, n1, n2, d = normal[x], normal[y], normal[z], gap[r]
            p0, p1, p2 = point[x], point[y], point[z]
            u0, u1, u2 = p0 + o0, p1 + o1, p2 + o2
            v0, v1, v2 = p0 + d * n0 + e0, p1 + d * n1 + e1, p2 + d * n2 + e2
            if flip:
                n0, n1, n2 = -n0, -n1, -n2
                u0, u1, u2, v0, v1, v2 = v0, v1, v2, u0, u1, u2
            x, y, z = THREE * c, THREE * c + ONE, THREE * c + TWO
            bodies[TWO * c], bodies[TWO * c + ONE] = body[one], body[two]
            normals[x], normals[y], normals[z] = n0, n1, n2
            arms_a[x], arms_a[y], arms_a[z] = u0, u1, u2
            arms_b[x], arms_b[y], arms_b[z] = v0, v1, v2
            gaps[c] = d
            keys[c] = name | np.uint64(key[r])


@kernel
def assemble_spheres(
    pairs, place, size, shape, margin, bodies, normals, arms_a, arms_b, gaps, keys
):
    """Contacts of bodies that are single spheres: one for each pair, straight from the pairs.

    All arrays are flat, but for sizes, whose first column has the radii.
    """
    for contact in prange(gaps.size):
        c = np.uint64(contact)
        i, j = pairs[TWO * c], pairs[TWO * c + ONE]
        a, b = np.uint64(min(i, j)), np.uint64(max(i, j))
        d0 = place[THREE * b] - place[THREE * a]
        d1 = place[THREE * b + ONE] - place[THREE * a + ONE]
        d2 = place[THREE * b + TWO] - place[THREE * a + TWO]
        distance = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        n0, n1, n2 = 0.0, 0.0, 1.0
        if distance > 0.0:
            inverse = 1.0 / distance
            n0, n1, n2 = d0 * inverse, d1 * inverse, d2 * inverse
        r, s = size[shape[a], 0], size[shape[b], 0]
        x, y, z = THREE * c, THREE * c + ONE, THREE * c + TWO
        bodies[TWO * c], bodies[TWO * c + ONE] = a, b
        normals[x], normals[y], normals[z] = n0, n1, n2
        arms_a[x], arms_a[y], arms_a[z] = r * n0, r * n1, r * n2
        arms_b[x], arms_b[y], arms_b[z] = -s * n0, -s * n1, -s * n2
        gaps[c] = min(distance - (r + s), margin)  # the broad phase rounds, too
        keys[c] = 0


def _room(contacts: int, first: NDArray[np.int64]) -> ContactSet:
    # One block for all vectors: the allocator keeps freed memory for the next step by the size of
    # the largest block. With three it would hand pages back and fetch them anew in every step.
    vectors = np.empty((3, contacts, 3))
    return ContactSet(
        np.empty((contacts, 2), dtype=np.int32),
        vectors[0],
        vectors[1],
        vectors[2],
        np.empty(contacts),
        np.empty(contacts, dtype=np.uint64),
        first,
    )


def _flat(contacts: ContactSet) -> tuple[NDArray[Any], ...]:
    """The arrays that an assembly writes, flat."""
    return (
        contacts.bodies.reshape(-1),
        contacts.normals.reshape(-1),
        contacts.arms_a.reshape(-1),
        contacts.arms_b.reshape(-1),
        contacts.gaps,
        contacts.keys,
    )


def sphere_contacts(
    parts: PartsOfBodies, poses: Poses, close: ClosePairs, margin: float
) -> ContactSet:
    """Contacts of a scene of spheres alone, one a body: every close pair is one."""
    contacts = _room(len(close.pairs), close.first)
    assemble_spheres.sized(len(contacts))(
        close.pairs.reshape(-1), poses.place.reshape(-1), parts.shapes.size, parts.shape, margin,
        *_flat(contacts),
    )  # fmt: skip
    return contacts


def contact_set(
    parts: PartsOfBodies,
    numbers: PartNumbers,
    poses: Poses,
    position: Floats,
    close: ClosePairs,
    groups: list[Group],
) -> ContactSet:
    """Contacts of bodies from contacts of their parts."""
    start = np.zeros(len(close.pairs) + 1, dtype=np.int64)
    number = start[1:]
    for which, touching in groups:
        number[which] = touching.number
    number.cumsum(out=number)
    # pairs come grouped by finder: the contacts of body i begin with the first pair of its parts
    contacts = _room(int(start[-1]), start[close.first[numbers.first]])
    out = _flat(contacts)
    for which, touching in groups:
        assemble.sized(len(which))(
            close.pairs, numbers.kind, which, start, touching.number, touching.first,
            touching.normal.reshape(-1), touching.point.reshape(-1), touching.gap, touching.key,
            poses.place, parts.body, numbers.local, position, *out,
        )  # fmt: skip
    return contacts
