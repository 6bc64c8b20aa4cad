"""Bodies that joints and bonds keep from colliding, until these break."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from amontons.collision.contacts import ContactSet
from amontons.dynamics.joints.tables import JointArrays
from amontons.simulation.sharing.share import Share

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]


class Ties(NamedTuple):
    """What holds two bodies together: joints, then bonds."""

    bodies: NDArray[np.int32]  # rows, −1 for the world, (ties, 2)
    collide: NDArray[np.bool_]  # whether they do so while it holds, (ties,)
    weld: NDArray[np.bool_]  # whether it leaves B no way to move in A, (ties,)

    @classmethod
    def of(cls, joints: JointArrays, bonds: NDArray[np.int32]) -> Ties:
        """Those of joints, and of bonds between bodies in these rows, which give way a little."""
        none = np.zeros(len(bonds), dtype=bool)
        return cls(
            np.concatenate([joints.bodies, bonds]),
            np.concatenate([joints.collide, none]),
            np.concatenate([joints.weld, none]),
        )


class JoinedBodies(NamedTuple):
    """Which ties hold, and what that means for collisions."""

    broken: NDArray[np.bool_]  # (ties,)
    apart: Pairs  # rows of bodies that an unbroken tie keeps from colliding, (pairs, 2)
    welded: NDArray[np.int32]  # number of the rigid piece that each body is of, (bodies,)
    once: NDArray[np.int32]  # and of which it was before any weld broke, (bodies,)
    welds: bool  # whether there were any
    freed: NDArray[np.intp]  # rows of broken ties whose bodies collide again, (freed,)
    pairs: Pairs  # rows of those bodies, the lower one first, (freed, 2)
    nobody_meets: bool  # whether no two bodies are left that could touch

    @classmethod
    def of(
        cls,
        ties: Ties,
        broken: NDArray[np.bool_],
        fixed: NDArray[np.bool_],
        driven: NDArray[np.bool_],
    ) -> JoinedBodies:
        """While these ties are `broken`, (ties,).

        Bodies that are `fixed` are one with the world, and two that are `driven` do not meet; both
        of shape (bodies,).
        """
        rows = np.sort(ties.bodies.astype(np.int64), axis=1)
        silent, between = ~ties.collide, (rows >= 0).all(axis=1)
        apart = rows[silent & between & ~broken]
        welds = silent & ties.weld
        welded, once = (_pieces(rows[some], fixed) for some in (welds & ~broken, welds))
        freed = np.flatnonzero(silent & between & broken)
        a, b = rows[freed].T
        held = np.unique(_numbers(apart, driven.size))  # another tie may still hold them
        freed = freed[~np.isin(_numbers(rows[freed], driven.size), held) & (welded[a] != welded[b])]
        moving = ~driven[apart].all(axis=1)
        moved = np.unique(_numbers(apart[moving], driven.size)).size
        still = int(np.count_nonzero(driven))
        left = (driven.size * (driven.size - 1) - still * (still - 1)) // 2 - moved
        return cls(
            broken.copy(), apart, welded, once, bool(welds.any()), freed, rows[freed], left == 0
        )  # fmt: skip

    def without_inner(self, contacts: ContactSet) -> ContactSet:
        """The contacts but for those within rigid pieces.

        Bodies of a piece cannot move in each other: a contact between two of them has nothing to
        say, and where they overlap by as much as rounding it would contradict the welds.
        """
        if not self.welds:
            return contacts
        a, b = self.welded[contacts.bodies].T
        outer = a != b
        return contacts if outer.all() else contacts.take(np.flatnonzero(outer))


def _numbers(pairs: Pairs, bodies: int) -> NDArray[np.int64]:
    """One number for each pair of rows of so many bodies, shape (pairs,)."""
    return np.asarray(pairs[:, 0] * bodies + pairs[:, 1])


def _pieces(welds: Pairs, fixed: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Number of the rigid piece that each body is of; −1 in a pair is the world."""
    world = fixed.size
    still = np.flatnonzero(fixed)
    a = np.concatenate([np.where(welds[:, 0] < 0, world, welds[:, 0]), still])
    b = np.concatenate([welds[:, 1], np.full(still.size, world)])
    graph = coo_array((np.ones(a.size, dtype=np.int8), (a, b)), shape=(world + 1, world + 1))
    return np.asarray(connected_components(graph, directed=False)[1][:world], dtype=np.int32)


def as_they_broke(
    contacts: ContactSet, overlap: Floats, joined: JoinedBodies, slack: float, share: Share
) -> tuple[ContactSet, Floats]:
    """The contacts with gaps that count from the overlap in which a tie left its bodies.

    Bodies that were tied may overlap, and were never asked to part. They need not when the tie
    breaks: what was there then is allowed, and grows less as they part by themselves. So breaking
    gives nobody energy, and bodies that meet again later collide like all others.

    Fragments of what was one rigid piece have a `slack` [m] between them: one that still sits among
    its neighbours could else not give way when welds mend the errors of a step, and no impulses
    would be large enough.

    `overlap` is what is left of those overlaps [m], shape (ties,); what is left now comes with
    the contacts.
    """
    if not joined.broken.any() or not share.any(len(contacts) > 0):
        return contacts, overlap
    allowed, overlap = _overlaps(contacts, overlap, joined, share)
    gaps = np.where(contacts.gaps < 0.0, np.minimum(contacts.gaps + allowed, 0.0), contacts.gaps)
    if joined.welds:
        a, b = joined.once[contacts.bodies].T
        gaps[a == b] += slack
    return dataclasses.replace(contacts, gaps=gaps), overlap


def _overlaps(
    contacts: ContactSet, overlap: Floats, joined: JoinedBodies, share: Share
) -> tuple[Floats, Floats]:
    """What is left of the overlap in which ties left bodies [m], (contacts,) and (ties,)."""
    allowed = np.zeros(len(contacts))
    lasting = overlap[joined.freed] > 0.0
    freed, pairs = joined.freed[lasting], joined.pairs[lasting]
    if not freed.size:
        return allowed, overlap
    span = np.int64(max(pairs.max(), contacts.bodies.max(initial=0)) + 1)
    keys, which = np.unique(pairs[:, 0] * span + pairs[:, 1], return_inverse=True)
    ends = np.sort(contacts.bodies.astype(np.int64), axis=1)
    mine = ends[:, 0] * span + ends[:, 1]
    place = np.minimum(np.searchsorted(keys, mine), keys.size - 1)
    theirs = np.flatnonzero(keys[place] == mine)
    deepest = np.zeros(keys.size)
    np.maximum.at(deepest, place[theirs], -contacts.gaps[theirs])
    deepest = share.largest_of(deepest)
    overlap = overlap.copy()
    overlap[freed] = np.minimum(overlap[freed], deepest[which])
    least = np.full(keys.size, np.inf)
    np.minimum.at(least, which, overlap[freed])
    allowed[theirs] = least[place[theirs]]
    return allowed, overlap
