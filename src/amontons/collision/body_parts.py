"""Bodies in collision detection: convex parts and meshes at fixed places on each body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons._jit import kernel, prange
from amontons.algebra.rotations import rotation_of
from amontons.checks import finite_array
from amontons.errors import InputError
from amontons.model.shapes import Compound, Shape, build_table, leaves, sphere_table
from amontons.model.shapes.table import ShapeArrays

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@kernel
def place_parts(position, orientation, body, offset, turn, place, turned):
    """Place, turned ← poses of parts from those of their bodies: x + R(q) offset, q ⊗ turn."""
    for p in prange(body.size):
        i = body[p]
        x, y, z = offset[p, 0], offset[p, 1], offset[p, 2]
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = rotation_of(orientation, i)
        place[p, 0] = r00 * x + r01 * y + r02 * z + position[i, 0]
        place[p, 1] = r10 * x + r11 * y + r12 * z + position[i, 1]
        place[p, 2] = r20 * x + r21 * y + r22 * z + position[i, 2]
        a, b, c, d = orientation[i, 0], orientation[i, 1], orientation[i, 2], orientation[i, 3]
        e, f, g, h = turn[p, 0], turn[p, 1], turn[p, 2], turn[p, 3]
        turned[p, 0] = a * e - b * f - c * g - d * h
        turned[p, 1] = a * f + b * e + c * h - d * g
        turned[p, 2] = a * g - b * h + c * e + d * f
        turned[p, 3] = a * h + b * g - c * f + d * e


class Poses(NamedTuple):
    """Poses of parts: p ↦ R(turn) p + place."""

    place: Floats  # origins of the parts' shape frames [m], (parts, 3)
    turn: Floats  # unit quaternions (w, x, y, z), (parts, 4)
    shape: Ints  # row of each part in the table of shapes, (parts,)


class PartNumbers(NamedTuple):
    """Kinds of parts, and their numbers within their bodies."""

    kind: NDArray[np.uint8]  # of each part's shape, (parts,)
    first: NDArray[np.int64]  # parts of body i are first[i] to first[i + 1], (bodies + 1,)
    local: Ints  # number of each part within its body, (parts,)


class PartsOfBodies(NamedTuple):
    """Parts, body by body. Without offsets, part i is body i."""

    shapes: ShapeArrays
    shape: Ints  # row of each part in `shapes`, (parts,)
    body: Ints  # body of each part, (parts,)
    offset: Floats | None  # origin of the part's frame in that of its body [m], (parts, 3)
    turn: Floats | None  # unit quaternions from the part's frame to that of its body, (parts, 4)
    bodies: int

    def numbers(self) -> PartNumbers:
        """Kinds of parts and their numbers within bodies; costly, so computed once."""
        first = np.searchsorted(self.body, np.arange(self.bodies + 1))
        local = (np.arange(self.body.size) - first[self.body]).astype(np.int32)
        return PartNumbers(self.shapes.kind[self.shape], first, local)

    def copies(self, original: NDArray[np.int64]) -> PartsOfBodies:
        """Parts of copies of the bodies: body i is a copy of body `original[i]`."""
        if self.offset is None or self.turn is None:
            every = np.arange(original.size, dtype=np.int32)
            return self._replace(shape=self.shape[original], body=every, bodies=every.size)
        first = self.numbers().first
        count = np.diff(first)[original]
        body = np.repeat(np.arange(original.size), count)
        begin = np.repeat(np.cumsum(count) - count, count)
        part = first[original][body] + np.arange(body.size) - begin
        return PartsOfBodies(
            self.shapes, self.shape[part], body.astype(np.int32), self.offset[part],
            self.turn[part], original.size,
        )  # fmt: skip

    def poses(self, position: Floats, orientation: Floats) -> Poses:
        """Poses of the parts for poses of the bodies."""
        if self.offset is None or self.turn is None:
            return Poses(position, orientation, self.shape)
        place, turn = np.empty((self.body.size, 3)), np.empty((self.body.size, 4))
        place_parts.sized(self.body.size)(
            position, orientation, self.body, self.offset, self.turn, place, turn
        )
        return Poses(place, turn, self.shape)


def parts_of(
    shapes: Sequence[Shape], which: ArrayLike | None, origin: str | ArrayLike
) -> PartsOfBodies:
    """Parts of bodies of given shapes; body i has shape `which[i]`, or shape i.

    `origin` says which point a body's position is: the origin of its shape's "frame", its
    "centre" of mass, or a point of each shape's frame [m], shape (shapes, 3).
    """
    if isinstance(origin, str) and origin not in ("frame", "centre"):
        raise InputError(f"origin must be 'frame', 'centre' or points, got {origin!r}")
    for shape in shapes:
        if not isinstance(shape, Shape):
            raise InputError(f"bodies must have shapes such as amontons.Sphere, got {shape!r}")
    number = _numbers(which, len(shapes))
    broken = [leaves(shape) for shape in shapes]
    centres = np.zeros((len(shapes), 3))
    if not isinstance(origin, str):
        centres = finite_array("origin", origin)
        if centres.shape != (len(shapes), 3):
            raise InputError(f"origin must have shape ({len(shapes)}, 3), got {centres.shape}")
    elif origin == "centre":
        for i, shape in enumerate(shapes):
            if not isinstance(shape, Compound) or shape.parts:
                centres[i] = _centre(shape)
    count = np.array([len(each) for each in broken], dtype=np.int64)
    first = np.cumsum(count) - count
    flat = [leaf for each in broken for leaf in each]
    body = np.repeat(np.arange(number.size), count[number])
    row = (
        first[number][body]
        + np.arange(body.size)
        - np.repeat(np.cumsum(count[number]) - count[number], count[number])
    )
    table = build_table([leaf.shape for leaf in flat])
    place = np.array([leaf.position for leaf in flat], dtype=np.float64).reshape(-1, 3)
    turn = np.array([leaf.orientation for leaf in flat], dtype=np.float64).reshape(-1, 4)
    place -= np.repeat(centres, count, axis=0)
    plain = not place.any() and not turn[:, 1:].any() and bool((count == 1).all())
    return PartsOfBodies(
        table,
        row.astype(np.int32),
        body.astype(np.int32),
        None if plain else place[row],
        None if plain else turn[row],
        number.size,
    )


def spheres(radii: ArrayLike) -> PartsOfBodies:
    """One sphere per body, of given radii [m]."""
    table = sphere_table(radii)
    every = np.arange(table.kind.size, dtype=np.int32)
    return PartsOfBodies(table, every, every, None, None, every.size)


def _centre(shape: Shape) -> Floats:
    try:
        return shape.centre
    except InputError:  # planes and open meshes have none, and are not moved
        return np.zeros(3)


def _numbers(which: ArrayLike | None, shapes: int) -> NDArray[np.int64]:
    if which is None:
        return np.arange(shapes)
    number = np.asarray(which)
    if number.ndim != 1 or not np.issubdtype(number.dtype, np.integer):
        raise InputError("which must be one whole number per body: the number of its shape")
    wrong = (number < 0) | (number >= shapes)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise InputError(f"which[{i}] is {number[i]}, but there are {shapes} shapes, from 0 on")
    return number.astype(np.int64)
