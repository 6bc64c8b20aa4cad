"""The narrow phase: a table says which kernel answers for which pair of kinds.

Only kernels whose pairs occur are compiled: a scene of spheres compiles one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amontons._jit import Kernel
from amontons.collision.found import MOST, Poses, Touching, empty_found, slots
from amontons.collision.narrow.box_pairs import collide_boxes
from amontons.collision.narrow.capsule_pairs import collide_capsules
from amontons.collision.narrow.convex_pairs import collide_convex
from amontons.collision.narrow.mesh_pairs import collide_mesh
from amontons.collision.narrow.plane_pairs import collide_plane
from amontons.collision.narrow.sphere_pairs import collide_sphere_convex, collide_spheres
from amontons.model.shapes.table import BOX, CAPSULE, HULL, MESH, PLANE, SPHERE, ShapeArrays

Ints = NDArray[np.int32]

Narrow = Callable[[ShapeArrays, Poses, Ints, float], Touching]


class Group(NamedTuple):
    """Pairs of one pair of kinds: their numbers among all pairs, and their contacts."""

    which: NDArray[np.int64]
    touching: Touching


def by_kernel(kernel: Kernel[..., None], most: int = MOST) -> Narrow:
    """The narrow phase of pairs that a kernel answers for, with at most so many contacts each."""

    def narrow(shapes: ShapeArrays, poses: Poses, pairs: Ints, margin: float) -> Touching:
        found = empty_found(len(pairs), most)
        kernel.sized(len(pairs))(shapes, poses, pairs, margin, found)
        return slots(found)

    return narrow


def _table() -> dict[tuple[int, int], Narrow]:
    """The narrow phase of each pair of kinds, the first not above the second."""
    convex = range(SPHERE, HULL + 1)
    general = by_kernel(collide_convex)
    table = {(a, b): general for a in convex for b in convex if a <= b}
    table |= {(SPHERE, b): by_kernel(collide_sphere_convex, 1) for b in convex}
    table |= {(PLANE, b): by_kernel(collide_plane) for b in (MESH, *convex)}
    table[SPHERE, SPHERE] = by_kernel(collide_spheres, 1)
    table[CAPSULE, CAPSULE] = by_kernel(collide_capsules)
    table[BOX, BOX] = by_kernel(collide_boxes)
    table |= {(MESH, b): collide_mesh for b in convex}
    return table


TABLE = _table()


def narrow_phase(shapes: ShapeArrays, poses: Poses, pairs: Ints, margin: float) -> list[Group]:
    """Contacts of pairs of parts, by kinds.

    A is the part of the lower kind, or the first of two of one kind. Pairs of kinds that do not
    meet (two planes, two meshes) have none.
    """
    groups = []
    for (a, b), which in _by_kinds(shapes.kind[poses.shape], pairs):
        narrow = TABLE.get((min(a, b), max(a, b)))
        if narrow is not None:
            chosen = pairs if len(which) == len(pairs) else pairs[which]
            if a > b:
                chosen = np.ascontiguousarray(chosen[:, ::-1])
            groups.append(Group(which, narrow(shapes, poses, chosen, margin)))
    return groups


def _by_kinds(
    kind: NDArray[np.uint8], pairs: Ints
) -> Iterator[tuple[tuple[int, int], NDArray[np.int64]]]:
    """Kinds of A and B, and the numbers of the pairs that have them."""
    kinds = HULL + 1
    if not len(pairs):
        return
    if (kind == kind[0]).all():  # as in a bed of spheres: no need to look at each pair
        yield (int(kind[0]), int(kind[0])), np.arange(len(pairs))
        return
    code = kind[pairs[:, 0]] * np.uint8(kinds) + kind[pairs[:, 1]]
    for each in np.flatnonzero(np.bincount(code, minlength=kinds * kinds)):
        yield divmod(int(each), kinds), np.flatnonzero(code == each)
