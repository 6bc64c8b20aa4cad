"""The narrow phase: a table says which kernel answers for which pair of kinds.

Only kernels whose pairs occur are compiled: a scene of spheres compiles one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from amontons._jit import Kernel
from amontons.collision.box_pairs import collide_boxes
from amontons.collision.capsule_pairs import collide_capsules
from amontons.collision.convex_pairs import collide_convex
from amontons.collision.found import MOST, Poses, Touching, empty_found
from amontons.collision.mesh_pairs import collide_mesh
from amontons.collision.plane_pairs import collide_plane
from amontons.collision.sphere_pairs import collide_sphere_convex, collide_spheres
from amontons.model.shapes.table import BOX, CAPSULE, HULL, MESH, PLANE, SPHERE, ShapeArrays

Ints = NDArray[np.int32]

BATCH = 1 << 16
"""Pairs whose contacts are held with room for all that they may have."""


Narrow = Callable[[ShapeArrays, Poses, Ints, float], Touching]


def by_kernel(kernel: Kernel[..., None], most: int = MOST) -> Narrow:
    """The narrow phase of pairs that a kernel answers for, with at most so many contacts each."""

    def narrow(shapes: ShapeArrays, poses: Poses, pairs: Ints, margin: float) -> Touching:
        batches = [
            _used(kernel, most, shapes, poses, pairs[first : first + size], margin)
            for size in [BATCH if most > 1 else max(len(pairs), 1)]
            for first in range(0, max(len(pairs), 1), size)
        ]
        return batches[0] if len(batches) == 1 else joined(batches)

    return narrow


def _used(
    kernel: Kernel[..., None],
    most: int,
    shapes: ShapeArrays,
    poses: Poses,
    pairs: Ints,
    margin: float,
) -> Touching:
    """Contacts of a batch, without the slots that stayed empty."""
    found = empty_found(len(pairs), most)
    kernel.sized(len(pairs))(shapes, poses, pairs, margin, found)
    if most == 1 and (found.number == 1).all():
        return Touching(
            found.number, found.normal[:, 0], found.point[:, 0], found.gap[:, 0], found.key[:, 0]
        )
    used = np.arange(most) < found.number[:, None]
    return Touching(
        found.number, found.normal[used], found.point[used], found.gap[used], found.key[used]
    )


def joined(pieces: list[Touching]) -> Touching:
    """Contacts of several lists of pairs, one after the other."""
    return Touching(*(np.concatenate(column) for column in zip(*pieces, strict=True)))


def _table() -> dict[tuple[int, int], Narrow]:
    """The narrow phase of each pair of kinds, the first not above the second."""
    convex = range(SPHERE, HULL + 1)
    general = by_kernel(collide_convex)
    table = {(a, b): general for a in convex for b in convex if a <= b}
    table |= {(SPHERE, b): by_kernel(collide_sphere_convex, 1) for b in convex}
    table |= {(PLANE, b): by_kernel(collide_plane) for b in convex}
    table[SPHERE, SPHERE] = by_kernel(collide_spheres, 1)
    table[CAPSULE, CAPSULE] = by_kernel(collide_capsules)
    table[BOX, BOX] = by_kernel(collide_boxes)
    table |= {(MESH, b): collide_mesh for b in convex}
    return table


TABLE = _table()


def narrow_phase(
    shapes: ShapeArrays, poses: Poses, pairs: Ints, margin: float
) -> tuple[Touching, NDArray[np.bool_]]:
    """Contacts of pairs of parts, in their order, and of which pairs A is the second part.

    Pairs of kinds that do not meet (two planes, two meshes) have none.
    """
    kinds = shapes.kind[poses.shape][pairs].astype(np.int64)
    swapped = kinds[:, 0] > kinds[:, 1]
    if swapped.any():
        pairs = np.where(swapped[:, None], pairs[:, ::-1], pairs)
        kinds = np.where(swapped[:, None], kinds[:, ::-1], kinds)
    code = kinds[:, 0] * (HULL + 1) + kinds[:, 1]
    present = np.unique(code)
    if len(present) == 1:
        a, b = divmod(int(present[0]), HULL + 1)
        if (a, b) in TABLE:
            return TABLE[a, b](shapes, poses, pairs, margin), swapped
    number = np.zeros(len(pairs), dtype=np.int32)
    pieces: list[tuple[NDArray[np.int64], Touching]] = []
    for each in present:
        narrow = TABLE.get(divmod(int(each), HULL + 1))
        if narrow is not None:
            which = np.flatnonzero(code == each)
            touching = narrow(shapes, poses, np.ascontiguousarray(pairs[which]), margin)
            number[which] = touching.number
            pieces.append((which, touching))
    return _in_order(number, pieces), swapped


def _in_order(number: Ints, pieces: list[tuple[NDArray[np.int64], Touching]]) -> Touching:
    """Contacts in the order of pairs, from pieces that each have the contacts of some."""
    first = np.cumsum(number) - number
    total = int(number.sum())
    whole = Touching(
        number,
        np.empty((total, 3)),
        np.empty((total, 3)),
        np.empty(total),
        np.empty(total, dtype=np.uint32),
    )
    for which, touching in pieces:
        begins = np.cumsum(touching.number) - touching.number
        place = np.repeat(first[which] - begins, touching.number) + np.arange(len(touching.gap))
        whole.normal[place], whole.point[place] = touching.normal, touching.point
        whole.gap[place], whole.key[place] = touching.gap, touching.key
    return whole
