"""Contacts of bodies, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import helper, kernel, prange, serial_kernel
from amontons.collision.body_parts import PartsOfBodies
from amontons.collision.broad.broad_phase import ClosePairs
from amontons.collision.broad.rows import BodyOrder
from amontons.collision.narrow.narrow_phase import Narrowed
from amontons.collision.reused_memory import ReusedMemory

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class ContactSet:
    """Contacts: where bodies touch, or come within the margin of touching.

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
    """Contacts that body i found begin at first[i], one after the other, each of them of body i;
    the last entry is the number of contacts; shape (bodies + 1,)."""
    order: BodyOrder | None = None
    """The order of bodies in which the contacts are listed; None: as they are numbered."""

    @classmethod
    def none(cls, bodies: int) -> ContactSet:
        """No contacts of so many bodies."""
        vectors, ends = np.empty((0, 3)), np.empty((0, 2), dtype=np.int32)
        gaps, keys = np.empty(0), np.empty(0, dtype=np.uint64)
        first = np.zeros(bodies + 1, dtype=np.int64)
        return cls(ends, vectors, vectors, vectors, gaps, keys, first)

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
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

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
            self.order,
        )

    def points_a(self, position: Floats) -> Floats:
        """Points on A's surface [m], where the bodies are at `position`; shape (contacts, 3)."""
        return np.asarray(position[self.bodies[:, 0]] + self.arms_a)

    def points_b(self, position: Floats) -> Floats:
        """Points on B's surface [m], where the bodies are at `position`; shape (contacts, 3)."""
        return np.asarray(position[self.bodies[:, 1]] + self.arms_b)


ONE, TWO, THREE = np.uint64(1), np.uint64(2), np.uint64(3)
"""Rows of flat arrays are counted without sign, as Numba checks every other index for its sign."""


NO_PAIRS = np.empty(0, dtype=np.int64)


class PartOwners(NamedTuple):
    """Whose the parts are, and where."""

    body: Ints  # of each part, (parts,)
    local: Ints  # number of each part within its body, (parts,)
    place: Floats  # origins of the parts' frames [m], (parts, 3)
    position: Floats  # of the bodies [m], (bodies, 3)


class Rows(NamedTuple):
    """Contacts of bodies as they are written: flat arrays."""

    bodies: Ints  # A and B of each, (2·contacts,)
    vectors: Floats  # all normals, then all arms of A, then of B, (9·contacts,)
    gaps: Floats
    keys: NDArray[np.uint64]

    def contact_set(self, first: NDArray[np.int64], order: BodyOrder | None) -> ContactSet:
        """The same arrays as a set of contacts."""
        normals, arms_a, arms_b = self.vectors.reshape(3, self.gaps.size, 3)
        bodies = self.bodies.reshape(-1, 2)
        return ContactSet(bodies, normals, arms_a, arms_b, self.gaps, self.keys, first, order)


@helper
def name_of_parts(local, a, b):
    """Upper half of a key: which part of its body each of the two is."""
    return (np.uint64(local[a]) << np.uint64(48)) | (np.uint64(local[b]) << np.uint64(32))


@serial_kernel
def count_contacts(which, number, start):
    """start[i + 1] ← contacts of pair i, for the pairs `which` that one kernel answers for."""
    for g in range(which.size):
        start[which[g] + 1] = number[g]


@kernel
def assemble(pairs, kind, which, contacts, start, owners, rows):
    """Contacts of pairs of parts as contacts of bodies: arms from their positions, A below B.

    Contacts of pair i go to rows from start[i] on; `contacts` has those of the pairs `which`, whose
    parts are of these kinds.
    """
    body, local, place, position = owners.body, owners.local, owners.place, owners.position
    number, first, gap, key = contacts.number, contacts.first, contacts.gap, contacts.key
    normal, point = contacts.normal, contacts.point
    bodies, vectors, gaps, keys = rows.bodies, rows.vectors, rows.gaps, rows.keys
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
        name = name_of_parts(local, b if flip else a, a if flip else b)
        to_p, to_q = (TWO * after if flip else after), (after if flip else TWO * after)
        sign, lower, upper = (-1.0 if flip else 1.0), min(p, q), max(p, q)
        source, goal = first[g], start[i]
        for k in range(number[g]):
            r, c = np.uint64(source + k), np.uint64(goal + k)
            n0, n1, n2, d = normal[r, 0], normal[r, 1], normal[r, 2], gap[r]
            p0, p1, p2 = point[r, 0], point[r, 1], point[r, 2]
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
def assemble_spheres(pairs, which, start, owners, radius, margin, rows):
    """Contacts of spheres: one for each pair `which`, in row start[i] for pair i.

    Where `which` is empty, all pairs are of spheres, and each has a row; where `owners` has no
    bodies, part i is body i. If two centres coincide, B is taken to be above A.
    """
    body, local, place, position = owners.body, owners.local, owners.place, owners.position
    bodies, vectors, gaps, keys = rows.bodies, rows.vectors, rows.gaps, rows.keys
    after = THREE * np.uint64(gaps.size)  # from normals to arms of A, and from those to B's
    every, alone = which.size == 0, body.size == 0
    number = gaps.size if every else which.size
    for g in prange(number):
        i = np.uint64(g) if every else np.uint64(which[g])
        c = i if every else np.uint64(start[i])
        one, two = np.uint64(pairs[i, 0]), np.uint64(pairs[i, 1])
        p, q = (one, two) if alone else (np.uint64(body[one]), np.uint64(body[two]))
        a, b = (two, one) if p > q else (one, two)
        d0, d1, d2 = place[b, 0] - place[a, 0], place[b, 1] - place[a, 1], place[b, 2] - place[a, 2]
        distance = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        n0, n1, n2 = 0.0, 0.0, 1.0
        if distance > 0.0:
            inverse = 1.0 / distance
            n0, n1, n2 = d0 * inverse, d1 * inverse, d2 * inverse
        r, s = radius[a], radius[b]
        x, y, z = THREE * c, THREE * c + ONE, THREE * c + TWO
        bodies[TWO * c], bodies[TWO * c + ONE] = min(p, q), max(p, q)
        vectors[x], vectors[y], vectors[z] = n0, n1, n2
        gaps[c] = min(distance - (r + s), margin)  # the broad phase rounds, too
        x, y, z = after + x, after + y, after + z
        vectors[x], vectors[y], vectors[z] = r * n0, r * n1, r * n2
        x, y, z = after + x, after + y, after + z
        vectors[x], vectors[y], vectors[z] = -s * n0, -s * n1, -s * n2
        keys[c] = 0
        if not alone:
            keys[c] = name_of_parts(local, a, b)
            for k in range(3):
                x = after + THREE * c + np.uint64(k)
                # nothing is added to zero: the compiler may reorder sums, and change their rounding
                if place[a, k] != position[min(p, q), k]:
                    vectors[x] += place[a, k] - position[min(p, q), k]
                if place[b, k] != position[max(p, q), k]:
                    vectors[after + x] += place[b, k] - position[max(p, q), k]


