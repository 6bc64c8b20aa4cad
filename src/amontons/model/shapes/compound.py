"""Several shapes that move as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from amontons.algebra.rotations import quaternion_product, rotation_matrices
from amontons.array_types import Floats, Ints
from amontons.checks import finite_vector, positive, unit_quaternion, unit_rows
from amontons.checks.arrays import Vector
from amontons.errors import InputError
from amontons.model.shapes.ball_unions import Moments, moments_of_balls
from amontons.model.shapes.base import Shape, ShapeRow
from amontons.model.shapes.plane import Plane
from amontons.model.shapes.sphere import Sphere

OVERLAPS = ("sum", "union")
"""What space counts that is in several parts of a compound."""

Quaternion = tuple[float, float, float, float]


class Leaf(NamedTuple):
    """A shape that is not a compound, and its pose in the frame of the whole."""

    shape: Shape
    position: Vector  # [m]
    orientation: Quaternion  # unit (w, x, y, z)


@dataclass(frozen=True)
class Part:
    """A shape within a compound.

    Parameters
    ----------
    position:
        Origin of the shape's frame in the compound's frame [m].
    orientation:
        Quaternion (w, x, y, z) that rotates the shape's frame, of any length but zero.
    """

    shape: Shape
    position: Vector = (0.0, 0.0, 0.0)
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not isinstance(self.shape, Shape):
            raise InputError(f"a part must have a shape, got {self.shape!r}")
        object.__setattr__(self, "position", finite_vector("position", self.position))
        object.__setattr__(self, "orientation", unit_quaternion("orientation", self.orientation))

    @property
    def rotation(self) -> Floats:
        """Rotation matrix, shape (3, 3)."""
        return rotation_matrices(np.array(self.orientation))

    def moved(self, points: Floats) -> Floats:
        """Points of the shape (n, 3) in the compound's frame."""
        return np.asarray(points @ self.rotation.T + self.position)

    def within(self, outer: Part) -> Part:
        """The same in the frame of a compound whose part `outer` is the compound of this one."""
        x, y, z = outer.moved(np.array([self.position]))[0].tolist()
        turn = quaternion_product(np.array(outer.orientation), np.array(self.orientation))
        return Part(self.shape, (x, y, z), tuple(turn.tolist()))


