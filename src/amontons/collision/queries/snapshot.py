"""Queries of bodies at one instant: rays, closest points, overlaps, distances.

All work on whole arrays. Results are the same, bit for bit, on any number of threads.

"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from amontons.array_types import Ints, Longs
from amontons.checks import rows_array
from amontons.collision.body_parts import parts_of
from amontons.collision.queries.checks import (
    ALL_GROUPS,
    body_numbers,
    body_pairs,
    group_bits,
    reaches,
    unit_directions,
    unit_turns,
)
from amontons.collision.queries.nearest import Points, find_nearest
from amontons.collision.queries.part_pairs import Side, closed_meshes, gaps_of, near_parts
from amontons.collision.queries.rays import Rays, cast
from amontons.collision.queries.results import ClosestPoints, Distances, Overlaps, RayHits
from amontons.collision.queries.scene_tree import scene_tree
from amontons.errors import InputError
from amontons.model.shapes import Plane, Shape
from amontons.model.shapes.table import PLANE

if TYPE_CHECKING:
    from amontons.collision.detector import CollisionDetector


WORK = 16
"""Cost of a ray or a point, in contacts of a solver."""


class Snapshot:
    """Bodies at one instant, ready for queries.

    Creating one sorts the parts of all bodies into a tree, so that each query visits few of them.

    Parameters
    ----------
    detector:
        Has the shapes and the groups of the bodies. Its margin, masks and `apart` do not matter.
    position:
        Of the bodies [m], shape (bodies, 3).
    orientation:
        Unit quaternions (w, x, y, z), shape (bodies, 4); by default nothing is turned.
    """

    def __init__(
        self,
        detector: CollisionDetector,
        position: ArrayLike,
        orientation: ArrayLike | None = None,
    ) -> None:
        parts, poses, boxes = detector.placed(position, orientation)
        self.bodies = detector.bodies
        self._body = parts.body
        self._group = np.ascontiguousarray(detector.groups[parts.body])
        self._side = Side(parts.shapes, poses, closed_meshes(parts.shapes))
        kind = parts.shapes.kind[parts.shape]
        self._tree = scene_tree(kind, boxes)

    def cast_rays(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        *,
        longest: ArrayLike = np.inf,
        mask: ArrayLike = ALL_GROUPS,
        ignore: ArrayLike | None = None,
        inside: Literal["pass", "hit"] = "pass",
    ) -> RayHits:
        """The first body that each ray meets.

        A ray that begins on a surface and goes into the body meets it at distance 0; one that
        leaves does not meet it. Meshes are met from both sides. A ray that grazes a surface may or
        may not meet it.

        Parameters
        ----------
        origins:
            Where the rays begin [m], shape (rays, 3).
        directions:
            Where to, of any length but zero, shape (rays, 3).
        longest:
            Length of the rays [m], one for all or one each.
        mask:
            Bits of the groups that are seen, one number for all or one each.
        ignore:
            A body that is not seen, one for all or one each; −1 for none.
        inside:
            Whether a ray that begins inside a convex part or below a plane should "pass" out of it
            without a hit, or "hit" it at distance 0 with a normal against the ray.
        """
        start = rows_array("origins", origins)
        number = len(start)
        unit = unit_directions("directions", directions, number)
        if inside not in ("pass", "hit"):
            raise InputError(f"inside must be 'pass' or 'hit', got {inside!r}")
        hit = np.full(number, -1, dtype=np.int64)
        distance, normal = np.full(number, np.inf), np.full((number, 3), np.nan)
        rays = Rays(
            start,
            unit,
            reaches("longest", longest, number),
            group_bits("mask", mask, number),
            body_numbers("ignore", ignore, number, self.bodies),
        )
        cast.sized(WORK * number)(
            self._side.shapes, self._side.poses, self._group, self._body, self._tree, rays,
            inside == "hit", hit, distance, normal,
        )  # fmt: skip
        point = np.full((number, 3), np.nan)
        met = hit >= 0
        point[met] = start[met] + distance[met, None] * unit[met]
        return RayHits(self._body_of(hit), distance, point, normal)

    def closest_points(
        self,
        points: ArrayLike,
        *,
        within: ArrayLike = np.inf,
        mask: ArrayLike = ALL_GROUPS,
        ignore: ArrayLike | None = None,
    ) -> ClosestPoints:
        """The body whose signed distance from each point is least: inside of several, the deepest.

        Open meshes have no inside, so a positive distance on both sides. The inside of a compound
        is measured part by part.

        Parameters
        ----------
        points:
            [m], shape (points, 3)
        within:
            Bodies farther away are not looked for [m], one length for all or one each.
        mask:
            Bits of the groups that are looked at, one number for all or one each.
        ignore:
            A body that is not looked at, one for all or one each; −1 for none.
        """
        place = rows_array("points", points)
        number = len(place)
        nearest = np.full(number, -1, dtype=np.int64)
        distance, normal = np.full(number, np.inf), np.full((number, 3), np.nan)
        side = self._side
        asking = Points(
            place,
            reaches("within", within, number),
            group_bits("mask", mask, number),
            body_numbers("ignore", ignore, number, self.bodies),
        )
        find_nearest.sized(WORK * number)(
            side.shapes, side.closed, side.poses, self._group, self._body, self._tree, asking,
            nearest, distance, normal,
        )  # fmt: skip
        point = np.full((number, 3), np.nan)
        found = nearest >= 0
        point[found] = place[found] - distance[found, None] * normal[found]
        return ClosestPoints(self._body_of(nearest), distance, point, normal)

    def overlaps(
        self,
        shape: Shape,
        at: ArrayLike,
        turned: ArrayLike | None = None,
        *,
        within: float = 0.0,
        mask: int = ALL_GROUPS,
        ignore: ArrayLike | None = None,
    ) -> Overlaps:
        """All bodies that a shape overlaps or touches, at each of many places.

        Parameters
        ----------
        shape:
            Any but a plane. Its frame is placed, not its centre of mass.
        at:
            Places [m], shape (places, 3).
        turned:
            Unit quaternions (w, x, y, z), shape (places, 4); by default it is not turned.
        within:
            Bodies up to this far away count as well [m].
        mask:
            Bits of the groups that are looked at.
        ignore:
            A body that is not looked at, one for all places or one each; −1 for none.
        """
        if not isinstance(shape, Shape):
            raise InputError(f"shape must be a shape such as amontons.Sphere, got {shape!r}")
        if isinstance(shape, Plane):
            raise InputError("a Plane overlaps half of everything: ask with a large Box instead")
        place = rows_array("at", at)
        number = len(place)
        turn = unit_turns("turned", turned, number)
        reach = float(reaches("within", within, 1)[0])
        ignored = body_numbers("ignore", ignore, number, self.bodies)
        asking = parts_of([shape], np.zeros(number, dtype=np.int64), "frame")
        other = Side(asking.shapes, asking.poses(place, turn), closed_meshes(asking.shapes))
        pairs = near_parts(other, self._side, self._tree, reach)
        asked, body = asking.body[pairs[:, 0]], self._body[pairs[:, 1]]
        seen = (self._group[pairs[:, 1]] & group_bits("mask", mask, 1)) != 0
        seen &= body != ignored[asked]
        gap, _, _ = gaps_of(other, self._side, pairs[seen], reach)
        met = np.column_stack([asked[seen], body[seen]])[gap <= reach]
        met = np.unique(met, axis=0)
        return Overlaps(met[:, 0].astype(np.int64), met[:, 1].astype(np.int32))

    def distances(self, pairs: ArrayLike) -> Distances:
        """Signed distance of given pairs of bodies, however far they are apart.

        Each part of A is held against each part of B. Convex parts that overlap have the depth by
        which one must move to be free. Of meshes, each triangle counts for itself, so that a
        negative number says that they overlap, but not by how much. A part wholly inside
        a closed mesh has minus its distance from the surface. Two meshes take a time that grows
        with the number of triangles of B.

        Parameters
        ----------
        pairs:
            Two different bodies, of which at most one is a plane, shape (pairs, 2).
        """
        asked = body_pairs(pairs, self.bodies)
        which, parts = self._pairs_of_parts(asked)
        kinds = self._side.kinds[parts]
        if (kinds == PLANE).all(axis=1).any():
            first = int(which[np.argmax((kinds == PLANE).all(axis=1))])
            raise InputError(
                f"pairs[{first}] is {asked[first].tolist()}: two planes have no distance"
            )
        gap, normal, point = gaps_of(self._side, self._side, parts, np.inf)
        order = np.lexsort((gap, which))
        best = order[np.searchsorted(which[order], np.arange(len(asked)))]
        on_a = self._side.poses.place[parts[best, 0]] + point[best]
        on_b = on_a + gap[best, None] * normal[best]
        return Distances(gap[best], on_a, on_b, normal[best])

    def _pairs_of_parts(self, pairs: Longs) -> tuple[Longs, Ints]:
        """All pairs of parts of pairs of bodies, and the number of the pair that each is of."""
        first = np.searchsorted(self._body, np.arange(self.bodies + 1))
        count = np.diff(first)[pairs]
        which = np.repeat(np.arange(len(pairs)), count[:, 0] * count[:, 1])
        begins = np.cumsum(count[:, 0] * count[:, 1]) - count[:, 0] * count[:, 1]
        a, b = np.divmod(np.arange(len(which)) - begins[which], count[which, 1])
        parts = first[pairs[which]] + np.column_stack([a, b])
        return which, parts.astype(np.int32)

    def _body_of(self, part: Longs) -> Ints:
        """Body of each part; −1 is kept."""
        bodies = np.full(len(part), -1, dtype=np.int32)
        bodies[part >= 0] = self._body[part[part >= 0]]
        return bodies

    def __repr__(self) -> str:
        return f"<Snapshot: {self.bodies} bodies>"
