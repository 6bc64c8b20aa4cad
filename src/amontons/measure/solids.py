"""The solid fraction of a region."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amontons.algebra.rotations import rotation_matrices
from amontons.frames import Surface
from amontons.measure.regions import MeasuredRegion
from amontons.measure.sample import Sample, Source, sample_of
from amontons.model.between import Between
from amontons.model.regions import Region

Floats = NDArray[np.float64]

LAYERS = 4
"""Points along an edge of a tetrahedron of the quadrature of bodies that are no spheres."""


def solid_fraction(source: Source, region: Region | Between | None = None) -> float:
    """Fraction of a region that is filled by freely moving bodies, from 0 to 1.

    Spheres that the region cuts count exactly, to 1e-9. Of other shapes a cut one is filled with
    points: four layers of them in the tetrahedron between its centre and each triangle of its
    surface, which is within about 1 % of that body. Overlaps count twice.
    """
    sample = sample_of(source, region)
    where = sample.region(region)
    radius = sample.radius
    balls = np.isfinite(radius)
    filled = where.balls(sample.position[balls], radius[balls]).sum()
    others = np.flatnonzero(~balls)
    if others.size:
        filled += _others(sample, where, others)
    return float(filled / where.volume)


def _others(sample: Sample, region: MeasuredRegion, rows: NDArray[np.int64]) -> float:
    """Volume within a region of bodies that are no spheres [m³]."""
    volume, reach = sample.volume, sample.reach
    place, turn = sample.position, rotation_matrices(sample.orientation)
    around = region.balls(place[rows], reach[rows])
    whole = around >= (1.0 - 1e-12) * 4.0 / 3.0 * np.pi * reach[rows] ** 3
    total = float(volume[rows[whole]].sum())
    for row in rows[~whole & (around > 0.0)].tolist():
        points, weights = _filling(sample.shapes[int(sample.shape[row])])
        inside = region.inside(points @ turn[row].T + place[row])
        total += volume[row] * float(weights[inside].sum())
    return total


def _filling(surface: Surface) -> tuple[Floats, Floats]:
    """Points within a shape, and the shares of its volume that they stand for.

    Of a shape that its centre does not see all of, some shares are negative, and cancel.
    """
    corners = surface.vertices[surface.triangles].astype(np.float64)
    a, b, c = np.moveaxis(corners - surface.middle, 1, 0)
    six_volumes = np.einsum("ti,ti->t", a, np.cross(b, c))
    layer = (np.arange(LAYERS) + 0.5) / LAYERS
    u, v, w = (each.ravel() for each in np.meshgrid(layer, layer, layer, indexing="ij"))
    # the unit cube onto a tetrahedron: heights as cube roots, triangles as square roots
    height, along = np.cbrt(u), np.sqrt(v)
    spots = np.stack([height * (1.0 - along), height * along * (1.0 - w), height * along * w])
    points = np.einsum("kp,kti->tpi", spots, np.stack([a, b, c])) + surface.middle
    shares = np.repeat(six_volumes / six_volumes.sum() / u.size, u.size)
    return points.reshape(-1, 3), shares
