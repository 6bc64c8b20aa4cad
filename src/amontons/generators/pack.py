"""`pack`: spheres of given sizes in a region, to a stated solid fraction, without overlaps.

Spheres thrown at random into the region push each other and the walls away, as soft springs would,
until none touches another: the method of :mod:`amontons.generators.bed`, for any region and
any sizes. What comes out is random and loose: nothing is pressed, and gravity has yet to act.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from amontons.checks import positive, whole
from amontons.collision.detector import CollisionDetector
from amontons.errors import InputError
from amontons.model.regions import Region, region_part
from amontons.model.shapes import Part
from amontons.model.sizes import Sizes

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

SPARE = 1e-3
"""Share by which spheres are enlarged while they push each other, so that all gaps open."""

SKIN = 0.5
"""Distance up to which spheres count as neighbours [mean radii]; spheres move by at most half
of it before neighbours are searched again."""

PUSH, MOMENTUM, SWEEPS = 0.5, 0.85, 8
"""Momentum of the relaxation (heavy ball), and sweeps between two searches for neighbours."""

PERIODS = 400
"""Searches for neighbours before a packing is given up."""

TRIES = 200
"""Random points per sphere before the region counts as too thin within its bounding box."""


class PackedSpheres(NamedTuple):
    """Spheres that do not touch each other, in a region."""

    position: Floats  # centres [m], shape (spheres, 3)
    radius: Floats  # [m], (spheres,)
    fraction: float  # volume of the spheres over that of the region

    def __repr__(self) -> str:
        low, high = (self.radius.min(), self.radius.max()) if self.radius.size else (0.0, 0.0)
        return (
            f"<PackedSpheres: {self.radius.size} of radius {low:.3g} to {high:.3g}, "
            f"solid fraction {self.fraction:.4f}>"
        )


def pack(region: Region, sizes: Sizes, *, fraction: float, seed: int = 0) -> PackedSpheres:
    """Random spheres without overlaps that fill a region to a given fraction.

    >>> grains = am.pack(am.Cylinder(0.1, 0.3), sizes, fraction=0.5)      # doctest: +SKIP
    >>> world.add_spheres(grains.radius, position=grains.position, density=2500.0)

    Parameters
    ----------
    region:
        Two corners of a box; or a shape that has a volume, such as a `Cylinder` or a closed
        `TriangleMesh`, in the frame of the world; or a `Part`, which puts one elsewhere.
    sizes:
        `Sizes`, or one diameter for all [m].
    fraction:
        Volume of the spheres over that of the region. Up to about 0.55 takes seconds for 10 000;
        random packings end at 0.64 for equal spheres.
    seed:
        The same arguments and seed give the same spheres, bit for bit.
    """
    part = region_part(region)
    wanted = Sizes.single(sizes) if isinstance(sizes, int | float) else sizes
    if not isinstance(wanted, Sizes):
        raise InputError(f"sizes must be an amontons.Sizes or one diameter [m], got {sizes!r}")
    if not 0.0 < positive("fraction", fraction) < 0.75:
        raise InputError(
            f"fraction is {fraction:g}; no packing of spheres fills more than 0.74, and random "
            "ones of equal spheres end at 0.64"
        )
    volume = part.shape.volume  # an open mesh says so itself
    rng = np.random.default_rng(whole("seed", seed))
    radius = wanted.radii_filling(fraction * volume, rng)
    container = Container(part)
    container.refuse_too_large(float(radius.max()))
    position = _apart(container.scatter(len(radius), rng), radius, container, fraction)
    filled = 4.0 / 3.0 * np.pi * float((radius**3).sum())
    return PackedSpheres(position, radius, filled / volume)


class Container:
    """A region seen as a container of spheres."""

    def __init__(self, part: Part) -> None:
        detector = CollisionDetector([part.shape], margin=0.0, fixed=np.array([True]))
        self._walls = detector.at([part.position], [part.orientation])
        low, high = part.shape.bounds
        box = np.stack(np.meshgrid(*zip(low, high, strict=True), indexing="ij"), -1).reshape(-1, 3)
        corners = part.moved(box)
        self._low, self._high = corners.min(axis=0), corners.max(axis=0)

    def depths(self, points: Floats) -> tuple[Floats, Floats]:
        """Depths of points [m], shape (points,), and unit vectors inwards, shape (points, 3)."""
        found = self._walls.closest_points(points)
        return -found.distances, -found.normals

    def refuse_too_large(self, radius: float) -> None:
        """Raise `InputError` where a sphere of this radius [m] is thicker than the bounding box."""
        least = float((self._high - self._low).min())
        if 2.0 * radius > least:
            raise InputError(
                f"a sphere of {2.0 * radius:g} m does not fit into a region {least:g} m thick"
            )

    def scatter(self, count: int, rng: np.random.Generator) -> Floats:
        """Points at random in the region [m], shape (count, 3)."""
        kept: list[Floats] = []
        missing = count
        for _ in range(TRIES):
            points = rng.uniform(self._low, self._high, (2 * missing + 16, 3))
            inside = points[self.depths(points)[0] > 0.0][:missing]
            kept.append(inside)
            missing -= len(inside)
            if not missing:
                return np.concatenate(kept)
        raise InputError("the region is too thin within its bounding box: random points miss it")


def _apart(start: Floats, radius: Floats, container: Container, fraction: float) -> Floats:
    """The spheres moved until none overlaps another or a wall."""
    position, step = start, np.zeros_like(start)
    large = (1.0 + SPARE) * radius
    skin = SKIN * float(radius.mean())
    detector = CollisionDetector.of_spheres(large, margin=skin)
    overlap = np.inf
    for _ in range(PERIODS):
        found = detector.detect(position)
        depth, inward = container.depths(position)
        pairs = found.bodies.copy()
        # of the spheres as they are, over the radius of the smaller
        slack = found.gaps + SPARE * radius[pairs].sum(axis=1)
        worst = min(
            float((slack / radius[pairs].min(axis=1)).min(initial=0.0)),
            float(((depth - radius) / radius).min(initial=0.0)),
        )
        if worst >= 0.0:
            return position
        overlap = min(overlap, -worst)
        position = _swept(position, step, large, pairs, depth, inward, 0.5 * skin / SWEEPS)
    raise InputError(
        f"cannot pack to a fraction of {fraction:g}: after {PERIODS} rounds spheres still overlap "
        f"by {100.0 * overlap:.2g} % of a radius; ask for less, or for a wider spread of sizes"
    )


def _swept(
    position: Floats, step: Floats, radius: Floats, pairs: Ints, depth: Floats, inward: Floats,
    farthest: float,
) -> Floats:  # fmt: skip
    """Some sweeps of relaxation; `step` holds and keeps the spheres' last displacements.

    Of two overlapping spheres the lighter one moves more. None moves by more than `farthest`
    [m] in a sweep.
    """
    across = _incidence(len(radius), pairs)
    mass = radius**3
    give = mass[pairs[:, ::-1]] / mass[pairs].sum(axis=1, keepdims=True)
    back = _incidence(len(radius), pairs, give * (-1.0, 1.0)).T.tocsr()
    reach = radius[pairs].sum(axis=1)
    begin, now = position, position.copy()
    for _ in range(SWEEPS):
        apart = across @ now
        distance = np.maximum(np.sqrt(np.einsum("ck,ck->c", apart, apart)), 1e-12 * reach)
        apart *= np.maximum(reach / distance - 1.0, 0.0)[:, None]
        push = back @ apart
        # the wall as its tangent plane at the nearest point
        deep = depth + np.einsum("bk,bk->b", now - begin, inward)
        push += np.maximum(radius - deep, 0.0)[:, None] * inward
        step *= MOMENTUM
        step += PUSH * push
        length = np.linalg.norm(step, axis=1, keepdims=True)
        step *= np.minimum(1.0, farthest / np.maximum(length, farthest))
        now += step
    return now


def _incidence(spheres: int, pairs: Ints, values: Floats | None = None) -> sp.csr_array:
    """The matrix that maps positions to differences x_j − x_i, shape (pairs, spheres).

    Or with other values than −1 and 1 for each pair, of shape (pairs, 2).
    """
    count = len(pairs)
    entries = np.tile((-1.0, 1.0), count) if values is None else values.ravel()
    pointer = np.arange(0, 2 * count + 1, 2, dtype=np.int32)
    return sp.csr_array(
        (entries, pairs.astype(np.int32).ravel(), pointer),
        shape=(count, spheres),
    )
