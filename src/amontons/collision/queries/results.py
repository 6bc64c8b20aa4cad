"""Results of queries, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

from amontons.array_types import Flags, Floats, Ints, Longs


@dataclass(frozen=True)
class RayHits:
    """The first body that each ray meets. If it meets nothing, points and normals are NaN."""

    bodies: Ints
    """Body that is hit, or −1; shape (rays,)."""
    distances: Floats
    """From the origin of the ray to the hit [m], or infinity; shape (rays,)."""
    points: Floats
    """Where the ray hits [m], shape (rays, 3)."""
    normals: Floats
    """Unit normals out of the body, against the ray; shape (rays, 3)."""

    @property
    def hit(self) -> Flags:
        """Which rays hit something, shape (rays,)."""
        return self.bodies >= 0

    def __len__(self) -> int:
        return len(self.bodies)

    def __repr__(self) -> str:
        return f"<RayHits: {int(self.hit.sum())} of {len(self)} rays>"


@dataclass(frozen=True)
class ClosestPoints:
    """The body closest to each point. If none is near enough, surfaces and normals are NaN."""

    bodies: Ints
    """Body of least distance, or −1; shape (points,)."""
    distances: Floats
    """To its surface [m], negative inside, or infinity; shape (points,)."""
    points: Floats
    """Closest points of the surface [m], shape (points, 3)."""
    normals: Floats
    """Unit normals out of the body there: a point is its closest one + distance·normal; shape
    (points, 3)."""

    @property
    def found(self) -> Flags:
        """Which points have a body near enough, shape (points,)."""
        return self.bodies >= 0

    def __len__(self) -> int:
        return len(self.bodies)

    def __repr__(self) -> str:
        return f"<ClosestPoints: {int(self.found.sum())} of {len(self)} points>"


@dataclass(frozen=True)
class Overlaps:
    """Which bodies a shape overlaps at each of many places, sorted by place, then by body."""

    places: Longs
    """Number of the place, shape (overlaps,)."""
    bodies: Ints
    """Body that the shape overlaps there, shape (overlaps,)."""

    def __len__(self) -> int:
        return len(self.bodies)

    def __repr__(self) -> str:
        return f"<Overlaps: {len(self)}>"


@dataclass(frozen=True)
class Distances:
    """Distances of pairs of bodies (A, B)."""

    distances: Floats
    """Signed [m]: negative where they overlap, by how far one has to move; shape (pairs,)."""
    points_a: Floats
    """On the surface of A [m], shape (pairs, 3)."""
    points_b: Floats
    """On the surface of B [m], shape (pairs, 3)."""
    normals: Floats
    """Unit vectors from A to B: points_b = points_a + distance·normal; shape (pairs, 3)."""

    def __len__(self) -> int:
        return len(self.distances)

    def __repr__(self) -> str:
        return f"<Distances: {len(self)} pairs>"
