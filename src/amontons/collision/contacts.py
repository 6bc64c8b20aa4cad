"""Contacts of bodies, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import kernel, prange, serial_kernel
from amontons.collision.blocks import Blocks
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
    the number of threads. All arrays lie in one block of memory, which a detector uses again once
    none of them is held any more: what you keep never changes; copy the one array that you want to
    keep of many.
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


@serial_kernel
def count_contacts(which, number, start):
    """start[i + 1] ← contacts of pair i, for the pairs `which` of one group."""
    for g in range(which.size):
        start[which[g] + 1] = number[g]


@kernel
def assemble(
    pairs, kind, which, start, number, first, normal, point, gap, key, place, body, local, position,
    bodies, vectors, gaps, keys,
):  # fmt: skip
    """Contacts of pairs of parts as contacts of bodies: arms from their positions, A below B.

    Contacts of pair i, a pair of this group, go to rows from start[i] on. Arrays of vectors are
    flat, but for those of the parts; `vectors` has all normals, then all arms of A, then of B.
    """
    after = THREE * np.uint64(gaps.size)  # from normals to arms of A, and from those to B's
    for g in prange(which.size):
        i = np.uint64(which[g])
        one, two = np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1])
        turned = kind[one] > kind[two]  # as the narrow phase had them
        a, b = (two if turned else one), (one if turned else two)
        p, q = np.uint64(body[a]), np.uint64(body[b])
        # from the bodies' positions to the origin of part A's frame
        o0 = place[a, 0] - position[p, 0]
        o1 = place[a, 1] - position[p, 1]
        o2 = place[a, 2] - position[p, 2]
        # through part B's place: its difference to A's is exact where the two are far out
        e0 = (place[a, 0] - place[b, 0]) + (place[b, 0] - position[q, 0])
        e1 = (place[a, 1] - place[b, 1]) + (place[b, 1] - position[q, 1])
        e2 = (place[a, 2] - place[b, 2]) + (place[b, 2] - position[q, 2])
        flip = p > q
        one, two = (b if flip else a), (a if flip else b)
        name = (np.uint64(local[one]) << np.uint64(48)) | (np.uint64(local[two]) << np.uint64(32))
        to_p, to_q = (TWO * after if flip else after), (after if flip else TWO * after)
        sign, lower, upper = (-1.0 if flip else 1.0), min(p, q), max(p, q)
        source, goal = first[g], start[i]
        for k in range(number[g]):
            r, c = np.uint64(source + k), np.uint64(goal + k)
            x, y, z = THREE * r, THREE * r + ONE, THREE * r + TWO
            n0, n1, n2, d = normal[x], normal[y], normal[z], gap[r]
            p0, p1, p2 = point[x], point[y], point[z]
            x, y, z = THREE * c, THREE * c + ONE, THREE * c + TWO
            bodies[TWO * c], bodies[TWO * c + ONE] = lower, upper
            vectors[x], vectors[y], vectors[z] = sign * n0, sign * n1, sign * n2
            vectors[to_p + x] = p0 + o0
            vectors[to_p + y] = p1 + o1
            vectors[to_p + z] = p2 + o2
            vectors[to_q + x] = p0 + d * n0 + e0
            vectors[to_q + y] = p1 + d * n1 + e1
            vectors[to_q + z] = p2 + d * n2 + e2
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


class Rows(NamedTuple):
    """What an assembly writes, flat: all normals, then all arms of A, then of B, in one array."""

    bodies: Ints
    vectors: Floats
    gaps: Floats
    keys: NDArray[np.uint64]

    def contact_set(self, first: NDArray[np.int64]) -> ContactSet:
        """The same arrays as a set of contacts."""
        normals, arms_a, arms_b = self.vectors.reshape(3, self.gaps.size, 3)
        bodies = self.bodies.reshape(-1, 2)
        return ContactSet(bodies, normals, arms_a, arms_b, self.gaps, self.keys, first)


def _room(blocks: Blocks, contacts: int) -> Rows:
    numbers = blocks.take(12 * contacts)
    return Rows(
        numbers[11 * contacts :].view(np.int32),
        numbers[: 9 * contacts],
        numbers[9 * contacts : 10 * contacts],
        numbers[10 * contacts : 11 * contacts].view(np.uint64),
    )


def sphere_contacts(
    parts: PartsOfBodies, poses: Poses, close: ClosePairs, margin: float, blocks: Blocks
) -> ContactSet:
    """Contacts of a scene of spheres alone, one a body: every close pair is one."""
    rows = _room(blocks, len(close.pairs))
    normals, arms_a, arms_b = rows.vectors.reshape(3, -1)
    assemble_spheres.sized(len(close.pairs))(
        close.pairs.reshape(-1), poses.place.reshape(-1), parts.shapes.size, parts.shape, margin,
        rows.bodies, normals, arms_a, arms_b, rows.gaps, rows.keys,
    )  # fmt: skip
    return rows.contact_set(close.first)


def contact_set(
    parts: PartsOfBodies,
    numbers: PartNumbers,
    poses: Poses,
    position: Floats,
    close: ClosePairs,
    groups: list[Group],
    blocks: Blocks,
) -> ContactSet:
    """Contacts of bodies from contacts of their parts."""
    start = np.zeros(len(close.pairs) + 1, dtype=np.int64)
    for which, touching in groups:
        count_contacts(which, touching.number, start)
    start.cumsum(out=start)
    rows = _room(blocks, int(start[-1]))
    for which, touching in groups:
        assemble.sized(len(which))(
            close.pairs, numbers.kind, which, start, touching.number, touching.first,
            touching.normal.reshape(-1), touching.point.reshape(-1), touching.gap, touching.key,
            poses.place, parts.body, numbers.local, position, *rows,
        )  # fmt: skip
    # pairs come grouped by finder: the contacts of body i begin with the first pair of its parts
    return rows.contact_set(start[close.first[numbers.first]])