@dataclass(frozen=True, init=False, repr=False)
class Compound(Shape):
    """Shapes fixed relative to each other.

    Parameters
    ----------
    parts:
        `Part`s, or tuples of a shape, a position and perhaps an orientation. Compounds among them
        are taken apart; a `Plane` must have a body of its own.
    overlap:
        What space counts that is in several parts: "sum", once in each of them; or "union", once in
        all, for parts that are spheres.
    solid:
        A shape whose volume, centre of mass and inertia it has instead of those of its parts, which
        touch others all the same; in the compound's frame. See `amontons.clump`.
    """

    parts: tuple[Part, ...]
    overlap: str
    solid: Shape | None

    def __init__(
        self,
        parts: Iterable[Part | Shape | Sequence[Any]],
        overlap: str = "sum",
        solid: Shape | None = None,
    ) -> None:
        flat = [leaf for part in parts for leaf in _flattened(_as_part(part))]
        if not flat:
            raise InputError("a compound needs at least one part")
        object.__setattr__(self, "parts", tuple(flat))
        object.__setattr__(self, "overlap", overlap)
        object.__setattr__(self, "solid", solid)
        self._check_mass()

    def _check_mass(self) -> None:
        if self.overlap not in OVERLAPS:
            raise InputError(f"overlap must be one of {', '.join(OVERLAPS)}, got {self.overlap!r}")
        odd = [type(part.shape).__name__ for part in self.parts if type(part.shape) is not Sphere]
        if self.overlap == "union" and odd:
            raise InputError(
                f'overlap is "union", which is for spheres alone, but a part is a {odd[0]}: take '
                '"sum" where parts do not overlap, or say the mass of the whole by `solid`'
            )
        if self.solid is None:
            return
        if not isinstance(self.solid, Shape):
            raise InputError(f"solid must be a shape or None, got {self.solid!r}")
        if self.overlap != "sum":
            raise InputError("overlap and solid both say what mass there is: give one")
        _ = self.solid.volume  # raises where it has none

    def encode(self) -> ShapeRow:
        raise InputError("a Compound has no row in the table of shapes: give those of its leaves")

    @cached_property
    def _volumes(self) -> Floats:
        return np.array([part.shape.volume for part in self.parts])

    @cached_property
    def _union(self) -> Moments:
        """Moments of parts that are spheres, what is in several of them once."""
        centres = np.array([part.position for part in self.parts])
        reach = np.array([part.shape.bounds[1][0] for part in self.parts])  # radii
        return moments_of_balls(centres, reach)

    @property
    def volume(self) -> float:
        if self.solid is not None:
            return self.solid.volume
        return self._union.volume if self.overlap == "union" else float(self._volumes.sum())

    @property
    def centre(self) -> Floats:
        if self.solid is not None:
            return self.solid.centre
        if self.overlap == "union":
            return np.asarray(self._union.first / self._union.volume)
        centres = np.array([part.moved(part.shape.centre[None])[0] for part in self.parts])
        return np.asarray(self._volumes @ centres / self.volume)

    @property
    def curvature(self) -> float | None:
        found = {part.shape.curvature for part in self.parts}
        return found.pop() if len(found) == 1 else None

    def unit_inertia(self) -> Floats:
        if self.solid is not None:
            return self.solid.unit_inertia()
        if self.overlap == "union":
            return self._union.inertia()
        centre, total = self.centre, np.zeros((3, 3))
        for part, volume in zip(self.parts, self._volumes, strict=True):
            turn = part.rotation
            arm = part.moved(part.shape.centre[None])[0] - centre
            total += turn @ part.shape.unit_inertia() @ turn.T
            total += volume * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return total

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        axes = np.eye(3)
        return np.diag(self.support(-axes)).copy(), np.diag(self.support(axes)).copy()

    def support(self, directions: ArrayLike) -> Floats:
        unit = unit_rows(directions)
        points = np.array(
            [part.moved(part.shape.support(unit @ part.rotation)) for part in self.parts]
        )
        best = np.argmax(np.einsum("pnx,nx->pn", points, unit), axis=0)
        return np.asarray(points[best, np.arange(len(unit))])

    def surface_mesh(self, resolution: int = 32) -> tuple[Floats, Ints]:
        """The surfaces of all parts, those inside other parts included."""
        vertices, triangles, before = [], [], 0
        for part in self.parts:
            points, corners = part.shape.surface_mesh(resolution)
            vertices.append(part.moved(points))
            triangles.append(corners + np.int32(before))
            before += len(points)
        return np.concatenate(vertices), np.concatenate(triangles)

    def scaled(self, factor: float) -> Self:
        factor = positive("factor", factor)
        parts = (
            (part.shape.scaled(factor), factor * np.array(part.position), part.orientation)
            for part in self.parts
        )
        solid = None if self.solid is None else self.solid.scaled(factor)
        return type(self)(parts, self.overlap, solid)

    def __repr__(self) -> str:
        more = "" if self.overlap == "sum" else f", overlap={self.overlap!r}"
        more += "" if self.solid is None else f", solid={self.solid!r}"
        if len(self.parts) <= 4:
            return f"Compound({list(self.parts)!r}{more})"
        kinds = sorted({type(part.shape).__name__ for part in self.parts})
        return f"Compound({len(self.parts)} parts: {', '.join(kinds)}{more})"


def leaves(shape: Shape) -> list[Leaf]:
    """The shapes of which a shape consists, in its frame: one for all but compounds."""
    if not isinstance(shape, Compound):
        return [Leaf(shape, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))]
    return [Leaf(part.shape, part.position, part.orientation) for part in shape.parts]


def _as_part(part: object) -> Part:
    if isinstance(part, Part):
        return part
    if isinstance(part, Shape):
        return Part(part)
    if isinstance(part, Sequence) and 1 <= len(part) <= 3:
        return Part(*part)
    raise InputError(
        f"a part of a compound is a Part, or (shape, position, orientation), got {part!r}"
    )


def _flattened(part: Part) -> list[Part]:
    """The part, or the parts of the compound that is its shape."""
    if isinstance(part.shape, Plane):
        raise InputError("a Plane has no end, so it cannot be part of a compound: fix it by itself")
    if not isinstance(part.shape, Compound):
        return [part]
    return [inner.within(part) for inner in part.shape.parts]
