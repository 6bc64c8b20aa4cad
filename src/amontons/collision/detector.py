"""Collision detection of a whole scene: broad phase, narrow phase, contacts."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amontons.checks import finite_array, unit_quaternions
from amontons.collision.body_parts import PartNumbers, PartsOfBodies, Poses, parts_of, spheres
from amontons.collision.broad.broad_phase import (
    AS_NUMBERED,
    BroadPhase,
    SearchOptions,
    SearchTables,
)
from amontons.collision.broad.rows import BodyOrder
from amontons.collision.contacts import Assembly, ContactSet
from amontons.collision.narrow.narrow_phase import narrow_phase
from amontons.collision.queries.snapshot import Snapshot
from amontons.errors import InputError, ProblemWarning
from amontons.model.shapes import Shape
from amontons.model.shapes.table import MESH, SPHERE

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

ALL_GROUPS = 0xFFFFFFFF


class DetectorTables(NamedTuple):
    """What a detector is made of, for compiled functions that detect contacts as it does."""

    parts: PartsOfBodies
    numbers: PartNumbers
    searches: tuple[SearchTables, ...]  # one for each margin
    only_spheres: bool  # one for each body
    meshes_may_meet: bool  # two of them, which the staged step alone can handle


class CollisionDetector:
    """Finds every contact within a margin between bodies of given shapes.

    Parameters
    ----------
    shapes:
        Shapes of the bodies. Bodies that share a shape may share one object.
    which:
        Body i has shape `which[i]`; by default body i has shape i.
    margin:
        Contacts are reported up to this gap [m], unless a call says otherwise.
    fixed:
        Which bodies never move: two such bodies do not meet. By default planes and meshes without
        volume; shape (bodies,).
    groups, masks:
        Bits of the groups that a body belongs to, and of those that it meets. Two bodies meet if
        each is in a group that the other meets. By default all are in group 1 and meet everybody.
    apart:
        Pairs of bodies that never meet, such as those that a joint connects; shape (pairs, 2).
    origin:
        What a body's position is the place of: the origin of its shape's "frame" (default), its
        "centre" of mass, or a point of each shape's frame [m], shape (shapes, 3).

    The answer is the same, bit for bit and in the same order, on any number of threads.
    """

    def __init__(
        self,
        shapes: Sequence[Shape],
        *,
        margin: float,
        which: ArrayLike | None = None,
        fixed: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        masks: ArrayLike | None = None,
        apart: ArrayLike | None = None,
        origin: str | ArrayLike = "frame",
    ) -> None:
        parts = parts_of(shapes, which, origin)
        if fixed is None:
            number = np.arange(parts.bodies) if which is None else np.asarray(which)
            fixed = np.array([not _has_volume(shape) for shape in shapes], dtype=bool)[number]
        self._begin(parts, margin, fixed, groups, masks, apart)

    @classmethod
    def of_spheres(
        cls,
        radii: ArrayLike,
        *,
        margin: float,
        fixed: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        masks: ArrayLike | None = None,
        apart: ArrayLike | None = None,
    ) -> Self:
        """Spheres of given radii [m], one per body: as the constructor, at once for a million."""
        detector = cls.__new__(cls)
        detector._begin(spheres(radii), margin, fixed, groups, masks, apart)
        return detector

    def _begin(
        self,
        parts: PartsOfBodies,
        margin: float,
        fixed: ArrayLike | None,
        groups: ArrayLike | None,
        masks: ArrayLike | None,
        apart: ArrayLike | None,
    ) -> None:
        self.bodies = parts.bodies
        self.margin = _length("margin", margin)
        self._parts = parts
        self._assembly = Assembly(parts)
        self._upright = np.tile([1.0, 0.0, 0.0, 0.0], (parts.bodies, 1))
        self._only_spheres = parts.offset is None and bool((parts.shapes.kind == SPHERE).all())
        mesh = parts.shapes.kind[parts.shape] == MESH
        opened = mesh & (parts.shapes.size[parts.shape, 0] == 0.0)
        self._meshes_may_meet = bool(np.count_nonzero(mesh) > 1)
        self._may_miss_meshes = self._meshes_may_meet and bool(opened.any())
        fixed_bodies = np.zeros(parts.bodies, dtype=bool)
        if fixed is not None:
            fixed_bodies = np.asarray(fixed)
            if fixed_bodies.shape != (parts.bodies,) or fixed_bodies.dtype != np.bool_:
                raise InputError(
                    f"fixed must be {parts.bodies} booleans, one per body, got shape "
                    f"{fixed_bodies.shape} of {fixed_bodies.dtype}"
                )
        self.fixed: NDArray[np.bool_] = fixed_bodies
        self.groups = self._bits("groups", groups, 1)
        self._masks = self._bits("masks", masks, ALL_GROUPS)
        self._apart = self._pairs_apart(apart)
        self._broad = BroadPhase(
            parts.shapes,
            parts.shape,
            body=parts.body,
            free=~fixed_bodies[parts.body],
            group=self.groups[parts.body],
            mask=self._masks[parts.body],
            apart=self._apart,
        )

    def of_copies(self, original: NDArray[np.int64]) -> Self:
        """A detector of copies: body i has shape and groups of body `original[i]` of this one.

        No pairs are excluded in it.
        """
        copies = type(self).__new__(type(self))
        copies._begin(
            self._parts.copies(original), self.margin, self.fixed[original],
            self.groups[original], self._masks[original], None,
        )  # fmt: skip
        return copies

    def keep_apart(self, pairs: ArrayLike) -> None:
        """Replace the pairs of bodies that never meet, shape (pairs, 2)."""
        apart = self._pairs_apart(pairs)
        if not np.array_equal(apart, self._apart):
            self._apart = apart
            self._broad.keep_apart(apart)

    def detect(
        self,
        position: ArrayLike,
        orientation: ArrayLike | None = None,
        *,
        margin: float | None = None,
    ) -> ContactSet:
        """All contacts for poses of the bodies.

        Parameters
        ----------
        position:
            Of the bodies [m], shape (bodies, 3).
        orientation:
            Unit quaternions (w, x, y, z), shape (bodies, 4); by default no body is rotated.
        margin:
            Contacts are reported up to this gap [m]; by default up to the detector's.
        """
        return self.detect_unit(*self._checked(position, orientation), self._chosen(margin))

    def detect_unit(
        self,
        position: Floats,
        orientation: Floats,
        margin: float,
        *,
        order: BodyOrder | None = None,
        free: NDArray[np.bool_] | None = None,
    ) -> ContactSet:
        """As :meth:`detect`, for finite arrays and unit quaternions, without checks.

        Contacts are listed in the given order of bodies. If `free` is given, shape (bodies,), two
        bodies that are not free do not meet, regardless of those given as fixed.
        """
        poses = self._parts.poses(position, orientation)
        close = self._broad.find(poses, margin, self._look(order, free))
        if self._only_spheres:
            return self._assembly.of_spheres(poses.place, close, margin, order)
        if self._may_miss_meshes:
            self._warn_of_meshes(close.pairs)
        narrowed = narrow_phase(self._parts.shapes, poses, close.pairs, margin)
        return self._assembly.of_all(poses.place, position, close, narrowed, margin, order)

    def tables(self, margins: Sequence[float]) -> DetectorTables:
        """What it is made of, and its searches within these margins [m]."""
        return DetectorTables(
            self._parts, self._parts.numbers(),
            tuple(self._broad.tables(margin) for margin in margins),
            self._only_spheres, self._meshes_may_meet,
        )  # fmt: skip

    def _look(self, order: BodyOrder | None, free: NDArray[np.bool_] | None) -> SearchOptions:
        """Options of the broad phase for an order of bodies, and for those that are free."""
        look, parts = AS_NUMBERED, self._parts
        if order is not None:
            listed, slots = order.body, order.place[:-1]
            if parts.offset is not None:  # the parts of a body stay together
                listed = np.argsort(slots[parts.body], kind="stable").astype(np.int32)
                slots = np.empty_like(listed)
                slots[listed] = np.arange(listed.size, dtype=np.int32)
            look = look._replace(listed=listed, slots=slots)
        return look if free is None else look._replace(free=free[parts.body])

    def placed(
        self, position: ArrayLike, orientation: ArrayLike | None = None
    ) -> tuple[PartsOfBodies, Poses, Floats]:
        """The parts of the bodies, their poses, and their boxes widened by half the margin."""
        poses = self._poses(position, orientation)
        return self._parts, poses, self._broad.boxes(poses, self.margin)

    def at(self, position: ArrayLike, orientation: ArrayLike | None = None) -> Snapshot:
        """A snapshot of the bodies for queries: rays, closest points, overlaps, distances."""
        return Snapshot(self, position, orientation)

    def close_pairs(
        self,
        position: ArrayLike,
        orientation: ArrayLike | None = None,
        *,
        margin: float | None = None,
    ) -> Ints:
        """Pairs of bodies whose bounding boxes come within the margin, sorted, shape (pairs, 2)."""
        poses = self._poses(position, orientation)
        pairs = self._parts.body[self._broad.find(poses, self._chosen(margin)).pairs]
        return np.unique(np.sort(pairs, axis=1), axis=0)

    def _warn_of_meshes(self, pairs: Ints) -> None:
        """Warn, once, of two meshes that come near each other and will not touch: one is open."""
        shapes, shape = self._parts.shapes, self._parts.shape[pairs]
        missed = (shapes.kind[shape] == MESH).all(axis=1) & (shapes.size[shape, 0] == 0.0).any(
            axis=1
        )
        if missed.any():
            a, b = np.sort(self._parts.body[pairs[np.argmax(missed)]])
            warnings.warn(
                f"bodies {a} and {b} come near each other, but two triangle meshes pass through "
                "each other unless both are closed: close the mesh (TriangleMesh.closed says which "
                "is open), or make one of the two a compound of convex parts "
                "(TriangleMesh.decompose)",
                ProblemWarning,
                stacklevel=3,
            )
            self._may_miss_meshes = False

    def _poses(self, position: ArrayLike, orientation: ArrayLike | None) -> Poses:
        return self._parts.poses(*self._checked(position, orientation))

    def _checked(self, position: ArrayLike, orientation: ArrayLike | None) -> tuple[Floats, Floats]:
        place = finite_array("position", position)
        if place.shape != (self.bodies, 3):
            raise InputError(f"position must have shape ({self.bodies}, 3), got {place.shape}")
        if orientation is None:
            return place, self._upright
        turn = finite_array("orientation", orientation)
        if turn.shape != (self.bodies, 4):
            raise InputError(f"orientation must have shape ({self.bodies}, 4), got {turn.shape}")
        return place, unit_quaternions("orientation", turn)

    def _chosen(self, margin: float | None) -> float:
        return self.margin if margin is None else _length("margin", margin)

    def _bits(self, name: str, given: ArrayLike | None, usual: int) -> NDArray[np.uint32]:
        if given is None:
            return np.full(self.bodies, usual, dtype=np.uint32)
        bits = np.asarray(given)
        if bits.shape != (self.bodies,) or not np.issubdtype(bits.dtype, np.integer):
            raise InputError(f"{name} must be {self.bodies} whole numbers, one per body")
        if ((bits < 0) | (bits > ALL_GROUPS)).any():
            raise InputError(f"{name} must fit into 32 bits, from 0 to {ALL_GROUPS}")
        return bits.astype(np.uint32)

    def _pairs_apart(self, apart: ArrayLike | None) -> NDArray[np.int64]:
        if apart is None:
            return np.empty((0, 2), dtype=np.int64)
        pairs = np.asarray(apart)
        if pairs.size == 0:
            return np.empty((0, 2), dtype=np.int64)
        if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
            raise InputError(f"apart must be pairs of bodies, shape (pairs, 2), got {pairs.shape}")
        if ((pairs < 0) | (pairs >= self.bodies)).any():
            raise InputError(f"apart names a body that does not exist; there are {self.bodies}")
        return pairs.astype(np.int64)

    def __repr__(self) -> str:
        return f"<CollisionDetector: {self.bodies} bodies, margin {self.margin:g} m>"


def _length(name: str, value: float) -> float:
    if not (np.isfinite(value) and value >= 0.0):
        raise InputError(f"{name} must be a finite length, zero or more [m], got {value}")
    return float(value)


def _has_volume(shape: Shape) -> bool:
    try:
        return shape.volume > 0.0
    except InputError:
        return False
