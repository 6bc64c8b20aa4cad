"""`clump`: spheres that fill a closed mesh, with the mesh's own mass.

Candidates are the largest balls about points within the mesh, moved inwards while they grow. They
are taken one by one: always the one that covers most of what is not covered yet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from amontons.array_types import Floats
from amontons.checks import whole
from amontons.errors import InputError
from amontons.generators.pack import Container
from amontons.model.shapes import Compound, Part, Sphere, TriangleMesh

SAMPLES, CANDIDATES = 6000, 1500
"""Points at random in the mesh that say what is covered, and how many of them balls are about."""

CLIMBS, STEP = 24, 0.25
"""Moves of a ball inwards, and how far it goes at first, by its radius."""

MOST = 1000
"""Spheres of a clump: more collide slower than the mesh."""


class FilledMesh(NamedTuple):
    """A clump of spheres in place of a mesh, and how much it differs."""

    shape: Compound  # with the volume, the centre of mass and the inertia of the mesh
    uncovered: float  # share of the mesh's volume that is in no sphere, to about 0.5 % of it
    depth: float  # mean distance from the mesh's surface to the spheres below it [m]
    deepest: float  # and the largest, of random points of the surface [m]


def clump(mesh: TriangleMesh, *, spheres: int, seed: int = 0) -> FilledMesh:
    """Overlapping spheres within a closed mesh, as one shape that has the mesh's mass.

    >>> filled = am.clump(am.TriangleMesh.load("stone.stl"), spheres=30)   # doctest: +SKIP
    >>> world.add_body(filled.shape, density=2650.0)

    Spheres touch the surface from within: what they leave uncovered are edges and corners.

    Parameters
    ----------
    mesh:
        Closed: its volume and inertia are those of the clump.
    spheres:
        How many.
    seed:
        The same arguments and seed give the same clump, bit for bit.
    """
    if not isinstance(mesh, TriangleMesh):
        raise InputError(f"mesh must be an amontons.TriangleMesh, got {mesh!r}")
    count = whole("spheres", spheres, least=1)
    if count > MOST:
        raise InputError(f"spheres is {count}; take at most {MOST}, or the mesh as it is")
    rng = np.random.default_rng(whole("seed", seed))
    _ = mesh.volume  # an open mesh says so itself
    inside = Container(Part(mesh))
    samples = inside.scatter(SAMPLES, rng)
    centres, radii = _inscribed(inside, samples[:CANDIDATES])
    chosen = _most_covering(samples, centres, radii, count)
    centres, radii = centres[chosen], radii[chosen]
    parts = [
        Part(Sphere(r), tuple(c)) for r, c in zip(radii.tolist(), centres.tolist(), strict=True)
    ]
    left = float((_distances(samples, centres, radii) > 0.0).all(axis=1).mean())
    gaps = np.maximum(_distances(_on_surface(mesh, rng), centres, radii).min(axis=1), 0.0)
    return FilledMesh(Compound(parts, solid=mesh), left, float(gaps.mean()), float(gaps.max()))


def _inscribed(inside: Container, points: Floats) -> tuple[Floats, Floats]:
    """Balls that touch the surface from within, about points that were moved to where they grow."""
    centres = points
    radii, inwards = inside.depths(centres)
    share = np.full(len(points), STEP)
    for _ in range(CLIMBS):
        moved = centres + (share * radii)[:, None] * inwards
        found, where = inside.depths(moved)
        better = found > radii
        centres = np.where(better[:, None], moved, centres)
        inwards = np.where(better[:, None], where, inwards)
        radii = np.where(better, found, radii)
        share = np.where(better, share, 0.5 * share)
    return centres, radii


def _most_covering(samples: Floats, centres: Floats, radii: Floats, count: int) -> list[int]:
    """Numbers of the balls that together cover most samples, the best of the rest each time."""
    covers = _distances(samples, centres, radii).T <= 0.0  # (candidates, samples)
    open_still = np.ones(len(samples), dtype=bool)
    chosen: list[int] = []
    for _ in range(count):
        gain = covers[:, open_still].sum(axis=1)
        best = int(np.argmax(gain))
        if not gain[best]:
            break  # no ball covers anything new
        chosen.append(best)
        open_still &= ~covers[best]
    return chosen


def _distances(points: Floats, centres: Floats, radii: Floats) -> Floats:
    """Of points from balls [m], below zero inside; shape (points, balls)."""
    apart = np.linalg.norm(points[:, None, :] - centres[None, :, :], axis=2)
    return np.asarray(apart - radii)


def _on_surface(mesh: TriangleMesh, rng: np.random.Generator) -> Floats:
    """Points at random on a mesh, as many by area everywhere [m], shape (samples, 3)."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    face = rng.choice(len(area), size=SAMPLES, p=area / area.sum())
    u, v = rng.random((2, SAMPLES, 1))
    over = u + v > 1.0
    u, v = np.where(over, 1.0 - u, u), np.where(over, 1.0 - v, v)
    return np.asarray(a[face] + u * (b - a)[face] + v * (c - a)[face])
