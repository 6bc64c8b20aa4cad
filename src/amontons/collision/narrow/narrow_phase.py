"""The narrow phase: a table assigns a kernel to each pair of kinds.

Only kernels whose pairs occur are compiled: a scene of spheres compiles one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from amontons._jit import Kernel, serial_kernel
from amontons.array_types import Ints, Longs
from amontons.collision.body_parts import Poses
from amontons.collision.narrow.box_pairs import collide_boxes
from amontons.collision.narrow.capsule_pairs import collide_capsules
from amontons.collision.narrow.convex_pairs import collide_convex
from amontons.collision.narrow.mesh_pairs import collide_mesh
from amontons.collision.narrow.plane_pairs import collide_plane
from amontons.collision.narrow.solid_meshes import collide_meshes
from amontons.collision.narrow.sphere_pairs import collide_sphere_convex
from amontons.collision.pair_contacts import (
    MOST,
    PairContacts,
    empty_slots,
    in_slots,
    joined,
    packed,
)
from amontons.model.shapes.table import BOX, CAPSULE, HULL, MESH, PLANE, SPHERE, ShapeArrays

KINDS = HULL + 1
"""Upper bound of the numbers of kinds of shapes."""

BATCH = 32_768
"""Pairs whose slots are in memory at the same time. Most slots stay empty: of two million pairs in
a mixer they would take half a gigabyte, fresh from the operating system in each step. Whole tiles
of boxes, so that batches change no bit."""

Narrow = Callable[[ShapeArrays, Poses, Ints, float], PairContacts]


class KernelContacts(NamedTuple):
    """The result of one kernel: the numbers of its pairs, and their contacts."""

    which: Longs
    contacts: PairContacts


class Narrowed(NamedTuple):
    """Pairs of two spheres, which need no search, by their numbers, and contacts of the others."""

    spheres: Longs
    answers: list[KernelContacts]


class ByKernel:
    """The narrow phase of one kernel's pairs, with at most `most` contacts each."""

    def __init__(self, kernel: Kernel[..., None], most: int = MOST) -> None:
        self.kernel, self.most = kernel, most

    def __call__(
        self, shapes: ShapeArrays, poses: Poses, pairs: Ints, margin: float
    ) -> PairContacts:
        collide, most = self.kernel.sized(len(pairs)), self.most
        if most == 1 or len(pairs) <= BATCH:
            found = empty_slots(len(pairs), most)
            collide(shapes, poses, pairs, margin, found)
            return in_slots(found)
        batches = []
        for first in range(0, len(pairs), BATCH):
            batch = pairs[first : first + BATCH]
            found = empty_slots(len(batch), most)
            collide(shapes, poses, batch, margin, found)
            batches.append(packed(found))
        return joined(batches)


def _table() -> dict[tuple[int, int], Narrow]:
    """The narrow phase of each pair of kinds, the first not above the second.

    Two spheres are missing: they always touch if the broad phase finds them.
    """
    convex = range(SPHERE, HULL + 1)
    general, round_one = ByKernel(collide_convex), ByKernel(collide_sphere_convex, 1)
    ground = ByKernel(collide_plane)
    table: dict[tuple[int, int], Narrow]
    table = {(a, b): general for a in convex[1:] for b in convex if a <= b}
    table |= {(SPHERE, b): round_one for b in convex[1:]}
    table |= {(PLANE, b): ground for b in (MESH, *convex)}
    table[CAPSULE, CAPSULE] = ByKernel(collide_capsules)
    table[BOX, BOX] = ByKernel(collide_boxes)
    table |= {(MESH, b): collide_mesh for b in convex}
    table[MESH, MESH] = collide_meshes
    return table


def _ranked() -> tuple[Longs, list[tuple[Narrow, int, int]]]:
    """Ranks of all pairs of kinds, and every narrow phase with its first rank and the end.

    Pairs of kinds with the same kernel are adjacent, to save calls. Two
    spheres come first, and those that do not meet (two planes) last.
    """
    table = _table()
    kernels = list(dict.fromkeys(table.values()))
    turn = {kinds: kernels.index(narrow) for kinds, narrow in table.items()}
    codes = range(KINDS * KINDS)
    turn[SPHERE, SPHERE] = -1
    order = sorted(codes, key=lambda code: turn.get(divmod(code, KINDS), len(kernels)))
    ends = np.cumsum([list(turn.values()).count(k) for k in range(-1, len(kernels))]).tolist()
    return np.argsort(order), list(zip(kernels, ends[:-1], ends[1:], strict=True))


RANK, NARROW = _ranked()


@serial_kernel
def sort_by_kinds(kind, shape, pairs, rank, start, which, ordered):
    """A counting sort: which ← pairs by their kinds, ordered ← the parts of each, lower kind first.

    Pairs of kinds a ≤ b are start[rank[KINDS·a + b]] to the next start; start comes as zeros.
    Neighbours are mostly of the same kinds: their count is kept at hand, not in memory.
    """
    last, count = np.int64(0), 0
    for i in range(which.size):
        a, b = np.int64(kind[shape[pairs[i, 0]]]), np.int64(kind[shape[pairs[i, 1]]])
        code = rank[KINDS * min(a, b) + max(a, b)]
        if code != last:
            start[last + 1] += count
            last, count = code, 0
        count += 1
    start[last + 1] += count
    for code in range(start.size - 1):
        start[code + 1] += start[code]
    # the start of each moves to its end while it fills, which is the start of the next
    last, place = np.int64(0), start[0]
    for i in range(which.size):
        one, two = pairs[i, 0], pairs[i, 1]
        a, b = np.int64(kind[shape[one]]), np.int64(kind[shape[two]])
        code = rank[KINDS * min(a, b) + max(a, b)]
        if code != last:
            start[last] = place
            last, place = code, start[code]
        which[place] = i
        ordered[place, 0], ordered[place, 1] = (two, one) if a > b else (one, two)
        place += 1
    start[last] = place
    for code in range(start.size - 1, 0, -1):
        start[code] = start[code - 1]
    start[0] = 0


def narrow_phase(shapes: ShapeArrays, poses: Poses, pairs: Ints, margin: float) -> Narrowed:
    """Contacts of pairs of parts, by the kernels that find them.

    A is the part of the lower kind, or the first of two of one kind. Pairs of kinds that do not
    meet (two planes) have none, nor have two meshes of which one is open.
    """
    start = np.zeros(KINDS * KINDS + 1, dtype=np.int64)
    which, ordered = np.empty(len(pairs), dtype=np.int64), np.empty_like(pairs)
    sort_by_kinds(shapes.kind, poses.shape, pairs, RANK, start, which, ordered)
    answers = []
    begin = start.tolist()
    for narrow, first, end in NARROW:
        if begin[first] < begin[end]:
            rows = slice(begin[first], begin[end])
            answers.append(
                KernelContacts(which[rows], narrow(shapes, poses, ordered[rows], margin))
            )
    return Narrowed(which[: begin[1]], answers)