def begins(close: ClosePairs, part: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the pairs of bodies begin, and their number, from each body's first part.

    `part` ends with the number of parts; it is empty where part i is body i.
    """
    first, slots = close.first, close.slots
    if slots.size:
        first = np.append(first[slots], first[-1])
    return first if not part.size else first[part]


def _room(memory: ReusedMemory, contacts: int) -> Rows:
    numbers = memory.lend(12 * contacts)
    return Rows(
        numbers[11 * contacts :].view(np.int32),
        numbers[: 9 * contacts],
        numbers[9 * contacts : 10 * contacts],
        numbers[10 * contacts : 11 * contacts].view(np.uint64),
    )


class Assembly:
    """Makes contacts of bodies from the close pairs and contacts of their parts."""

    def __init__(self, parts: PartsOfBodies) -> None:
        self._parts = parts
        self._numbers = parts.numbers()
        self._memory = ReusedMemory()
        self._alone = parts.offset is None  # part i is body i, and its frame the body's
        self._radius = np.ascontiguousarray(parts.shapes.size[parts.shape, 0])  # of spheres [m]

    def of_spheres(
        self, place: Floats, close: ClosePairs, margin: float, order: BodyOrder | None
    ) -> ContactSet:
        """Contacts of a scene of single spheres: one for every close pair."""
        rows = _room(self._memory, len(close.pairs))
        self._add_spheres(close.pairs, NO_PAIRS, NO_PAIRS, self._owners(place, place), margin, rows)
        return rows.contact_set(begins(close, NO_PAIRS), order)

    def of_all(
        self, place: Floats, position: Floats, close: ClosePairs, narrowed: Narrowed,
        margin: float, order: BodyOrder | None,
    ) -> ContactSet:  # fmt: skip
        """Contacts of bodies at `position` [m], whose parts are at `place` [m]."""
        numbers, spheres = self._numbers, narrowed.spheres
        start = np.zeros(len(close.pairs) + 1, dtype=np.int64)
        for which, contacts in narrowed.answers:
            count_contacts(which, contacts.number, start)
        start[spheres + 1] = 1
        start.cumsum(out=start)
        rows = _room(self._memory, int(start[-1]))
        owners = PartOwners(self._parts.body, numbers.local, place, position)
        for which, contacts in narrowed.answers:
            assemble.sized(len(which))(
                close.pairs, numbers.kind, which, contacts, start, owners, rows
            )
        if spheres.size:
            owners = self._owners(place, position)
            self._add_spheres(close.pairs, spheres, start, owners, margin, rows)
        # pairs come grouped by finder: the contacts of body i begin with the first pair of its
        # parts
        return rows.contact_set(start[begins(close, numbers.first)], order)

    def _owners(self, place: Floats, position: Floats) -> PartOwners:
        """PartOwners of spheres: none where all parts are bodies."""
        body, local = self._parts.body, self._numbers.local
        return PartOwners(
            *((body[:0], local[:0]) if self._alone else (body, local)), place, position
        )

    def _add_spheres(
        self,
        pairs: Ints,
        which: NDArray[np.int64],
        start: NDArray[np.int64],
        owners: PartOwners,
        margin: float,
        rows: Rows,
    ) -> None:
        assemble_spheres.sized(which.size or len(pairs))(
            pairs, which, start, owners, self._radius, margin, rows
        )
